# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleet_module.devices`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FleetModuleDevicesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search words."""
    kind: types.DeviceKind | Sequence[types.DeviceKind]
    """Any of these."""
    vehicle: str
    """Filter by vehicle, including the phone of its driver."""
    driver: str
    """This driver's phone."""
    status: types.ConnectionStatus | Sequence[types.ConnectionStatus]
    """Any of these."""
    identifier: str
    """The device's own id: an IMEI, a serial number or the id in an app."""


class FleetModuleDevicesListEventsQuery(TypedDict, total=False):
    """Parameters of `list_events`."""

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


class FleetModuleDevicesListLatestQuery(TypedDict, total=False):
    """Parameters of `list_latest`."""

    limit: int
    """Rows per page."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search words."""
    kind: types.DeviceKind | Sequence[types.DeviceKind]
    """Any of these."""
    vehicle: str
    """Filter by vehicle, including the phone of its driver."""
    driver: str
    """This driver's phone."""
    status: types.ConnectionStatus | Sequence[types.ConnectionStatus]
    """Any of these."""
    identifier: str
    """The device's own id: an IMEI, a serial number or the id in an app."""


class FleetModuleDevices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_events(
        self,
        device_id: str,
        body: Sequence[types.EventIn] | types.EventIn,
        /,
        *,
        options: Options | None = None,
    ) -> types.IngestOut:
        """Send the events of a device: one, or up to 5,000 as a list or as NDJSON."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/fleet-module/devices/{device_id}/events", device_id),
            body=body,
            options=options,
        )

    def get(self, device_id: str, /, *, options: Options | None = None) -> types.DeviceOut:
        """Retrieve a device."""
        return self._transport.call(
            "GET", fill_path("/int/v1/fleet-module/devices/{device_id}", device_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleDevicesListQuery]
    ) -> Pages[types.DeviceOut]:
        """List devices."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/devices", query=query, options=options
        )

    def list_events(
        self,
        device_id: str,
        /,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDevicesListEventsQuery],
    ) -> Pages[types.DeviceEventOut]:
        """List a device's events, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/fleet-module/devices/{device_id}/events", device_id),
            query={**query, "from": from_},
            options=options,
        )

    def list_latest(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleDevicesListLatestQuery]
    ) -> Pages[types.DeviceLatestOut]:
        """List devices with their status, last position and the latest reading of each type."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/devices/latest", query=query, options=options
        )


class AsyncFleetModuleDevices:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create_events(
        self,
        device_id: str,
        body: Sequence[types.EventIn] | types.EventIn,
        /,
        *,
        options: Options | None = None,
    ) -> types.IngestOut:
        """Send the events of a device: one, or up to 5,000 as a list or as NDJSON."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/fleet-module/devices/{device_id}/events", device_id),
            body=body,
            options=options,
        )

    async def get(self, device_id: str, /, *, options: Options | None = None) -> types.DeviceOut:
        """Retrieve a device."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/fleet-module/devices/{device_id}", device_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleDevicesListQuery]
    ) -> AsyncPages[types.DeviceOut]:
        """List devices."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/devices", query=query, options=options
        )

    def list_events(
        self,
        device_id: str,
        /,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleDevicesListEventsQuery],
    ) -> AsyncPages[types.DeviceEventOut]:
        """List a device's events, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/fleet-module/devices/{device_id}/events", device_id),
            query={**query, "from": from_},
            options=options,
        )

    def list_latest(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleDevicesListLatestQuery]
    ) -> AsyncPages[types.DeviceLatestOut]:
        """List devices with their status, last position and the latest reading of each type."""
        return self._transport.list_pages(
            "/int/v1/fleet-module/devices/latest", query=query, options=options
        )
