"""The OwnTracks protocol over HTTP: locations, region transitions and other messages."""

from typing import Any, Final

import msgspec

from pannier.devices import kinds
from pannier.devices.items import Item, Refused
from pannier.devices.protocols import reports
from pannier.devices.protocols.reports import Report

_OWN: Final = frozenset(
    {"_type", "_id", "lat", "lon", "tst", "tid", "topic", "acc", "alt", "vel", "cog", "batt"}
)
_ACTIONS: Final = {"enter": "enter", "leave": "exit"}


class Message(msgspec.Struct, kw_only=True):
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


_message: Final = msgspec.json.Decoder(Message)


def speaks(body: bytes) -> bool:
    """Return whether a body is an OwnTracks message."""
    return b'"_type"' in body


def told(body: bytes) -> list[Item]:
    """Convert a message to items."""
    message = _message.decode(body)
    said = msgspec.json.decode(body)
    report = _report(message, said)
    if message.type == "location":
        return reports.told(report)
    if message.type == "transition" and message.event in _ACTIONS:
        return [_transition(report, message)]
    if message.type == "encrypted":
        raise Refused(
            "event_invalid",
            "The message is encrypted. Turn off payload encryption and send it over TLS.",
        )
    return [reports.item(report, f"owntracks_{message.type}"[:64], dict(report.attributes))]


def _report(message: Message, said: dict[str, Any]) -> Report:
    measures = {
        "speed": message.vel,
        "heading": message.cog,
        "altitude": message.alt,
        "accuracy": message.acc,
        "battery_level": message.batt,
    }
    return Report(
        device=message.topic or message.tid,
        timestamp=message.tst,
        latitude=message.lat,
        longitude=message.lon,
        measures={name: value for name, value in measures.items() if value is not None},
        attributes={name: value for name, value in said.items() if name not in _OWN},
    )


def _transition(report: Report, message: Message) -> Item:
    area = message.rid or message.desc or "unnamed"
    data = {"action": _ACTIONS[str(message.event)], "area_id": area[:500]}
    if message.desc:
        data["area_name"] = message.desc[:500]
    return reports.item(report, kinds.GEOFENCE.name, data)
