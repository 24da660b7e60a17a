"""EXIF: the few facts a camera tells that are evidence, read without trusting a single byte.

Pillow's reader follows every entry there is and warns, a line each, of thousands it does not like.
This one looks for a dozen entries, takes a few bytes of each and says nothing.
"""

import re
import struct
from typing import Any, Final, NamedTuple

LONGEST: Final = 64
FARTHEST_EAST, FARTHEST_NORTH = 180, 90
MOST_ENTRIES: Final = 512
_HEADER: Final = b"Exif\0\0"
_MAKE, _MODEL, _ORIENTATION, _TIME = 0x010F, 0x0110, 0x0112, 0x0132
_DETAILS, _PLACE, _TAKEN = 0x8769, 0x8825, 0x9003
_SOUTH_NORTH, _LATITUDE, _EAST_WEST, _LONGITUDE = 1, 2, 3, 4
_TEXT, _SHORT, _LONG, _FRACTION = 2, 3, 4, 5
_SIZES: Final = {_TEXT: 1, _SHORT: 2, _LONG: 4, _FRACTION: 8}
_UPRIGHT_TO_TURNED: Final = range(1, 9)
_TIME_FORM: Final = re.compile(r"[0-9]{4}:[0-9]{2}:[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", re.ASCII)


class _Entry(NamedTuple):
    kind: int
    raw: bytes


_Directory = dict[int, _Entry]


def read(blob: bytes) -> dict[str, Any]:
    """Tell what the camera said; whatever cannot be read was not said."""
    try:
        return _facts(blob.removeprefix(_HEADER))
    except (struct.error, IndexError):
        return {}


def _facts(blob: bytes) -> dict[str, Any]:
    order = {b"II": "<", b"MM": ">"}.get(blob[:2])
    if order is None:
        return {}
    main = _directory(blob, order, struct.unpack_from(order + "I", blob, 4)[0])
    details = _directory(blob, order, _number(main.get(_DETAILS), order))
    place = _directory(blob, order, _number(main.get(_PLACE), order))
    orientation = _number(main.get(_ORIENTATION), order)
    facts = {
        "taken_at": _time(details.get(_TAKEN)) or _time(main.get(_TIME)),
        "make": _text(main.get(_MAKE)),
        "model": _text(main.get(_MODEL)),
        "gps": _point(place, order),
        "orientation": orientation if orientation in _UPRIGHT_TO_TURNED else None,
    }
    return {name: fact for name, fact in facts.items() if fact}


def _directory(blob: bytes, order: str, at: int) -> _Directory:
    """Read the entries of one directory whose values lie inside the block."""
    found: _Directory = {}
    if not 0 < at <= len(blob) - 2:
        return found
    (count,) = struct.unpack_from(order + "H", blob, at)
    for index in range(min(count, MOST_ENTRIES)):
        start = at + 2 + 12 * index
        if start + 12 > len(blob):
            break
        tag, kind, length = struct.unpack_from(order + "HHI", blob, start)
        size = _SIZES.get(kind, 0) * length
        if size > 4:  # noqa: PLR2004 - what is longer than four bytes lies elsewhere
            (start,) = struct.unpack_from(order + "I", blob, start + 8)
        else:
            start += 8
        raw = blob[start : start + min(size, 4 * LONGEST)]
        found.setdefault(tag, _Entry(kind, raw))
    return found


def _number(entry: _Entry | None, order: str) -> int:
    letter = {_SHORT: "H", _LONG: "I"}.get(entry.kind) if entry else None
    if entry is None or letter is None or len(entry.raw) < struct.calcsize(letter):
        return 0
    return int(struct.unpack_from(order + letter, entry.raw)[0])


def _text(entry: _Entry | None) -> str:
    if entry is None or entry.kind != _TEXT:
        return ""
    text = entry.raw.partition(b"\0")[0].decode("utf-8", "ignore")
    return "".join(mark for mark in text if mark.isprintable()).strip()[:LONGEST]


def _time(entry: _Entry | None) -> str:
    text = _text(entry)
    return text if _TIME_FORM.fullmatch(text) else ""


def _point(place: _Directory, order: str) -> list[float] | None:
    """Read where the camera was, as GeoJSON orders it."""
    latitude = _degrees(place.get(_LATITUDE), order)
    longitude = _degrees(place.get(_LONGITUDE), order)
    if latitude is None or longitude is None:
        return None
    if longitude > FARTHEST_EAST or latitude > FARTHEST_NORTH:
        return None
    north = -1 if _text(place.get(_SOUTH_NORTH)).upper() == "S" else 1
    east = -1 if _text(place.get(_EAST_WEST)).upper() == "W" else 1
    return [east * longitude, north * latitude]


def _degrees(entry: _Entry | None, order: str) -> float | None:
    """Add up degrees, minutes and seconds."""
    if entry is None or entry.kind != _FRACTION:
        return None
    parts: tuple[int, ...] = struct.unpack_from(order + "6I", entry.raw.ljust(24, b"\0"))
    if 0 in parts[1::2]:
        return None
    degrees, minutes, seconds = (parts[at] / parts[at + 1] for at in (0, 2, 4))
    return round(degrees + minutes / 60 + seconds / 3600, 6)
