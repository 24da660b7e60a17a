"""Tax on amounts in minor units. Pure arithmetic, without floats."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from pannier.kit.money import divide_half_up

Rounding = Literal["line", "document"]
MAX_RATE: Final = Decimal(100)
# Rates have at most four decimal digits, so that this many make a whole number of them.
_RATE_SCALE: Final = 10_000
_HUNDRED_PERCENT: Final = 100 * _RATE_SCALE


class TaxedAmount(NamedTuple):
    """An amount without tax, its tax, and both together."""

    net: int
    tax: int
    gross: int


def parse_rate(text: str | Decimal) -> Decimal:
    """Parse a tax rate in per cent; raise ValueError if it is impossible."""
    rate = Decimal(text)
    if not rate.is_finite() or not 0 <= rate <= MAX_RATE or rate * _RATE_SCALE % 1:
        raise ValueError("must be a percentage from 0 to 100 with at most four decimals.")
    return Decimal(f"{rate.normalize():f}")


def split_tax(
    amounts: Sequence[int], rate: Decimal | None, *, inclusive: bool, rounding: Rounding = "line"
) -> list[TaxedAmount]:
    """Split amounts into net, tax and gross.

    `inclusive` if the amounts contain the tax. With the rounding `document`, only the tax of the
    sum is rounded, and the lines share it so that their taxes add up to it.
    """
    if rate is None or not rate:
        return [TaxedAmount(amount, 0, amount) for amount in amounts]
    numerator = int(rate * _RATE_SCALE)
    denominator = _HUNDRED_PERCENT + (numerator if inclusive else 0)
    if rounding == "line":
        taxes = [divide_half_up(amount * numerator, denominator) for amount in amounts]
    else:
        taxes = _share_tax(amounts, numerator, denominator)
    return [
        TaxedAmount(amount - tax, tax, amount)
        if inclusive
        else TaxedAmount(amount, tax, amount + tax)
        for amount, tax in zip(amounts, taxes, strict=True)
    ]


def share_tax(
    amounts: Sequence[int], rate: Decimal | None, total: int, *, inclusive: bool
) -> list[TaxedAmount]:
    """Split amounts whose taxes add up to a known total, however that was rounded."""
    lines = split_tax(amounts, rate, inclusive=inclusive)
    if sum(line.tax for line in lines) != total:
        lines = split_tax(amounts, rate, inclusive=inclusive, rounding="document")
    missing_tax = total - sum(line.tax for line in lines)
    if not lines or not missing_tax:
        return lines
    # The total was rounded by other lines. Their differences hardly show in the largest one.
    largest = max(range(len(lines)), key=lambda index: abs(amounts[index]))
    net, tax, gross = lines[largest]
    lines[largest] = (
        TaxedAmount(net - missing_tax, tax + missing_tax, gross)
        if inclusive
        else TaxedAmount(net, tax + missing_tax, gross + missing_tax)
    )
    return lines


def _share_tax(amounts: Sequence[int], numerator: int, denominator: int) -> list[int]:
    """Share the tax of the sum over the lines, by the largest remainders."""
    total = divide_half_up(sum(amounts) * numerator, denominator)
    shares = [amount * numerator // denominator for amount in amounts]
    remainders = [amount * numerator % denominator for amount in amounts]
    by_remainder = sorted(range(len(amounts)), key=lambda index: (-remainders[index], index))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares
