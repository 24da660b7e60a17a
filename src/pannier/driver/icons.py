"""The app's icon as a picture, for phones that do not take a drawing."""

import io
from functools import cache
from typing import Final

from PIL import Image, ImageDraw

SIZES: Final = (180, 192, 512)
GROUND, INK = "#1746c9", "#ffffff"
# Drawn larger than it is shown, so that its edges are smooth.
FINER: Final = 4
# The sign stands in the middle part of a field of 24, which no phone cuts off.
FIELD, SIGN = 24.0, 0.58
PEN: Final = 2.4


@cache
def icon(size: int) -> bytes:
    """Draw the icon as PNG: a way from one place to another."""
    whole = size * FINER
    picture = Image.new("RGB", (whole, whole), GROUND)
    pen = _Pen(ImageDraw.Draw(picture), whole)
    for x, y in ((5, 19), (19, 5)):
        pen.ring(x, y, 2.6, 0, 360)
    for begin, end, y in ((8, 16.5, 19), (7.5, 16.5, 12), (7.5, 16, 5)):
        pen.line(begin, end, y)
    pen.ring(16.5, 15.5, 3.5, -90, 90)
    pen.ring(7.5, 8.5, 3.5, 90, 270)
    file = io.BytesIO()
    picture.resize((size, size), Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


class _Pen:
    """Draws on the field of 24, wherever that lies in the picture."""

    def __init__(self, drawing: ImageDraw.ImageDraw, whole: int) -> None:
        self._drawing, self._unit = drawing, whole * SIGN / FIELD
        self._edge = whole * (1 - SIGN) / 2

    def _at(self, value: float) -> float:
        return self._edge + value * self._unit

    def ring(self, x: float, y: float, radius: float, begin: float, end: float) -> None:
        """Draw an arc around a point."""
        reach = radius + PEN / 2
        box = (self._at(x - reach), self._at(y - reach), self._at(x + reach), self._at(y + reach))
        self._drawing.arc(box, begin, end, INK, round(PEN * self._unit))

    def line(self, begin: float, end: float, y: float) -> None:
        """Draw a level line with round ends."""
        half = PEN / 2
        box = (self._at(begin - half), self._at(y - half), self._at(end + half), self._at(y + half))
        self._drawing.rounded_rectangle(box, half * self._unit, INK)
