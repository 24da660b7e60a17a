"""Pictures that tests send: real bytes, drawn on the spot."""

import base64
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw


@lru_cache(maxsize=32)
def signature(turn: int = 0) -> bytes:
    """Sign with a stroke on white."""
    picture = Image.new("L", (300, 120), 255)
    ImageDraw.Draw(picture).line(
        [(20, 90), (80, 20 + turn), (140, 100), (220, 30), (280, 80)], fill=0, width=4
    )
    return _bytes(picture, "PNG")


@lru_cache(maxsize=32)
def photo(turn: int = 0) -> bytes:
    """Photograph a parcel at a door."""
    picture = Image.new("RGB", (320, 240), (90, 120 + turn, 160))
    ImageDraw.Draw(picture).rectangle([80, 100, 200, 200], fill=(150, 100, 50))
    return _bytes(picture, "JPEG")


def _bytes(picture: Image.Image, kind: str) -> bytes:
    made = BytesIO()
    picture.save(made, kind)
    return made.getvalue()


def text(data: bytes) -> str:
    """Spell bytes as a data URI."""
    return "data:image/png;base64," + base64.b64encode(data).decode()
