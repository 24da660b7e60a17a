"""Items: events in their senders' format, extracted from a body one by one."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from pannier.devices.event_types import Accuracy, Altitude, Heading, Speed
from pannier.errors import BodyUnreadable
from pannier.kit import geo, wording

# Numbers from here on are milliseconds; as seconds they would lie in the year 5138.
MILLISECONDS_FROM: Final = 100_000_000_000
MAX_DATA_BYTES: Final = 16_384  # bytes of JSON
MAX_DEPTH: Final = 32  # levels of objects and arrays in an event
MAX_NAME_LENGTH: Final = 200  # characters of a device's identifier or of an event id
MAX_EXCERPT_BYTES: Final = 4096  # bytes kept of a rejected item
IMPOSSIBLE_TIME: Final = datetime.min.replace(tzinfo=UTC)
UNSTORABLE_ERRORS: Final = (UnicodeError, TypeError, ValueError, OverflowError, RecursionError)
_ABSENT: Final[Any] = None
_ERROR_FIELD: Final = re.compile(r" - at `\$\.?(\w*).*`$")
_CODES_BY_FIELD: Final = {
    "event_type": "event_type_invalid",
    "timestamp": "timestamp_invalid",
    "location": "location_invalid",
    "data": "data_invalid",
    "event_id": "event_id_invalid",
    "device": "device_invalid",
    "device_id": "device_invalid",
}
# Codes and reasons for rejected items; the code says which part is wrong.
CODES: Final = {
    "event_invalid": "The event must be an object with the fields of a device event.",
    "event_type_missing": "`event_type` is required.",
    "event_type_invalid": "`event_type` must have 1 to 64 printable characters.",
    "event_id_invalid": "`event_id` must have 1 to 200 characters.",
    "device_invalid": "`device` must have 1 to 200 printable characters.",
    "timestamp_invalid": "`timestamp` must be a Unix time, or a time such as 2026-01-31T09:30:00Z.",
    "location_missing": "`location` is required for a position.",
    "location_invalid": (
        "`location` must have a latitude from -90 to 90 and a longitude from -180 to 180."
    ),
    "location_nowhere": "`location` is 0,0, which devices send when they have no fix.",
    "data_invalid": "`data` contains a value that cannot be stored.",
    "data_too_deep": f"`data` must not be nested deeper than {MAX_DEPTH} levels.",
    "data_too_large": f"`data` must not be larger than {MAX_DATA_BYTES:,} bytes.",
}


class InvalidItem(Exception):  # noqa: N818 - a refusal is not always an error
    """An item that cannot be stored; `code` is one of `CODES`."""

    def __init__(self, code: str, reason: str | None = None) -> None:
        self.code, self.reason = code, reason or CODES[code]
        super().__init__(self.reason)


# No garbage collection: thousands exist for a moment, and none refers to itself.
class LocationIn(msgspec.Struct, gc=False):
    """A location as GeoJSON, or as latitude and longitude."""

    type: str | None = None
    coordinates: list[float] | None = None
    latitude: float | None = None
    longitude: float | None = None


class EventItem(msgspec.Struct, kw_only=True, omit_defaults=True, gc=False):
    """One event in its sender's format."""

    event_type: str | None = None
    timestamp: datetime | int | float | None = None
    location: LocationIn | list[float] | str | None = None
    data: dict[str, Any] | None = None
    event_id: str | int | None = None
    device: str | int | None = None
    device_id: str | int | None = None


