"""Addresses on one line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.places.addresses import format_town, join_parts

texts = st.lists(st.none() | st.text(alphabet="aB1 ,\n\t\uff0c", max_size=12), max_size=9)


@given(texts)
def test_no_comma_is_doubled_or_left_over(parts: list[str | None]) -> None:
    line = join_parts(parts)
    assert not re.search(r",\s*,|^[,\s]|[,\s]$|\s\s|\s,|\n", line)


@given(texts)
def test_nothing_that_was_written_is_lost(parts: list[str | None]) -> None:
    line = join_parts(parts).casefold()
    for part in parts:
        for word in re.split(r"[,\uff0c\s]+", part or ""):
            assert word.casefold() in line


@given(texts)
def test_a_line_stays_what_it_is(parts: list[str | None]) -> None:
    assert join_parts([join_parts(parts)]) == join_parts(parts)


def test_what_is_said_twice_in_a_row_is_said_once() -> None:
    assert join_parts(["1 Main St,", "Singapore", " singapore ", None, "", "SG"]) == (
        "1 Main St, Singapore, SG"
    )


@pytest.mark.parametrize(
    ("city", "province", "postal_code", "country", "town"),
    [
        ("Helsinki", None, "00120", "FI", "00120 Helsinki"),
        ("München", "Bayern", "80331", "DE", "80331 München, Bayern"),
        ("Singapore", None, "048616", "SG", "Singapore 048616"),
        ("Singapore", "Singapore", "048616", "SG", "Singapore 048616"),
        ("New York", "NY", "10118", "US", "New York, NY 10118"),
        ("London", None, "N1 9GU", "GB", "London N1 9GU"),
        ("Helsinki", None, "00120", None, "00120 Helsinki"),
        ("New York", "NY", "10118", None, "New York, NY 10118"),
        (None, None, "048616", "SG", "048616"),
        (None, "NY", None, "US", "NY"),
        ("Helsinki", None, None, "FI", "Helsinki"),
        (None, None, None, "FI", ""),
    ],
)
def test_a_town_is_written_as_its_country_does(
    city: str | None, province: str | None, postal_code: str | None, country: str | None, town: str
) -> None:
    assert format_town(city, province, postal_code, country) == town
