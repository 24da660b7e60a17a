"""Addresses on one line."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pannier.places.addresses import join_parts

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
