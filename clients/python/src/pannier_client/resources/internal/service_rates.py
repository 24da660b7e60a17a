# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.service_rates`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalServiceRatesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `service_name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search text, matched against the beginnings of words in names and numbers."""
    service_type: str
    """Filter by service type."""
    status: types.RecordStatus
    """Filter by status."""
    public: bool
    """Return only rates that storefronts can see; `false` returns the others."""
    currency: str
    """ISO 4217 code."""
    service_area: str
    """A service area, by its identifier."""
    zone: str
    """A zone."""


class InternalServiceRates:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ServiceRateIn]
    ) -> types.ServiceRateOut:
        """Create a service rate."""
        return self._transport.call("POST", "/int/v1/service-rates", body=fields, options=options)

    def delete(
        self, service_rate_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a service rate."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            options=options,
        )

    def get(
        self, service_rate_id: str, /, *, options: Options | None = None
    ) -> types.ServiceRateOut:
        """Retrieve a service rate."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceRatesListQuery]
    ) -> Pages[types.ServiceRateOut]:
        """List service rates."""
        return self._transport.list_pages("/int/v1/service-rates", query=query, options=options)

    def preview(
        self, *, options: Options | None = None, **fields: Unpack[types.PreviewIn]
    ) -> types.PreviewOut:
        """Price a shipment with one rate or all rates, or explain why no price applies."""
        return self._transport.call(
            "POST", "/int/v1/service-rates/preview", body=fields, options=options
        )

    def update(
        self,
        service_rate_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ServiceRateChange],
    ) -> types.ServiceRateOut:
        """Update a service rate."""
        return self._transport.call(
            "PATCH",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            body=fields,
            options=options,
        )


class AsyncInternalServiceRates:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ServiceRateIn]
    ) -> types.ServiceRateOut:
        """Create a service rate."""
        return await self._transport.call(
            "POST", "/int/v1/service-rates", body=fields, options=options
        )

    async def delete(
        self, service_rate_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a service rate."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            options=options,
        )

    async def get(
        self, service_rate_id: str, /, *, options: Options | None = None
    ) -> types.ServiceRateOut:
        """Retrieve a service rate."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalServiceRatesListQuery]
    ) -> AsyncPages[types.ServiceRateOut]:
        """List service rates."""
        return self._transport.list_pages("/int/v1/service-rates", query=query, options=options)

    async def preview(
        self, *, options: Options | None = None, **fields: Unpack[types.PreviewIn]
    ) -> types.PreviewOut:
        """Price a shipment with one rate or all rates, or explain why no price applies."""
        return await self._transport.call(
            "POST", "/int/v1/service-rates/preview", body=fields, options=options
        )

    async def update(
        self,
        service_rate_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ServiceRateChange],
    ) -> types.ServiceRateOut:
        """Update a service rate."""
        return await self._transport.call(
            "PATCH",
            fill_path("/int/v1/service-rates/{service_rate_id}", service_rate_id),
            body=fields,
            options=options,
        )
