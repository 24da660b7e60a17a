# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.contacts`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class ContactsListQuery(TypedDict, total=False):
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


class Contacts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ContactIn]
    ) -> types.ContactOut:
        """Create a contact."""
        return self._transport.call("POST", "/v1/contacts", body=fields, options=options)

    def delete(self, contact_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a contact."""
        return self._transport.call(
            "DELETE", fill_path("/v1/contacts/{contact_id}", contact_id), options=options
        )

    def get(self, contact_id: str, /, *, options: Options | None = None) -> types.ContactOut:
        """Retrieve a contact."""
        return self._transport.call(
            "GET", fill_path("/v1/contacts/{contact_id}", contact_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ContactsListQuery]
    ) -> Pages[types.ContactOut]:
        """List contacts."""
        return self._transport.list_pages("/v1/contacts", query=query, options=options)

    def update(
        self,
        contact_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ContactChange],
    ) -> types.ContactOut:
        """Update a contact."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/contacts/{contact_id}", contact_id),
            body=fields,
            options=options,
        )


class AsyncContacts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ContactIn]
    ) -> types.ContactOut:
        """Create a contact."""
        return await self._transport.call("POST", "/v1/contacts", body=fields, options=options)

    async def delete(
        self, contact_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a contact."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/contacts/{contact_id}", contact_id), options=options
        )

    async def get(self, contact_id: str, /, *, options: Options | None = None) -> types.ContactOut:
        """Retrieve a contact."""
        return await self._transport.call(
            "GET", fill_path("/v1/contacts/{contact_id}", contact_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ContactsListQuery]
    ) -> AsyncPages[types.ContactOut]:
        """List contacts."""
        return self._transport.list_pages("/v1/contacts", query=query, options=options)

    async def update(
        self,
        contact_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ContactChange],
    ) -> types.ContactOut:
        """Update a contact."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/contacts/{contact_id}", contact_id),
            body=fields,
            options=options,
        )
