# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.vendors`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class VendorsListQuery(TypedDict, total=False):
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
    id: str | Sequence[str]
    """Any of these."""
    query: str
    """Part of the text to search for."""
    type: str
    """Filter by type."""
    internal_id: str
    """The company's own number."""
    email: str
    """Filter by email."""
    phone: str
    """With country code."""
    place: str
    """A place, by its identifier."""
    balance: types.BalanceKind
    """`owed`: owes something in a currency; `credit`: has a credit in one."""
    payment_status: types.CustomerPaymentStatus | Sequence[types.CustomerPaymentStatus]
    """Any of these."""
    business_id: str
    """The business registration number."""
    country: str
    """ISO 3166, two letters."""
    status: types.RecordStatus
    """Filter by status."""


class Vendors:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.VendorIn]
    ) -> types.VendorOut:
        """Create a vendor."""
        return self._transport.call("POST", "/v1/vendors", body=fields, options=options)

    def delete(self, vendor_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a vendor."""
        return self._transport.call(
            "DELETE", fill_path("/v1/vendors/{vendor_id}", vendor_id), options=options
        )

    def get(self, vendor_id: str, /, *, options: Options | None = None) -> types.VendorOut:
        """Retrieve a vendor."""
        return self._transport.call(
            "GET", fill_path("/v1/vendors/{vendor_id}", vendor_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[VendorsListQuery]
    ) -> Pages[types.VendorOut]:
        """List vendors."""
        return self._transport.list_pages("/v1/vendors", query=query, options=options)

    def update(
        self,
        vendor_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.VendorChange],
    ) -> types.VendorOut:
        """Update a vendor."""
        return self._transport.call(
            "PATCH", fill_path("/v1/vendors/{vendor_id}", vendor_id), body=fields, options=options
        )


class AsyncVendors:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.VendorIn]
    ) -> types.VendorOut:
        """Create a vendor."""
        return await self._transport.call("POST", "/v1/vendors", body=fields, options=options)

    async def delete(
        self, vendor_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a vendor."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/vendors/{vendor_id}", vendor_id), options=options
        )

    async def get(self, vendor_id: str, /, *, options: Options | None = None) -> types.VendorOut:
        """Retrieve a vendor."""
        return await self._transport.call(
            "GET", fill_path("/v1/vendors/{vendor_id}", vendor_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[VendorsListQuery]
    ) -> AsyncPages[types.VendorOut]:
        """List vendors."""
        return self._transport.list_pages("/v1/vendors", query=query, options=options)

    async def update(
        self,
        vendor_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.VendorChange],
    ) -> types.VendorOut:
        """Update a vendor."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/vendors/{vendor_id}", vendor_id), body=fields, options=options
        )
