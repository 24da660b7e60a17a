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

from pannier.devices import items, kinds
from pannier.devices.items import (
    BEFORE_ALL,
    MAX_DEPTH,
    MOST_DATA,
    MOST_NAME,
    UNSPEAKABLE,
    Introduced,
    Item,
    Measures,
    Refused,
)
from pannier.devices.kinds import PositionData, Type
from pannier.devices.models import Happening
from pannier.kit import wording
from pannier.kit.depth import too_deep

AHEAD: Final = timedelta(minutes=10)  # how far a device's clock may be ahead
COLUMNS: Final = ("speed", "heading", "altitude", "accuracy")
KeyedHash: TypeAlias = blake2b
D = TypeVar("D", bound=kinds.Data)
_signed: Final = Struct(">q").unpack
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
# Valid JSON that PostgreSQL cannot store: text must not contain a zero character. Unpaired
# surrogates are refused by the encoder.
_ZERO: Final = b"\\u0000"


class Flags(IntFlag):
    """Peculiarities of an event.

    An event with a corrected clock gets its time of arrival, which differs when it is sent again.
    Only its key identifies it. The same holds for an event without a time but with an id of its
    sender (`UNTIMED`).
    """

    LATE = 1
    CLOCK_CORRECTED = 2
    DERIVED = 4
    UNTIMED = 8


class Reading(Happening, kw_only=True, gc=False):
    """One normalised event."""

    # The device as its sender names it: public id, UUID or identifier; None is the sender itself.
    device: str | None
    # The device's display name, if the sender gives one; used only for adoption.
    called: str | None = None


class Refusal(msgspec.Struct):
    """The reason why one item of a request is not stored."""

    index: int
    code: str
    reason: str
    body: bytes = b""
    device: str | None = None


class Bounds(NamedTuple):
    """The range of times that a device's clock may report."""

    earliest: datetime
    latest: datetime

    @classmethod
    def around(cls, now: datetime, kept: timedelta) -> "Bounds":
        """Accept times within the retention period, and clocks that are slightly ahead."""
        return cls(now - kept, now + AHEAD)


@lru_cache(maxsize=1024)
def keyed(company: UUID) -> KeyedHash:
    """Return a company's keyed hash for event keys. It outlives the installation's secret."""
    return blake2b(digest_size=8, key=company.bytes)


def read_all(
    told: Iterable[Any], *, device: str | None, now: datetime, bounds: Bounds, key: KeyedHash
) -> tuple[list[Reading], list[Refusal]]:
    """Parse many events; each one that cannot be stored is rejected by its index."""
    readings: list[Reading] = []
    refusals: list[Refusal] = []
    for index, item in enumerate(told):
        try:
            readings.append(read(item, device=device, now=now, bounds=bounds, key=key))
        except Refused as refused:
            refusals.append(refusal(index, refused, item, device))
    return readings, refusals


def refusal(index: int, refused: Refused, item: object, device: str | None = None) -> Refusal:
    """Build a refusal, with as much of the item as helps to find the mistake."""
    if device is None and isinstance(item, Item):
        named = item.device if item.device is not None else item.device_id
        device = None if named is None else _printable(str(named)[:MOST_NAME])
    return Refusal(index, refused.code, _printable(refused.reason[:500]), items.kept(item), device)


def read(
    item: object, *, device: str | None, now: datetime, bounds: Bounds, key: KeyedHash
) -> Reading:
    """Parse and normalise one event, or raise a refusal."""
    told = item if isinstance(item, Item) else items.itemised(item)
    type_, data = _typed(told)
    moment = items.moment(told.timestamp)
    latitude, longitude = items.placed(told.location)
    reading = Reading(
        device=device or items.device(told),
        class_=type_.class_,
        kind=type_.number,
        occurred_at=moment or now,
        event_key=0,
        latitude=latitude,
        longitude=longitude,
    )
    if type_ is kinds.POSITION:
        _measure(reading, data)
    else:
        _describe(reading, type_, data)
    if type(told) is Introduced:
        reading.called = told.called
    if moment is None:
        if told.event_id is not None:
            reading.flags = int(Flags.UNTIMED)
    elif not bounds.earliest <= moment <= bounds.latest:
        _correct(reading, told, moment, now)
    reading.event_key = _key(told, reading, key)
    # Stored to the millisecond, as in the API. The key includes the exact time.
    if beyond := reading.occurred_at.microsecond % 1000:
        reading.occurred_at -= timedelta(microseconds=beyond)
    return reading


