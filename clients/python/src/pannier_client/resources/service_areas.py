# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.service_areas`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class ServiceAreasListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    id: str | Sequence[str]
    """Any of these."""
    query: str
    """Text to search for."""
    type: str
    """Filter by type."""
    country: str
    """ISO 3166, two letters."""
    status: types.RecordStatus
    """Filter by status."""
    location: str
    """Only active ones that contain this point: `latitude,longitude`."""


class ServiceAreas:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.AreaIn]
    ) -> types.AreaOut:
        """Create a service area from a border, or from a center and a radius."""
        return self._transport.call("POST", "/v1/service-areas", body=fields, options=options)

    def delete(
        self, service_area_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a service area."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            options=options,
        )

    def get(self, service_area_id: str, /, *, options: Options | None = None) -> types.AreaOut:
        """Retrieve a service area."""
        return self._transport.call(
            "GET",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ServiceAreasListQuery]
    ) -> Pages[types.AreaOut]:
        """List service areas."""
        return self._transport.list_pages("/v1/service-areas", query=query, options=options)

    def update(
        self,
        service_area_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.AreaChange],
    ) -> types.AreaOut:
        """Update a service area."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            body=fields,
            options=options,
        )


class AsyncServiceAreas:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.AreaIn]
    ) -> types.AreaOut:
        """Create a service area from a border, or from a center and a radius."""
        return await self._transport.call("POST", "/v1/service-areas", body=fields, options=options)

    async def delete(
        self, service_area_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a service area."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            options=options,
        )

    async def get(
        self, service_area_id: str, /, *, options: Options | None = None
    ) -> types.AreaOut:
        """Retrieve a service area."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ServiceAreasListQuery]
    ) -> AsyncPages[types.AreaOut]:
        """List service areas."""
        return self._transport.list_pages("/v1/service-areas", query=query, options=options)

    async def update(
        self,
        service_area_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.AreaChange],
    ) -> types.AreaOut:
        """Update a service area."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/service-areas/{service_area_id}", service_area_id),
            body=fields,
            options=options,
        )
