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
    typed = text.strip().translate(_SPACES)
    if _PLAIN.fullmatch(typed):
        return Decimal(typed)
    if _AMBIGUOUS.fullmatch(typed):
        return _read_ambiguous(typed, locale)
    if _DECIMAL.fullmatch(typed):
        return Decimal(typed.replace(",", "."))
    grouped = _GROUPED.fullmatch(typed)
    if grouped is None:
        raise ValueError(f"“{text.strip()}” is not a number. Enter it as 4.5 or 4,5.")
    group = grouped["group"]
    whole, mark, decimals = typed, "", ""
    last = max(typed.rfind("."), typed.rfind(","))
    if last >= 0 and typed[last] != group:
        whole, mark, decimals = typed[:last], ".", typed[last + 1 :]
    elif last >= 0 and typed.count(group) == 1 and group in ".,":
        return _read_ambiguous(typed, locale)
    return Decimal(whole.replace(group, "") + mark + decimals)


def _read_ambiguous(typed: str, locale: str | None) -> Decimal:
    """Read "1,234" or "1.234" as the locale writes numbers."""
    language = (locale or "").partition("-")[0].partition("_")[0].lower()
    commas = language in COMMA_LANGUAGES
    if "," in typed and commas:
        return Decimal(typed.replace(",", "."))
    if "," in typed and language:
        return Decimal(typed.replace(",", ""))
    if "." in typed and not commas:
        return Decimal(typed)
    bare, padded = re.sub("[.,]", "", typed), re.sub("[.,]", ".", typed) + "0"
    raise ValueError(f"“{typed}” is ambiguous. Enter {bare} or {padded}.")


def normalise_fee(text: str, locale: str | None = None) -> str:
    """Normalise minor units, or a percentage such as "12,5%", to use a decimal point."""
    number, percent, rest = text.strip().partition("%")
    if rest:
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
