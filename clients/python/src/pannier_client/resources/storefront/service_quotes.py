# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.storefront.service_quotes`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class StorefrontServiceQuotesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    pickup: str | types.PlaceIn | types.GeoJsonPoint | Sequence[float]
    """A place's identifier, a point, or an address with a point."""
    dropoff: str | types.PlaceIn | types.GeoJsonPoint | Sequence[float]
    """A place's identifier, a point, or an address with a point."""
    waypoints: (
        str
        | types.PlaceIn
        | types.PlacedStop
        | types.GeoJsonPoint
        | Sequence[float]
        | Sequence[str | types.PlaceIn | types.PlacedStop | types.GeoJsonPoint | Sequence[float]]
    )
    """Stops in order, between `pickup` and `dropoff` if these are sent."""
    entities: types.ItemIn | Sequence[types.ItemIn]
    """Items to deliver."""
    scheduled_at: str | datetime
    """The scheduled time. Defaults to now."""
    cod: str | int | bool
    """Cash to collect, in minor units, or `true`: only rates that accept cash."""
    currency: str
    """Only rates in this currency."""
    service_type: str
    """Only rates of this type."""
    limit: int
    """Number of quotes."""


class StorefrontServiceQuotes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, options: Options | None = None, **query: Unpack[StorefrontServiceQuotesListQuery]
    ) -> builtins.list[types.QuoteOut]:
        """List a shipment's prices under every rate visible in the store, cheapest first."""
        return self._transport.call(
            "GET", "/storefront/v1/service-quotes", query=query, options=options
        )


class AsyncStorefrontServiceQuotes:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self, *, options: Options | None = None, **query: Unpack[StorefrontServiceQuotesListQuery]
    ) -> builtins.list[types.QuoteOut]:
        """List a shipment's prices under every rate visible in the store, cheapest first."""
        return await self._transport.call(
            "GET", "/storefront/v1/service-quotes", query=query, options=options
        )
