"""The doors through which device events are read: for operators, and for keys that may."""

from typing import Any, Final
from uuid import UUID

from pannier.accounts import doors
from pannier.db import Db
from pannier.devices import api as sending
from pannier.devices import export, stream
from pannier.devices.events import counts, latest, pages, queries
from pannier.devices.events.choice import chosen
from pannier.devices.events.cursors import read_id
from pannier.devices.events.latest import DeviceLatestOut, LatestFilters
from pannier.devices.events.names import Names
from pannier.devices.events.schemas import (
    CountFilters,
    DeviceEventCounts,
    DeviceEventFilters,
    DeviceEventOut,
    DeviceExportFilters,
    DeviceStreamFilters,
    EventId,
)
from pannier.devices.formats import FORMATS
from pannier.devices.registry import queries as registry
from pannier.devices.registry.schemas import DeviceId
from pannier.errors import CursorInvalid, NotFound
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get
from pannier.web.streams import Streamed, TooManyStreams

_ALL: Final = "/fleet-module/device-events"
_TEXT: Final = {"type": "string"}
EXPORTED: Final[dict[str, Any]] = {
    "responses": {200: {writer.media_type: _TEXT for writer in FORMATS.values()}}
}
STREAMED: Final[dict[str, Any]] = {"responses": {200: {"text/event-stream": _TEXT}}}


@get("/fleet-module/devices/{device_id:str}/events")
async def list_events_of_device(
    company: UUID, device_id: DeviceId, filters: DeviceEventFilters, db: Db
) -> Listed[DeviceEventOut]:
    """List a device's events, the newest first."""
    return await pages.listed(db, company, filters, device=device_id)


@get(_ALL, problems=[NotFound])
async def list_device_events(
    company: UUID, filters: DeviceEventFilters, db: Db
) -> Listed[DeviceEventOut]:
    """List the events of all devices, the newest first.

    With filters that fit few events a page may have fewer rows than `limit`, or none, and more
    behind it: as long as `has_more` is true, go on with `next_cursor`.
    """
    return await pages.listed(db, company, filters)


@get(f"{_ALL}/{{device_event_id:str}}")
async def get_device_event(company: UUID, device_event_id: EventId, db: Db) -> DeviceEventOut:
    """Read an event."""
    row = await queries.one(db, company, read_id(device_event_id))
    return (await Names(company).spelled(db, [row]))[0]


@get(f"{_ALL}/export", opt=EXPORTED, problems=[NotFound, TooManyStreams])
async def export_device_events(
    company: UUID, filters: DeviceExportFilters, exchange: Exchange, db: Db
) -> Streamed:
    """Take away all events that the filters mean, however many, the oldest first.

    A GPX has a track for each device, of those events that have a place.
    """
    return await export.exported(exchange, db, company, filters)


@get(f"{_ALL}/stream", opt=STREAMED, problems=[NotFound, CursorInvalid, TooManyStreams])
async def stream_device_events(
    company: UUID, filters: DeviceStreamFilters, exchange: Exchange, db: Db
) -> Streamed:
    """Follow events as they come in, as server-sent events.

    The id of each is a place in the order of arrival: whoever comes back with the last one in
    `Last-Event-ID` misses nothing and gets nothing twice. A stream ends within seconds of its
    credential (`ended`), and after some minutes; readers come back by themselves.
    """
    return await stream.following(exchange, db, company, filters)


@get(f"{_ALL}/counts", problems=[NotFound])
async def count_device_events(company: UUID, filters: CountFilters, db: Db) -> DeviceEventCounts:
    """Count events by the hour or by the day, the last day or the last 30 days if nothing is said.

    Whole hours and days are counted: `from` goes back to the beginning of one, `to` on to its end.
    An hour counts to the day that it begins on.
    """
    return await counts.counted(db, await chosen(db, company, filters), filters.by)


@get("/fleet-module/devices/latest", problems=[NotFound])
async def list_latest_of_devices(
    company: UUID, filters: LatestFilters, db: Db
) -> Listed[DeviceLatestOut]:
    """List how devices are: heard from or not, where, and the last reading of each type."""
    found = await registry.devices(db, company, filters)
    return enveloped(found, (await latest.known(db, company, found.rows)).out)


routers: Final = (
    doors.for_viewers(
        "Device events",
        "devices",
        [
            list_events_of_device,
            list_device_events,
            get_device_event,
            export_device_events,
            stream_device_events,
            *sending.handlers,
            count_device_events,
            list_latest_of_devices,
        ],
    ),
)
