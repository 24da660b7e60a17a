"""Phone numbers, written one way: E.164, such as +6591234567."""

import unicodedata

_LONGEST_INPUT = 64
_REFUSAL = "Enter a phone number with its country code, such as +65 9123 4567."


def normalise(raw: str) -> str:
    """The number in E.164, however a person typed it; its country code is required."""
    # Imported here because its tables would slow every start of the program.
    import phonenumbers  # noqa: PLC0415 - see above

    if len(raw) > _LONGEST_INPUT:
        raise ValueError(_REFUSAL)
    try:
        number = phonenumbers.parse(_with_plus(_plain_digits(raw)))
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
    visible = (letter for letter in raw if unicodedata.category(letter) != "Cf")
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in visible).strip()


def _with_plus(text: str) -> str:
    if text.startswith(("+", "\N{FULLWIDTH PLUS SIGN}")):
        return text
    return "+" + text.removeprefix("00")
