"""Parse numbers that people type, with a decimal comma or point."""

import re
from decimal import Decimal
from typing import Final

# Languages in which a point separates thousands and a comma the decimals.
COMMA_LANGUAGES: Final = frozenset(
    {
        "bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "id", "is", "it",
        "lt", "lv", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr",
        "uk", "vi",
    }
)  # fmt: skip
_PLAIN: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]*[.,][0-9]+")
_GROUPED: Final = re.compile(
    r"[+-]?[0-9]{1,3}(?P<group>[.,' ])[0-9]{3}(?:(?P=group)[0-9]{3})*(?:[.,][0-9]+)?"
)
_SPACES: Final = str.maketrans({"\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ",
                                "\N{RIGHT SINGLE QUOTATION MARK}": "'"})  # fmt: skip
# A single separator before three digits may be either.
_AMBIGUOUS: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")


def parse(text: str, locale: str | None = None) -> Decimal:
    """Parse a number. Raise `ValueError` if the text is not a number, or is ambiguous.

    "4,5" and "4.5" are the same. If both separators occur, the last one is the decimal separator:
    "1,234.50" and "1.234,50" are the same, too. "1,234" is parsed by the locale's separators, and
    refused without a locale. A point before three digits is a decimal point, unless the locale uses
    decimal commas. Then "1.234" is ambiguous and refused.
    """
    number_text = text.strip().translate(_SPACES)
    if _PLAIN.fullmatch(number_text):
        return Decimal(number_text)
    if _AMBIGUOUS.fullmatch(number_text):
        return _parse_ambiguous(number_text, locale)
    if _DECIMAL.fullmatch(number_text):
        return Decimal(number_text.replace(",", "."))
    grouped_match = _GROUPED.fullmatch(number_text)
    if grouped_match is None:
        raise ValueError(f"“{text.strip()}” is not a number. Enter it as 4.5 or 4,5.")
    group_separator = grouped_match["group"]
    integer_part, point, fraction = number_text, "", ""
    last_separator = max(number_text.rfind("."), number_text.rfind(","))
    if last_separator >= 0 and number_text[last_separator] != group_separator:
        integer_part, point, fraction = (
            number_text[:last_separator],
            ".",
            number_text[last_separator + 1 :],
        )
    elif (
        last_separator >= 0 and number_text.count(group_separator) == 1 and group_separator in ".,"
    ):
        return _parse_ambiguous(number_text, locale)
    return Decimal(integer_part.replace(group_separator, "") + point + fraction)


def _parse_ambiguous(number_text: str, locale: str | None) -> Decimal:
    """Parse "1,234" or "1.234" by the locale's decimal separator."""
    language = (locale or "").partition("-")[0].partition("_")[0].lower()
    has_decimal_comma = language in COMMA_LANGUAGES
    if "," in number_text and has_decimal_comma:
        return Decimal(number_text.replace(",", "."))
    if "," in number_text and language:
        return Decimal(number_text.replace(",", ""))
    if "." in number_text and not has_decimal_comma:
        return Decimal(number_text)
    as_integer, as_decimal = re.sub("[.,]", "", number_text), re.sub("[.,]", ".", number_text) + "0"
    raise ValueError(f"“{number_text}” is ambiguous. Enter {as_integer} or {as_decimal}.")


def normalise_fee(text: str, locale: str | None = None) -> str:
    """Normalise minor units, or a percentage such as "12,5%", to use a decimal point."""
    number, percent, extra_text = text.strip().partition("%")
    if extra_text:
        raise ValueError(f"“{text.strip()}” is not a number. Enter 500 or 12.5%.")
    value = parse(number, locale)
    if not percent and value != value.to_integral_value():
        raise ValueError(
            f"“{text.strip()}” is not a whole number. "
            f"Enter an amount in the smallest currency unit, such as 450, or {value:f}%."
        )
    return f"{value:f}{percent}" if percent else f"{value:.0f}"


_PAIR: Final = re.compile(
    r"(?P<first>[+-]?[0-9]+(?:[.,][0-9]+)?)(?:\s*;\s*|\s+)(?P<second>[+-]?[0-9]+(?:[.,][0-9]+)?)"
)


def normalise_point(text: str) -> str:
    """Normalise "1,2966; 103,8520" to use decimal points; leave other texts unchanged."""
    pair = _PAIR.fullmatch(text.strip())
    if pair is None:
        return text
    return ",".join(pair[name].replace(",", ".") for name in ("first", "second"))
