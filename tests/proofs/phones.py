"""Photos as phones write them: EXIF with a maker note, a position and a thumbnail, and more."""

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from PIL import Image, ImageCms

from proofs import making
from proofs.making import four_corners, saved, segment

BYTE, TEXT, SHORT, LONG, FRACTION, UNDEFINED, SIGNED = 1, 2, 3, 4, 5, 7, 10
DIRECTORY, BLOB = -1, -2  # written elsewhere in the block, with a LONG that points to it
PROFILE: Final = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
TAKEN: Final = "2026:05:07 09:15:00"
LONGITUDE, LATITUDE = (103, 51, 2.2), (1, 17, 30.6)
# What Pannier keeps of it.
SEEN: Final = {"taken_at": TAKEN, "gps": [103.850611, 1.291833]}

Entry = tuple[int, int, Any]


def directory(order: str, entries: Sequence[Entry], at: int, *after: Entry) -> bytes:
    """Write a TIFF directory for a place in its block, and the one that follows it, if any."""
    values, rows = b"", struct.pack(order + "H", len(entries))
    start = at + 2 + 12 * len(entries) + 4
    for tag, kind, value in sorted(entries):
        written, count, raw, elsewhere = _value(order, kind, value, start + len(values))
        if not elsewhere and len(raw) > 4:
            elsewhere, raw = raw, struct.pack(order + "I", start + len(values))
        rows += struct.pack(order + "HHI", tag, written, count) + raw.ljust(4, b"\0")
        values += elsewhere + bytes(len(elsewhere) % 2)
    following = start + len(values) if after else 0
    return (
        rows
        + struct.pack(order + "I", following)
        + values
        + (directory(order, after, following) if after else b"")
    )


def _value(order: str, kind: int, value: Any, at: int) -> tuple[int, int, bytes, bytes]:
    """Return the type, the count, the value or what points to it, and what it points to."""
    pointer = struct.pack(order + "I", at)
    match kind:
        case _ if kind == DIRECTORY:
            return LONG, 1, pointer, directory(order, value, at)
        case _ if kind == BLOB:
            return LONG, 1, pointer, value
        case _ if kind == TEXT:
            return kind, len(value) + 1, value.encode() + b"\0", b""
        case _ if kind in {SHORT, LONG}:
            numbers = value if isinstance(value, tuple) else (value,)
            letter = {SHORT: "H", LONG: "I"}[kind]
            return kind, len(numbers), struct.pack(f"{order}{len(numbers)}{letter}", *numbers), b""
        case _ if kind in {FRACTION, SIGNED}:
            numbers = value if isinstance(value, tuple) else (value,)
            letter = {FRACTION: "II", SIGNED: "ii"}[kind]
            raw = b"".join(
                struct.pack(order + letter, round(number * 10_000), 10_000) for number in numbers
            )
            return kind, len(numbers), raw, b""
    return kind, len(value), value, b""


def exif(order: str, main: Sequence[Entry], details: Sequence[Entry], *, orientation: int) -> bytes:
    """Write an EXIF block with the directories of a phone: main, details, position, thumbnail."""
    small = saved(four_corners(32, 24), "JPEG")
    position = [
        (1, TEXT, "N"), (2, FRACTION, LATITUDE), (3, TEXT, "E"), (4, FRACTION, LONGITUDE),
        (5, BYTE, b"\0"), (6, FRACTION, 15.25), (7, FRACTION, (9, 15, 0)), (12, TEXT, "K"),
        (13, FRACTION, 0.12), (16, TEXT, "T"), (17, FRACTION, 271.5), (29, TEXT, "2026:05:07"),
        (31, FRACTION, 4.75),
    ]  # fmt: skip
    everything = [
        (0x0112, SHORT, orientation), (0x011A, FRACTION, 72), (0x011B, FRACTION, 72),
        (0x0128, SHORT, 2), (0x0132, TEXT, TAKEN), (0x0213, SHORT, 1),
        (0x8769, DIRECTORY, details), (0x8825, DIRECTORY, position), *main,
    ]  # fmt: skip
    thumbnail = [
        (0x0103, SHORT, 6), (0x011A, FRACTION, 72), (0x011B, FRACTION, 72), (0x0128, SHORT, 2),
        (0x0201, BLOB, small), (0x0202, LONG, len(small)),
    ]  # fmt: skip
    start = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(order + "I", 8)
    return b"Exif\0\0" + start + directory(order, everything, 8, *thumbnail)


def details(order: str, note: bytes) -> list[Entry]:
    """Return the directory that describes how a photo was taken, with the maker's own note."""
    return [
        (0x829A, FRACTION, 0.0083), (0x829D, FRACTION, 1.78), (0x8822, SHORT, 2),
        (0x8827, SHORT, 64), (0x9000, UNDEFINED, b"0232"), (0x9003, TEXT, TAKEN),
        (0x9004, TEXT, TAKEN), (0x9010, TEXT, "+08:00"), (0x9101, UNDEFINED, b"\1\2\3\0"),
        (0x9201, SIGNED, 6.9), (0x9203, SIGNED, -1.5), (0x9214, SHORT, (2015, 1511, 2217, 1330)),
        (0x927C, UNDEFINED, note), (0x9286, UNDEFINED, b"ASCII\0\0\0at the door"),
        (0x9290, TEXT, "123"), (0xA000, UNDEFINED, b"0100"), (0xA001, SHORT, 65535),
        (0xA002, LONG, 64), (0xA003, LONG, 48), (0xA301, UNDEFINED, b"\1"),
        (0xA432, FRACTION, (1.54, 6.86, 1.78, 2.8)), (0xA434, TEXT, "back camera"),
        *([(0xA005, DIRECTORY, [(1, TEXT, "R98"), (2, UNDEFINED, b"0100")])] * (order == "<")),
    ]  # fmt: skip


