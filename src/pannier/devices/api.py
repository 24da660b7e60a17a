"""The doors through which device events are sent as JSON, and where one sees what was refused."""

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
# Where JetStream has taken it, and the database is away or behind.
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
    """Send what a device tells: an event, or a list of up to 5,000, also as NDJSON.

    Answered once it is stored. An event that was stored before is a duplicate, however often it
    comes.
    """
    return TakenOut.of(await intake.of_device(exchange, devices, device_id))


@post(
    f"{_MODULE}/device-events/batch",
    **_SENDERS,
    problems=_PROBLEMS,
    opt={"request_bodies": {"application/json": BatchIn | list[NamedEventIn], **_LINES}, **_LATER},
)
async def send_device_events(exchange: Exchange, devices: Takes) -> TakenOut:
    """Send what many devices tell, up to 5,000 events, as a list, in an envelope or as NDJSON.

    Answered once they are stored. One that is refused costs the others nothing.
    """
    return TakenOut.of(await intake.of_many(exchange, devices))


@get(f"{_MODULE}/device-events/rejects")
async def list_device_rejects(company: UUID, filters: RejectFilters, db: Db) -> Listed[RejectOut]:
    """List events that were not stored, and why, the latest first."""
    return enveloped(await rejects.page_of(db, company, filters), RejectOut.of)


# They stand among those that read, which have the same paths.
handlers: Final = (send_events_of_device, send_device_events, list_device_rejects)
