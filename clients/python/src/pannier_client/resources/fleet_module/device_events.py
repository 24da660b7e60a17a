# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleet_module.device_events`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FleetModuleDeviceEventsExportQuery(TypedDict, total=False):
    """Parameters of `export`."""

    device: str | Sequence[str]
    """Filter by device."""
    vehicle: str | Sequence[str]
    """Filter by vehicle: events of devices while they were attached to it."""
    event_type: str | Sequence[str]
    """Filter by event type."""
    severity: types.Severity | Sequence[types.Severity]
    """Filter by severity."""
    to: str | datetime
    """End of the period, exclusive."""
    bbox: str | Sequence[float]
    """West, south, east and north in degrees. West is greater than east if the box crosses the
    180th meridian."""
    format: Literal["csv", "geojson", "gpx", "ndjson"]
    """Format of the file."""
    sort: Literal["-timestamp", "timestamp"]
    """Oldest first; with `-`, newest first. Tracks in GPX are always oldest first."""


class FleetModuleDeviceEventsGetCountsQuery(TypedDict, total=False):
    """Parameters of `get_counts`."""

    device: str | Sequence[str]
    """Filter by device."""
    vehicle: str | Sequence[str]
    """Filter by vehicle: events of devices while they were attached to it."""
    event_type: str | Sequence[str]
    """Filter by event type."""
    severity: types.Severity | Sequence[types.Severity]
    """Filter by severity."""
    to: str | datetime
    """End of the period, exclusive."""
    bbox: str | Sequence[float]
    """West, south, east and north in degrees. West is greater than east if the box crosses the
    180th meridian."""
    by: Literal["day", "hour"]
    """Days are in the company's time zone."""


class FleetModuleDeviceEventsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    device: str | Sequence[str]
    """Filter by device."""
    vehicle: str | Sequence[str]
    """Filter by vehicle: events of devices while they were attached to it."""
    event_type: str | Sequence[str]
    """Filter by event type."""
    severity: types.Severity | Sequence[types.Severity]
    """Filter by severity."""
    to: str | datetime
    """End of the period, exclusive."""
    bbox: str | Sequence[float]
    """West, south, east and north in degrees. West is greater than east if the box crosses the
    180th meridian."""
    limit: int
    """Rows per page."""
    sort: Literal["-timestamp", "timestamp"]
    """Newest first. Without `-`, oldest first."""
    after: str
    """List in the order of arrival instead: after the `next_cursor` of the previous page, from the
    `beginning` (30 days ago), or from `now`. Late events are included. An empty page has a
    cursor as well; use it for the next request."""


class FleetModuleDeviceEventsListRejectsQuery(TypedDict, total=False):
    """Parameters of `list_rejects`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `received_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    code: str
    """Filter by code."""
    device: str
    """The device of the event, as the sender named it."""


class FleetModuleDeviceEvents:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_batch(
        self,
        body: Sequence[types.NamedEventIn] | types.BatchIn,
        /,
        *,
        options: Options | None = None,
    ) -> types.IngestOut:
        """Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON."""
        return self._transport.call(
            "POST", "/int/v1/fleet-module/device-events/batch", body=body, options=options
        )

    def export(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsExportQuery],
    ) -> bytes:
        """Download all events that match the filters, oldest first."""
        return self._transport.download(
            "/int/v1/fleet-module/device-events/export",
            query={**query, "from": from_},
            options=options,
        )

    def get(
        self, device_event_id: str, /, *, options: Options | None = None
    ) -> types.DeviceEventOut:
        """Retrieve a device event."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/fleet-module/device-events/{device_event_id}", device_event_id),
            options=options,
        )

    def get_counts(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsGetCountsQuery],
    ) -> types.DeviceEventCounts:
        """Count events by hour or by day."""
        return self._transport.call(
            "GET",
            "/int/v1/fleet-module/device-events/counts",
            query={**query, "from": from_},
            options=options,
        )

    def list(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsListQuery],
    ) -> Pages[types.DeviceEventOut]:
        """List the events of all devices, newest first."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/device-events", query={**query, "from": from_}, options=options
        )

    def list_rejects(
        self,
        *,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsListRejectsQuery],
    ) -> Pages[types.RejectOut]:
        """List events that were rejected and why, newest first."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/device-events/rejects", query=query, options=options
        )


class AsyncFleetModuleDeviceEvents:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create_batch(
        self,
        body: Sequence[types.NamedEventIn] | types.BatchIn,
        /,
        *,
        options: Options | None = None,
    ) -> types.IngestOut:
        """Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON."""
        return await self._transport.call(
            "POST", "/int/v1/fleet-module/device-events/batch", body=body, options=options
        )

    async def export(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsExportQuery],
    ) -> bytes:
        """Download all events that match the filters, oldest first."""
        return await self._transport.download(
            "/int/v1/fleet-module/device-events/export",
            query={**query, "from": from_},
            options=options,
        )

    async def get(
        self, device_event_id: str, /, *, options: Options | None = None
    ) -> types.DeviceEventOut:
        """Retrieve a device event."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/fleet-module/device-events/{device_event_id}", device_event_id),
            options=options,
        )

    async def get_counts(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsGetCountsQuery],
    ) -> types.DeviceEventCounts:
        """Count events by hour or by day."""
        return await self._transport.call(
            "GET",
            "/int/v1/fleet-module/device-events/counts",
            query={**query, "from": from_},
            options=options,
        )

    def list(
        self,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsListQuery],
    ) -> AsyncPages[types.DeviceEventOut]:
        """List the events of all devices, newest first."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/device-events", query={**query, "from": from_}, options=options
        )

    def list_rejects(
        self,
        *,
        options: Options | None = None,
        **query: Unpack[FleetModuleDeviceEventsListRejectsQuery],
    ) -> AsyncPages[types.RejectOut]:
        """List events that were rejected and why, newest first."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/device-events/rejects", query=query, options=options
        )
