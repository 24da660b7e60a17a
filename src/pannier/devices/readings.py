"""Readings: what a device says, in the house's own units, before it is stored.

Whatever comes in, in whichever protocol, becomes an `Item` and is read here: so the same thing said
twice has the same key, and nothing gets past here that the database would choke on.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import IntFlag
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, cast
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
    Refused,
)
from pannier.devices.kinds import PositionData, Type
from pannier.devices.models import Happening
from pannier.kit.depth import too_deep

AHEAD: Final = timedelta(minutes=10)  # how far a device's clock may be ahead of ours
COLUMNS: Final = ("speed", "heading", "altitude", "accuracy")
KeyedHash: TypeAlias = blake2b
_signed: Final = Struct(">q").unpack
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
# Two ways in which JSON that can be parsed cannot be kept: no text of PostgreSQL holds a zero, and
# half a character is none.
_ZERO: Final = b"\\u0000"


class Flags(IntFlag):
    """What is odd about an event.

    One whose clock was corrected stands at the moment it came in, which another sending of it does
    not share: its key alone tells that it was here before. So does one that came without a moment
    (`UNTIMED`), but with its sender's own id for it.
    """

    LATE = 1
    CLOCK_CORRECTED = 2
    DERIVED = 4
    UNTIMED = 8


class Reading(Happening, kw_only=True, gc=False):
    """One event, normalised."""

    # The device as its sender names it: id, UUID or identifier; None is whoever sends.
    device: str | None
    # What people call the device, where its sender says so: only who takes it in listens.
    called: str | None = None


class Told(Protocol):
    """What its sender says that makes an event this one."""

    @property
    def event_id(self) -> str | int | None:
        """The sender's own id for it."""

    @property
    def timestamp(self) -> datetime | float | None:
        """When it happened."""


class Refusal(msgspec.Struct):
    """Why one item of what was sent is not stored."""

    index: int
    code: str
    reason: str
    body: bytes = b""
    device: str | None = None


class Bounds(NamedTuple):
    """The moments that a device's clock may tell."""

    earliest: datetime
    latest: datetime

    @classmethod
    def around(cls, now: datetime, kept: timedelta) -> "Bounds":
        """Believe whatever would still be kept, and clocks that are a little ahead."""
        return cls(now - kept, now + AHEAD)


@lru_cache(maxsize=1024)
def keyed(company: UUID) -> KeyedHash:
    """Begin the hashes of a company's events; they outlive the installation's secret."""
    return blake2b(digest_size=8, key=company.bytes)


def read_all(
    told: Iterable[Any], *, device: str | None, now: datetime, bounds: Bounds, key: KeyedHash
) -> tuple[list[Reading], list[Refusal]]:
    """Normalise many events; each that cannot be stored is refused by its index."""
    readings: list[Reading] = []
    refusals: list[Refusal] = []
    for index, item in enumerate(told):
        try:
            readings.append(read(item, device=device, now=now, bounds=bounds, key=key))
        except Refused as refused:
            refusals.append(refusal(index, refused, item, device))
    return readings, refusals


def refusal(index: int, refused: Refused, item: object, device: str | None = None) -> Refusal:
    """Write down why an item is not stored, with as much of it as finds the mistake."""
    if device is None and isinstance(item, Item):
        named = item.device if item.device is not None else item.device_id
        device = None if named is None else _printable(str(named)[:MOST_NAME])
    return Refusal(index, refused.code, _printable(refused.reason[:500]), items.kept(item), device)


def read(
    item: object, *, device: str | None, now: datetime, bounds: Bounds, key: KeyedHash
) -> Reading:
    """Normalise one event, or refuse it."""
    told = item if isinstance(item, Item) else items.itemised(item)
    type_, data = _typed(told)
    moment = items.moment(told.timestamp)
    latitude, longitude = items.placed(told.location)
    reading = Reading(
        device=device or items.device(told),
        class_=int(type_.class_),
        kind=type_.number,
        type=None if type_.number else type_.name,
        occurred_at=moment or now,
        event_key=0,
        latitude=latitude,
        longitude=longitude,
        data=data or None,
        called=told.called if type(told) is Introduced else None,
    )
    _check(type_, reading)
    if data:
        reading.severity = kinds.severity(type_, data)
    if moment is not None and not bounds.earliest <= moment <= bounds.latest:
        _correct(reading, told, moment, now)
    elif moment is None and told.event_id is not None:
        reading.flags = int(Flags.UNTIMED)
    return recognised(reading, told, key)


