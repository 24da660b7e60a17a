# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.waypoints`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class WaypointsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    payload: str
    """Payload, by UUID or public id."""
    type: types.StopType
    """Filter by type."""
    place: str
    """A place, by its identifier."""


class Waypoints:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewWaypoint]
    ) -> types.WaypointOut:
        """Add a waypoint at the end of a payload's route."""
        return self._transport.call("POST", "/v1/waypoints", body=fields, options=options)

    def delete(self, waypoint_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Remove a waypoint from its payload, before work there begins."""
        return self._transport.call(
            "DELETE", fill_path("/v1/waypoints/{waypoint_id}", waypoint_id), options=options
        )

    def get(self, waypoint_id: str, /, *, options: Options | None = None) -> types.WaypointOut:
        """Retrieve a waypoint."""
        return self._transport.call(
            "GET", fill_path("/v1/waypoints/{waypoint_id}", waypoint_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[WaypointsListQuery]
    ) -> Pages[types.WaypointOut]:
        """List waypoints."""
        return self._transport.list_pages("/v1/waypoints", query=query, options=options)

    def update(
        self,
        waypoint_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.WaypointChange],
    ) -> types.WaypointOut:
        """Update a waypoint."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/waypoints/{waypoint_id}", waypoint_id),
            body=fields,
            options=options,
        )


class AsyncWaypoints:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewWaypoint]
    ) -> types.WaypointOut:
        """Add a waypoint at the end of a payload's route."""
        return await self._transport.call("POST", "/v1/waypoints", body=fields, options=options)

    async def delete(
        self, waypoint_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Remove a waypoint from its payload, before work there begins."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/waypoints/{waypoint_id}", waypoint_id), options=options
        )

    async def get(
        self, waypoint_id: str, /, *, options: Options | None = None
    ) -> types.WaypointOut:
        """Retrieve a waypoint."""
        return await self._transport.call(
            "GET", fill_path("/v1/waypoints/{waypoint_id}", waypoint_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[WaypointsListQuery]
    ) -> AsyncPages[types.WaypointOut]:
        """List waypoints."""
        return self._transport.list_pages("/v1/waypoints", query=query, options=options)

    async def update(
        self,
        waypoint_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.WaypointChange],
    ) -> types.WaypointOut:
        """Update a waypoint."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/waypoints/{waypoint_id}", waypoint_id),
            body=fields,
            options=options,
        )
