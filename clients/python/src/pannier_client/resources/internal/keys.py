# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.keys`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalKeysListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    kind: types.KeyKind
    """Filter by kind."""
    revoked: bool
    """Return only revoked keys; `false` returns active ones."""


class InternalKeys:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.KeyIn]
    ) -> types.NewKeyOut:
        """Create a key."""
        return self._transport.call("POST", "/int/v1/keys", body=fields, options=options)

    def delete(self, key_id: str, /, *, options: Options | None = None) -> types.KeyOut:
        """Revoke a key."""
        return self._transport.call(
            "DELETE", fill_path("/int/v1/keys/{key_id}", key_id), options=options
        )

    def get(self, key_id: str, /, *, options: Options | None = None) -> types.KeyOut:
        """Retrieve a key."""
        return self._transport.call(
            "GET", fill_path("/int/v1/keys/{key_id}", key_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalKeysListQuery]
    ) -> Pages[types.KeyOut]:
        """List keys."""
        return self._transport.list_pages("/int/v1/keys", query=query, options=options)

    def rotate(
        self, key_id: str, /, *, options: Options | None = None, **fields: Unpack[types.KeyRotation]
    ) -> types.NewKeyOut:
        """Replace a key."""
        return self._transport.call(
            "POST", fill_path("/int/v1/keys/{key_id}/rotate", key_id), body=fields, options=options
        )

    def update(
        self, key_id: str, /, *, options: Options | None = None, **fields: Unpack[types.KeyChange]
    ) -> types.KeyOut:
        """Update a key."""
        return self._transport.call(
            "PATCH", fill_path("/int/v1/keys/{key_id}", key_id), body=fields, options=options
        )


class AsyncInternalKeys:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.KeyIn]
    ) -> types.NewKeyOut:
        """Create a key."""
        return await self._transport.call("POST", "/int/v1/keys", body=fields, options=options)

    async def delete(self, key_id: str, /, *, options: Options | None = None) -> types.KeyOut:
        """Revoke a key."""
        return await self._transport.call(
            "DELETE", fill_path("/int/v1/keys/{key_id}", key_id), options=options
        )

    async def get(self, key_id: str, /, *, options: Options | None = None) -> types.KeyOut:
        """Retrieve a key."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/keys/{key_id}", key_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalKeysListQuery]
    ) -> AsyncPages[types.KeyOut]:
        """List keys."""
        return self._transport.list_pages("/int/v1/keys", query=query, options=options)

    async def rotate(
        self, key_id: str, /, *, options: Options | None = None, **fields: Unpack[types.KeyRotation]
    ) -> types.NewKeyOut:
        """Replace a key."""
        return await self._transport.call(
            "POST", fill_path("/int/v1/keys/{key_id}/rotate", key_id), body=fields, options=options
        )

    async def update(
        self, key_id: str, /, *, options: Options | None = None, **fields: Unpack[types.KeyChange]
    ) -> types.KeyOut:
        """Update a key."""
        return await self._transport.call(
            "PATCH", fill_path("/int/v1/keys/{key_id}", key_id), body=fields, options=options
        )
