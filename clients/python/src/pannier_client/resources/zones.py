# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.zones`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class ZonesListQuery(TypedDict, total=False):
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
    service_area: str
    """A service area, by its identifier."""


class Zones:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ZoneIn]
    ) -> types.ZoneOut:
        """Create a zone from a border, or from a center and a radius."""
        return self._transport.call("POST", "/v1/zones", body=fields, options=options)

    def delete(self, zone_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a zone."""
        return self._transport.call(
            "DELETE", fill_path("/v1/zones/{zone_id}", zone_id), options=options
        )

    def get(self, zone_id: str, /, *, options: Options | None = None) -> types.ZoneOut:
        """Retrieve a zone."""
        return self._transport.call(
            "GET", fill_path("/v1/zones/{zone_id}", zone_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ZonesListQuery]
    ) -> Pages[types.ZoneOut]:
        """List zones."""
        return self._transport.list_pages("/v1/zones", query=query, options=options)

    def update(
        self, zone_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ZoneChange]
    ) -> types.ZoneOut:
        """Update a zone."""
        return self._transport.call(
            "PATCH", fill_path("/v1/zones/{zone_id}", zone_id), body=fields, options=options
        )


class AsyncZones:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ZoneIn]
    ) -> types.ZoneOut:
        """Create a zone from a border, or from a center and a radius."""
        return await self._transport.call("POST", "/v1/zones", body=fields, options=options)

    async def delete(
        self, zone_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a zone."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/zones/{zone_id}", zone_id), options=options
        )

    async def get(self, zone_id: str, /, *, options: Options | None = None) -> types.ZoneOut:
        """Retrieve a zone."""
        return await self._transport.call(
            "GET", fill_path("/v1/zones/{zone_id}", zone_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ZonesListQuery]
    ) -> AsyncPages[types.ZoneOut]:
        """List zones."""
        return self._transport.list_pages("/v1/zones", query=query, options=options)

    async def update(
        self, zone_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ZoneChange]
    ) -> types.ZoneOut:
        """Update a zone."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/zones/{zone_id}", zone_id), body=fields, options=options
        )
