# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleet_module.vehicles`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FleetModuleVehiclesGetTripsQuery(TypedDict, total=False):
    """Parameters of `get_trips`."""

    on: str
    """A day in the company's time zone. Defaults to today."""
    to: str | datetime
    """End of the period, at most 31 days long. Defaults to now."""
    track: Literal["positions", "roads"]
    """Lines follow the recorded `positions`, or the `roads` where the routing engine finds them."""


class FleetModuleVehicles:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_trips(
        self,
        vehicle_id: str,
        /,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleVehiclesGetTripsQuery],
    ) -> types.TripsOut:
        """List a vehicle's trips and stops on a day or in a period, with their route geometry."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/fleet-module/vehicles/{vehicle_id}/trips", vehicle_id),
            query={**query, "from": from_},
            options=options,
        )


class AsyncFleetModuleVehicles:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_trips(
        self,
        vehicle_id: str,
        /,
        *,
        from_: str | datetime | None = None,
        options: Options | None = None,
        **query: Unpack[FleetModuleVehiclesGetTripsQuery],
    ) -> types.TripsOut:
        """List a vehicle's trips and stops on a day or in a period, with their route geometry."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/fleet-module/vehicles/{vehicle_id}/trips", vehicle_id),
            query={**query, "from": from_},
            options=options,
        )
