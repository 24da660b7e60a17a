# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.service_quotes`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalServiceQuotesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    state: types.QuoteState
    """Filter by stored state; see also `status`."""


class InternalServiceQuotesPreviewQuery(TypedDict, total=False):
    """Parameters of `preview`."""

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
    payload: str
    """Replaces all locations and items."""
    facilitator: str
    """A vendor or a contact."""
    customer: str
    """Also use the rates of this customer, contact or vendor."""
    order_config: str
    """An order configuration, or its key."""
    distance: int
    """Metres of the route, instead of measuring it."""
    time: int
    """Seconds of the route, instead of measuring it."""
    limit: int
    """Number of quotes."""
    explain: bool
    """Also list the other rates and their reasons."""


class InternalServiceQuotes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def accept(
        self,
        service_quote_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.AcceptIn],
    ) -> types.TransactionOut:
        """Accept a quote."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/service-quotes/{service_quote_id}/accept", service_quote_id),
            body=fields,
            options=options,
        )

    def get(
        self, service_quote_id: str, /, *, options: Options | None = None
    ) -> types.OrderQuoteOut:
        """Retrieve a quote."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/service-quotes/{service_quote_id}", service_quote_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceQuotesListQuery]
    ) -> Pages[types.OrderQuoteOut]:
        """List the quotes of all orders, newest first."""
        return self._transport.list_pages("/int/v1/service-quotes", query=query, options=options)

    def preview(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceQuotesPreviewQuery]
    ) -> builtins.list[types.QuoteOut] | types.ExplainedOut:
        """List a shipment's prices under every rate that applies, cheapest first."""
        return self._transport.call(
            "GET", "/int/v1/service-quotes/preview", query=query, options=options
        )


class AsyncInternalServiceQuotes:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def accept(
        self,
        service_quote_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.AcceptIn],
    ) -> types.TransactionOut:
        """Accept a quote."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/service-quotes/{service_quote_id}/accept", service_quote_id),
            body=fields,
            options=options,
        )

    async def get(
        self, service_quote_id: str, /, *, options: Options | None = None
    ) -> types.OrderQuoteOut:
        """Retrieve a quote."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/service-quotes/{service_quote_id}", service_quote_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceQuotesListQuery]
    ) -> AsyncPages[types.OrderQuoteOut]:
        """List the quotes of all orders, newest first."""
        return self._transport.list_pages("/int/v1/service-quotes", query=query, options=options)

    async def preview(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceQuotesPreviewQuery]
    ) -> builtins.list[types.QuoteOut] | types.ExplainedOut:
        """List a shipment's prices under every rate that applies, cheapest first."""
        return await self._transport.call(
            "GET", "/int/v1/service-quotes/preview", query=query, options=options
        )
