# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.customers`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalCustomersExportQuery(TypedDict, total=False):
    """Parameters of `export`."""

    limit: int
    """Maximum number of results."""
    cursor: str
    """Cursor of the next page, from the `Link` header."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    format: Literal["json", "zip"]
    """One JSON document, or a ZIP archive with the images."""


class InternalCustomersListQuery(TypedDict, total=False):
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
    """Searched in name, email and phone."""
    store: str
    """Only customers of this store."""
    closed: bool
    """Only closed ones, or only open ones."""


class InternalCustomersListTokensQuery(TypedDict, total=False):
    """Parameters of `list_tokens`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    ended: bool
    """List sessions that ended within the last 30 days, instead of active ones."""


class InternalCustomers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def close(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CloseIn],
    ) -> types.CustomerDetailsOut:
        """Close a customer's account on the customer's behalf."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/close", customer_id),
            body=fields,
            options=options,
        )

    def delete_token(
        self, customer_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/customers/{customer_id}/tokens/{token_id}", customer_id, token_id),
            options=options,
        )

    def delete_tokens(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/customers/{customer_id}/tokens", customer_id),
            options=options,
        )

    def erase(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CloseIn],
    ) -> types.CustomerDetailsOut:
        """Close a customer's account if it is open, and erase it without the grace period."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/erase", customer_id),
            body=fields,
            options=options,
        )

    def export(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalCustomersExportQuery],
    ) -> types.CustomerExport:
        """Export all data of a customer."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/customers/{customer_id}/export", customer_id),
            query=query,
            options=options,
        )

    def get(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.CustomerDetailsOut:
        """Retrieve a customer."""
        return self._transport.call(
            "GET", fill_path("/int/v1/customers/{customer_id}", customer_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCustomersListQuery]
    ) -> Pages[types.CustomerDetailsOut]:
        """List customers, newest first."""
        return self._transport.list_pages("/int/v1/customers", query=query, options=options)

    def list_tokens(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalCustomersListTokensQuery],
    ) -> Pages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/customers/{customer_id}/tokens", customer_id),
            query=query,
            options=options,
        )

    def push(
        self, customer_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PushIn]
    ) -> types.PushQueued:
        """Send a push message to every device of a customer."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/push", customer_id),
            body=fields,
            options=options,
        )

    def restore(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.CustomerDetailsOut:
        """Restore a closed account before it is erased."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/restore", customer_id),
            options=options,
        )


class AsyncInternalCustomers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def close(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CloseIn],
    ) -> types.CustomerDetailsOut:
        """Close a customer's account on the customer's behalf."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/close", customer_id),
            body=fields,
            options=options,
        )

    async def delete_token(
        self, customer_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/customers/{customer_id}/tokens/{token_id}", customer_id, token_id),
            options=options,
        )

    async def delete_tokens(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/customers/{customer_id}/tokens", customer_id),
            options=options,
        )

    async def erase(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CloseIn],
    ) -> types.CustomerDetailsOut:
        """Close a customer's account if it is open, and erase it without the grace period."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/erase", customer_id),
            body=fields,
            options=options,
        )

    async def export(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalCustomersExportQuery],
    ) -> types.CustomerExport:
        """Export all data of a customer."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/customers/{customer_id}/export", customer_id),
            query=query,
            options=options,
        )

    async def get(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.CustomerDetailsOut:
        """Retrieve a customer."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/customers/{customer_id}", customer_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCustomersListQuery]
    ) -> AsyncPages[types.CustomerDetailsOut]:
        """List customers, newest first."""
        return self._transport.list_pages("/int/v1/customers", query=query, options=options)

    def list_tokens(
        self,
        customer_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalCustomersListTokensQuery],
    ) -> AsyncPages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/customers/{customer_id}/tokens", customer_id),
            query=query,
            options=options,
        )

    async def push(
        self, customer_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PushIn]
    ) -> types.PushQueued:
        """Send a push message to every device of a customer."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/push", customer_id),
            body=fields,
            options=options,
        )

    async def restore(
        self, customer_id: str, /, *, options: Options | None = None
    ) -> types.CustomerDetailsOut:
        """Restore a closed account before it is erased."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/customers/{customer_id}/restore", customer_id),
            options=options,
        )
