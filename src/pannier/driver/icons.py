"""The app's icon as PNG, for phones that do not accept SVG."""

import io
from functools import cache
from typing import Final

from PIL import Image, ImageDraw

SIZES: Final = (180, 192, 512)
BACKGROUND, INK = "#1746c9", "#ffffff"
# Drawn at this multiple of its size and scaled down, so that edges are smooth.
OVERSAMPLING: Final = 4
# The icon has a grid of 24. The sign fills its center, which no phone crops.
GRID_SIZE, SIGN_SHARE = 24.0, 0.58
PEN_WIDTH: Final = 2.4


@cache
def draw_icon(size: int) -> bytes:
    """Draw the icon as PNG: a route between two places."""
    full_size = size * OVERSAMPLING
    picture = Image.new("RGB", (full_size, full_size), BACKGROUND)
    pen = _Pen(ImageDraw.Draw(picture), full_size)
    for x, y in ((5, 19), (19, 5)):
        pen.draw_arc(x, y, 2.6, 0, 360)
    for start, end, y in ((8, 16.5, 19), (7.5, 16.5, 12), (7.5, 16, 5)):
        pen.draw_line(start, end, y)
    pen.draw_arc(16.5, 15.5, 3.5, -90, 90)
    pen.draw_arc(7.5, 8.5, 3.5, 90, 270)
    file = io.BytesIO()
    picture.resize((size, size), Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


class _Pen:
    """A pen that converts the icon's grid to pixels."""

    def __init__(self, drawing: ImageDraw.ImageDraw, full_size: int) -> None:
        self._drawing, self._unit = drawing, full_size * SIGN_SHARE / GRID_SIZE
        self._edge = full_size * (1 - SIGN_SHARE) / 2

    def _to_pixels(self, value: float) -> float:
        return self._edge + value * self._unit

    def draw_arc(self, x: float, y: float, radius: float, start: float, end: float) -> None:
        outer_radius = radius + PEN_WIDTH / 2
        bounds = (
            self._to_pixels(x - outer_radius),
            self._to_pixels(y - outer_radius),
            self._to_pixels(x + outer_radius),
            self._to_pixels(y + outer_radius),
        )
        self._drawing.arc(bounds, start, end, INK, round(PEN_WIDTH * self._unit))

    def draw_line(self, start: float, end: float, y: float) -> None:
        """Draw a horizontal line with round ends."""
        half_width = PEN_WIDTH / 2
        bounds = (
            self._to_pixels(start - half_width),
            self._to_pixels(y - half_width),
            self._to_pixels(end + half_width),
            self._to_pixels(y + half_width),
        )
        self._drawing.rounded_rectangle(bounds, half_width * self._unit, INK)
