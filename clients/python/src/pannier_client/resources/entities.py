# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.entities`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class EntitiesListQuery(TypedDict, total=False):
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
    """Beginnings of words."""
    payload: str
    """Payload, by UUID or public id."""
    destination: str
    """Filter by the stop where the item is delivered."""
    type: str
    """Filter by type."""
    internal_id: str
    """The company's own number."""
    sku: str
    """Filter by SKU."""
    customer: str
    """Customer, by UUID or public id."""


class Entities:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewEntity]
    ) -> types.EntityOut:
        """Create an entity, with or without a payload."""
        return self._transport.call("POST", "/v1/entities", body=fields, options=options)

    def delete(self, entity_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete an entity."""
        return self._transport.call(
            "DELETE", fill_path("/v1/entities/{entity_id}", entity_id), options=options
        )

    def get(self, entity_id: str, /, *, options: Options | None = None) -> types.EntityOut:
        """Retrieve an entity."""
        return self._transport.call(
            "GET", fill_path("/v1/entities/{entity_id}", entity_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[EntitiesListQuery]
    ) -> Pages[types.EntityOut]:
        """List entities."""
        return self._transport.list_pages("/v1/entities", query=query, options=options)

    def update(
        self,
        entity_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.EntityChange],
    ) -> types.EntityOut:
        """Update an entity, or move it to another payload."""
        return self._transport.call(
            "PATCH", fill_path("/v1/entities/{entity_id}", entity_id), body=fields, options=options
        )


class AsyncEntities:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewEntity]
    ) -> types.EntityOut:
        """Create an entity, with or without a payload."""
        return await self._transport.call("POST", "/v1/entities", body=fields, options=options)

    async def delete(
        self, entity_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete an entity."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/entities/{entity_id}", entity_id), options=options
        )

    async def get(self, entity_id: str, /, *, options: Options | None = None) -> types.EntityOut:
        """Retrieve an entity."""
        return await self._transport.call(
            "GET", fill_path("/v1/entities/{entity_id}", entity_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[EntitiesListQuery]
    ) -> AsyncPages[types.EntityOut]:
        """List entities."""
        return self._transport.list_pages("/v1/entities", query=query, options=options)

    async def update(
        self,
        entity_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.EntityChange],
    ) -> types.EntityOut:
        """Update an entity, or move it to another payload."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/entities/{entity_id}", entity_id), body=fields, options=options
        )
