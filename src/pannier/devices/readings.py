"""Readings: normalised device events in our own units, before they are stored.

Every protocol produces `EventItem`s, which are parsed here. The same event therefore always gets
the same key, and the database can store every reading.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import IntFlag
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from pannier.devices import event_types, items
from pannier.devices.event_types import DeviceEventType, PositionData
from pannier.devices.items import (
    IMPOSSIBLE_TIME,
    MAX_DATA_BYTES,
    MAX_DEPTH,
    MAX_NAME_LENGTH,
    UNSTORABLE_ERRORS,
    EventItem,
    InvalidItem,
    ItemWithDeviceName,
    Measures,
)
from pannier.devices.models import DeviceEventContent
from pannier.kit import wording
from pannier.kit.json_depth import is_too_deep

MAX_CLOCK_AHEAD: Final = timedelta(minutes=10)  # how far a device's clock may be ahead
MEASURE_COLUMNS: Final = ("speed", "heading", "altitude", "accuracy")
KeyedHash: TypeAlias = blake2b
D = TypeVar("D", bound=event_types.EventData)
_unpack_signed: Final = Struct(">q").unpack
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
# Valid JSON that PostgreSQL cannot store: text must not contain a zero character. Unpaired
# surrogates are refused by the encoder.
_ZERO: Final = b"\\u0000"


class Flags(IntFlag):
    """Peculiarities of an event.

    An event with a corrected clock gets its time of arrival, which differs when it is sent again.
    Only its key identifies it. The same holds for an event that has an id but no time (`UNTIMED`).
    """

    LATE = 1
    CLOCK_CORRECTED = 2
    DERIVED = 4
    UNTIMED = 8


class Reading(DeviceEventContent, kw_only=True, gc=False):
    """One normalised event."""

    # The device's name in the event: public id, UUID or identifier. None is the sender itself.
    device: str | None
    # The device's display name, if the sender gives one; used only for adoption.
    display_name: str | None = msgspec.field(name="called", default=None)


class ItemRefusal(msgspec.Struct):
    """The reason why one item of a request is not stored."""

    index: int
    code: str
    reason: str
    body: bytes = b""
    device: str | None = None


class ClockBounds(NamedTuple):
    """The range of times that a device's clock may report."""

    earliest: datetime
    latest: datetime

    @classmethod
    def from_retention(cls, now: datetime, retention: timedelta) -> "ClockBounds":
        """Accept times within the retention period, and clocks that are slightly ahead."""
        return cls(now - retention, now + MAX_CLOCK_AHEAD)


@lru_cache(maxsize=1024)
def company_hash(company: UUID) -> KeyedHash:
    """Return a company's keyed hash for event keys. It does not use the installation's secret."""
    return blake2b(digest_size=8, key=company.bytes)


def parse_all(
    events: Iterable[Any], *, device: str | None, now: datetime, bounds: ClockBounds, key: KeyedHash
) -> tuple[list[Reading], list[ItemRefusal]]:
    """Parse events into readings, and into refusals of the events that cannot be stored."""
    readings: list[Reading] = []
    refusals: list[ItemRefusal] = []
    for index, item in enumerate(events):
        try:
            readings.append(parse(item, device=device, now=now, bounds=bounds, key=key))
        except InvalidItem as error:
            refusals.append(make_refusal(index, error, item, device))
    return readings, refusals


def make_refusal(
    index: int, error: InvalidItem, item: object, device: str | None = None
) -> ItemRefusal:
    """Build a refusal with an excerpt of the item, which helps to find the mistake."""
    if device is None and isinstance(item, EventItem):
        sent_name = item.device if item.device is not None else item.device_id
        device = None if sent_name is None else _to_printable(str(sent_name)[:MAX_NAME_LENGTH])
    return ItemRefusal(
        index, error.code, _to_printable(error.reason[:500]), items.make_excerpt(item), device
    )


def parse(
    item: object, *, device: str | None, now: datetime, bounds: ClockBounds, key: KeyedHash
) -> Reading:
    """Parse and normalise one event, or raise `InvalidItem`."""
    event = item if isinstance(item, EventItem) else items.parse_item(item)
    type_, data = _resolve_type(event)
    parsed_time = items.parse_time(event.timestamp)
    latitude, longitude = items.parse_location(event.location)
    reading = Reading(
        device=device or items.parse_device_name(event),
        class_=type_.class_,
        kind=type_.number,
        occurred_at=parsed_time or now,
        event_key=0,
        latitude=latitude,
        longitude=longitude,
    )
    if type_ is event_types.POSITION:
        _set_measures(reading, data)
    else:
        _set_typed_data(reading, type_, data)
    if type(event) is ItemWithDeviceName:
        reading.display_name = event.display_name
    if parsed_time is None:
        if event.event_id is not None:
            reading.flags = int(Flags.UNTIMED)
    elif not bounds.earliest <= parsed_time <= bounds.latest:
        _correct_time(reading, event, parsed_time, now)
    reading.event_key = _compute_event_key(event, reading, key)
    # Stored to the millisecond, as in the API. The key includes the exact time.
    if excess := reading.occurred_at.microsecond % 1000:
        reading.occurred_at -= timedelta(microseconds=excess)
    return reading


