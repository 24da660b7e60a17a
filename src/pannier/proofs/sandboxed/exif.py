"""EXIF: the few camera facts that count as evidence.

Pillow reads the block. Its values may be of any type and length, so each is validated.
"""

import math
import re
from typing import Any, Final

from PIL import ExifTags, Image

MAX_TEXT_LENGTH: Final = 64
MAX_BLOCK_BYTES: Final = 128 * 1024  # cameras write up to 64 KiB
MAX_LONGITUDE, MAX_LATITUDE = 180, 90
_ORIENTATIONS: Final = range(1, 9)
_TIME_PATTERN: Final = re.compile(
    r"[0-9]{4}:[0-9]{2}:[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", re.ASCII
)


def read_facts(blob: bytes) -> dict[str, Any]:
    """Return the camera's facts, without unreadable ones."""
    if len(blob) > MAX_BLOCK_BYTES:
        return {}
    tags = Image.Exif()
    try:
        tags.load(blob)
        details = tags.get_ifd(ExifTags.IFD.Exif)
        gps = tags.get_ifd(ExifTags.IFD.GPSInfo)
        facts = {
            "taken_at": _to_time(details.get(ExifTags.Base.DateTimeOriginal))
            or _to_time(tags.get(ExifTags.Base.DateTime)),
            "make": _to_text(tags.get(ExifTags.Base.Make)),
            "model": _to_text(tags.get(ExifTags.Base.Model)),
            "gps": _to_point(gps),
            "orientation": _to_orientation(tags.get(ExifTags.Base.Orientation)),
        }
    except Exception:  # noqa: BLE001 - Pillow raises errors of every kind on broken blocks
        return {}
    return {name: fact for name, fact in facts.items() if fact}


def _to_orientation(value: object) -> int | None:
    return value if isinstance(value, int) and value in _ORIENTATIONS else None


def _to_text(value: object) -> str:
    if not isinstance(value, str):
        return ""
    # Pillow decodes as Latin-1; cameras write UTF-8.
    text = value.partition("\0")[0].encode("latin-1", "ignore").decode("utf-8", "ignore")
    return "".join(character for character in text if character.isprintable()).strip()[
        :MAX_TEXT_LENGTH
    ]


def _to_time(value: object) -> str:
    text = _to_text(value)
    return text if _TIME_PATTERN.fullmatch(text) else ""


def _to_point(gps: dict[int, Any]) -> list[float] | None:
    """Return the position in GeoJSON order."""
    latitude = _to_degrees(gps.get(ExifTags.GPS.GPSLatitude))
    longitude = _to_degrees(gps.get(ExifTags.GPS.GPSLongitude))
    if not (0 <= longitude <= MAX_LONGITUDE and 0 <= latitude <= MAX_LATITUDE):
        return None
    latitude_sign = -1 if _to_text(gps.get(ExifTags.GPS.GPSLatitudeRef)).upper() == "S" else 1
    longitude_sign = -1 if _to_text(gps.get(ExifTags.GPS.GPSLongitudeRef)).upper() == "W" else 1
    return [longitude_sign * longitude, latitude_sign * latitude]


def _to_degrees(value: object) -> float:
    """Convert degrees, minutes and seconds to degrees, or NaN for any other value."""
    if not isinstance(value, tuple) or len(value) != len(("degrees", "minutes", "seconds")):
        return math.nan
    degrees, minutes, seconds = map(float, value)
    return round(degrees + minutes / 60 + seconds / 3600, 6)