def recognised(reading: Reading, told: Told, key: KeyedHash) -> Reading:
    """Give an event the key by which another sending of it is recognised."""
    reading.event_key = _key(told, reading, key)
    # Kept to the millisecond, as it is spelled; the key knows it exactly.
    if reading.occurred_at.microsecond % 1000:
        whole = reading.occurred_at.microsecond // 1000 * 1000
        reading.occurred_at = reading.occurred_at.replace(microsecond=whole)
    return reading


def data_of(row: Happening) -> dict[str, Any]:
    """Put the data together again from their columns and the rest."""
    measured = {name: value for name in COLUMNS if (value := getattr(row, name)) is not None}
    return {**measured, **row.data} if row.data else measured


def _typed(told: Item) -> tuple[Type, dict[str, Any]]:
    if told.event_type is None:
        raise Refused("event_type_missing")
    try:
        type_, besides = kinds.spoken(told.event_type)
    except ValueError:
        raise Refused("event_type_invalid") from None
    return type_, {**besides, **(told.data or {})}


def _check(type_: Type, reading: Reading) -> None:
    """Hold the data to what their type says; a position's own measures move to their columns."""
    if type_ is kinds.POSITION and reading.latitude is None:
        raise Refused("location_missing")
    if type_.keys is kinds.Data:
        return
    try:
        known = msgspec.convert(reading.data or {}, type_.keys)
    except msgspec.ValidationError as wrong:
        raise Refused("data_invalid", f"{wrong}.".replace("`$.", "`data.")) from None
    except UNSPEAKABLE:
        raise Refused("data_invalid") from None
    if reading.data and type_ is kinds.POSITION:
        _move(cast("PositionData", known), reading, reading.data)


def _move(known: PositionData, reading: Reading, data: dict[str, Any]) -> None:
    if known.speed is not None:
        del data["speed"]
        reading.speed = known.speed if known.speed >= 0 else None
    if known.heading is not None:
        del data["heading"]
        reading.heading = known.heading if known.heading >= 0 else None
    if known.accuracy is not None:
        del data["accuracy"]
        reading.accuracy = known.accuracy if known.accuracy >= 0 else None
    if known.altitude is not None:
        del data["altitude"]
        reading.altitude = known.altitude
    if not data:
        reading.data = None


def _key(told: Told, reading: Reading, key: KeyedHash) -> int:
    """Hash what makes an event this one: its sender's id for it, else everything it says."""
    if told.event_id is not None and reading.data is None and reading.type is None:
        return _hashed(_own(told.event_id), key)  # numbers can always be kept
    # A moment that is ours says nothing of the event.
    own = told.timestamp is not None and not reading.flags
    spelled = _spelled((
        reading.kind, reading.type, reading.occurred_at if own else None,
        reading.latitude, reading.longitude, reading.speed, reading.heading, reading.altitude,
        reading.accuracy, reading.data,
    ))  # fmt: skip
    return _hashed(spelled if told.event_id is None else _own(told.event_id), key)


def _hashed(spelled: bytes, key: KeyedHash) -> int:
    keyed = key.copy()
    keyed.update(spelled)
    number: int = _signed(keyed.digest())[0]
    return number


def _own(event_id: str | int) -> bytes:
    text = str(event_id)
    if not 0 < len(text) <= MOST_NAME:
        raise Refused("event_id_invalid")
    return b"id " + text.encode("utf-8", "surrogatepass")


def _spelled(event: tuple[Any, ...]) -> bytes:
    """Spell an event in one way only, and refuse what the database would not keep."""
    try:
        spelled = _encode(event)
    except UNSPEAKABLE:
        raise Refused("data_invalid") from None
    if len(spelled) > MOST_DATA:
        raise Refused("data_too_large")
    if too_deep(spelled, MAX_DEPTH):
        raise Refused("data_too_deep")
    if _ZERO in spelled and _ZERO in spelled.replace(rb"\\", b""):
        raise Refused("data_invalid", "The data hold a character that cannot be kept: \\u0000.")
    return spelled


def _correct(reading: Reading, told: Item, moment: datetime, now: datetime) -> None:
    """Believe our own clock instead of the device's, and keep what it said."""
    said = told.timestamp if moment is BEFORE_ALL else moment
    told_time = said.isoformat() if isinstance(said, datetime) else said
    reading.data = {**(reading.data or {}), "device_time": told_time}
    reading.occurred_at = now
    reading.flags = int(Flags.CLOCK_CORRECTED)


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "�" for sign in text)
