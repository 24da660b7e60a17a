"""The OwnTracks protocol over HTTP: locations, region transitions and other messages."""

from typing import Any, Final

import msgspec

from pannier.devices import event_types
from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.protocols import reports
from pannier.devices.protocols.reports import DeviceReport

_KNOWN_FIELDS: Final = frozenset(
    {"_type", "_id", "lat", "lon", "tst", "tid", "topic", "acc", "alt", "vel", "cog", "batt"}
)
_ACTIONS: Final = {"enter": "enter", "leave": "exit"}


class OwnTracksMessage(msgspec.Struct, kw_only=True):
    """The fields that we use. OwnTracks has our units: metres, km/h, degrees."""

    type: str = msgspec.field(name="_type")
    lat: float | None = None
    lon: float | None = None
    tst: int | float | None = None
    tid: str | None = None
    topic: str | None = None
    acc: float | None = None
    alt: float | None = None
    vel: float | None = None
    cog: float | None = None
    batt: float | None = None
    event: str | None = None
    desc: str | None = None
    rid: str | None = None


_message_decoder: Final = msgspec.json.Decoder(OwnTracksMessage)


def is_owntracks(body: bytes) -> bool:
    """Return whether a body is an OwnTracks message."""
    return b'"_type"' in body


def parse_message(body: bytes) -> list[EventItem]:
    """Convert a message to items."""
    message = _message_decoder.decode(body)
    fields = msgspec.json.decode(body)
    report = _to_report(message, fields)
    if message.type == "location":
        return reports.to_items(report)
    if message.type == "transition" and message.event in _ACTIONS:
        return [_make_geofence_item(report, message)]
    if message.type == "encrypted":
        raise InvalidItem(
            "event_invalid",
            "The message is encrypted. Turn off payload encryption and send it over TLS.",
        )
    return [reports.make_item(report, f"owntracks_{message.type}"[:64], dict(report.attributes))]


def _to_report(message: OwnTracksMessage, fields: dict[str, Any]) -> DeviceReport:
    measures = {
        "speed": message.vel,
        "heading": message.cog,
        "altitude": message.alt,
        "accuracy": message.acc,
        "battery_level": message.batt,
    }
    return DeviceReport(
        device=message.topic or message.tid,
        timestamp=message.tst,
        latitude=message.lat,
        longitude=message.lon,
        measures={name: value for name, value in measures.items() if value is not None},
        attributes={name: value for name, value in fields.items() if name not in _KNOWN_FIELDS},
    )


def _make_geofence_item(report: DeviceReport, message: OwnTracksMessage) -> EventItem:
    area = message.rid or message.desc or "unnamed"
    data = {"action": _ACTIONS[str(message.event)], "area_id": area[:500]}
    if message.desc:
        data["area_name"] = message.desc[:500]
    return reports.make_item(report, event_types.GEOFENCE.name, data)
