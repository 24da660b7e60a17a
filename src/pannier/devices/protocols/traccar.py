"""Traccar's forwarding: positions before Traccar stores them, and events afterwards.

A forwarded position has id 0 and the time of the forwarding server, so neither is part of its
identity. A forwarded event comes with its position. That position is forwarded separately, so here
it only gives the location.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pannier.devices import kinds
from pannier.devices.items import Item, Refused
from pannier.devices.protocols import reports
from pannier.devices.protocols.reports import KNOT, Report, kmh
from pannier.kit import wording

_FENCES: Final = {"geofenceEnter": "enter", "geofenceExit": "exit", "geofenceCrossed": "cross"}
_MOVES: Final = {"deviceMoving": "moving", "deviceStopped": "stopped"}


class ForwardedPosition(msgspec.Struct, kw_only=True):
    """A position in Traccar's format; its speed is in knots."""

    latitude: Annotated[float, Meta(examples=[1.3521])] | None = None
    longitude: Annotated[float, Meta(examples=[103.8198])] | None = None
    fixTime: datetime | int | None = None  # noqa: N815 - Traccar's name
    deviceTime: datetime | int | None = None  # noqa: N815 - Traccar's name
    valid: bool | None = None
    outdated: bool | None = None
    altitude: float | None = None
    speed: float | None = None
    course: float | None = None
    accuracy: float | None = None
    address: str | None = None
    network: dict[str, Any] | None = None
    geofenceIds: list[int] | None = None  # noqa: N815 - Traccar's name
    attributes: dict[str, Any] | None = None


class ForwardedDevice(msgspec.Struct, kw_only=True):
    """A device in Traccar's format."""

    uniqueId: Annotated[str | int, Meta(examples=["device_5Ks2GqTn9XcVb4Kd"])] | None = None  # noqa: N815 - Traccar's name
    name: Annotated[str, Meta(examples=["Van 3"])] | None = None


class ForwardedEvent(msgspec.Struct, kw_only=True):
    """An event in Traccar's format."""

    type: Annotated[str, Meta(examples=["ignitionOn"])]
    eventTime: datetime | int | None = None  # noqa: N815 - Traccar's name
    geofenceId: int | None = None  # noqa: N815 - Traccar's name
    maintenanceId: int | None = None  # noqa: N815 - Traccar's name
    attributes: dict[str, Any] | None = None


class ForwardedGeofence(msgspec.Struct, kw_only=True):
    """A geofence in Traccar's format."""

    name: str | None = None


class Forwarded(msgspec.Struct, kw_only=True):
    """A message that Traccar forwards: a position, or an event with its position."""

    device: ForwardedDevice | None = None
    position: ForwardedPosition | None = None
    event: ForwardedEvent | None = None
    geofence: ForwardedGeofence | None = None


_forwarded: Final = msgspec.json.Decoder(Forwarded)


def of_json(body: bytes) -> list[Item]:
    """Parse a message that Traccar forwards."""
    try:
        forwarded = _forwarded.decode(body)
    except msgspec.ValidationError as wrong:
        raise Refused("event_invalid", wording.describe_in_text(wrong)) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        raise Refused("event_invalid", wording.describe_json_error(wrong)) from None
    if forwarded.event is None and forwarded.position is None:
        raise Refused("event_invalid", "Send a `position` or an `event`.")
    report = _report(
        forwarded.device or ForwardedDevice(), forwarded.position or ForwardedPosition()
    )
    return reports.told(report) if forwarded.event is None else _event(report, forwarded)


def _report(device: ForwardedDevice, position: ForwardedPosition) -> Report:
    fixed = position.valid is not False and not position.outdated
    speed = position.speed
    measures = {
        "speed": kmh(speed, KNOT) if speed is not None and speed > 0 else speed,
        "heading": position.course,
        "altitude": position.altitude,
        # Traccar sends 0 for an unknown accuracy.
        "accuracy": position.accuracy or None,
    }
    around = {
        "address": position.address,
        "network": position.network,
        "geofences": position.geofenceIds,
    }
    return Report(
        device=None if device.uniqueId is None else str(device.uniqueId),
        called=device.name,
        # Without a fix, Traccar repeats an older position with its time.
        timestamp=position.fixTime if fixed else position.deviceTime or position.fixTime,
        latitude=position.latitude,
        longitude=position.longitude,
        fixed=fixed,
        measures={name: value for name, value in measures.items() if value is not None},
        attributes=(position.attributes or {})
        | {name: value for name, value in around.items() if value},
    )


def _event(report: Report, forwarded: Forwarded) -> list[Item]:
    event = forwarded.event or ForwardedEvent(type="")
    said = event.attributes or {}
    at = msgspec.structs.replace(
        report,
        timestamp=event.eventTime if event.eventTime is not None else report.timestamp,
        attributes=said,
    )
    if event.type == "alarm" and said.get("alarm"):
        return list(reports.alarms(at))
    if event.type in _FENCES and event.geofenceId is not None:
        return [_fence(at, event, forwarded.geofence)]
    if event.type in _MOVES:
        moved = {"kind": _MOVES[event.type], "severity": "low"}
        return [reports.item(at, kinds.MOTION.name, {**said, **moved})]
    if event.type == "deviceOnline":
        return [reports.item(at, kinds.HEARTBEAT.name, {"status": "online"})]
    if event.type == "deviceOverspeed":
        return [_overspeed(at, said)]
    more = {"maintenance": event.maintenanceId} if event.maintenanceId else {}
    return [reports.item(at, event.type, {**said, **more})]


def _fence(report: Report, event: ForwardedEvent, fence: ForwardedGeofence | None) -> Item:
    data = {"action": _FENCES[event.type], "area_id": str(event.geofenceId)}
    if fence and fence.name:
        data["area_name"] = fence.name[:500]
    return reports.item(report, kinds.GEOFENCE.name, data)


def _overspeed(report: Report, said: Mapping[str, Any]) -> Item:
    speed, limit = said.get("speed"), said.get("speedLimit")
    told = {"speed": _kmh(speed), "limit": _kmh(limit), "phase": "started"}
    return reports.known(report, kinds.SPEED, told, "overspeed")


def _kmh(knots: object) -> float | None:
    return kmh(knots, KNOT) if isinstance(knots, int | float) else None
