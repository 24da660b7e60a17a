"""The texts, numbers and dates of an invoice in the company's language."""

from datetime import date
from decimal import Decimal
from typing import ClassVar, Final

from pannier.kit import money
from pannier.locales.catalogue import load_part
from pannier.proofs.phrases import Phrase

CATALOGUE_PART: Final = "invoice"
GROUP_DIGITS: Final = 3


class InvoicePhrase(Phrase):
    """A text of an invoice."""

    __slots__ = ()
    catalogue_part: ClassVar[str] = CATALOGUE_PART


class Formats:
    """Formats amounts, rates and dates in a language. Amounts are in minor units."""

    def __init__(self, language: str, currency: str) -> None:
        self._texts = load_part(language, CATALOGUE_PART)
        self._months = load_part(language, "common")["calendar.months"].split()
        self._currency = currency
        example = self._texts["number_example"]  # such as 1,234.5
        self._group_sign, self._decimal_sign = example[1], example[5]

    def format_amount(self, amount: int) -> str:
        """Format an amount with as many decimals as its currency has."""
        digits, _, decimals = money.to_major_units(abs(amount), self._currency).partition(".")
        groups = [
            digits[max(0, end - GROUP_DIGITS) : end] for end in range(len(digits), 0, -GROUP_DIGITS)
        ]
        sign = "-" if amount < 0 else ""
        fraction = f"{self._decimal_sign}{decimals}" if decimals else ""
        return f"{sign}{self._group_sign.join(reversed(groups))}{fraction}"

    def format_money(self, amount: int) -> str:
        """Format an amount with its currency."""
        return f"{self.format_amount(amount)} {self._currency}"

    def format_rate(self, rate: Decimal) -> str:
        """Format a tax rate."""
        digits = f"{rate.normalize():f}".replace(".", self._decimal_sign)
        return self._texts["percent"].format(digits)

    def format_date(self, day: date) -> str:
        """Format a date."""
        return self._texts["day"].format(day.day, self._months[day.month - 1], day.year)
