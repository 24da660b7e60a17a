"""EXIF: the few camera facts that count as evidence.

Pillow reads the block. Its values may be of any type and length, so each is validated.
"""

import math
import re
from typing import Any, Final

from PIL import ExifTags, Image

LONGEST: Final = 64
LARGEST_BLOCK: Final = 128 * 1024  # cameras write up to 64 KiB
FARTHEST_EAST, FARTHEST_NORTH = 180, 90
_UPRIGHT_TO_TURNED: Final = range(1, 9)
_TIME_FORM: Final = re.compile(r"[0-9]{4}:[0-9]{2}:[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", re.ASCII)


def read(blob: bytes) -> dict[str, Any]:
    """Return the camera's facts; unreadable ones are omitted."""
    if len(blob) > LARGEST_BLOCK:
        return {}
    main = Image.Exif()
    try:
        main.load(blob)
        details = main.get_ifd(ExifTags.IFD.Exif)
        place = main.get_ifd(ExifTags.IFD.GPSInfo)
        facts = {
            "taken_at": _time(details.get(ExifTags.Base.DateTimeOriginal))
            or _time(main.get(ExifTags.Base.DateTime)),
            "make": _text(main.get(ExifTags.Base.Make)),
            "model": _text(main.get(ExifTags.Base.Model)),
            "gps": _point(place),
            "orientation": _orientation(main.get(ExifTags.Base.Orientation)),
        }
    except Exception:  # noqa: BLE001 - Pillow raises errors of every kind on broken blocks
        return {}
    return {name: fact for name, fact in facts.items() if fact}


def _orientation(value: object) -> int | None:
    return value if isinstance(value, int) and value in _UPRIGHT_TO_TURNED else None


def _text(value: object) -> str:
    if not isinstance(value, str):
        return ""
    # Pillow decodes as Latin-1; cameras write UTF-8.
    text = value.partition("\0")[0].encode("latin-1", "ignore").decode("utf-8", "ignore")
    return "".join(mark for mark in text if mark.isprintable()).strip()[:LONGEST]


def _time(value: object) -> str:
    text = _text(value)
    return text if _TIME_FORM.fullmatch(text) else ""


def _point(place: dict[int, Any]) -> list[float] | None:
    """Return the position in GeoJSON order."""
    latitude = _degrees(place.get(ExifTags.GPS.GPSLatitude))
    longitude = _degrees(place.get(ExifTags.GPS.GPSLongitude))
    if not (0 <= longitude <= FARTHEST_EAST and 0 <= latitude <= FARTHEST_NORTH):
        return None
    north = -1 if _text(place.get(ExifTags.GPS.GPSLatitudeRef)).upper() == "S" else 1
    east = -1 if _text(place.get(ExifTags.GPS.GPSLongitudeRef)).upper() == "W" else 1
    return [east * longitude, north * latitude]


def _degrees(value: object) -> float:
    """Convert degrees, minutes and seconds to degrees; NaN when the value has another form."""
    if not isinstance(value, tuple) or len(value) != len(("degrees", "minutes", "seconds")):
        return math.nan
    degrees, minutes, seconds = map(float, value)
    return round(degrees + minutes / 60 + seconds / 3600, 6)