class Measures(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The measures of a position. Any other data makes decoding fall back to `EventItem`."""

    speed: Speed = _ABSENT
    heading: Heading = _ABSENT
    altitude: Altitude = _ABSENT
    accuracy: Accuracy = _ABSENT


class PositionItem(EventItem, kw_only=True):
    """A plain position. The decoder checks its measures, so no dictionary is built."""

    event_type: Literal["position_update"]
    # Instances are only read, so a narrower type than in the base class is safe.
    data: Measures | None = None  # type: ignore[assignment]


class ItemWithDeviceName(EventItem, kw_only=True):
    """An event whose sender also gives its device's display name."""

    display_name: str | None = msgspec.field(name="called", default=None)


_item_decoder: Final = msgspec.json.Decoder(EventItem)
_positions_decoder: Final = msgspec.json.Decoder(list[PositionItem])
_items_decoder: Final = msgspec.json.Decoder(list[EventItem])
_raw_decoder: Final = msgspec.json.Decoder(list[msgspec.Raw])


def split_body(body: bytes) -> list[Any]:
    """Split a body into its events. Invalid ones stay raw, so that parsing rejects only those."""
    try:
        return _decode_items(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BodyUnreadable(wording.describe_json_error(error)) from None


def _decode_items(body: bytes) -> list[Any]:
    if body.lstrip()[:1] != b"[":
        with suppress(msgspec.ValidationError):
            return [_item_decoder.decode(body)]
        return [body]
    for decoder in (_positions_decoder, _items_decoder):
        with suppress(msgspec.ValidationError):
            return decoder.decode(body)
    return _raw_decoder.decode(body)


def count_lines(body: bytes) -> int:
    """Count lines, including empty ones, without splitting the body."""
    return body.count(b"\n") + body.count(b"\r") - body.count(b"\r\n") + 1


def split_lines(body: bytes) -> list[bytes]:
    """Split an NDJSON body; an invalid line does not affect the others."""
    return [line for line in body.splitlines() if line.strip()]


def parse_item(item: object) -> EventItem:
    """Convert an object, or its JSON, to an item."""
    try:
        if isinstance(item, (bytes, msgspec.Raw)):
            return _item_decoder.decode(item)
        return msgspec.convert(item, EventItem)
    except msgspec.ValidationError as error:
        match = _ERROR_FIELD.search(str(error))
        code = _CODES_BY_FIELD.get(match[1] if match else "", "event_invalid")
        raise InvalidItem(code, wording.describe_in_text(error)) from None
    except (msgspec.DecodeError, *UNSTORABLE_ERRORS) as error:
        raise InvalidItem(
            "event_invalid", wording.describe_json_error(error, "The event")
        ) from None


def parse_device_name(item: EventItem) -> str | None:
    """Return the device's name as sent, or None for the sender itself."""
    sent_name = item.device if item.device is not None else item.device_id
    if sent_name is None:
        return None
    name = str(sent_name)
    if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise InvalidItem("device_invalid")
    return name


def parse_time(time: datetime | float | None) -> datetime | None:
    """Parse a time. A time beyond the calendar counts as a wrong clock."""
    if time is None:
        return None
    try:
        if isinstance(time, datetime):
            if time.tzinfo is UTC:
                return time
            if time.tzinfo is None:
                raise InvalidItem(
                    "timestamp_invalid",
                    "`timestamp` needs an offset from UTC, such as 2026-01-31T09:30:00Z.",
                )
            return time.astimezone(UTC)
        seconds = time / 1000 if abs(time) >= MILLISECONDS_FROM else time
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return IMPOSSIBLE_TIME


def parse_location(
    location: LocationIn | list[float] | str | None,
) -> tuple[float | None, float | None]:
    """Parse a location into latitude and longitude, if there is one."""
    if location is None:
        return None, None
    if isinstance(location, LocationIn):
        pair = location.coordinates
        if pair is None:
            longitude, latitude = location.longitude, location.latitude
        elif location.type == "Point" and len(pair) > 1:
            longitude, latitude = pair[0], pair[1]
        else:
            raise InvalidItem("location_invalid")
    else:
        longitude, latitude = _parse_point(location)
    if longitude is None or latitude is None:
        raise InvalidItem("location_invalid")
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):  # noqa: PLR2004 - degrees
        raise InvalidItem("location_invalid")
    if longitude == 0 == latitude:
        raise InvalidItem("location_nowhere")
    return latitude, longitude


def _parse_point(location: list[float] | str) -> tuple[float, float]:
    try:
        point = geo.parse(location)
    except ValueError:
        raise InvalidItem("location_invalid") from None
    return point.longitude, point.latitude


def make_excerpt(item: object) -> bytes:
    """Return the start of a rejected item, which helps to find the mistake."""
    try:
        body = bytes(item) if isinstance(item, (bytes, msgspec.Raw)) else msgspec.json.encode(item)
    except UNSTORABLE_ERRORS:
        body = repr(item)[:MAX_EXCERPT_BYTES].encode("utf-8", "replace")
    return body[:MAX_EXCERPT_BYTES]
