"""Pictures before they are decoded: what they are, how large, and which of their parts we need.

A picture is taken apart by us, so that a decoder sees pixels and nothing else. What cameras and
attackers put around them - EXIF, colour profiles, texts, further pictures, films - never reaches
it: each of those has had its own bombs, and some make a decoder warn or fail over a good picture.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from pannier.files import kinds

# A progressive JPEG comes in about ten scans; each further one costs a pass over the picture.
MOST_SCANS: Final = 64
MOST_PARTS: Final = 20_000
# Texts and colour profiles of a PNG are compressed; no honest picture has more of them.
MOST_INFLATED: Final = 4 * 1024 * 1024
# A pattern is sought in steps, between which other threads get their turn.
STEP: Final = 256 * 1024
OVERLAP: Final = 64

TRUNCATED: Final = "The picture is not complete."
DAMAGED: Final = "The picture is damaged."
ANIMATED: Final = "The picture is animated; send a still one."
OVERLOADED: Final = "The picture carries far more text than pictures do."


class Container(NamedTuple):
    """A picture taken apart."""

    content_type: str
    width: int
    height: int
    bare: bytes  # a file of the same type that holds the pixels only
    exif: bytes
    trailer: bytes  # what follows the picture's end
    is_ycbcr: bool = False  # a JPEG whose colours are stored as brightness and two hues


class _Part(NamedTuple):
    name: bytes
    start: int
    end: int
    body: bytes


def unpack(data: bytes) -> Container | None:
    """Take a picture apart; None when its content is no type we take, ValueError when broken."""
    reader = READERS.get(kinds.detect(data[:32]))
    if reader is None:
        return None
    try:
        return reader(data)
    except (struct.error, IndexError):
        raise ValueError(TRUNCATED) from None


def search(pattern: re.Pattern[bytes], data: bytes, at: int = 0) -> re.Match[bytes] | None:
    """Find a pattern of a few bytes without holding up the other threads for long."""
    for start in range(at, len(data), STEP):
        found = pattern.search(data, start, start + STEP + OVERLAP)
        if found is not None:
            return found
    return None


def _first(parts: Iterable[_Part], name: bytes, prefix: bytes = b"") -> bytes:
    return next((p.body for p in parts if p.name == name and p.body.startswith(prefix)), b"")


def _joined(data: bytes, parts: Iterable[_Part]) -> Iterator[memoryview]:
    view = memoryview(data)
    return (view[part.start : part.end] for part in parts)


# JPEG: segments of a marker and a length; after a start of scan, coded bytes up to the next marker.
# Between segments anything else is skipped, as every decoder does.

# Not "one or more 0xFF": that takes quadratic time on a file of nothing else.
_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_START, _END, _SCAN, _EXIF, _ADOBE = b"\xd8", b"\xd9", b"\xda", b"\xe1", b"\xee"
_FRAMES: Final = frozenset(bytes([mark]) for mark in range(0xC0, 0xD0)) - {
    b"\xc4",
    b"\xc8",
    b"\xcc",
}
# The frame, the tables, JFIF's own and Adobe's word on colours.
_SEGMENTS: Final = _FRAMES | {b"\xc4", b"\xcc", b"\xdb", b"\xdd", b"\xe0", _ADOBE}


def _jpeg(data: bytes) -> Container:
    *segments, scan = _segments(data)
    frames = [segment.body for segment in segments if segment.name in _FRAMES]
    if len(frames) != 1:
        raise ValueError(DAMAGED)
    finish = _end_of_scans(data, scan.end)
    kept = [segment for segment in segments if segment.name in _SEGMENTS]
    height, width = struct.unpack_from(">HH", frames[0], 1)
    return Container(
        "image/jpeg",
        width,
        height,
        b"".join((b"\xff\xd8", *_joined(data, (*kept, scan._replace(end=finish))))),
        _first(segments, _EXIF, b"Exif\0\0"),
        data[finish:],
        # Without Adobe's word, three components so numbered can be nothing else.
        frames[0][6::3] == b"\1\2\3" and not _first(segments, _ADOBE),
    )


def _segments(data: bytes) -> Iterator[_Part]:
    """Walk up to the first scan, and end with it."""
    at = 2
    for _ in range(MOST_PARTS):
        segment = _segment(data, at)
        if segment.name == _END:
            break
        yield segment
        if segment.name == _SCAN:
            return
        at = segment.end
    raise ValueError(DAMAGED)


def _end_of_scans(data: bytes, at: int) -> int:
    """Find where the picture ends, through all of its scans."""
    scans = 1
    for _ in range(MOST_PARTS):
        segment = _segment(data, at)
        if segment.name == _END:
            return segment.end
        scans += segment.name == _SCAN
        if scans > MOST_SCANS or segment.name in _FRAMES:
            break
        at = segment.end
    raise ValueError(DAMAGED)


def _segment(data: bytes, at: int) -> _Part:
    found = search(_MARKER, data, at)
    if found is None:
        raise ValueError(TRUNCATED)
    start, name = found.start(), found[0][1:]
    if name == _END:
        return _Part(name, start, start + 2, b"")
    (length,) = struct.unpack_from(">H", data, start + 2)
    if name == _START or length < 2:  # noqa: PLR2004 - the length counts itself
        raise ValueError(DAMAGED)
    return _Part(name, start, start + 2 + length, data[start + 4 : start + 2 + length])


# PNG: chunks of a length, a name, a content and a checksum.

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHUNKS: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_FRAME_CHUNKS: Final = frozenset({b"acTL", b"fcTL", b"fdAT"})


def _png(data: bytes) -> Container:
    chunks = list(_chunks(data))
    names = [chunk.name for chunk in chunks]
    if names[0] != b"IHDR" or names.count(b"IHDR") > 1:
        raise ValueError(DAMAGED)
    if not _FRAME_CHUNKS.isdisjoint(names):
        raise ValueError(ANIMATED)
    # A capital letter says that the picture cannot be understood without the chunk.
    if any(name[:1].isupper() for name in names if name not in _CHUNKS):
        raise ValueError(DAMAGED)
    _check_texts(chunks)
    width, height = struct.unpack_from(">II", chunks[0].body)
    kept = [chunk for chunk in chunks if chunk.name in _CHUNKS]
    bare = b"".join((_SIGNATURE, *_joined(data, kept)))
    return Container(
        "image/png", width, height, bare, _first(chunks, b"eXIf"), data[chunks[-1].end :]
    )


def _chunks(data: bytes) -> Iterator[_Part]:
    at = len(_SIGNATURE)
    for _ in range(MOST_PARTS):
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(memoryview(data)[at + 4 : end - 4]) != checksum:
            raise ValueError(DAMAGED)
        yield _Part(name, at, end, b"" if name == b"IDAT" else data[at + 8 : end - 4])
        if name == b"IEND":
            return
        at = end
    raise ValueError(DAMAGED)


def _check_texts(chunks: Iterable[_Part]) -> None:
    """Refuse decompression bombs in texts and profiles, although nobody here would unpack them."""
    room = MOST_INFLATED
    for packed in filter(None, map(_compressed, chunks)):
        try:
            room -= len(zlib.decompressobj().decompress(packed, room + 1))
        except zlib.error:
            return  # what cannot be unpacked is no bomb, and looking further would cost as much
        if room < 0:
            raise ValueError(OVERLOADED)


def _compressed(chunk: _Part) -> bytes:
    """Find the compressed part of a chunk; empty when it has none."""
    _, _, rest = chunk.body.partition(b"\0")
    if chunk.name in {b"zTXt", b"iCCP"}:
        return rest[1:]
    if chunk.name == b"iTXt" and rest[:1] == b"\1":
        return rest[2:].split(b"\0", 2)[-1]
    return b""


# WebP: RIFF chunks of a name, a length and a content, padded to an even length.

_FEATURES: Final = b"VP8X"
_PIXELS: Final = frozenset({b"ALPH", b"VP8 ", b"VP8L"})
_MOVING: Final = frozenset({b"ANIM", b"ANMF"})
_HAS_ALPHA, _IS_ANIMATED = 0x10, 0x02


def _webp(data: bytes) -> Container:
    finish = 8 + int.from_bytes(data[4:8], "little")
    if finish > len(data):
        raise ValueError(TRUNCATED)
    chunks = list(_riff(data, finish))
    flags = int.from_bytes(_first(chunks, _FEATURES)[:1], "little")
    if flags & _IS_ANIMATED or not _MOVING.isdisjoint(chunk.name for chunk in chunks):
        raise ValueError(ANIMATED)
    width, height = _webp_size(chunks)
    bare = b"".join(_bare_webp(chunks))
    bare = struct.pack("<4sI4s", b"RIFF", len(bare) + 4, b"WEBP") + bare
    return Container("image/webp", width, height, bare, _first(chunks, b"EXIF"), data[finish:])


def _riff(data: bytes, finish: int) -> Iterator[_Part]:
    at = 12
    for _ in range(MOST_PARTS):
        if at + 8 > finish:
            return
        name, length = struct.unpack_from("<4sI", data, at)
        end = at + 8 + length
        if end > finish:
            raise ValueError(TRUNCATED)
        yield _Part(name, at, end, data[at + 8 : end])
        at = end + length % 2
    raise ValueError(DAMAGED)


def _bare_webp(chunks: Iterable[_Part]) -> Iterator[bytes]:
    for name, _, _, body in chunks:
        if name == _FEATURES:
            # Only transparency stays: what the other features announce is left out.
            yield struct.pack("<4sIB", name, len(body), body[0] & _HAS_ALPHA) + body[1:]
        elif name in _PIXELS:
            yield struct.pack("<4sI", name, len(body)) + body + b"\0" * (len(body) % 2)


def _webp_size(chunks: Iterable[_Part]) -> tuple[int, int]:
    if features := _first(chunks, _FEATURES):
        wide, high = (int.from_bytes(features[at : at + 3], "little") for at in (4, 7))
        return wide + 1, high + 1
    if lossless := _first(chunks, b"VP8L"):
        (bits,) = struct.unpack_from("<I", lossless, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    wide, high = struct.unpack_from("<HH", _first(chunks, b"VP8 "), 6)
    return wide & 0x3FFF, high & 0x3FFF


READERS: Final[Mapping[str, Callable[[bytes], Container]]] = {
    "image/jpeg": _jpeg,
    "image/png": _png,
    "image/webp": _webp,
}