def xmp(words: str) -> bytes:
    """Write the packet of XML that phones put beside their EXIF."""
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf'
        f'-syntax-ns#"><rdf:Description rdf:about="" {words}/></rdf:RDF></x:xmpmeta>'
    )
    return b"http://ns.adobe.com/xap/1.0/\0" + packet.encode()


def profile() -> bytes:
    """Write the colour profile as a segment has it."""
    return b"ICC_PROFILE\0\1\1" + PROFILE


def further_picture(picture: bytes, further: bytes) -> bytes:
    """Put a second picture behind a JPEG, with the index that says where it is (MPF)."""

    def index(first: int, second_at: int) -> bytes:
        rows = struct.pack(">IIIHH", 0x030000, first, 0, 0, 0)
        rows += struct.pack(">IIIHH", 0, len(further), second_at, 0, 0)
        entries = [(0xB000, UNDEFINED, b"0100"), (0xB001, LONG, 2), (0xB002, UNDEFINED, rows)]
        return b"MPF\0MM\0*" + struct.pack(">I", 8) + directory(">", entries, 8)

    size = len(segment(0xE2, index(0, 0)))
    at = 2
    while picture[at + 1] in {0xE0, 0xE1}:
        at += 2 + struct.unpack_from(">H", picture, at + 2)[0]
    first = len(picture) + size
    # Counted from where the index itself begins, behind its marker, length and name.
    found = segment(0xE2, index(first, first - (at + 8)))
    return picture[:at] + found + picture[at:] + further


def _assembled(image: Image.Image, *segments: tuple[int, bytes], **options: Any) -> bytes:
    """Encode a picture with the segments of a phone instead of JFIF's."""
    plain = saved(image, "JPEG", quality=95, **options)
    length = struct.unpack_from(">H", plain, 4)[0]
    assert plain[2:4] == b"\xff\xe0"
    parts = b"".join(segment(marker, body) for marker, body in segments)
    return plain[:2] + parts + plain[4 + length :]


@cache
def android(orientation: int = 6, **options: Any) -> bytes:
    """Photograph as an Android phone does: Intel's byte order, and a film behind the picture."""
    note = b"\7\0\1\0\7\0\4\0\0\0000100" + bytes(2000)
    main = [(0x010F, TEXT, "samsung"), (0x0110, TEXT, "SM-S911B"), (0x0131, TEXT, "S911BXXU3")]
    block = exif("<", main, details("<", note), orientation=orientation)
    words = 'xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1"'
    picture = _assembled(
        held(orientation), (0xE1, block), (0xE1, xmp(words)), (0xE2, profile()), **options
    )
    return picture + making.film() + b"\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data1SEFT"


@cache
def iphone(orientation: int = 6, **options: Any) -> bytes:
    """Photograph as an iPhone does: Motorola's byte order, Apple's note, a gain map behind."""
    note = b"Apple iOS\0\0\1MM" + directory(
        ">", [(1, LONG, 14), (4, LONG, 1), (8, SIGNED, (0.1, -0.99, 0.02)), (43, TEXT, "8F2A")], 14
    )
    main = [
        (0x010F, TEXT, "Apple"), (0x0110, TEXT, "iPhone 15 Pro"), (0x0131, TEXT, "18.1"),
        (0x013C, TEXT, "iPhone 15 Pro"),
    ]  # fmt: skip
    block = exif(">", main, details(">", note), orientation=orientation)
    words = 'xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" HDRGainMap:Version="65536"'
    gain = _assembled(Image.new("L", (32, 24), 90), (0xE1, xmp(words)))
    picture = _assembled(held(orientation), (0xE1, block), (0xE2, profile()), **options)
    return further_picture(picture, gain)


def held(orientation: int) -> Image.Image:
    """Paint the four corners as a sensor sees them that is turned like this."""
    turns = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90,
             8: Image.Transpose.ROTATE_270}  # fmt: skip
    drawn = four_corners()
    return drawn.transpose(turns[orientation]) if orientation in turns else drawn


def _with_words(kind: str) -> bytes:
    block = exif("<", [(0x010F, TEXT, "Google")], details("<", b"note"), orientation=6)
    words = {} if kind == "PNG" else {"xmp": xmp("").partition(b"\0")[2]}
    return saved(held(6), kind, quality=95, exif=block, icc_profile=PROFILE, **words)


# One of each, upright and turned; all show the four corners in the order of reading.
PHOTOS: Final[dict[str, Callable[[], bytes]]] = {
    "android": android,
    "android_upside_down": lambda: android(3),
    "android_progressive": lambda: android(progressive=True),
    "iphone": iphone,
    "iphone_landscape": lambda: iphone(1),
    "iphone_other_side": lambda: iphone(8),
    "png_with_exif": lambda: _with_words("PNG"),
    "webp_with_exif": lambda: _with_words("WEBP"),
    "cmyk_with_exif": lambda: saved(
        held(6).convert("CMYK"), "JPEG", quality=95, icc_profile=PROFILE,
        exif=exif(">", [], details(">", b""), orientation=6),
    ),
}  # fmt: skip
