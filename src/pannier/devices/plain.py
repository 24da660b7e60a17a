"""Plain positions: a batch of nothing else is read in half the time.

Most of what comes in batches is where devices are, spelled as the documentation spells it. The
decoder itself holds that to its bounds, and little is left to do. Whatever is spelled otherwise,
even once in a batch, is read the long way (`items`, `readings`), which also says what is wrong;
what can be read both ways reads the same.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.devices import items, readings
from pannier.devices.items import MOST_NAME
from pannier.devices.kinds import POSITION, Accuracy, Altitude, Heading, Speed
from pannier.devices.readings import Bounds, KeyedHash, Reading

Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]
Latitude = Annotated[float, Meta(ge=-90, le=90)]
Longitude = Annotated[float, Meta(ge=-180, le=180)]
NOWHERE: Final = (0, 0)  # says a device that does not know where it is
_CLASS: Final = int(POSITION.class_)


class _Place(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    type: Literal["Point"] | UnsetType = UNSET
    coordinates: tuple[Longitude, Latitude] | UnsetType = UNSET
    latitude: Latitude | UnsetType = UNSET
    longitude: Longitude | UnsetType = UNSET


class _Measures(msgspec.Struct, forbid_unknown_fields=True, frozen=True, gc=False):
    # One that is null is kept as such, and so is not plain.
    speed: Speed | UnsetType = UNSET
    heading: Heading | UnsetType = UNSET
    altitude: Altitude | UnsetType = UNSET
    accuracy: Accuracy | UnsetType = UNSET


class Position(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A position as the documentation spells it."""

    event_type: Literal["position_update"]
    timestamp: Annotated[datetime, Meta(tz=True)]
    location: _Place
    data: _Measures = _Measures()
    event_id: Name | None = None
    device: Name | None = None


_decode: Final = msgspec.json.Decoder(list[Position]).decode


def told(body: bytes) -> list[Position]:
    """Take a list of positions apart, unless something in it is not plain."""
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return []


def read_all(
    told: Sequence[Position], *, device: str | None, bounds: Bounds, key: KeyedHash
) -> list[Reading]:
    """Read positions, unless one of them is not plain."""
    found: list[Reading] = []
    for each in told:
        reading = _read(each, device, bounds)
        if reading is None:
            return []
        found.append(reading)
    # Afterwards: it takes the longest.
    return [readings.recognised(*pair, key) for pair in zip(found, told, strict=True)]


def _read(told: Position, device: str | None, bounds: Bounds) -> Reading | None:
    at, named, pair = told.timestamp, device or told.device, _pair(told.location)
    if at.tzinfo is not UTC:
        at = items.moment(at) or at
    if (
        pair is None
        or not bounds.earliest <= at <= bounds.latest
        or not (named is None or named.isprintable())
    ):
        return None
    reading = Reading(
        device=named,
        class_=_CLASS,
        kind=POSITION.number,
        occurred_at=at,
        event_key=0,
        latitude=pair[1],
        longitude=pair[0],
    )
    _measure(reading, told.data)
    return reading


def _pair(place: _Place) -> tuple[float, float] | None:
    """Tell longitude and latitude, however they are spelled."""
    pair, longitude, latitude = place.coordinates, place.longitude, place.latitude
    if pair is UNSET:
        if longitude is UNSET or latitude is UNSET:
            return None
        pair = longitude, latitude
    elif place.type is UNSET:
        return None
    return None if pair == NOWHERE else pair


def _measure(reading: Reading, told: _Measures) -> None:
    """Take what was measured; what is less than nothing is unknown, but for an altitude."""
    if told.speed is not UNSET and told.speed >= 0:
        reading.speed = told.speed
    if told.heading is not UNSET and told.heading >= 0:
        reading.heading = told.heading
    if told.accuracy is not UNSET and told.accuracy >= 0:
        reading.accuracy = told.accuracy
    if told.altitude is not UNSET:
        reading.altitude = told.altitude
