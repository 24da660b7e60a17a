"""Tax on prices: every line and every sum adds up, however prices are told and rounded."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit import money, tax
from pannier.rates.matching import NoPriceReason
from pannier.rates.pricing import Price, PriceLine
from pannier.rates.taxation import add_tax, list_taxed_lines

RATES = st.decimals(0, 100, places=4)
AMOUNTS = st.lists(st.integers(-(10**9), 10**12), min_size=1, max_size=12)
ROUNDINGS = st.sampled_from(("line", "document"))
INCLUSIVE = st.booleans()


def price(*amounts: int) -> Price:
    lines = tuple(PriceLine("BASE_FEE", "Base fee", amount) for amount in amounts)
    return Price(lines, sum(amounts))


def add(before: Price, rate: Decimal, *, inclusive: bool, rounding: tax.Rounding = "line") -> Price:
    after = add_tax(before, rate, inclusive=inclusive, rounding=rounding)
    assert isinstance(after, Price)
    return after


def test_prices_without_tax_get_it_as_their_last_line() -> None:
    taxed = add(price(1000, 366), Decimal("25.5"), inclusive=False)
    assert [(line.code, line.amount) for line in taxed.lines][-1] == ("TAX", 348)
    assert taxed.lines[-1].details == "25.5% tax"
    assert (taxed.amount, taxed.tax_amount) == (1714, 348)


def test_prices_that_include_tax_keep_their_lines() -> None:
    before = price(1190)
    taxed = add(before, Decimal(19), inclusive=True)
    assert (taxed.lines, taxed.amount, taxed.tax_amount) == (before.lines, 1190, 190)


def test_without_a_tax_rate_nothing_is_said_about_tax() -> None:
    assert add_tax(price(5), None, inclusive=False, rounding="line") == price(5)


def test_a_price_is_too_large_with_its_tax() -> None:
    result = add_tax(price(money.MAX_AMOUNT), Decimal(1), inclusive=False, rounding="line")
    assert isinstance(result, NoPriceReason)
    assert result.code == "amount_too_large"


@given(AMOUNTS, RATES, INCLUSIVE, ROUNDINGS)
def test_the_lines_of_a_quote_add_up_to_its_amount_and_its_tax(
    amounts: list[int],
    rate: Decimal,
    inclusive: bool,  # noqa: FBT001 - drawn
    rounding: tax.Rounding,
) -> None:
    taxed = add(price(*amounts), rate, inclusive=inclusive, rounding=rounding)
    assert sum(line.amount for line in taxed.lines) == taxed.amount
    if inclusive:
        assert taxed.amount == sum(amounts)
    lines = list_taxed_lines(taxed.lines, rate, taxed.tax_amount)
    assert len(lines) == len(amounts)
    assert sum(line.amount for line in lines) == taxed.amount
    assert sum(line.tax_amount for line in lines) == taxed.tax_amount


@given(AMOUNTS, RATES, INCLUSIVE)
def test_lines_rounded_each_keep_their_own_tax(
    amounts: list[int],
    rate: Decimal,
    inclusive: bool,  # noqa: FBT001 - drawn
) -> None:
    taxed = add(price(*amounts), rate, inclusive=inclusive)
    expected = tax.split_tax(amounts, rate, inclusive=inclusive)
    lines = list_taxed_lines(taxed.lines, rate, taxed.tax_amount)
    assert [(line.amount, line.tax_amount) for line in lines] == [
        (line.gross, line.tax) for line in expected
    ]


@given(AMOUNTS, RATES, INCLUSIVE)
def test_lines_that_were_combined_still_add_up(
    amounts: list[int],
    rate: Decimal,
    inclusive: bool,  # noqa: FBT001 - drawn
) -> None:
    taxed = add(price(*amounts), rate, inclusive=inclusive)
    (*_, last) = taxed.lines
    combined = [PriceLine("BASE_FEE", "", sum(amounts))]
    lines = [*combined, last] if last.code == "TAX" else combined
    (line,) = list_taxed_lines(lines, rate, taxed.tax_amount)
    assert (line.amount, line.tax_amount) == (taxed.amount, taxed.tax_amount)


@pytest.mark.parametrize(("amount", "inclusive", "expected"), [(1, True, 0), (3, False, 1)])
def test_the_smallest_units_round_half_up(
    amount: int,
    inclusive: bool,  # noqa: FBT001 - drawn
    expected: int,
) -> None:
    assert add(price(amount), Decimal(20), inclusive=inclusive).tax_amount == expected
