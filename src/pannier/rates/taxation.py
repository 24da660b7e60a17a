"""Tax on prices. Pure rules."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from pannier.kit import money, tax
from pannier.kit.tax import Rounding
from pannier.rates.matching import NoPriceReason
from pannier.rates.measures import format_number
from pannier.rates.pricing import Price, PriceLine

TAX: Final = "TAX"


class TaxedLine(NamedTuple):
    """A line of a quote with its tax, which `amount` contains."""

    code: str
    details: str
    amount: int
    tax_rate: Decimal | None
    tax_amount: int


def add_tax(
    price: Price, rate: Decimal | None, *, inclusive: bool, rounding: Rounding
) -> Price | NoPriceReason:
    """Return a price with its tax. Prices without tax get it as their last line."""
    if rate is None:
        return price
    amounts = [line.amount for line in price.lines]
    lines = tax.split_tax(amounts, rate, inclusive=inclusive, rounding=rounding)
    tax_amount = sum(line.tax for line in lines)
    if inclusive or not rate:
        return msgspec.structs.replace(price, tax_rate=rate, tax_amount=tax_amount)
    amount = price.amount + tax_amount
    if amount > money.MAX_AMOUNT:
        return NoPriceReason("amount_too_large", "The price is too large to be stored.")
    tax_line = PriceLine(TAX, f"{format_number(rate)}% tax", tax_amount)
    return Price((*price.lines, tax_line), amount, rate, tax_amount)


def list_taxed_lines(
    lines: Sequence[PriceLine], rate: Decimal | None, tax_amount: int
) -> list[TaxedLine]:
    """List the lines of a quote, each with its share of the quote's tax.

    The amounts add up to the quote's amount, and the taxes to its tax. A line of tax alone is
    shared among the others.
    """
    inclusive = includes_tax(lines)
    taxable_lines = lines if inclusive else lines[:-1]
    amounts = [line.amount for line in taxable_lines]
    shares = tax.share_tax(amounts, rate, tax_amount, inclusive=inclusive)
    return [
        TaxedLine(line.code, line.details, share.gross, rate, share.tax)
        for line, share in zip(taxable_lines, shares, strict=True)
    ]


def includes_tax(lines: Sequence[PriceLine]) -> bool:
    """Return whether the lines of a quote include its tax, which is not a line of its own."""
    return not lines or lines[-1].code != TAX