def merge_data(row: DeviceEventContent) -> dict[str, Any]:
    """Merge the measures in columns with the other data."""
    measures = {
        name: value for name in MEASURE_COLUMNS if (value := getattr(row, name)) is not None
    }
    return {**measures, **row.data} if row.data else measures


def _resolve_type(item: EventItem) -> tuple[DeviceEventType, dict[str, Any]]:
    """Return an event's type, and its data with the values that the type's name implies."""
    if item.event_type is None:
        raise InvalidItem("event_type_missing")
    try:
        type_, implied_data = event_types.resolve_name(item.event_type)
    except ValueError:
        raise InvalidItem("event_type_invalid") from None
    data = item.data or {}
    return type_, {**implied_data, **data} if implied_data else data


def _set_measures(reading: Reading, data: dict[str, Any] | Measures) -> None:
    """Set a position's measures from its data, and keep its other data."""
    if reading.latitude is None:
        raise InvalidItem("location_missing")
    measures = data if isinstance(data, Measures) else _parse_data(data, PositionData)
    speed, heading, accuracy = measures.speed, measures.heading, measures.accuracy
    # A negative value means that the receiver does not know it.
    if speed is not None and speed >= 0:
        reading.speed = speed
    if heading is not None and heading >= 0:
        reading.heading = heading
    if accuracy is not None and accuracy >= 0:
        reading.accuracy = accuracy
    reading.altitude = measures.altitude
    if not isinstance(data, Measures):
        # An explicit null is kept.
        other_data = {
            name: data[name] for name in data if name not in MEASURE_COLUMNS or data[name] is None
        }
        _set_data(reading, event_types.POSITION, other_data)


def _set_typed_data(reading: Reading, type_: DeviceEventType, data: dict[str, Any]) -> None:
    """Validate an event's data against its type, and set them."""
    if not type_.number:
        reading.type = type_.name
    if type_.data_type is not event_types.EventData:
        _parse_data(data, type_.data_type)
    _set_data(reading, type_, data)


def _set_data(reading: Reading, type_: DeviceEventType, data: dict[str, Any]) -> None:
    if data:
        reading.data, reading.severity = data, event_types.severity(type_, data)


def _parse_data(data: dict[str, Any], data_type: type[D]) -> D:
    """Convert event data to its type, or raise `InvalidItem` with a description of the problem."""
    try:
        return msgspec.convert(data, data_type)
    except msgspec.ValidationError as error:
        description = wording.describe_in_text(error, "data", data_type)
        raise InvalidItem("data_invalid", description) from None
    except UNSTORABLE_ERRORS:
        raise InvalidItem("data_invalid") from None


def _compute_event_key(item: EventItem, reading: Reading, key: KeyedHash) -> int:
    """Hash an event's identity: the sender's id, or else its whole content."""
    content, event_id = b"", item.event_id
    # An event with nothing but numbers can always be stored, so it needs no check.
    if event_id is None or reading.data is not None or reading.type is not None:
        # A time that we assigned is not part of the event.
        has_own_time = item.timestamp is not None and not reading.flags
        content = _encode_content((
            reading.kind, reading.type, reading.occurred_at if has_own_time else None,
            reading.latitude, reading.longitude, reading.speed, reading.heading, reading.altitude,
            reading.accuracy, reading.data,
        ))  # fmt: skip
    hasher = key.copy()
    hasher.update(content if event_id is None else _encode_event_id(event_id))
    number: int = _unpack_signed(hasher.digest())[0]
    return number


def _encode_event_id(event_id: str | int) -> bytes:
    text = str(event_id)
    if not 0 < len(text) <= MAX_NAME_LENGTH:
        raise InvalidItem("event_id_invalid")
    return b"id " + text.encode("utf-8", "surrogatepass")


def _encode_content(event: tuple[Any, ...]) -> bytes:
    """Encode an event deterministically, and reject what the database cannot store."""
    try:
        encoded_event = _encode(event)
    except UNSTORABLE_ERRORS:
        raise InvalidItem("data_invalid") from None
    if len(encoded_event) > MAX_DATA_BYTES:
        raise InvalidItem("data_too_large")
    if is_too_deep(encoded_event, MAX_DEPTH):
        raise InvalidItem("data_too_deep")
    if _ZERO in encoded_event and _ZERO in encoded_event.replace(rb"\\", b""):
        raise InvalidItem("data_invalid", "`data` must not contain the character \\u0000.")
    return encoded_event


def _correct_time(reading: Reading, item: EventItem, parsed_time: datetime, now: datetime) -> None:
    """Replace the timestamp of a wrong device clock with the server's time.

    The data keep the original timestamp.
    """
    original_time = item.timestamp if parsed_time is IMPOSSIBLE_TIME else parsed_time
    device_time = (
        original_time.isoformat() if isinstance(original_time, datetime) else original_time
    )
    reading.data = {**(reading.data or {}), "device_time": device_time}
    reading.occurred_at = now
    reading.flags = int(Flags.CLOCK_CORRECTED)


def _to_printable(text: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in text)
