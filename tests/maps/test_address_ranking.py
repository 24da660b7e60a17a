"""The rules by which addresses are ranked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.geo import Point
from pannier.maps.address_ranking import (
    Entry,
    NameWords,
    WordMatch,
    compute_rank,
    count_typos,
    get_max_typos,
    list_trigrams,
    score_text,
)

WORDS = st.text("abcdeéк1", max_size=9)
HERE = Point(24.94, 60.17)


def make_entry(name: str, context: str = "", **values: object) -> Entry:
    words = NameWords(tuple(name.split()), (name.replace(" ", ""),) if " " in name else ())
    defaults = {
        "id": 1,
        "kind": "street",
        "names": (("", name),),
        "name_words": (words,),
        "context": frozenset(context.split()),
        "importance": 0.3,
        "point": HERE,
    }
    return Entry(**{**defaults, **values})  # type: ignore[arg-type] - as the test says


def make_matches(text: str) -> list[WordMatch]:
    *whole, last = text.split()
    return [*(WordMatch({word: 0.0}) for word in whole), WordMatch({last: 0.0}, last)]


def score(text: str, entry: Entry) -> float:
    found = score_text(make_matches(text), entry)
    return -1.0 if found is None else found.score


def slow_count(one: str, other: str) -> int:
    """Count typos by the definition, without limits."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if i == 0 or j == 0:
                rows[i][j] = i + j
                continue
            best = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]),
            )
            if i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
                best = min(best, rows[i - 2][j - 2] + 1)
            rows[i][j] = best
    return rows[-1][-1]


@pytest.mark.properties
@given(WORDS, WORDS, st.integers(1, 3))
def test_typos_are_counted_up_to_a_limit(one: str, other: str, limit: int) -> None:
    typos = slow_count(one, other)
    assert count_typos(one, other, limit) == (typos if typos <= limit else None)


@pytest.mark.properties
@given(WORDS, WORDS, st.integers(1, 2))
def test_an_unfinished_word_is_compared_with_beginnings(one: str, other: str, limit: int) -> None:
    beginnings = (slow_count(one, other[:end]) for end in range(len(other) + 1))
    typos = min(beginnings)
    assert count_typos(one, other, limit, is_open=True) == (typos if typos <= limit else None)


@pytest.mark.properties
@given(st.text("abcdefgh", min_size=4, max_size=12), st.integers(0, 12), st.sampled_from("xyz"))
def test_a_word_with_a_typo_shares_a_trigram_with_the_right_one(
    word: str, at: int, letter: str
) -> None:
    at = min(at, len(word) - 1)
    wrong = word[:at] + letter + word[at + 1 :]
    rest = len(set(list_trigrams(word))) > 3
    assert not rest or not set(list_trigrams(word)).isdisjoint(list_trigrams(wrong))


def test_short_words_and_numbers_have_no_typos() -> None:
    assert [get_max_typos(word) for word in ("tie", "katu", "aukiolla", "00100", "a1b2c3d4")] == [
        0,
        1,
        2,
        0,
        0,
    ]


def test_all_typed_words_have_to_match_and_one_of_them_by_name() -> None:
    street = make_entry("kaivokatu", "helsinki 00100")
    assert score("kaivokatu", street) == 1.0
    assert score("kaivokatu helsinki", street) > 0.9
    assert score("kaivokatu espoo", street) == -1.0
    assert score("helsinki", street) == -1.0


def test_a_whole_name_comes_before_a_part_of_a_longer_one() -> None:
    assert score("kaivokatu", make_entry("kaivokatu")) > score("kaivo", make_entry("kaivokatu"))
    assert score("main street", make_entry("main street")) > score(
        "main street", make_entry("old main street")
    )
    assert score("mainstreet", make_entry("main street")) == 1.0


def test_what_is_near_and_what_is_important_comes_first() -> None:
    far = Point(25.9, 60.17)
    near = {"asks_house": False, "has_house": False}
    here, there = make_entry("kaivokatu"), make_entry("kaivokatu", point=far)
    assert compute_rank(1.0, here, HERE, **near) > compute_rank(1.0, there, HERE, **near)
    assert compute_rank(1.0, here, None, **near) == compute_rank(1.0, there, None, **near)
    city = make_entry("helsinki", importance=0.8)
    assert compute_rank(1.0, city, None, **near) > compute_rank(1.0, here, None, **near)
    assert compute_rank(1.0, here, None, asks_house=True, has_house=True) > compute_rank(
        1.0, city, None, asks_house=True, has_house=False
    )
