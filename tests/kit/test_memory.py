"""What a process remembers."""

from pannier.kit.memory import Memory


def test_the_last_ones_are_remembered() -> None:
    memory = Memory[str, int](2)
    for number, name in enumerate("abc"):
        memory.keep(name, number)
    assert [memory.recall(name) for name in "abc"] == [None, 1, 2]


def test_what_is_recalled_is_kept_longer() -> None:
    memory = Memory[str, int](2)
    memory.keep("a", 1)
    memory.keep("b", 2)
    assert memory.recall("a") == 1
    memory.keep("c", 3)
    assert [memory.recall(name) for name in "abc"] == [1, None, 3]


def test_the_same_thing_is_kept_once_and_as_it_was_last() -> None:
    memory = Memory[str, int](2)
    for number in range(3):
        memory.keep("a", number)
    memory.keep("b", 9)
    assert [memory.recall(name) for name in "ab"] == [2, 9]


def test_what_is_forgotten_is_gone_and_may_be_forgotten_again() -> None:
    memory = Memory[str, int](2)
    memory.keep("a", 1)
    memory.forget("a")
    memory.forget("a")
    assert memory.recall("a") is None
