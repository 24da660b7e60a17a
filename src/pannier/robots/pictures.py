"""Images for simulated proofs: a drawn signature, and a photo of a parcel at a door."""

import io
import math
from random import Random
from typing import Final

from PIL import Image, ImageDraw

INK: Final = (24, 36, 72, 255)
SIGNATURE_SIZE: Final = (480, 180)
PHOTO_SIZE: Final = (960, 720)
DOOR_COLORS: Final = ((38, 70, 83), (120, 53, 44), (42, 96, 73), (74, 63, 107), (140, 98, 57))
WALL_COLORS: Final = ((226, 221, 210), (205, 214, 220), (233, 228, 219))
BOX_COLORS: Final = ((196, 154, 108), (181, 136, 90), (210, 172, 128))


def draw_signature(number: int) -> bytes:
    """Draw a signature. The number determines the handwriting."""
    random = Random(number)  # noqa: S311 - for a drawing, not a secret
    canvas = Image.new("RGBA", SIGNATURE_SIZE, (255, 255, 255, 255))
    pen = ImageDraw.Draw(canvas)
    width, height = SIGNATURE_SIZE
    turns, steepness, width_factor = (
        random.uniform(3.2, 5.4),
        random.uniform(0.5, 1.1),
        random.uniform(0.6, 1.6),
    )
    points = []
    for step in range(160):
        share = step / 159
        angle = share * turns * math.tau
        size = (1 - 0.55 * share) * height * 0.27
        x = 40 + share * (width - 110) + math.sin(angle) * 16 * width_factor
        y = height * 0.52 - share * 18 + math.sin(angle * steepness + 1) * size
        points.append((x, y))
    pen.line(points, fill=INK, width=4, joint="curve")
    start = random.uniform(30, 90)
    pen.line([(start, height * 0.84), (width - 60, height * 0.76)], fill=INK, width=3)
    return _encode_canvas(canvas, "PNG")


def draw_photo(number: int) -> bytes:
    """Draw a parcel in front of a door."""
    random = Random(number)  # noqa: S311 - for a drawing, not a secret
    wall, door_color, box_color = (
        random.choice(colors) for colors in (WALL_COLORS, DOOR_COLORS, BOX_COLORS)
    )
    canvas = Image.new("RGB", PHOTO_SIZE, wall)
    brush = ImageDraw.Draw(canvas)
    brush.rectangle((0, 590, 960, 720), fill=tuple(channel - 60 for channel in wall))
    door_left = random.randint(250, 360)
    brush.rectangle((door_left, 90, door_left + 300, 600), fill=door_color)
    for top in (120, 350):
        panel = tuple(min(255, channel + 22) for channel in door_color)
        brush.rectangle((door_left + 35, top, door_left + 265, top + 190), outline=panel, width=8)
    brush.ellipse((door_left + 255, 345, door_left + 281, 371), fill=(212, 175, 55))
    box_width, box_height = random.randint(170, 260), random.randint(120, 190)
    corner = random.randint(120, 620)
    brush.rectangle((corner, 660 - box_height, corner + box_width, 660), fill=box_color)
    brush.rectangle(
        (corner, 660 - box_height, corner + box_width, 672 - box_height),
        fill=_darken_color(box_color, 25),
    )
    middle = corner + box_width // 2
    brush.rectangle(
        (middle - 14, 660 - box_height, middle + 14, 660), fill=_darken_color(box_color, 45)
    )
    brush.rectangle((corner + 18, 610, corner + 88, 646), fill=(250, 250, 248))
    for bar in range(0, 56, random.choice((4, 6))):
        brush.line((corner + 25 + bar, 616, corner + 25 + bar, 640), fill=(20, 20, 20), width=2)
    return _encode_canvas(canvas, "JPEG")


def _darken_color(color: tuple[int, ...], amount: int) -> tuple[int, ...]:
    return tuple(max(0, channel - amount) for channel in color)


def _encode_canvas(canvas: Image.Image, image_format: str) -> bytes:
    output = io.BytesIO()
    canvas.save(output, image_format, quality=82)
    return output.getvalue()
