"""Amounts as people enter them: `12.50`, where the API has 1250 minor units."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from pannier.console.forms import Field
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid
from pannier.kit import decimals, money

DEFAULT_DIGITS: Final = 2
# Larger than any amount that the API accepts, and small enough to print.
MAX_EXPONENT: Final = 20


def to_minor(text: str, currency: str, *, allow_fractions: bool = False) -> str:
    """Convert major units to minor units. Raise `ValueError` for an invalid amount."""
    digits = _count_decimal_digits(currency)
    minor_amount = _parse_amount(text, currency).scaleb(digits)
    if not allow_fractions and minor_amount != minor_amount.to_integral_value():
        raise ValueError(f"An amount in {currency} has at most {digits} decimal digits.")
    return f"{minor_amount.normalize():f}"


def parse_fee(text: str, locale: str | None, currency: str | None) -> str:
    """Convert a fee in major units to minor units. A percentage stays one.

    Without a currency, the fee is already in minor units.
    """
    if currency is None or "%" in text:
        return decimals.normalise_fee(text, locale)
    return to_minor(f"{decimals.parse(text, locale):f}", currency)


def format_fee(fee: str, currency: str | None) -> str:
    """Format a fee in minor units for a form. A percentage stays one."""
    return to_major(fee, currency) if currency and fee.isdecimal() else fee


def _parse_amount(text: str, currency: str) -> Decimal:
    example = f"Enter an amount such as {to_major(1250, currency)}."
    try:
        number = decimals.parse(text)
    except ValueError as error:
        raise ValueError(f"{example} {error}") from None
    if abs(number.adjusted()) > MAX_EXPONENT:
        raise ValueError(example)
    return number


def to_major(amount: Any, currency: str) -> str:  # noqa: ANN401 - a number, or its digits
    """Format minor units for a form: 1250 SGD is 12.50, and 80.5 is 0.805."""
    digits = _count_decimal_digits(currency)
    major_amount = Decimal(str(amount)).scaleb(-digits).normalize()
    smallest_unit = Decimal(1).scaleb(-digits)
    rounded_amount = major_amount.quantize(smallest_unit)
    return f"{rounded_amount if major_amount == rounded_amount else major_amount:f}"


def _count_decimal_digits(currency: str) -> int:
    """Return a currency's number of decimal digits. The API refuses unknown currencies later."""
    try:
        return money.exponent(currency)
    except ValueError:
        return DEFAULT_DIGITS


def to_minor_amounts(form_data: FormData, fields: Iterable[Field], currency: str) -> FormData:
    """Convert a form's amounts to minor units. Report all invalid amounts together."""
    kinds = {field.name: field.kind for field in fields if field.kind in {"money", "price"}}
    minor_amounts, errors = {}, []
    for name, kind in kinds.items():
        if text := form_data.get(name, "").strip():
            try:
                minor_amounts[name] = to_minor(text, currency, allow_fractions=kind == "price")
            except ValueError as error:
                errors.append(Offence(name, str(error)))
    if errors:
        raise Invalid(fields=errors)
    pairs = [
        (name, minor_amounts.get(name, value))
        for name in form_data
        for value in form_data.get_all(name)
    ]
    return FormData(urlencode(pairs).encode())


def to_major_amounts(
    values: Mapping[str, str], fields: Iterable[Field], currency: str
) -> dict[str, str]:
    """Convert a filled form's amounts to major units."""
    names = {field.name for field in fields if field.kind in {"money", "price"}}
    return {
        name: to_major(text, currency) if text and name in names else text
        for name, text in values.items()
    }
