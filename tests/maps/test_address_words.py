"""Texts are split into words and house numbers alike in the index and in a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.maps.address_words import (
    MAX_WORDS,
    Query,
    fold,
    join_words,
    list_numbers,
    parse_query,
    split_words,
)

TEXTS = st.text(max_size=80)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Eteläesplanadi", "etelaesplanadi"),
        ("Hauptstraße", "hauptstrasse"),
        ("Rue de l’Église", "rue de l'eglise"),  # noqa: RUF001 - as people type it
        ("ŁÓDŹ Ørsted", "lodz orsted"),
        ("Хельсинки", "хельсинки"),
    ],
)
def test_case_and_accents_do_not_count(text: str, plain: str) -> None:
    assert fold(text) == plain


@pytest.mark.properties
@given(TEXTS)
def test_a_folded_text_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.properties
@given(st.text(st.characters(categories=["L", "M", "Zs"]), max_size=80))
def test_a_query_is_split_as_names_are(text: str) -> None:
    words = split_words(text)
    assert len(words) <= MAX_WORDS
    assert [list(reading.words) for reading in parse_query(f"{text} ")] == (
        [words] if words else []
    )


@pytest.mark.properties
@given(TEXTS)
def test_every_reading_has_words_and_stays_in_bounds(text: str) -> None:
    for reading in parse_query(text):
        assert reading.words
        assert reading.open_word is None or 0 <= reading.open_word < len(reading.words)
        assert all(reading.numbers)


@pytest.mark.parametrize(
    ("text", "words", "numbers"),
    [
        ("Mannerheimintie 12", ("mannerheimintie",), ("12",)),
        ("12 Mannerheimintie", ("mannerheimintie",), ("12",)),
        ("Mannerheimintie 12 A 5", ("mannerheimintie",), ("12a", "12")),
        ("Mannerheimintie 12b", ("mannerheimintie",), ("12b",)),
        ("Mannerheimintie 22-24", ("mannerheimintie",), ("22-24",)),
        ("Flat 5, 10 Downing Street", ("flat", "5", "downing", "street"), ("10",)),
        ("10 Downing Street flat 5", ("downing", "street"), ("10",)),
    ],
)
def test_a_house_number_is_read_at_either_end(
    text: str, words: tuple[str, ...], numbers: tuple[str, ...]
) -> None:
    assert (words, numbers) in [(each.words, each.numbers) for each in parse_query(text)]


def test_a_number_may_be_part_of_a_name_or_a_postcode() -> None:
    readings = parse_query("00100 Kaivokatu 8 ")
    assert Query(("00100", "kaivokatu"), None, ("8",)) in readings
    assert Query(("00100", "kaivokatu", "8")) in readings


def test_the_last_word_and_the_last_number_may_be_unfinished() -> None:
    assert parse_query("hels")[-1].open_word == 0
    assert parse_query("hels ")[-1].open_word is None
    assert parse_query("manner 1")[0] == Query(("manner",), 0, ("1",), is_number_open=True)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12", ["12"]),
        ("12 A", ["12a"]),
        ("22-24", ["22-24", "22", "24"]),
        ("1-4", ["1-4", "1", "2", "3", "4"]),
        ("5;7", ["5", "7"]),
        ("1-900", ["1-900"]),
    ],
)
def test_a_range_of_house_numbers_is_found_by_each(text: str, numbers: list[str]) -> None:
    assert list_numbers(text) == numbers


def test_names_are_found_written_as_one_word_too() -> None:
    assert join_words("Feldkircher Strasse") == ["feldkircherstrasse"]
    assert "saintdenis" in join_words("Rue du Faubourg Saint-Denis")
    assert "oconnell" in join_words("O'Connell Street")
    assert join_words("Kaivokatu") == []
