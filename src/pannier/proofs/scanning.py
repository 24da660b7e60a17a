"""Codes in pictures: what a photo of a label says."""

import msgspec

from pannier.proofs import images


class Symbol(msgspec.Struct, frozen=True):
    """A code that was read."""

    text: str
    symbology: str


# Beyond this a code is no better read, only slower.
LONG_EDGE = 4096


async def read(data: bytes) -> list[Symbol]:
    """Read the codes in a picture of any symbology; empty when there is none that can be read."""
    return await images.worked(lambda: _read(data))


def _read(data: bytes) -> list[Symbol]:
    import zxingcpp  # noqa: PLC0415 - only scans need it

    container = images.unpacked(data, images.PHOTO)
    image = images.shrunk(images.decoded(container, LONG_EDGE), LONG_EDGE)
    found = zxingcpp.read_barcodes(
        images.opaque(image).convert("L"), text_mode=zxingcpp.TextMode.Plain
    )
    return [Symbol(code.text, code.format.name) for code in found]
