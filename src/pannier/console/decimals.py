"""Read numbers as people type them, with a decimal comma or point."""

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
    """Return the number in a text, or raise `ValueError` if it is none or ambiguous.

    "4,5" and "4.5" are the same. If both separators occur, the last one is the decimal separator:
    "1,234.50" and "1.234,50" are the same, too. "1,234" is read as the locale writes numbers, and
    refused without a locale. A point before three digits is a decimal point, unless the locale uses
    decimal commas. Then "1.234" is ambiguous and refused.
    """
    text_read = text.strip().translate(_SPACES)
    if _PLAIN.fullmatch(text_read):
        return Decimal(text_read)
    if _AMBIGUOUS.fullmatch(text_read):
        return _read_ambiguous(text_read, locale)
    if _DECIMAL.fullmatch(text_read):
        return Decimal(text_read.replace(",", "."))
    grouped = _GROUPED.fullmatch(text_read)
    if grouped is None:
        raise ValueError(f"“{text.strip()}” is not a number. Enter it as 4.5 or 4,5.")
    group = grouped["group"]
    integer_part, point, decimals = text_read, "", ""
    last = max(text_read.rfind("."), text_read.rfind(","))
    if last >= 0 and text_read[last] != group:
        integer_part, point, decimals = text_read[:last], ".", text_read[last + 1 :]
    elif last >= 0 and text_read.count(group) == 1 and group in ".,":
        return _read_ambiguous(text_read, locale)
    return Decimal(integer_part.replace(group, "") + point + decimals)


def _read_ambiguous(number_text: str, locale: str | None) -> Decimal:
    """Read "1,234" or "1.234" as the locale writes numbers."""
    language = (locale or "").partition("-")[0].partition("_")[0].lower()
    commas = language in COMMA_LANGUAGES
    if "," in number_text and commas:
        return Decimal(number_text.replace(",", "."))
    if "," in number_text and language:
        return Decimal(number_text.replace(",", ""))
    if "." in number_text and not commas:
        return Decimal(number_text)
    without_point, padded = re.sub("[.,]", "", number_text), re.sub("[.,]", ".", number_text) + "0"
    raise ValueError(f"“{number_text}” is ambiguous. Enter {without_point} or {padded}.")


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
