"""Handlers that read device events, for operators and for API keys."""

from typing import Any, Final
from uuid import UUID

from pannier.accounts import api_routers
from pannier.db import Db
from pannier.devices import api as sending
from pannier.devices import export, stream
from pannier.devices.events import counts, latest, pages, queries
from pannier.devices.events.choice import resolve_choice
from pannier.devices.events.cursors import decode_id
from pannier.devices.events.latest import DeviceLatestOut, LatestFilters
from pannier.devices.events.public_ids import PublicIdCache
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
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse, TooManyStreams

_ALL: Final = "/fleet-module/device-events"
_TEXT: Final = {"type": "string"}
EXPORT_OPTIONS: Final[dict[str, Any]] = {
    "responses": {200: {writer.media_type: _TEXT for writer in FORMATS.values()}}
}
STREAM_OPTIONS: Final[dict[str, Any]] = {"responses": {200: {"text/event-stream": _TEXT}}}


@get("/fleet-module/devices/{device_id:str}/events")
async def list_events_of_device(
    company: UUID, device_id: DeviceId, filters: DeviceEventFilters, db: Db
) -> Listed[DeviceEventOut]:
    """List a device's events, newest first."""
    return await pages.list_events(db, company, filters, device=device_id)


@get(_ALL, problems=[NotFound])
async def list_device_events(
    company: UUID, filters: DeviceEventFilters, db: Db
) -> Listed[DeviceEventOut]:
    """List the events of all devices, newest first.

    With selective filters a page may have fewer rows than `limit`, or none, although more follow.
    While `has_more` is true, continue with `next_cursor`.
    """
    return await pages.list_events(db, company, filters)


@get(f"{_ALL}/{{device_event_id:str}}")
async def get_device_event(company: UUID, device_event_id: EventId, db: Db) -> DeviceEventOut:
    """Retrieve a device event."""
    row = await queries.get_event(db, company, decode_id(device_event_id))
    return (await PublicIdCache(company).load_out(db, [row]))[0]


@get(f"{_ALL}/export", opt=EXPORT_OPTIONS, problems=[NotFound, TooManyStreams])
async def export_device_events(
    company: UUID, filters: DeviceExportFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Download all events that match the filters, oldest first.

    GPX has a track for each device, with the events that have a location.
    """
    return await export.start_export(exchange, db, company, filters)


@get(f"{_ALL}/stream", opt=STREAM_OPTIONS, problems=[NotFound, CursorInvalid, TooManyStreams])
async def stream_device_events(
    company: UUID, filters: DeviceStreamFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Stream events as they arrive, as server-sent events.

    The id of each message is a cursor in the order of arrival. A client that reconnects with the
    last id in `Last-Event-ID` misses nothing and receives nothing twice. A stream ends within
    seconds of its credential (`ended`), and after some minutes; clients reconnect automatically.
    """
    return await stream.start_stream(exchange, db, company, filters)


@get(f"{_ALL}/counts", problems=[NotFound])
async def count_device_events(company: UUID, filters: CountFilters, db: Db) -> DeviceEventCounts:
    """Count events by hour or by day. The default is the last day or the last 30 days.

    Whole hours and days are counted: `from` is moved to the start of one, `to` to its end. An hour
    counts for the day on which it begins.
    """
    return await counts.count_events(db, await resolve_choice(db, company, filters), filters.by)


@get("/fleet-module/devices/latest", problems=[NotFound])
async def list_latest_of_devices(
    company: UUID, filters: LatestFilters, db: Db
) -> Listed[DeviceLatestOut]:
    """List devices with their status, last position and the latest reading of each type."""
    page = await registry.list_devices(db, company, filters)
    return to_envelope(page, (await latest.load_details(db, company, page.rows)).to_out)


routers: Final = (
    api_routers.viewer_router(
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
