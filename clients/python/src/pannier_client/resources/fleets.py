# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleets`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FleetsListQuery(TypedDict, total=False):
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
    id: str | Sequence[str]
    """Any of these."""
    status: types.RecordStatus
    """Filter by status."""
    parent_fleet: str
    """Fleets within this one."""


class Fleets:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add_driver(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetDriverIn],
    ) -> types.FleetOut:
        """Add a driver to a fleet."""
        return self._transport.call(
            "POST",
            fill_path("/v1/fleets/{fleet_id}/drivers", fleet_id),
            body=fields,
            options=options,
        )

    def add_vehicle(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetVehicleIn],
    ) -> types.FleetOut:
        """Add a vehicle to a fleet."""
        return self._transport.call(
            "POST",
            fill_path("/v1/fleets/{fleet_id}/vehicles", fleet_id),
            body=fields,
            options=options,
        )

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.FleetIn]
    ) -> types.FleetOut:
        """Create a fleet."""
        return self._transport.call("POST", "/v1/fleets", body=fields, options=options)

    def delete(self, fleet_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a fleet."""
        return self._transport.call(
            "DELETE", fill_path("/v1/fleets/{fleet_id}", fleet_id), options=options
        )

    def get(self, fleet_id: str, /, *, options: Options | None = None) -> types.FleetOut:
        """Retrieve a fleet."""
        return self._transport.call(
            "GET", fill_path("/v1/fleets/{fleet_id}", fleet_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FleetsListQuery]
    ) -> Pages[types.FleetOut]:
        """List fleets."""
        return self._transport.list_pages("/v1/fleets", query=query, options=options)

    def remove_driver(
        self, fleet_id: str, driver_id: str, /, *, options: Options | None = None
    ) -> types.FleetOut:
        """Remove a driver from a fleet."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/fleets/{fleet_id}/drivers/{driver_id}", fleet_id, driver_id),
            options=options,
        )

    def remove_vehicle(
        self, fleet_id: str, vehicle_id: str, /, *, options: Options | None = None
    ) -> types.FleetOut:
        """Remove a vehicle from a fleet."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/fleets/{fleet_id}/vehicles/{vehicle_id}", fleet_id, vehicle_id),
            options=options,
        )

    def update(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetChange],
    ) -> types.FleetOut:
        """Update a fleet."""
        return self._transport.call(
            "PATCH", fill_path("/v1/fleets/{fleet_id}", fleet_id), body=fields, options=options
        )


class AsyncFleets:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add_driver(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetDriverIn],
    ) -> types.FleetOut:
        """Add a driver to a fleet."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/fleets/{fleet_id}/drivers", fleet_id),
            body=fields,
            options=options,
        )

    async def add_vehicle(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetVehicleIn],
    ) -> types.FleetOut:
        """Add a vehicle to a fleet."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/fleets/{fleet_id}/vehicles", fleet_id),
            body=fields,
            options=options,
        )

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.FleetIn]
    ) -> types.FleetOut:
        """Create a fleet."""
        return await self._transport.call("POST", "/v1/fleets", body=fields, options=options)

    async def delete(
        self, fleet_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a fleet."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/fleets/{fleet_id}", fleet_id), options=options
        )

    async def get(self, fleet_id: str, /, *, options: Options | None = None) -> types.FleetOut:
        """Retrieve a fleet."""
        return await self._transport.call(
            "GET", fill_path("/v1/fleets/{fleet_id}", fleet_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FleetsListQuery]
    ) -> AsyncPages[types.FleetOut]:
        """List fleets."""
        return self._transport.list_pages("/v1/fleets", query=query, options=options)

    async def remove_driver(
        self, fleet_id: str, driver_id: str, /, *, options: Options | None = None
    ) -> types.FleetOut:
        """Remove a driver from a fleet."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/fleets/{fleet_id}/drivers/{driver_id}", fleet_id, driver_id),
            options=options,
        )

    async def remove_vehicle(
        self, fleet_id: str, vehicle_id: str, /, *, options: Options | None = None
    ) -> types.FleetOut:
        """Remove a vehicle from a fleet."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/fleets/{fleet_id}/vehicles/{vehicle_id}", fleet_id, vehicle_id),
            options=options,
        )

    async def update(
        self,
        fleet_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.FleetChange],
    ) -> types.FleetOut:
        """Update a fleet."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/fleets/{fleet_id}", fleet_id), body=fields, options=options
        )
