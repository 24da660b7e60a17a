"""Readings: what a device says, in the house's own units, before it is stored."""

from datetime import datetime
from enum import IntFlag
from typing import Any

import msgspec


class Flags(IntFlag):
    """What is odd about an event."""

    LATE = 1
    CLOCK_CORRECTED = 2
    DERIVED = 4


class Reading(msgspec.Struct, kw_only=True):
    """One event, normalised: km/h, degrees, metres, °C, UTC."""

    # The device as its sender names it: id, UUID or identifier; None is whoever sends.
    device: str | None
    # The numbers of class and type, and the name of a type that has no number.
    class_: int
    kind: int
    type: str | None
    occurred_at: datetime
    event_key: int
    latitude: float | None = None
    longitude: float | None = None
    speed: float | None = None
    heading: float | None = None
    altitude: float | None = None
    accuracy: float | None = None
    severity: int | None = None
    flags: int = 0
    data: dict[str, Any] | None = None


class Refusal(msgspec.Struct):
    """Why one item of what was sent is not stored."""

    index: int
    code: str
    reason: str
    body: bytes = b""
    device: str | None = None
