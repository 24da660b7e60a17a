"""Files that tests make on the spot: good pictures of every kind, and parts to build bad ones."""

import random
import struct
import zipfile
import zlib
from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

# The corners of the picture: upper left, upper right, lower left, lower right.
RED, GREEN, BLUE, GOLD = (230, 20, 20), (20, 180, 20), (20, 20, 230), (240, 200, 20)
CORNERS = (RED, GREEN, BLUE, GOLD)
GREYS = (10, 90, 170, 250)


def four_corners(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """Paint each quarter of a picture in a colour of its own."""
    drawn = Image.new("L" if mode == "L" else "RGB", (width, height))
    colours: Any = GREYS if mode == "L" else CORNERS
    middle, half = width // 2, height // 2
    boxes = (
        (0, 0, middle, half),
        (middle, 0, width, half),
        (0, half, middle, height),
        (middle, half, width, height),
    )
    for box, colour in zip(boxes, colours, strict=True):
        drawn.paste(colour, box)
    return drawn.convert(mode)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    made = BytesIO()
    image.save(made, kind, **options)
    return made.getvalue()


@cache
def jpeg(**options: Any) -> bytes:
    return saved(four_corners(), "JPEG", **{"quality": 95, **options})


@cache
def png() -> bytes:
    return saved(four_corners(), "PNG")


@cache
def webp() -> bytes:
    return saved(four_corners(), "WEBP", quality=95)


@cache
def stroke() -> bytes:
    """Sign on transparent ground, as pads do."""
    drawn = Image.new("RGBA", (300, 120))
    ImageDraw.Draw(drawn).line([(20, 90), (80, 20), (220, 90)], fill=(0, 0, 0, 255), width=4)
    return saved(drawn, "PNG")


# JPEG


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def with_segment(marker: int, body: bytes, picture: bytes | None = None) -> bytes:
    """Put a segment in front of all others."""
    picture = picture or jpeg()
    return picture[:2] + segment(marker, body) + picture[2:]


def frame_at(picture: bytes) -> int:
    """Find the frame header of a picture that Pillow wrote."""
    return picture.index(b"\xff\xc0")


def with_size(width: int, height: int) -> bytes:
    """Lie about a picture's size."""
    picture = bytearray(jpeg())
    struct.pack_into(">HH", picture, frame_at(picture) + 5, height, width)
    return bytes(picture)


def many_scans(width: int, height: int, scans: int) -> bytes:
    """Write a progressive picture of a few kilobytes with any number of scans over all of it."""
    blocks = -(-width // 8) * -(-height // 8)
    table = bytes([1, *[0] * 15])
    head = (
        b"\xff\xd8"
        + segment(0xDB, b"\0" + b"\1" * 64)
        + segment(0xC2, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
        + segment(0xC4, b"\x00" + table + b"\x00")
        + segment(0xC4, b"\x10" + table + b"\xe0")
    )
    first = segment(0xDA, b"\1\1\0\0\0\0") + bytes(-(-blocks // 8))
    # Each run of 2^14 empty blocks is one bit of code and fourteen of length.
    runs = bytes(-(-(-(-blocks // 2**14) * 15) // 8))
    return head + first + (segment(0xDA, b"\1\1\0\1\x3f\0") + runs) * scans + b"\xff\xd9"


# PNG

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def header(width: int, height: int, depth: int = 8, colours: int = 2, interlaced: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, interlaced))


def built(head: bytes, rows: bytes, *between: bytes) -> bytes:
    """Put a PNG together."""
    body = chunk(b"IDAT", zlib.compress(rows, 1))
    return SIGNATURE + head + b"".join(between) + body + chunk(b"IEND")


def plain(width: int, height: int, *between: bytes) -> bytes:
    """Write a PNG of one bit a pixel, all black, which is as small as they get."""
    row = bytes(1 + -(-width // 8))
    packing = zlib.compressobj(9)
    packed = b"".join(packing.compress(row) for _ in range(height))
    head = header(width, height, depth=1, colours=0)
    body = chunk(b"IDAT", packed + packing.flush())
    return SIGNATURE + head + b"".join(between) + body + chunk(b"IEND")


def with_chunk(name: bytes, body: bytes, picture: bytes | None = None) -> bytes:
    """Put a chunk right behind the header."""
    picture = picture or png()
    return picture[:33] + chunk(name, body) + picture[33:]


def resealed(picture: bytes) -> bytes:
    """Put the checksums of a PNG right, as far as its chunks can be walked."""
    sealed, at = [SIGNATURE], len(SIGNATURE)
    while at + 12 <= len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        if at + 12 + length > len(picture):
            break
        sealed.append(chunk(picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]))
        at += 12 + length
    return b"".join(sealed) + picture[at:]


def deflated(size: int) -> bytes:
    return zlib.compress(bytes(size), 9)


# WebP


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(
        name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2) for name, body in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def canvas(width: int, height: int, flags: int = 0) -> tuple[bytes, bytes]:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"VP8X", bytes([flags, 0, 0, 0]) + sides


# EXIF


def exif(order: str = "<", **facts: Any) -> bytes:
    """Write what a camera does: make, model, a time, a place and how it was held."""
    with_place = "gps" in facts
    texts = {0x010F: facts.get("make"), 0x0110: facts.get("model")}
    blob = Block(order)
    entries = [(tag, 2, text) for tag, text in texts.items() if text]
    if "orientation" in facts:
        entries.append((0x0112, 3, facts["orientation"]))
    details = [(0x9003, 2, facts["taken_at"])] if "taken_at" in facts else []
    place = []
    if with_place:
        longitude, latitude = facts["gps"]
        place = [
            (1, 2, "N" if latitude >= 0 else "S"),
            (2, 5, abs(latitude)),
            (3, 2, "E" if longitude >= 0 else "W"),
            (4, 5, abs(longitude)),
        ]
    return b"Exif\0\0" + blob.written(entries, details, place)


class Block:
    """A TIFF block with a main directory and the two that it points to."""

    def __init__(self, order: str) -> None:
        self.order = order

    def written(self, main: list[Any], details: list[Any], place: list[Any]) -> bytes:
        start = {"<": b"II*\0", ">": b"MM\0*"}[self.order] + struct.pack(self.order + "I", 8)
        size = 2 + 12 * (len(main) + 2) + 4
        first = self._directory(details, 8 + size)
        second = self._directory(place, 8 + size + len(first))
        # Texts of the main directory lie at the very end.
        pointers = [(0x8769, 4, 8 + size), (0x8825, 4, 8 + size + len(first))]
        end = 8 + size + len(first) + len(second)
        entries, values = self._entries([*main, *pointers], end)
        return start + entries + first + second + values

    def _directory(self, entries: list[Any], at: int) -> bytes:
        made, values = self._entries(entries, at + 2 + 12 * len(entries) + 4)
        return made + values

    def _entries(self, entries: list[Any], at: int) -> tuple[bytes, bytes]:
        made, values = struct.pack(self.order + "H", len(entries)), b""
        for tag, kind, value in entries:
            count, raw = self._raw(kind, value)
            if len(raw) > 4:
                offset = struct.pack(self.order + "I", at + len(values))
                values, raw = values + raw, offset
            made += struct.pack(self.order + "HHI", tag, kind, count) + raw.ljust(4, b"\0")
        return made + bytes(4), values

    def _raw(self, kind: int, value: Any) -> tuple[int, bytes]:
        if kind == 2:
            text = value.encode() + b"\0"
            return len(text), text
        if kind == 3:
            return 1, struct.pack(self.order + "H", value)
        if kind == 4:
            return 1, struct.pack(self.order + "I", value)
        degrees = int(value)
        minutes = int(value * 60 % 60)
        seconds = round((value * 3600 % 60) * 10_000)
        return 3, struct.pack(self.order + "6I", degrees, 1, minutes, 1, seconds, 10_000)


# Other things


def zipped() -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Main-Class: Evil")
    return made.getvalue()


def film() -> bytes:
    """Write the start of an MP4, as a motion photo carries it, and some of its noise."""
    return b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + random.Random(7).randbytes(50_000)


def animated(kind: str) -> bytes:
    frames = [Image.new("RGB", (16, 16), colour) for colour in CORNERS]
    return saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
