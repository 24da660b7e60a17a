"""Items: events as their senders spell them, taken out of a body one by one."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from pannier.devices.kinds import Accuracy, Altitude, Heading, Speed
from pannier.errors import BodyUnreadable
from pannier.kit import geo

# Numbers beyond this are milliseconds: as seconds they would lie in the year 5138.
MILLISECONDS_FROM: Final = 100_000_000_000
MOST_DATA: Final = 16_384  # bytes of JSON
MAX_DEPTH: Final = 32  # levels of objects and arrays of an event, however it came in
MOST_NAME: Final = 200  # characters of what a device calls itself, or an event
MOST_KEPT: Final = 4096  # bytes of a refused item
BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)
UNSPEAKABLE: Final = (UnicodeError, TypeError, ValueError, OverflowError, RecursionError)
_ABSENT: Final[Any] = None
_AT: Final = re.compile(r" - at `\$\.?(\w*).*`$")
_PARTS: Final = {
    "event_type": "event_type_invalid",
    "timestamp": "timestamp_invalid",
    "location": "location_invalid",
    "data": "data_invalid",
    "event_id": "event_id_invalid",
    "device": "device_invalid",
    "device_id": "device_invalid",
}
# Why an item is refused; the code says which part of it is wrong.
CODES: Final = {
    "event_invalid": "It is not an object with the fields of a device event.",
    "event_type_missing": "It does not say what type it is of.",
    "event_type_invalid": "A type is named with 1 to 64 printable characters.",
    "event_id_invalid": "An event's own id has 1 to 200 characters.",
    "device_invalid": "A device is named with 1 to 200 printable characters.",
    "timestamp_invalid": "The timestamp is neither RFC 3339 with an offset nor a Unix time.",
    "location_missing": "A position needs a location.",
    "location_invalid": "The location is not on the earth.",
    "location_nowhere": "0,0 is what a device sends that does not know where it is.",
    "data_invalid": "A part of the data is not what it has to be, or cannot be kept.",
    "data_too_deep": f"The data nest deeper than {MAX_DEPTH} levels.",
    "data_too_large": f"The data are larger than {MOST_DATA:,} bytes.",
}


class Refused(Exception):  # noqa: N818 - a refusal is not always an error
    """One item cannot be stored; `code` is one of `CODES`."""

    def __init__(self, code: str, reason: str | None = None) -> None:
        self.code, self.reason = code, reason or CODES[code]
        super().__init__(self.reason)


# Thousands live for a moment, and none refers to itself: the collector has nothing to look for.
class Place(msgspec.Struct, gc=False):
    """A location as GeoJSON, or as its two numbers."""

    type: str | None = None
    coordinates: list[float] | None = None
    latitude: float | None = None
    longitude: float | None = None


class Item(msgspec.Struct, kw_only=True, omit_defaults=True, gc=False):
    """One event as its sender spells it."""

    event_type: str | None = None
    timestamp: datetime | int | float | None = None
    location: Place | list[float] | str | None = None
    data: dict[str, Any] | None = None
    event_id: str | int | None = None
    device: str | int | None = None
    device_id: str | int | None = None


class Measures(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What a position measures, and nothing else; what is null is not among it."""

    speed: Speed = _ABSENT
    heading: Heading = _ABSENT
    altitude: Altitude = _ABSENT
    accuracy: Accuracy = _ABSENT


class Position(Item, kw_only=True):
    """A plain position: the decoder checks its measures, so no dictionary is built."""

    event_type: Literal["position_update"]
    # Only reading goes through here, so a narrower type than the base class has is safe.
    data: Measures | None = None  # type: ignore[assignment]


class Introduced(Item, kw_only=True):
    """An event whose sender also says what people call its device."""

    called: str | None = None


_one: Final = msgspec.json.Decoder(Item)
_positions: Final = msgspec.json.Decoder(list[Position])
_many: Final = msgspec.json.Decoder(list[Item])
_raw: Final = msgspec.json.Decoder(list[msgspec.Raw])


