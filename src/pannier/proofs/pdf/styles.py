"""The colours and text styles of sheets."""

from typing import Final, NamedTuple

from pannier.proofs.pdf.fonts import MONO, SANS

Colour = tuple[int, int, int]
INK: Final = (20, 26, 35)
MUTED: Final = (95, 107, 124)
LINE: Final = (214, 220, 228)
TINT: Final = (246, 247, 249)
WHITE: Final = (255, 255, 255)
ACCENT: Final = (36, 87, 230)
GREEN: Final = (21, 128, 61)
AMBER: Final = (180, 83, 9)
RED: Final = (198, 40, 40)


class Style(NamedTuple):
    """The look of a text; size in points, leading in millimetres."""

    family: str
    weight: str
    size: float
    leading: float
    colour: Colour = INK


TITLE: Final = Style(SANS, "B", 15, 6.4)
HEADING: Final = Style(SANS, "B", 10, 5)
STRONG: Final = Style(SANS, "B", 8.5, 4)
BODY: Final = Style(SANS, "", 8.5, 4)
QUIET: Final = Style(SANS, "", 8.5, 4, MUTED)
LABEL: Final = Style(SANS, "", 6.8, 3.3, MUTED)
SMALL: Final = Style(SANS, "", 7.4, 3.6, MUTED)
CODE: Final = Style(MONO, "", 8.6, 4)
FINE: Final = Style(MONO, "", 7.4, 3.4)


def choose_accent_colour(color: str | None) -> Colour:
    """Return the brand's colour, such as `#1d4ed8`, or the default."""
    if color is None:
        return ACCENT
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue
