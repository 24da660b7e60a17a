"""Codes in pictures: what a photo of a label says."""

import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pannier.proofs import images
from pannier.proofs.containers import Container

if TYPE_CHECKING:
    from PIL.Image import Image

# Most codes are read in the small picture; a small code in a large one needs the closer look.
EDGE, CLOSER_EDGE = 2048, 4096
# Bar codes are sought along rows and columns, so a slanted one is found by slanting back.
SLANTS: Final = (30, 60)
LINEAR, MATRIX = "AllLinear", "AllMatrix"
# The program has its own limit in CPU time; this one is for the case that it gets none.
PATIENCE: Final = 8.0
READER: Final = Path(__file__).with_name("reader.py")
# The program gets pictures of strangers, so it gets no secrets.
SURROUNDINGS: Final = {
    name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ
}


class Symbol(msgspec.Struct, frozen=True):
    """A code that was read."""

    text: str
    symbology: str


class _Code(msgspec.Struct, array_like=True):
    """A code as the program tells it."""

    text: str
    name: str
    short: str | None


_codes: Final = msgspec.json.Decoder(list[_Code])


async def read(data: bytes) -> list[Symbol]:
    """Read the codes of any symbology in a picture; empty when none can be read.

    A code with several spellings is told in each, the longest first.
    """
    return await images.worked(lambda: _read(data))


def _read(data: bytes) -> list[Symbol]:
    container = images.checked(data, images.PHOTO)
    return next((found for found in _looks(container) if found), [])


def _looks(container: Container) -> Iterator[list[Symbol]]:
    """Look as often as it takes, each time at more cost."""
    image = images.decoded(container, EDGE, "L").convert("L")
    yield _symbols(image, LINEAR, MATRIX)
    for slant in SLANTS:
        yield _symbols(image.rotate(slant, expand=True, fillcolor=255), LINEAR)
    if max(container.width, container.height) > EDGE:
        yield _symbols(images.decoded(container, CLOSER_EDGE, "L").convert("L"), LINEAR, MATRIX)


def _symbols(image: "Image", *kinds: str) -> list[Symbol]:
    told = _told(struct.pack("<II", *image.size) + image.tobytes(), kinds)
    # Behind the last line end there is nothing, or a line that was cut short.
    codes = [code for line in told.split(b"\n")[:-1] for code in _codes.decode(line)]
    symbols = [symbol for code in codes for symbol in _spellings(code)]
    # PostgreSQL keeps no text with a zero byte in it, and no label has one.
    return [symbol for symbol in symbols if symbol.text and "\0" not in symbol.text]


def _told(picture: bytes, kinds: tuple[str, ...]) -> bytes:
    """Let the program look at a picture for a while, and take what it has found by then."""
    command = [sys.executable, "-I", str(READER), *kinds]
    try:
        ended = subprocess.run(  # noqa: S603 - our own file, and the picture is its input
            command,
            input=picture,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            env=SURROUNDINGS,
            check=False,
        )
    except subprocess.TimeoutExpired as given_up:
        return bytes(given_up.stdout or b"")
    return ended.stdout


def _spellings(code: _Code) -> Iterator[Symbol]:
    """Spell a code as it was read, and as scanners spell it that know American codes by name."""
    yield Symbol(code.text, code.name)
    if code.name in {"EAN13", "UPCA", "UPCE"} and code.text.startswith("0"):
        yield Symbol(code.text[1:], "UPCA")
    if code.short is not None:
        yield Symbol(code.short, code.name)
