# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.storefront.addresses`."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Required, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class StorefrontAddressesFindByLocationQuery(TypedDict, total=False):
    """Parameters of `find_by_location`."""

    location: Required[str]
    """`latitude,longitude` or GeoJSON."""


class StorefrontAddressesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    query: Required[str]
    """An address or its beginning: street, house number, postcode and city in any order."""
    near: str
    """`latitude,longitude` or GeoJSON. Addresses near it come first."""
    country: str
    """Only addresses in this country."""
    limit: int
    """Filter by limit."""


class StorefrontAddresses:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def find_by_location(
        self,
        *,
        options: Options | None = None,
        **query: Unpack[StorefrontAddressesFindByLocationQuery],
    ) -> types.AddressOut:
        """Find the address of a point: the nearest house, street or place."""
        return self._transport.call(
            "GET", "/storefront/v1/addresses/reverse", query=query, options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[StorefrontAddressesListQuery]
    ) -> builtins.list[types.AddressOut]:
        """Suggest addresses for the text typed so far, best match first."""
        return self._transport.call("GET", "/storefront/v1/addresses", query=query, options=options)


class AsyncStorefrontAddresses:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def find_by_location(
        self,
        *,
        options: Options | None = None,
        **query: Unpack[StorefrontAddressesFindByLocationQuery],
    ) -> types.AddressOut:
        """Find the address of a point: the nearest house, street or place."""
        return await self._transport.call(
            "GET", "/storefront/v1/addresses/reverse", query=query, options=options
        )

    async def list(
        self, *, options: Options | None = None, **query: Unpack[StorefrontAddressesListQuery]
    ) -> builtins.list[types.AddressOut]:
        """Suggest addresses for the text typed so far, best match first."""
        return await self._transport.call(
            "GET", "/storefront/v1/addresses", query=query, options=options
        )