def data_of(row: Happening) -> dict[str, Any]:
    """Merge the measures in columns with the rest of the data."""
    measured = {name: value for name in COLUMNS if (value := getattr(row, name)) is not None}
    return {**measured, **row.data} if row.data else measured


def _typed(told: Item) -> tuple[Type, dict[str, Any]]:
    """Return an event's type, and its data with what the type's name implies."""
    if told.event_type is None:
        raise Refused("event_type_missing")
    try:
        type_, besides = kinds.spoken(told.event_type)
    except ValueError:
        raise Refused("event_type_invalid") from None
    data = told.data or {}
    return type_, {**besides, **data} if besides else data


def _measure(reading: Reading, data: dict[str, Any] | Measures) -> None:
    """Set a position's measures from its data, and keep the rest."""
    if reading.latitude is None:
        raise Refused("location_missing")
    known = data if isinstance(data, Measures) else _parse_data(data, PositionData)
    speed, heading, accuracy = known.speed, known.heading, known.accuracy
    # A negative value means that the receiver does not know it.
    if speed is not None and speed >= 0:
        reading.speed = speed
    if heading is not None and heading >= 0:
        reading.heading = heading
    if accuracy is not None and accuracy >= 0:
        reading.accuracy = accuracy
    reading.altitude = known.altitude
    if not isinstance(data, Measures):
        # An explicit null is kept.
        rest = {name: data[name] for name in data if name not in COLUMNS or data[name] is None}
        _keep(reading, kinds.POSITION, rest)


def _describe(reading: Reading, type_: Type, data: dict[str, Any]) -> None:
    """Validate an event's data against its type, and keep them."""
    if not type_.number:
        reading.type = type_.name
    if type_.keys is not kinds.Data:
        _parse_data(data, type_.keys)
    _keep(reading, type_, data)


def _keep(reading: Reading, type_: Type, data: dict[str, Any]) -> None:
    if data:
        reading.data, reading.severity = data, kinds.severity(type_, data)


def _parse_data(data: dict[str, Any], keys: type[D]) -> D:
    """Convert data to their type, or raise a refusal that says what is wrong."""
    try:
        return msgspec.convert(data, keys)
    except msgspec.ValidationError as wrong:
        raise Refused("data_invalid", wording.describe_in_text(wrong, "data", keys)) from None
    except UNSPEAKABLE:
        raise Refused("data_invalid") from None


def _key(told: Item, reading: Reading, key: KeyedHash) -> int:
    """Hash an event's identity: the sender's id, or else its whole content."""
    spelled, event_id = b"", told.event_id
    # An event with nothing but numbers can always be stored, so it needs no check.
    if event_id is None or reading.data is not None or reading.type is not None:
        # A time that we assigned is not part of the event.
        own = told.timestamp is not None and not reading.flags
        spelled = _spelled((
            reading.kind, reading.type, reading.occurred_at if own else None,
            reading.latitude, reading.longitude, reading.speed, reading.heading, reading.altitude,
            reading.accuracy, reading.data,
        ))  # fmt: skip
    keyed = key.copy()
    keyed.update(spelled if event_id is None else _own(event_id))
    number: int = _signed(keyed.digest())[0]
    return number


def _own(event_id: str | int) -> bytes:
    text = str(event_id)
    if not 0 < len(text) <= MOST_NAME:
        raise Refused("event_id_invalid")
    return b"id " + text.encode("utf-8", "surrogatepass")


def _spelled(event: tuple[Any, ...]) -> bytes:
    """Encode an event deterministically, and reject what the database cannot store."""
    try:
        spelled = _encode(event)
    except UNSPEAKABLE:
        raise Refused("data_invalid") from None
    if len(spelled) > MOST_DATA:
        raise Refused("data_too_large")
    if too_deep(spelled, MAX_DEPTH):
        raise Refused("data_too_deep")
    if _ZERO in spelled and _ZERO in spelled.replace(rb"\\", b""):
        raise Refused("data_invalid", "`data` must not contain the character \\u0000.")
    return spelled


def _correct(reading: Reading, told: Item, moment: datetime, now: datetime) -> None:
    """Replace the time of a wrong clock by ours, and keep the device's time in the data."""
    said = told.timestamp if moment is BEFORE_ALL else moment
    told_time = said.isoformat() if isinstance(said, datetime) else said
    reading.data = {**(reading.data or {}), "device_time": told_time}
    reading.occurred_at = now
    reading.flags = int(Flags.CLOCK_CORRECTED)


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "�" for sign in text)
