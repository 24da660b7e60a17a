"""Barcodes in photos of labels."""

from collections.abc import Generator, Iterator
from typing import Any, Final

import zxingcpp
from PIL import Image

from pannier.proofs.sandboxed import pictures

# Most codes are readable in the smaller image. A tiny code needs the larger one.
MAX_EDGE_PIXELS, CLOSE_UP_EDGE_PIXELS = 2048, 4096
# Linear codes are only found along rows and columns, so slanted ones need a rotated image.
ROTATIONS_DEGREES: Final = (30, 60)
LINEAR_FORMATS, MATRIX_FORMATS = "AllLinear", "AllMatrix"

Code = tuple[str, str, str | None]  # text, symbology, and the short form if printed so


def scan_codes(data: bytes) -> Iterator[list[Code]]:
    """Yield the codes of each pass, in order of cost.

    zxing loops forever on some ordinary pictures (zxing-cpp issue 1087). Codes yielded before the
    process is killed are not lost.
    """
    opened_image = pictures.open_image(data, pictures.PHOTO)
    image = pictures.decode_grey(opened_image, MAX_EDGE_PIXELS)
    if (yield from _read_all_formats(image)):
        return
    for angle in ROTATIONS_DEGREES:
        codes = _read_codes(image.rotate(angle, expand=True, fillcolor=255), LINEAR_FORMATS)
        yield codes
        if codes:
            return
    if max(opened_image.width, opened_image.height) > MAX_EDGE_PIXELS:
        yield from _read_all_formats(
            pictures.decode_grey(pictures.open_image(data, pictures.PHOTO), CLOSE_UP_EDGE_PIXELS)
        )


def _read_all_formats(image: Image.Image) -> Generator[list[Code], None, bool]:
    """Scan for linear and matrix codes, and return whether any was found."""
    codes_by_pass = []
    for formats in (LINEAR_FORMATS, MATRIX_FORMATS):
        codes_by_pass.append(_read_codes(image, formats))
        yield codes_by_pass[-1]
    return any(codes_by_pass)


def _read_codes(image: Image.Image, formats: str) -> list[Code]:
    pixels: Any = memoryview(image.tobytes()).cast("B", (image.height, image.width))
    # Plain text: the human-readable mode adds brackets and names of control characters.
    barcodes = zxingcpp.read_barcodes(
        pixels, zxingcpp.barcode_formats_from_str(formats), text_mode=zxingcpp.TextMode.Plain
    )
    return [_to_code(code) for code in barcodes]


def _to_code(code: Any) -> Code:  # noqa: ANN401 - zxing types it loosely
    return code.text, code.format.name, (code.extra or {}).get("UPCE")
