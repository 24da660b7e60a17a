"""Codes in pictures: what a photo of a label says."""

from collections.abc import Generator, Iterator
from typing import Any, Final

import zxingcpp
from PIL import Image

from pannier.proofs.boxed import pictures

# Most codes are read in the small picture; a small code in a large one needs the closer look.
EDGE, CLOSER_EDGE = 2048, 4096
# Bar codes are sought along rows and columns, so a slanted one is found by slanting back.
SLANTS: Final = (30, 60)
LINEAR, MATRIX = "AllLinear", "AllMatrix"

Code = tuple[str, str, str | None]  # its text, its kind, and its short form if it was printed so


def looks(data: bytes) -> Iterator[list[Code]]:
    """Look as often as it takes, each time at more cost, and tell what is found.

    zxing falls into an endless loop over some quite ordinary pictures (zxing-cpp issue 1087): what
    was told stays told when we are stopped over what comes next.
    """
    opened = pictures.opened(data, pictures.PHOTO)
    image = pictures.grey(opened, EDGE)
    if (yield from _both(image)):
        return
    for slant in SLANTS:
        found = _read(image.rotate(slant, expand=True, fillcolor=255), LINEAR)
        yield found
        if found:
            return
    if max(opened.width, opened.height) > EDGE:
        yield from _both(pictures.grey(pictures.opened(data, pictures.PHOTO), CLOSER_EDGE))


def _both(image: Image.Image) -> Generator[list[Code], None, bool]:
    """Look for codes of every kind, and answer whether there is one."""
    found = []
    for kinds in (LINEAR, MATRIX):
        found.append(_read(image, kinds))
        yield found[-1]
    return any(found)


def _read(image: Image.Image, kinds: str) -> list[Code]:
    pixels: Any = memoryview(image.tobytes()).cast("B", (image.height, image.width))
    # Plain, for what people are shown instead has brackets and names of marks in it.
    found = zxingcpp.read_barcodes(
        pixels, zxingcpp.barcode_formats_from_str(kinds), text_mode=zxingcpp.TextMode.Plain
    )
    return [_told(code) for code in found]


def _told(code: Any) -> Code:  # noqa: ANN401 - zxing types it loosely
    return code.text, code.format.name, (code.extra or {}).get("UPCE")
