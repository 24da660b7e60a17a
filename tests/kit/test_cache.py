"""The cache of a process: of one version, bounded, and read by one of those who ask at once."""

import asyncio

import pytest

from pannier.kit.cache import Cache, Reader


def test_values_that_were_stored_last_are_found() -> None:
    cache = Cache[str, int](2)
    for number, name in enumerate("abc"):
        cache.store(name, number)
    assert [cache.find(name) for name in "abc"] == [None, 1, 2]


def test_a_value_that_is_found_stays_longer() -> None:
    cache = Cache[str, int](2)
    cache.store("a", 1)
    cache.store("b", 2)
    assert cache.find("a") == 1
    cache.store("c", 3)
    assert [cache.find(name) for name in "abc"] == [1, None, 3]


def test_a_key_has_one_value_the_last() -> None:
    cache = Cache[str, int](2)
    for number in range(3):
        cache.store("a", number)
    cache.store("b", 9)
    assert [cache.find(name) for name in "ab"] == [2, 9]


def test_a_dropped_value_is_gone_and_may_be_dropped_again() -> None:
    cache = Cache[str, int](2)
    cache.store("a", 1)
    cache.drop("a")
    cache.drop("a")
    assert cache.find("a") is None


def test_a_value_is_found_by_its_own_version_only() -> None:
    cache = Cache[str, str](2)
    cache.store("a", "old", 1)
    assert [cache.find("a", version) for version in (None, 0, 1, 2)] == [None, None, "old", None]
    cache.store("a", "new", 2)
    assert [cache.find("a", version) for version in (1, 2)] == [None, "new"]


def test_a_value_that_was_read_before_a_change_and_stored_after_it_is_found_by_nobody() -> None:
    cache = Cache[str, str](2)
    cache.store("a", "after the change", 2)
    cache.store("a", "before the change", 1)
    assert cache.find("a", 2) is None


def test_values_share_the_limit_by_their_weight_and_the_last_one_stays() -> None:
    cache = Cache[str, str](5, weigh=len)
    for name, value in (("a", "xx"), ("b", "xx"), ("c", "xx"), ("c", "xxx")):
        cache.store(name, value)
    assert [cache.find(name) for name in "abc"] == [None, "xx", "xxx"]
    cache.store("d", "x" * 9)
    assert [cache.find(name) for name in "abcd"] == [None, None, None, "x" * 9]
    cache.store("a", "xxxxx")
    assert [cache.find(name) for name in "ad"] == ["xxxxx", None]


def reader(text: str) -> Reader[list[str]]:
    """Write a text down beside what was there before."""

    async def read(before: list[str] | None) -> list[str]:
        await asyncio.sleep(0)
        return [*(before or []), text]

    return read


async def test_a_value_is_read_once_for_each_version_and_from_the_one_before() -> None:
    cache = Cache[str, list[str]](2)
    for load in (cache.load, cache.load_once):
        cache.drop("a")
        assert await load("a", 1, reader("first")) == ["first"]
        assert await load("a", 1, reader("never")) == ["first"]
        assert await load("a", 2, reader("second")) == ["first", "second"]


async def test_what_a_transaction_wrote_itself_is_read_and_stored_for_nobody() -> None:
    cache = Cache[str, list[str]](2)
    await cache.load("a", 1, reader("committed"))
    for load in (cache.load, cache.load_once):
        assert await load("a", 2, reader("ours"), uncommitted=True) == ["committed", "ours"]
        assert await load("a", 1, reader("never")) == ["committed"]
    assert await cache.load("a", 2, reader("theirs")) == ["committed", "theirs"]


async def test_of_many_who_ask_at_once_for_a_costly_value_one_reads() -> None:
    cache = Cache[str, list[str]](2)
    found = await asyncio.gather(*(cache.load_once("a", 1, reader(name)) for name in "abcdef"))
    assert {id(value) for value in found} == {id(found[0])}


async def test_a_reader_who_fails_leaves_it_to_the_next_one() -> None:
    cache = Cache[str, list[str]](2)

    async def fail(_: list[str] | None) -> list[str]:
        await asyncio.sleep(0)
        raise LookupError

    failing = asyncio.create_task(cache.load_once("a", 1, fail))
    waiting = asyncio.create_task(cache.load_once("a", 1, reader("read")))
    with pytest.raises(LookupError):
        await failing
    assert await waiting == ["read"]


async def test_who_asks_for_a_newer_version_does_not_get_what_is_being_read() -> None:
    cache = Cache[str, list[str]](2)
    old, new = cache.load_once("a", 1, reader("old")), cache.load_once("a", 2, reader("new"))
    assert await asyncio.gather(old, new) == [["old"], ["old", "new"]]
    assert await cache.load_once("a", 2, reader("never")) == ["old", "new"]


async def test_a_slow_reader_of_an_older_version_is_believed_by_nobody_who_knows_better() -> None:
    cache = Cache[str, list[str]](2)
    begun, changed = asyncio.Event(), asyncio.Event()

    async def slow(_: list[str] | None) -> list[str]:
        begun.set()
        await changed.wait()
        return ["old"]

    late = asyncio.create_task(cache.load("a", 1, slow))
    await begun.wait()
    assert await cache.load("a", 2, reader("new")) == ["new"]
    changed.set()
    assert await late == ["old"]
    assert cache.find("a", 2) == ["new"]


async def test_a_newer_value_is_not_replaced_by_an_older_one() -> None:
    cache = Cache[str, str](10)
    cache.store("rates", "new", 8)

    async def read(_: str | None) -> str:
        return "old"

    assert await cache.load("rates", 7, read) == "old"
    assert cache.find("rates", 8) == "new"
