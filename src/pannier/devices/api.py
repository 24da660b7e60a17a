"""Handlers that receive device events as JSON and list rejected ones."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.devices import intake, rejects
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.brokers.errors import StreamUnavailable
from pannier.devices.ingest.reception import ReadingRefused
from pannier.devices.ingest.schemas import IngestOut
from pannier.devices.intake import NDJSON_TYPES, TooManyEvents
from pannier.devices.registry.schemas import DeviceId
from pannier.devices.schemas import (
    BatchIn,
    EventIn,
    NamedEventIn,
    RejectFilters,
    RejectOut,
)
from pannier.devices.writer import Busy
from pannier.errors import NotFound
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get, post

_MODULE: Final = "/fleet-module"
_SENDER_OPTIONS: Final[Mapping[str, Any]] = {
    "status_code": 200,
    "before_request": intake.make_sender_guard(),
    "security": [{"deviceToken": []}, {"apiKey": []}, {"operator": []}],
}
_INGEST_PROBLEMS: Final = [Busy, TooManyEvents, ReadingRefused, StreamUnavailable]
# JetStream has accepted the events while the database is down or behind.
_PENDING_RESPONSE: Final[Mapping[str, Any]] = {"responses": {202: {"application/json": IngestOut}}}
_NDJSON_BODIES: Final = {kind.decode(): {"type": "string"} for kind in sorted(NDJSON_TYPES)[-1:]}


@post(
    f"{_MODULE}/devices/{{device_id:str}}/events",
    **_SENDER_OPTIONS,
    problems=[*_INGEST_PROBLEMS, NotFound],
    opt={
        "request_bodies": {"application/json": EventIn | list[EventIn], **_NDJSON_BODIES},
        **_PENDING_RESPONSE,
    },
)
async def send_events_of_device(
    device_id: DeviceId, exchange: Exchange, devices: IngestBackend
) -> IngestOut:
    """Send the events of a device: one, or up to 5,000 as a list or as NDJSON.

    The response is sent once the events are stored. An event that was stored before is counted as a
    duplicate, however often it is sent.
    """
    return IngestOut.from_outcome(await intake.store_device_events(exchange, devices, device_id))


@post(
    f"{_MODULE}/device-events/batch",
    **_SENDER_OPTIONS,
    problems=_INGEST_PROBLEMS,
    opt={
        "request_bodies": {"application/json": BatchIn | list[NamedEventIn], **_NDJSON_BODIES},
        **_PENDING_RESPONSE,
    },
)
async def send_device_events(exchange: Exchange, devices: IngestBackend) -> IngestOut:
    """Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON.

    The response is sent once the events are stored. A rejected event does not affect the others.
    """
    return IngestOut.from_outcome(await intake.store_events(exchange, devices))


@get(f"{_MODULE}/device-events/rejects")
async def list_device_rejects(company: UUID, filters: RejectFilters, db: Db) -> Listed[RejectOut]:
    """List events that were rejected and why, newest first."""
    return to_envelope(await rejects.list_rejects(db, company, filters), RejectOut.from_row)


# Mounted by the router of the read handlers, because they share its paths.
handlers: Final = (send_events_of_device, send_device_events, list_device_rejects)
