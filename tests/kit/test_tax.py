"""The tax on amounts is exact to the minor unit, whichever way it is rounded."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit import tax
from pannier.kit.tax import split_tax

RATES = st.decimals(min_value=0, max_value=100, places=4)
AMOUNTS = st.lists(st.integers(-(10**12), 10**12), max_size=20)


def test_a_gross_amount_contains_its_tax() -> None:
    assert split_tax([1200], Decimal(20), inclusive=True) == [(1000, 200, 1200)]
    assert split_tax([1366], Decimal("8.1"), inclusive=True) == [(1264, 102, 1366)]


def test_tax_is_added_to_a_net_amount() -> None:
    assert split_tax([1000], Decimal(20), inclusive=False) == [(1000, 200, 1200)]
    assert split_tax([333], Decimal(19), inclusive=False) == [(333, 63, 396)]


def test_without_a_rate_there_is_no_tax() -> None:
    assert split_tax([1000], None, inclusive=False) == [(1000, 0, 1000)]


def test_a_document_rounds_its_tax_once() -> None:
    by_line = split_tax([3, 3, 3], Decimal(19), inclusive=False, rounding="line")
    by_document = split_tax([3, 3, 3], Decimal(19), inclusive=False, rounding="document")
    assert sum(line.tax for line in by_line) == 3
    assert sum(line.tax for line in by_document) == 2


@given(
    amounts=AMOUNTS,
    rate=RATES,
    inclusive=st.booleans(),
    rounding=st.sampled_from(["line", "document"]),
)
def test_every_line_adds_up(
    amounts: list[int], rate: Decimal, *, inclusive: bool, rounding: tax.Rounding
) -> None:
    lines = split_tax(amounts, rate, inclusive=inclusive, rounding=rounding)
    assert all(line.net + line.tax == line.gross for line in lines)
    assert [line.gross if inclusive else line.net for line in lines] == amounts


@given(amounts=AMOUNTS, rate=RATES, inclusive=st.booleans())
def test_the_taxes_of_a_document_add_up_to_the_tax_of_its_sum(
    amounts: list[int], rate: Decimal, *, inclusive: bool
) -> None:
    lines = split_tax(amounts, rate, inclusive=inclusive, rounding="document")
    (total,) = split_tax([sum(amounts)], rate, inclusive=inclusive)
    assert sum(line.tax for line in lines) == total.tax
    exact = [Decimal(amount) * rate / (100 + (rate if inclusive else 0)) for amount in amounts]
    assert all(abs(line.tax - part) <= 1 for line, part in zip(lines, exact, strict=True))


@pytest.mark.parametrize("text", ["-1", "100.01", "8.12345", "NaN"])
def test_an_impossible_rate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="percentage"):
        tax.parse_rate(text)
