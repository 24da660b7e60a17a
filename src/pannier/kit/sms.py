"""The size of a text as an SMS: its alphabet and number of segments."""

from typing import Final, Literal, NamedTuple

# The alphabet of GSM 03.38. A letter of its extension takes two places.
_BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED: Final = frozenset("\f^{}\\[~]|€")

Alphabet = Literal["gsm", "unicode"]


class SmsSize(NamedTuple):
    """The size of a text as an SMS."""

    alphabet: Alphabet
    characters: int
    segments: int
    # Letters that are not in the GSM alphabet.
    others: str = ""


def measure(text: str) -> SmsSize:
    """Count places and segments. One segment has 160 GSM letters, or 70 with any other letter."""
    non_gsm_letters = "".join(sorted(set(text) - _BASIC - _EXTENDED))
    if not non_gsm_letters:
        places = len(text) + sum(letter in _EXTENDED for letter in text)
        return SmsSize("gsm", places, _count_segments(places, 160, 153))
    places = len(text.encode("utf-16-le")) // 2
    return SmsSize("unicode", places, _count_segments(places, 70, 67), non_gsm_letters)


def _count_segments(places: int, single_limit: int, segment_limit: int) -> int:
    return 1 if places <= single_limit else -(-places // segment_limit)
