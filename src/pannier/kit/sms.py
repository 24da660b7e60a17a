"""How long a text is as an SMS: in which alphabet it goes out, and in how many pieces."""

from typing import Final, Literal, NamedTuple

# The alphabet of GSM 03.38; what stands in its extension takes two places.
_PLAIN: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED: Final = frozenset("\f^{}\\[~]|€")

Alphabet = Literal["gsm", "unicode"]


class Length(NamedTuple):
    """What a text takes as an SMS."""

    alphabet: Alphabet
    characters: int
    segments: int
    # Letters that GSM does not have.
    others: str = ""


def length(text: str) -> Length:
    """Count places and pieces: 160 letters are one, or 70 with a letter that GSM does not have."""
    others = "".join(sorted(set(text) - _PLAIN - _EXTENDED))
    if not others:
        places = len(text) + sum(letter in _EXTENDED for letter in text)
        return Length("gsm", places, _segments(places, 160, 153))
    places = len(text.encode("utf-16-le")) // 2
    return Length("unicode", places, _segments(places, 70, 67), others)


def _segments(places: int, alone: int, each: int) -> int:
    return 1 if places <= alone else -(-places // each)
