"""The size of a text as an SMS: its alphabet and number of segments."""

from typing import Final, Literal, NamedTuple

# The alphabet of GSM 03.38. A character of its extension counts as two.
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
    # Characters outside the GSM alphabet.
    others: str = ""


def measure(text: str) -> SmsSize:
    """Count characters and segments. A segment has 160 GSM characters, or 70 with any other."""
    non_gsm_characters = "".join(sorted(set(text) - _BASIC - _EXTENDED))
    if not non_gsm_characters:
        character_count = len(text) + sum(character in _EXTENDED for character in text)
        return SmsSize("gsm", character_count, _count_segments(character_count, 160, 153))
    character_count = len(text.encode("utf-16-le")) // 2
    return SmsSize(
        "unicode", character_count, _count_segments(character_count, 70, 67), non_gsm_characters
    )


def _count_segments(character_count: int, single_limit: int, segment_limit: int) -> int:
    return 1 if character_count <= single_limit else -(-character_count // segment_limit)
