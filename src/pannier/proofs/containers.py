"""Pictures before they are decoded: what they are, how large, and which of their parts we need.

A picture is taken apart by us, so that a decoder only ever sees pixels. What cameras and attackers
put around them - EXIF, colour profiles, texts, further pictures, films - never reaches it: each of
those has had its own decompression bombs.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from pannier.files import kinds

# A progressive JPEG comes in about ten scans; each further one costs a pass over the picture.
MOST_SCANS: Final = 64
# Texts and colour profiles of a PNG are compressed; no honest picture has more of them.
MOST_INFLATED: Final = 4 * 1024 * 1024

_TRUNCATED: Final = "The picture is not complete."
_DAMAGED: Final = "The picture is damaged."
_ANIMATED: Final = "The picture is animated; send a still one."
_BOMB: Final = "The picture carries far more text than a picture has."


class Container(NamedTuple):
    """A picture taken apart."""

    content_type: str
    width: int
    height: int
    bare: bytes  # a file of the same type with the pixels and nothing else
    exif: bytes
    trailer: bytes  # what follows the picture's end


def unpack(data: bytes) -> Container | None:
    """Take a picture apart; None when its content is no type we take, ValueError when broken."""
    content_type = kinds.detect(data[:32])
    reader = READERS.get(content_type)
    if reader is None:
        return None
    try:
        return reader(data)
    except (struct.error, IndexError, zlib.error):
        raise ValueError(_TRUNCATED) from None


# JPEG: segments of a marker and a length; after a start of scan, coded bytes up to the next marker.

_SCAN_END: Final = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START, _END, _SCAN, _APP1 = 0xD8, 0xD9, 0xDA, 0xE1
# JFIF's own, Adobe's word on colours, and the tables.
_NEEDED: Final = _FRAMES | {0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xEE}


class _Segment(NamedTuple):
    marker: int
    start: int
    end: int


def _jpeg(data: bytes) -> Container:
    kept, exif, frame = [b"\xff\xd8"], b"", b""
    for marker, start, end in _segments(data):
        body = data[start + 4 : end]
        if marker in _FRAMES and frame:
            raise ValueError(_DAMAGED)
        if marker in _FRAMES:
            frame = body
        if marker == _APP1 and body.startswith(b"Exif\0\0") and not exif:
            exif = body
        if marker in _NEEDED:
            kept.append(data[start:end])
        if marker == _SCAN:
            finish = _jpeg_end(data, end)
            kept.append(data[start:finish])
            height, width = struct.unpack_from(">HH", frame, 1)
            return Container("image/jpeg", width, height, b"".join(kept), exif, data[finish:])
    raise ValueError(_TRUNCATED)


def _segments(data: bytes) -> Iterator[_Segment]:
    """Walk the segments up to the first scan, or from one scan to the next."""
    at = 2
    while (found := _next_marker(data, at)) is not None:
        marker, start = found
        if marker == _END:
            return
        end = start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")
        if end > len(data) or end < start + 4:
            raise ValueError(_TRUNCATED)
        yield _Segment(marker, start, end)
        at = end


def _next_marker(data: bytes, at: int) -> tuple[int, int] | None:
    found = _SCAN_END.search(data, at)
    return (data[found.end() - 1], found.end() - 2) if found else None


def _jpeg_end(data: bytes, at: int) -> int:
    """Find where the picture ends, through all of its scans."""
    scans = 1
    while (found := _next_marker(data, at)) is not None:
        marker, start = found
        if marker == _END:
            return start + 2
        scans += marker == _SCAN
        if scans > MOST_SCANS or marker in _FRAMES:
            raise ValueError(_DAMAGED)
        at = start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")
    raise ValueError(_TRUNCATED)


# PNG: chunks of a length, a name, a content and a checksum.

_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_NEEDED: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_PNG_FRAMES: Final = frozenset({b"acTL", b"fcTL", b"fdAT"})
_PNG_COMPRESSED: Final = frozenset({b"zTXt", b"iTXt", b"iCCP"})


def _png(data: bytes) -> Container:
    kept, exif, inflated = [_PNG_START], b"", 0
    at, name = len(_PNG_START), b""
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(memoryview(data)[at + 4 : end - 4]) != checksum:
            raise ValueError(_DAMAGED)
        if name in _PNG_FRAMES:
            raise ValueError(_ANIMATED)
        if name in _PNG_COMPRESSED:
            inflated += _inflated(data[at + 8 : end - 4], MOST_INFLATED - inflated)
        if name == b"eXIf":
            exif = exif or data[at + 8 : end - 4]
        if name in _PNG_NEEDED:
            kept.append(data[at:end])
        at = end
    if kept[1][4:8] != b"IHDR":
        raise ValueError(_DAMAGED)
    width, height = struct.unpack_from(">II", kept[1], 8)
    return Container("image/png", width, height, b"".join(kept), exif, data[at:])


def _inflated(body: bytes, room: int) -> int:
    """Tell how much a compressed text holds, without ever holding more than there is room for."""
    start = body.find(b"\x78")
    if start < 0:
        return 0
    stream = zlib.decompressobj()
    try:
        size = len(stream.decompress(body[start:], room + 1))
    except zlib.error:
        return 0
    if size > room:
        raise ValueError(_BOMB)
    return size


# WebP: RIFF chunks of a name, a length and a content, padded to an even length.

_VP8X_ANIMATED: Final = 0x02


def _webp(data: bytes) -> Container:
    finish = 8 + int.from_bytes(data[4:8], "little")
    if finish > len(data):
        raise ValueError(_TRUNCATED)
    chunks = dict(_riff(data, finish))
    if b"ANIM" in chunks or b"ANMF" in chunks:
        raise ValueError(_ANIMATED)
    width, height = _webp_size(chunks)
    exif = chunks.get(b"EXIF", b"")
    return Container("image/webp", width, height, data[:finish], exif, data[finish:])


def _riff(data: bytes, finish: int) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= finish:
        name, length = struct.unpack_from("<4sI", data, at)
        if at + 8 + length > finish:
            raise ValueError(_TRUNCATED)
        yield name, data[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _webp_size(chunks: Mapping[bytes, bytes]) -> tuple[int, int]:
    if canvas := chunks.get(b"VP8X"):
        if canvas[0] & _VP8X_ANIMATED:
            raise ValueError(_ANIMATED)
        wide, high = (int.from_bytes(canvas[at : at + 3], "little") for at in (4, 7))
        return wide + 1, high + 1
    if lossless := chunks.get(b"VP8L"):
        (bits,) = struct.unpack_from("<I", lossless, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    wide, high = struct.unpack_from("<HH", chunks.get(b"VP8 ", b""), 6)
    return wide & 0x3FFF, high & 0x3FFF


READERS: Final[Mapping[str, Callable[[bytes], Container]]] = {
    "image/jpeg": _jpeg,
    "image/png": _png,
    "image/webp": _webp,
}
