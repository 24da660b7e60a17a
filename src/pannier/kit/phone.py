"""Phone numbers, written one way: E.164, such as +6591234567."""

import unicodedata
from collections.abc import Mapping
from string import digits
from typing import Final, Literal, get_args

_LONGEST_INPUT = 64
_REFUSAL = "Enter a phone number with its country code, such as +65 9123 4567."
_NO_COUNTRY = (
    "Write the number with its country code, such as +65 9123 4567, "
    "or set the company's country: numbers without one are read there."
)

NumberType = Literal[
    "fixed_line",
    "mobile",
    "fixed_line_or_mobile",
    "pager",
    "personal_number",
    "premium_rate",
    "satellite",
    "shared_cost",
    "toll_free",
    "uan",
    "unknown",
    "voicemail",
    "voip",
]
# Numbers that cost more than a message, or that nobody reads messages at.
UNANSWERED: Final[tuple[NumberType, ...]] = (
    "pager", "premium_rate", "satellite", "shared_cost", "toll_free", "uan", "voicemail",
)  # fmt: skip
# Codes of no country, whose numbers need not be valid to cost a fortune.
_BEYOND: Final[Mapping[int, NumberType]] = {
    800: "toll_free",
    808: "shared_cost",
    870: "satellite",
    878: "personal_number",
    881: "satellite",
    882: "satellite",
    883: "satellite",
    888: "uan",
    979: "premium_rate",
}


def normalise(raw: str, country: str | None = None) -> str:
    """The number in E.164, however a person typed it.

    One that begins with neither `+` nor `00` is a number of the country; without a country nobody
    knows whose it is, and it is refused.
    """
    text = _plain_digits(raw)
    if not is_national(text):
        return _written(text.removeprefix("00"), None)
    if country is None:
        raise ValueError(_NO_COUNTRY)
    return _written(text, country)


def with_plus(raw: str) -> str:
    """The number in E.164, where every number has its country code, with or without the plus."""
    return _written(_plain_digits(raw).removeprefix("00"), None)


def is_national(raw: str) -> bool:
    """Tell whether a number needs a country to be read in."""
    return not _plain_digits(raw).startswith(("+", "00"))


def country_of(phone: str) -> str:
    """The country of a number in E.164, by its code of two letters; 001 for those of none."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    number = phonenumbers.parse(phone)
    # A possible number that nobody has is in the first country with its calling code.
    main = phonenumbers.region_code_for_country_code(number.country_code or 0)
    return phonenumbers.region_code_for_number(number) or main


def type_of(phone: str) -> NumberType:
    """What kind of number one in E.164 is; `unknown` for one that nobody can have."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    number = phonenumbers.parse(phone)
    beyond = _BEYOND.get(number.country_code or 0)
    if beyond is not None:
        return beyond
    name = phonenumbers.PhoneNumberType.to_string(phonenumbers.number_type(number)).lower()
    return next((known for known in get_args(NumberType) if known == name), "unknown")


def _written(text: str, country: str | None) -> str:
    """Write a number in E.164; without a country it begins with its country code."""
    # Imported here because its tables would slow every start of the program.
    import phonenumbers  # noqa: PLC0415 - see above

    written = text if country else _with_plus(text)
    # Words before the number would be passed over in silence.
    if len(text) > _LONGEST_INPUT or not written.startswith(("+", *digits)):
        raise ValueError(_REFUSAL)
    try:
        number = phonenumbers.parse(written, country)
    except phonenumbers.NumberParseException:
        raise ValueError(_REFUSAL) from None
    if number.extension:
        raise ValueError("A phone number with an extension cannot receive messages.")
    # Possible rather than valid: numbers reserved for tests are possible but never valid.
    if not phonenumbers.is_possible_number(number):
        raise ValueError(_REFUSAL)
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    # Surplus trunk zeros come off one at each reading; such a number would have several forms.
    if phonenumbers.parse(written) != number:
        raise ValueError(_REFUSAL)
    return written


def masked(phone: str) -> str:
    """The number with its middle hidden, such as +65•••4567, for people who may not see it."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    try:
        country = f"+{phonenumbers.parse(phone).country_code}"
    except phonenumbers.NumberParseException:
        country = ""
    # Some islands' numbers have four digits: never show more than half.
    shown = min(4, (len(phone) - len(country)) // 2)
    return f"{country}•••{phone[len(phone) - shown :]}"


def _plain_digits(raw: str) -> str:
    """Digits of every script as 0 to 9, without the invisible marks that copying brings along."""
    visible = (
        letter for letter in raw[: _LONGEST_INPUT + 1] if unicodedata.category(letter) != "Cf"
    )
    text = "".join(str(unicodedata.decimal(letter, letter)) for letter in visible)
    return text.strip().lstrip("(").replace("\N{FULLWIDTH PLUS SIGN}", "+")


def _with_plus(text: str) -> str:
    return text if text.startswith("+") else f"+{text}"
