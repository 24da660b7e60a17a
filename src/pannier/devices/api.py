"""Handlers that receive device events as JSON and list rejected ones."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.devices import intake, rejects
from pannier.devices.ingest.receiving import ReadingRefused
from pannier.devices.ingest.schemas import TakenOut
from pannier.devices.intake import LINES, TooManyEvents
from pannier.devices.registry.schemas import DeviceId
from pannier.devices.schemas import (
    BatchIn,
    EventIn,
    NamedEventIn,
    RejectFilters,
    RejectOut,
)
from pannier.devices.streams.refusals import StreamAway
from pannier.devices.streams.takers import Takes
from pannier.devices.writer import Busy
from pannier.errors import NotFound
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get, post

_MODULE: Final = "/fleet-module"
_SENDERS: Final[Mapping[str, Any]] = {
    "status_code": 200,
    "before_request": intake.sender(),
    "security": [{"deviceToken": []}, {"apiKey": []}, {"operator": []}],
}
_PROBLEMS: Final = [Busy, TooManyEvents, ReadingRefused, StreamAway]
# JetStream has accepted the events while the database is down or behind.
_LATER: Final[Mapping[str, Any]] = {"responses": {202: {"application/json": TakenOut}}}
_LINES: Final = {kind.decode(): {"type": "string"} for kind in sorted(LINES)[-1:]}


@post(
    f"{_MODULE}/devices/{{device_id:str}}/events",
    **_SENDERS,
    problems=[*_PROBLEMS, NotFound],
    opt={"request_bodies": {"application/json": EventIn | list[EventIn], **_LINES}, **_LATER},
)
async def send_events_of_device(
    device_id: DeviceId, exchange: Exchange, devices: Takes
) -> TakenOut:
    """Send the events of a device: one event, or a list of up to 5,000, also as NDJSON.

    The response is sent once the events are stored. An event that was stored before is counted as a
    duplicate, however often it is sent.
    """
    return TakenOut.of(await intake.of_device(exchange, devices, device_id))


@post(
    f"{_MODULE}/device-events/batch",
    **_SENDERS,
    problems=_PROBLEMS,
    opt={"request_bodies": {"application/json": BatchIn | list[NamedEventIn], **_LINES}, **_LATER},
)
async def send_device_events(exchange: Exchange, devices: Takes) -> TakenOut:
    """Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON.

    The response is sent once the events are stored. A rejected event does not affect the others.
    """
    return TakenOut.of(await intake.of_many(exchange, devices))


@get(f"{_MODULE}/device-events/rejects")
async def list_device_rejects(company: UUID, filters: RejectFilters, db: Db) -> Listed[RejectOut]:
    """List events that were rejected and why, newest first."""
    return enveloped(await rejects.page_of(db, company, filters), RejectOut.of)


# Mounted by the router of the read handlers, because they share its paths.
handlers: Final = (send_events_of_device, send_device_events, list_device_rejects)
