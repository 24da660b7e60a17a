# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.places`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class PlacesListQuery(TypedDict, total=False):
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
    id: str | Sequence[str]
    """Any of these."""
    query: str
    """Text to search for."""
    type: str
    """Filter by type."""
    country: str
    """ISO 3166, two letters."""
    city: str
    """Filter by city."""
    postal_code: str
    """Filter by postal code."""
    owner_type: types.PlaceOwnerType
    """Filter by owner type."""


class Places:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.PlaceIn]
    ) -> types.PlaceOut:
        """Create a place."""
        return self._transport.call("POST", "/v1/places", body=fields, options=options)

    def delete(self, place_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a place."""
        return self._transport.call(
            "DELETE", fill_path("/v1/places/{place_id}", place_id), options=options
        )

    def get(self, place_id: str, /, *, options: Options | None = None) -> types.PlaceOut:
        """Retrieve a place."""
        return self._transport.call(
            "GET", fill_path("/v1/places/{place_id}", place_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PlacesListQuery]
    ) -> Pages[types.PlaceOut]:
        """List places."""
        return self._transport.list_pages("/v1/places", query=query, options=options)

    def look_up(
        self, *, options: Options | None = None, **fields: Unpack[types.LookupIn]
    ) -> types.LookupOut:
        """Suggest addresses for the text typed so far."""
        return self._transport.call("POST", "/v1/places/lookup", body=fields, options=options)

    def update(
        self, place_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlaceIn]
    ) -> types.PlaceOut:
        """Update a place."""
        return self._transport.call(
            "PATCH", fill_path("/v1/places/{place_id}", place_id), body=fields, options=options
        )


class AsyncPlaces:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.PlaceIn]
    ) -> types.PlaceOut:
        """Create a place."""
        return await self._transport.call("POST", "/v1/places", body=fields, options=options)

    async def delete(
        self, place_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a place."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/places/{place_id}", place_id), options=options
        )

    async def get(self, place_id: str, /, *, options: Options | None = None) -> types.PlaceOut:
        """Retrieve a place."""
        return await self._transport.call(
            "GET", fill_path("/v1/places/{place_id}", place_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PlacesListQuery]
    ) -> AsyncPages[types.PlaceOut]:
        """List places."""
        return self._transport.list_pages("/v1/places", query=query, options=options)

    async def look_up(
        self, *, options: Options | None = None, **fields: Unpack[types.LookupIn]
    ) -> types.LookupOut:
        """Suggest addresses for the text typed so far."""
        return await self._transport.call("POST", "/v1/places/lookup", body=fields, options=options)

    async def update(
        self, place_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlaceIn]
    ) -> types.PlaceOut:
        """Update a place."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/places/{place_id}", place_id), body=fields, options=options
        )
