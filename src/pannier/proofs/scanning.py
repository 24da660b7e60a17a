"""Codes in pictures: what a photo of a label says."""

from typing import TYPE_CHECKING, Final

import msgspec

from pannier.proofs import images

if TYPE_CHECKING:
    from PIL.Image import Image

# Most codes are read in the small picture; a small code in a large one needs the second look.
EDGES: Final = (2048, 4096)


class Symbol(msgspec.Struct, frozen=True):
    """A code that was read."""

    text: str
    symbology: str


async def read(data: bytes) -> list[Symbol]:
    """Read the codes of any symbology in a picture; empty when none can be read."""
    return await images.worked(lambda: _read(data))


def _read(data: bytes) -> list[Symbol]:
    container = images.checked(data, images.PHOTO)
    for edge in EDGES:
        found = _symbols(images.decoded(container, edge, "L"))
        if found or max(container.width, container.height) <= edge:
            break
    return found


def _symbols(image: "Image") -> list[Symbol]:
    import zxingcpp  # noqa: PLC0415 - only scans need it

    found = zxingcpp.read_barcodes(image.convert("L"), text_mode=zxingcpp.TextMode.Plain)
    return [Symbol(code.text, code.format.name) for code in found]
