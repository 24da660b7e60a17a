# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleet_module.whereabouts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FleetModuleWhereaboutsGetQuery(TypedDict, total=False):
    """Parameters of `get`."""

    id: str | Sequence[str]
    """Filter by vehicle, or by driver without a vehicle."""
    query: str
    """Search words."""
    state: (
        Literal["moving", "never_seen", "offline", "stale", "standing"]
        | Sequence[Literal["moving", "never_seen", "offline", "stale", "standing"]]
    )
    """In any of these states."""
    fleet: str
    """Only members of this fleet."""
    limit: int
    """Maximum number of units."""


class FleetModuleWhereabouts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleWhereaboutsGetQuery]
    ) -> types.WhereaboutsOut:
        """List positions of vehicles, and of drivers without one, with counts by state."""
        return self._transport.call(
            "GET", "/int/v1/fleet-module/whereabouts", query=query, options=options
        )


class AsyncFleetModuleWhereabouts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self, *, options: Options | None = None, **query: Unpack[FleetModuleWhereaboutsGetQuery]
    ) -> types.WhereaboutsOut:
        """List positions of vehicles, and of drivers without one, with counts by state."""
        return await self._transport.call(
            "GET", "/int/v1/fleet-module/whereabouts", query=query, options=options
        )
