# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.storefronts`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalStorefrontsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""


class InternalStorefronts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, storefront_id: str, /, *, options: Options | None = None) -> types.StorefrontOut:
        """Retrieve a storefront, without the secrets of its sign-in providers."""
        return self._transport.call(
            "GET", fill_path("/int/v1/storefronts/{storefront_id}", storefront_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalStorefrontsListQuery]
    ) -> Pages[types.StorefrontOut]:
        """List storefronts."""
        return self._transport.list_pages("/int/v1/storefronts", query=query, options=options)

    def update(
        self,
        storefront_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.StorefrontChange],
    ) -> types.StorefrontOut:
        """Update a storefront's name, sign-in providers or settings."""
        return self._transport.call(
            "PATCH",
            fill_path("/int/v1/storefronts/{storefront_id}", storefront_id),
            body=fields,
            options=options,
        )


class AsyncInternalStorefronts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self, storefront_id: str, /, *, options: Options | None = None
    ) -> types.StorefrontOut:
        """Retrieve a storefront, without the secrets of its sign-in providers."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/storefronts/{storefront_id}", storefront_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalStorefrontsListQuery]
    ) -> AsyncPages[types.StorefrontOut]:
        """List storefronts."""
        return self._transport.list_pages("/int/v1/storefronts", query=query, options=options)

    async def update(
        self,
        storefront_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.StorefrontChange],
    ) -> types.StorefrontOut:
        """Update a storefront's name, sign-in providers or settings."""
        return await self._transport.call(
            "PATCH",
            fill_path("/int/v1/storefronts/{storefront_id}", storefront_id),
            body=fields,
            options=options,
        )
