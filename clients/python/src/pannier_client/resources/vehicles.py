# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.vehicles`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class VehiclesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `status`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search words."""
    id: str | Sequence[str]
    """Any of these."""
    status: types.VehicleStatus
    """Filter by status."""
    online: bool
    """Return only those online; `false` returns the others."""
    type: str
    """Filter by type."""
    make: str
    """Filter by make."""
    model: str
    """Filter by model."""
    vin: str
    """Filter by VIN."""
    plate_number: str
    """Filter by plate number."""
    internal_id: str
    """The company's own reference."""
    driver: str
    """Only this driver's vehicle."""
    fleet: str
    """Only members of this fleet."""


class VehiclesListPositionsQuery(TypedDict, total=False):
    """Parameters of `list_positions`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `recorded_at`."""
    since: str | datetime
    """Recorded at or after this time."""
    until: str | datetime
    """Recorded before this time."""


class Vehicles:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.VehicleIn]
    ) -> types.VehicleOut:
        """Create a vehicle."""
        return self._transport.call("POST", "/v1/vehicles", body=fields, options=options)

    def delete(self, vehicle_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a vehicle."""
        return self._transport.call(
            "DELETE", fill_path("/v1/vehicles/{vehicle_id}", vehicle_id), options=options
        )

    def get(self, vehicle_id: str, /, *, options: Options | None = None) -> types.VehicleOut:
        """Retrieve a vehicle."""
        return self._transport.call(
            "GET", fill_path("/v1/vehicles/{vehicle_id}", vehicle_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[VehiclesListQuery]
    ) -> Pages[types.VehicleOut]:
        """List vehicles."""
        return self._transport.list_pages("/v1/vehicles", query=query, options=options)

    def list_positions(
        self,
        vehicle_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[VehiclesListPositionsQuery],
    ) -> Pages[types.PositionOut]:
        """List a vehicle's positions, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/vehicles/{vehicle_id}/positions", vehicle_id),
            query=query,
            options=options,
        )

    def track(
        self, vehicle_id: str, /, *, options: Options | None = None, **fields: Unpack[types.TrackIn]
    ) -> types.VehicleOut:
        """Report a vehicle's position."""
        return self._transport.call(
            "POST",
            fill_path("/v1/vehicles/{vehicle_id}/track", vehicle_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        vehicle_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.VehicleChange],
    ) -> types.VehicleOut:
        """Update a vehicle."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/vehicles/{vehicle_id}", vehicle_id),
            body=fields,
            options=options,
        )


class AsyncVehicles:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.VehicleIn]
    ) -> types.VehicleOut:
        """Create a vehicle."""
        return await self._transport.call("POST", "/v1/vehicles", body=fields, options=options)

    async def delete(
        self, vehicle_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a vehicle."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/vehicles/{vehicle_id}", vehicle_id), options=options
        )

    async def get(self, vehicle_id: str, /, *, options: Options | None = None) -> types.VehicleOut:
        """Retrieve a vehicle."""
        return await self._transport.call(
            "GET", fill_path("/v1/vehicles/{vehicle_id}", vehicle_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[VehiclesListQuery]
    ) -> AsyncPages[types.VehicleOut]:
        """List vehicles."""
        return self._transport.list_pages("/v1/vehicles", query=query, options=options)

    def list_positions(
        self,
        vehicle_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[VehiclesListPositionsQuery],
    ) -> AsyncPages[types.PositionOut]:
        """List a vehicle's positions, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/vehicles/{vehicle_id}/positions", vehicle_id),
            query=query,
            options=options,
        )

    async def track(
        self, vehicle_id: str, /, *, options: Options | None = None, **fields: Unpack[types.TrackIn]
    ) -> types.VehicleOut:
        """Report a vehicle's position."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/vehicles/{vehicle_id}/track", vehicle_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        vehicle_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.VehicleChange],
    ) -> types.VehicleOut:
        """Update a vehicle."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/vehicles/{vehicle_id}", vehicle_id),
            body=fields,
            options=options,
        )
