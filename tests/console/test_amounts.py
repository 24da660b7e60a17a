"""Amounts and lists of forms: typed as people do, read as the interface has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.console.amounts import to_major, to_minor
from pannier.console.field_rows import FieldRows, normalise_rows
from pannier.console.forms import Field
from pannier.console.session import FormData

CURRENCIES = st.sampled_from(["SGD", "JPY", "KWD"])
FEES = FieldRows(
    name="fees",
    label="Fees",
    noun="fee",
    columns=(
        Field(name="fee", label="Fee", kind="money"),
        Field(name="unit", label="Unit", kind="choice", required=True, options=(("kg", "kg"),)),
    ),
)


@given(st.integers(0, 10**12), CURRENCIES)
def test_an_amount_that_is_shown_is_read_as_the_same(amount: int, currency: str) -> None:
    assert to_minor(to_major(amount, currency), currency) == str(amount)


@pytest.mark.parametrize(
    ("text", "currency", "read"),
    [("12.50", "SGD", "1250"), ("12,5", "SGD", "1250"), ("12", "JPY", "12"), ("1", "KWD", "1000")],
)
def test_amounts_are_read_in_the_digits_of_their_currency(
    text: str, currency: str, read: str
) -> None:
    assert to_minor(text, currency) == read


def test_a_part_of_a_minor_unit_is_refused_unless_it_is_multiplied() -> None:
    assert to_minor("0.805", "SGD", allow_fractions=True) == "80.5"
    with pytest.raises(ValueError, match="at most 2 decimal digits"):
        to_minor("0.805", "SGD")


@pytest.mark.parametrize("text", ["much", "", "1.2.3", "NaN", "Infinity", "1e999999"])
def test_what_is_no_amount_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"such as 12\.50"):
        to_minor(text, "SGD")


def test_rows_that_say_nothing_are_left_out_and_the_others_close_up() -> None:
    sent = FormData(b"name=a&fees[0].fee=&fees[0].unit=kg&fees[2].fee=7&fees[2].unit=kg")
    assert dict(normalise_rows(sent, [FEES])) == {
        "name": "a",
        "fees[0].fee": "7",
        "fees[0].unit": "kg",
    }


def test_a_button_adds_a_row_or_takes_one_away() -> None:
    sent = FormData(b"fees[0].fee=1&fees[1].fee=2")
    assert normalise_rows(sent, [FEES], "remove:fees[0]")["fees[0].fee"] == "2"
    assert FEES.count(normalise_rows(sent, [FEES], "add:fees")) == 3
    assert FEES.count(normalise_rows(sent, [FEES], "add:others")) == 2
