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

from pannier.devices import event_types
from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.protocols import reports
from pannier.devices.protocols.reports import KNOT, DeviceReport, to_kmh
from pannier.kit import wording

_GEOFENCE_ACTIONS: Final = {
    "geofenceEnter": "enter",
    "geofenceExit": "exit",
    "geofenceCrossed": "cross",
}
_MOTION_KINDS: Final = {"deviceMoving": "moving", "deviceStopped": "stopped"}


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


class ForwardedMessage(msgspec.Struct, kw_only=True):
    """A message that Traccar forwards: a position, or an event with its position."""

    device: ForwardedDevice | None = None
    position: ForwardedPosition | None = None
    event: ForwardedEvent | None = None
    geofence: ForwardedGeofence | None = None


_message_decoder: Final = msgspec.json.Decoder(ForwardedMessage)


def parse_json(body: bytes) -> list[EventItem]:
    """Parse a message that Traccar forwards."""
    try:
        message = _message_decoder.decode(body)
    except msgspec.ValidationError as error:
        raise InvalidItem("event_invalid", wording.describe_in_text(error)) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InvalidItem("event_invalid", wording.describe_json_error(error)) from None
    if message.event is None and message.position is None:
        raise InvalidItem("event_invalid", "Send a `position` or an `event`.")
    report = _to_report(
        message.device or ForwardedDevice(), message.position or ForwardedPosition()
    )
    return reports.to_items(report) if message.event is None else _to_items(report, message)


def _to_report(device: ForwardedDevice, position: ForwardedPosition) -> DeviceReport:
    has_fix = position.valid is not False and not position.outdated
    speed = position.speed
    measures = {
        "speed": to_kmh(speed, KNOT) if speed is not None and speed > 0 else speed,
        "heading": position.course,
        "altitude": position.altitude,
        # Traccar sends 0 for an unknown accuracy.
        "accuracy": position.accuracy or None,
    }
    context_values = {
        "address": position.address,
        "network": position.network,
        "geofences": position.geofenceIds,
    }
    return DeviceReport(
        device=None if device.uniqueId is None else str(device.uniqueId),
        display_name=device.name,
        # Without a fix, Traccar repeats an older position with its time.
        timestamp=position.fixTime if has_fix else position.deviceTime or position.fixTime,
        latitude=position.latitude,
        longitude=position.longitude,
        fixed=has_fix,
        measures={name: value for name, value in measures.items() if value is not None},
        attributes=(position.attributes or {})
        | {name: value for name, value in context_values.items() if value},
    )


def _to_items(report: DeviceReport, message: ForwardedMessage) -> list[EventItem]:
    event = message.event or ForwardedEvent(type="")
    attributes = event.attributes or {}
    event_report = msgspec.structs.replace(
        report,
        timestamp=event.eventTime if event.eventTime is not None else report.timestamp,
        attributes=attributes,
    )
    if event.type == "alarm" and attributes.get("alarm"):
        return list(reports.make_alarm_items(event_report))
    if event.type in _GEOFENCE_ACTIONS and event.geofenceId is not None:
        return [_make_geofence_item(event_report, event, message.geofence)]
    if event.type in _MOTION_KINDS:
        motion_data = {"kind": _MOTION_KINDS[event.type], "severity": "low"}
        return [
            reports.make_item(event_report, event_types.MOTION.name, {**attributes, **motion_data})
        ]
    if event.type == "deviceOnline":
        return [reports.make_item(event_report, event_types.HEARTBEAT.name, {"status": "online"})]
    if event.type == "deviceOverspeed":
        return [_make_overspeed_item(event_report, attributes)]
    extra_data = {"maintenance": event.maintenanceId} if event.maintenanceId else {}
    return [reports.make_item(event_report, event.type, {**attributes, **extra_data})]


def _make_geofence_item(
    report: DeviceReport, event: ForwardedEvent, geofence: ForwardedGeofence | None
) -> EventItem:
    data = {"action": _GEOFENCE_ACTIONS[event.type], "area_id": str(event.geofenceId)}
    if geofence and geofence.name:
        data["area_name"] = geofence.name[:500]
    return reports.make_item(report, event_types.GEOFENCE.name, data)


def _make_overspeed_item(report: DeviceReport, attributes: Mapping[str, Any]) -> EventItem:
    speed, limit = attributes.get("speed"), attributes.get("speedLimit")
    data = {"speed": _knots_to_kmh(speed), "limit": _knots_to_kmh(limit), "phase": "started"}
    return reports.make_item_or_alarm(report, event_types.SPEED, data, "overspeed")


def _knots_to_kmh(knots: object) -> float | None:
    return to_kmh(knots, KNOT) if isinstance(knots, int | float) else None
