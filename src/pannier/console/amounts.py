"""Amounts as people enter them: `12.50`, where the API has 1250 minor units."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from pannier.console import decimals
from pannier.console.forms import Field
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid
from pannier.kit import money

DEFAULT_DIGITS: Final = 2
# Larger than any amount that the API accepts, and small enough to print.
MAX_EXPONENT: Final = 20


def to_minor(text: str, currency: str, *, allow_fractions: bool = False) -> str:
    """Convert major units to minor units, or raise `ValueError`."""
    digits = _decimal_digits(currency)
    exact = _parse(text, currency).scaleb(digits)
    if not allow_fractions and exact != exact.to_integral_value():
        raise ValueError(f"An amount in {currency} has at most {digits} decimal digits.")
    return f"{exact.normalize():f}"


def _parse(text: str, currency: str) -> Decimal:
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
    digits = _decimal_digits(currency)
    exact = Decimal(str(amount)).scaleb(-digits).normalize()
    unit = Decimal(1).scaleb(-digits)
    return f"{exact.quantize(unit) if exact == exact.quantize(unit) else exact:f}"


def _decimal_digits(currency: str) -> int:
    """Return the number of decimal digits. The API refuses unknown currencies later."""
    try:
        return money.exponent(currency)
    except ValueError:
        return DEFAULT_DIGITS


def amounts_to_minor(form_data: FormData, fields: Iterable[Field], currency: str) -> FormData:
    """Convert a form's amounts to minor units, or report every field that has none."""
    kinds = {field.name: field.kind for field in fields if field.kind in {"money", "price"}}
    read, errors = {}, []
    for name, kind in kinds.items():
        if text := form_data.get(name, "").strip():
            try:
                read[name] = to_minor(text, currency, allow_fractions=kind == "price")
            except ValueError as error:
                errors.append(Offence(name, str(error)))
    if errors:
        raise Invalid(fields=errors)
    pairs = [
        (name, read.get(name, value)) for name in form_data for value in form_data.get_all(name)
    ]
    return FormData(urlencode(pairs).encode())


def amounts_to_major(
    values: Mapping[str, str], fields: Iterable[Field], currency: str
) -> dict[str, str]:
    """Convert a filled form's amounts to major units."""
    kinds = {field.name for field in fields if field.kind in {"money", "price"}}
    return {
        name: to_major(text, currency) if text and name in kinds else text
        for name, text in values.items()
    }
