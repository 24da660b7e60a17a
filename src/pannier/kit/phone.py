"""Phone numbers in E.164, such as +6591234567."""

import unicodedata
from collections.abc import Mapping
from string import digits
from typing import Final, Literal, get_args

_MAX_INPUT_LENGTH = 64
_REFUSAL = "Enter a phone number with its country code, such as +65 9123 4567."
_NO_COUNTRY = (
    "Write the number with its country code, such as +65 9123 4567, or set the company's country."
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
# Messages to numbers of these types are expensive or remain unread.
UNSUITABLE_TYPES: Final[tuple[NumberType, ...]] = (
    "pager", "premium_rate", "satellite", "shared_cost", "toll_free", "uan", "voicemail",
)  # fmt: skip
# Calling codes without a country. Even their invalid numbers can be very expensive.
_NON_GEOGRAPHIC_TYPES: Final[Mapping[int, NumberType]] = {
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
    """Convert a typed phone number to E.164.

    A number that begins with neither `+` nor `00` belongs to `country`. Without a country it is
    ambiguous and raises ValueError.
    """
    text = _to_plain_digits(raw)
    if not is_national(text):
        return _to_e164(text.removeprefix("00"), None)
    if country is None:
        raise ValueError(_NO_COUNTRY)
    return _to_e164(text, country)


def normalise_international(raw: str) -> str:
    """Convert a number with a country code, with or without the plus, to E.164."""
    return _to_e164(_to_plain_digits(raw).removeprefix("00"), None)


def is_national(raw: str) -> bool:
    """Return whether a number has no country code."""
    return not _to_plain_digits(raw).startswith(("+", "00"))


def find_country(phone: str) -> str:
    """Return the two-letter country code of an E.164 number, or 001 if it has no country."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    number = phonenumbers.parse(phone)
    # An invalid number belongs to the main country of its calling code.
    main_country = phonenumbers.region_code_for_country_code(number.country_code or 0)
    return phonenumbers.region_code_for_number(number) or main_country


def find_type(phone: str) -> NumberType:
    """Return the type of an E.164 number; an invalid number is `unknown`."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    number = phonenumbers.parse(phone)
    non_geographic_type = _NON_GEOGRAPHIC_TYPES.get(number.country_code or 0)
    if non_geographic_type is not None:
        return non_geographic_type
    name = phonenumbers.PhoneNumberType.to_string(phonenumbers.number_type(number)).lower()
    return next(
        (number_type for number_type in get_args(NumberType) if number_type == name), "unknown"
    )


def _to_e164(text: str, country: str | None) -> str:
    """Convert a number to E.164; without a country, it must begin with its country code."""
    # Imported here because its tables would slow down every start.
    import phonenumbers  # noqa: PLC0415 - see above

    international = text if country else _add_plus(text)
    # libphonenumber would silently ignore words before the number.
    if len(text) > _MAX_INPUT_LENGTH or not international.startswith(("+", *digits)):
        raise ValueError(_REFUSAL)
    try:
        number = phonenumbers.parse(international, country)
    except phonenumbers.NumberParseException:
        raise ValueError(_REFUSAL) from None
    if number.extension:
        raise ValueError("A phone number with an extension cannot receive messages.")
    # Not `is_valid_number`: numbers reserved for tests are possible, but never valid.
    if not phonenumbers.is_possible_number(number):
        raise ValueError(_REFUSAL)
    international = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    # Each parse removes one surplus trunk zero, so such a number would have several forms.
    if phonenumbers.parse(international) != number:
        raise ValueError(_REFUSAL)
    return international


def mask(phone: str) -> str:
    """Hide the middle of a number, as in +65•••4567."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    try:
        country = f"+{phonenumbers.parse(phone).country_code}"
    except phonenumbers.NumberParseException:
        country = ""
    # Some islands have numbers with four digits, so at most half of them are shown.
    visible = min(4, (len(phone) - len(country)) // 2)
    return f"{country}•••{phone[len(phone) - visible :]}"


def _to_plain_digits(raw: str) -> str:
    """Convert digits of any script to 0 to 9, and drop invisible marks left by copying."""
    visible = (
        letter for letter in raw[: _MAX_INPUT_LENGTH + 1] if unicodedata.category(letter) != "Cf"
    )
    text = "".join(str(unicodedata.decimal(letter, letter)) for letter in visible)
    return text.strip().lstrip("(").replace("\N{FULLWIDTH PLUS SIGN}", "+")


def _add_plus(text: str) -> str:
    return text if text.startswith("+") else f"+{text}"