def items(body: bytes) -> list[Any]:
    """Take a body apart: one event, or a list of them; what is wrong, `read` tells."""
    try:
        return _list(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        raise BodyUnreadable(f"The body is not valid JSON: {wrong}.") from None


def _list(body: bytes) -> list[Any]:
    if body.lstrip()[:1] != b"[":
        with suppress(msgspec.ValidationError):
            return [_one.decode(body)]
        return [body]
    for decoder in (_positions, _many):
        with suppress(msgspec.ValidationError):
            return decoder.decode(body)
    return _raw.decode(body)


def count_lines(body: bytes) -> int:
    """Count lines, empty ones too, without taking them apart."""
    return body.count(b"\n") + body.count(b"\r") - body.count(b"\r\n") + 1


def split_lines(body: bytes) -> list[bytes]:
    """Take a body apart that has one event a line; a line that is no JSON spoils no other."""
    return [line for line in body.splitlines() if line.strip()]


def itemised(item: object) -> Item:
    """Read what is not an item yet: an object, or the bytes of one."""
    try:
        if isinstance(item, (bytes, msgspec.Raw)):
            return _one.decode(item)
        return msgspec.convert(item, Item)
    except msgspec.ValidationError as wrong:
        found = _AT.search(str(wrong))
        code = _PARTS.get(found[1] if found else "", "event_invalid")
        raise Refused(code, f"{wrong}.") from None
    except (msgspec.DecodeError, *UNSPEAKABLE) as wrong:
        raise Refused("event_invalid", f"This is not valid JSON: {wrong}.") from None


def device(told: Item) -> str | None:
    """Name the device as its sender does; None is whoever sends."""
    named = told.device if told.device is not None else told.device_id
    if named is None:
        return None
    name = str(named)
    if not name or len(name) > MOST_NAME or not name.isprintable():
        raise Refused("device_invalid")
    return name


def moment(told: datetime | float | None) -> datetime | None:
    """Read a time; what lies beyond all calendars is a clock that is wrong."""
    if told is None:
        return None
    try:
        if isinstance(told, datetime):
            if told.tzinfo is UTC:
                return told
            if told.tzinfo is None:
                raise Refused("timestamp_invalid", "The timestamp has no offset; UTC ends in Z.")
            return told.astimezone(UTC)
        seconds = told / 1000 if abs(told) >= MILLISECONDS_FROM else told
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return BEFORE_ALL


def placed(told: Place | list[float] | str | None) -> tuple[float | None, float | None]:
    """Read a location into latitude and longitude, if there is one."""
    if told is None:
        return None, None
    if isinstance(told, Place):
        pair = told.coordinates
        if pair is None:
            longitude, latitude = told.longitude, told.latitude
        elif told.type == "Point" and len(pair) > 1:
            longitude, latitude = pair[0], pair[1]
        else:
            raise Refused("location_invalid")
    else:
        longitude, latitude = _parsed(told)
    if longitude is None or latitude is None:
        raise Refused("location_invalid")
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):  # noqa: PLR2004 - degrees
        raise Refused("location_invalid")
    if longitude == 0 == latitude:
        raise Refused("location_nowhere")
    return latitude, longitude


def _parsed(told: list[float] | str) -> tuple[float, float]:
    try:
        point = geo.parse(told)
    except ValueError:
        raise Refused("location_invalid") from None
    return point.longitude, point.latitude


def kept(item: object) -> bytes:
    """Keep as much of a refused item as finds the mistake."""
    try:
        body = bytes(item) if isinstance(item, (bytes, msgspec.Raw)) else msgspec.json.encode(item)
    except UNSPEAKABLE:
        body = repr(item)[:MOST_KEPT].encode("utf-8", "replace")
    return body[:MOST_KEPT]
