# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.invoices`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Required, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import OMITTED, Omitted, Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InvoicesListQuery(TypedDict, total=False):
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
    status: types.InvoiceStatus | Sequence[types.InvoiceStatus]
    """Filter by status."""
    kind: types.InvoiceKind
    """Filter by kind."""
    customer: str
    """Filter by customer."""
    currency: str
    """ISO 4217. Required if the charges have several currencies."""
    number: str
    """Its number."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    issued_since: str
    """The first day of issue."""
    issued_until: str
    """The last day of issue."""
    due_since: str
    """The first due date."""
    due_until: str
    """The last due date."""


class InvoicesListAgeingQuery(TypedDict, total=False):
    """Parameters of `list_ageing`."""

    customer: str
    """Filter by customer."""
    currency: str
    """ISO 4217. Required if the charges have several currencies."""


class Invoices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        from_: str | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceIn],
    ) -> types.InvoiceDetailsOut:
        """Create a draft of what a customer was not invoiced for yet."""
        return self._transport.call(
            "POST", "/v1/invoices", body={**fields, "from": from_}, options=options
        )

    def create_credit_note(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CreditNoteIn],
    ) -> types.InvoiceDetailsOut:
        """Issue a credit note that takes back an invoice, in full or in part."""
        return self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/credit-note", invoice_id),
            body=fields,
            options=options,
        )

    def create_payment(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PaymentIn],
    ) -> types.InvoiceDetailsOut:
        """Record money that was received for an invoice, in full or in part."""
        return self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/payments", invoice_id),
            body=fields,
            options=options,
        )

    def delete(self, invoice_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a draft."""
        return self._transport.call(
            "DELETE", fill_path("/v1/invoices/{invoice_id}", invoice_id), options=options
        )

    def download_pdf(self, invoice_id: str, /, *, options: Options | None = None) -> bytes:
        """Download an invoice as PDF."""
        return self._transport.download(
            fill_path("/v1/invoices/{invoice_id}.pdf", invoice_id), options=options
        )

    def download_xml(self, invoice_id: str, /, *, options: Options | None = None) -> bytes:
        """Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931."""
        return self._transport.download(
            fill_path("/v1/invoices/{invoice_id}.xml", invoice_id), options=options
        )

    def get(self, invoice_id: str, /, *, options: Options | None = None) -> types.InvoiceDetailsOut:
        """Retrieve an invoice with its lines."""
        return self._transport.call(
            "GET", fill_path("/v1/invoices/{invoice_id}", invoice_id), options=options
        )

    def issue(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.InvoiceDetailsOut:
        """Issue a draft: it gets the next number and never changes again."""
        return self._transport.call(
            "POST", fill_path("/v1/invoices/{invoice_id}/issue", invoice_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InvoicesListQuery]
    ) -> Pages[types.InvoiceOut]:
        """List invoices."""
        return self._transport.list_pages("/v1/invoices", query=query, options=options)

    def list_ageing(
        self, *, options: Options | None = None, **query: Unpack[InvoicesListAgeingQuery]
    ) -> builtins.list[types.AgeingOut]:
        """List what customers still have to pay, by how long it is overdue."""
        return self._transport.call("GET", "/v1/invoices/ageing", query=query, options=options)

    def refresh(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.InvoiceDetailsOut:
        """Gather the lines of a draft again."""
        return self._transport.call(
            "POST", fill_path("/v1/invoices/{invoice_id}/refresh", invoice_id), options=options
        )

    def send(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceSendIn],
    ) -> types.MessageOut:
        """Email an issued invoice to the customer, with a link to its PDF."""
        return self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/send", invoice_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceChange],
    ) -> types.InvoiceDetailsOut:
        """Update the texts and the due date of a draft."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/invoices/{invoice_id}", invoice_id),
            body=fields,
            options=options,
        )


class AsyncInvoices:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        from_: str | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceIn],
    ) -> types.InvoiceDetailsOut:
        """Create a draft of what a customer was not invoiced for yet."""
        return await self._transport.call(
            "POST", "/v1/invoices", body={**fields, "from": from_}, options=options
        )

    async def create_credit_note(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CreditNoteIn],
    ) -> types.InvoiceDetailsOut:
        """Issue a credit note that takes back an invoice, in full or in part."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/credit-note", invoice_id),
            body=fields,
            options=options,
        )

    async def create_payment(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PaymentIn],
    ) -> types.InvoiceDetailsOut:
        """Record money that was received for an invoice, in full or in part."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/payments", invoice_id),
            body=fields,
            options=options,
        )

    async def delete(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a draft."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/invoices/{invoice_id}", invoice_id), options=options
        )

    async def download_pdf(self, invoice_id: str, /, *, options: Options | None = None) -> bytes:
        """Download an invoice as PDF."""
        return await self._transport.download(
            fill_path("/v1/invoices/{invoice_id}.pdf", invoice_id), options=options
        )

    async def download_xml(self, invoice_id: str, /, *, options: Options | None = None) -> bytes:
        """Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931."""
        return await self._transport.download(
            fill_path("/v1/invoices/{invoice_id}.xml", invoice_id), options=options
        )

    async def get(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.InvoiceDetailsOut:
        """Retrieve an invoice with its lines."""
        return await self._transport.call(
            "GET", fill_path("/v1/invoices/{invoice_id}", invoice_id), options=options
        )

    async def issue(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.InvoiceDetailsOut:
        """Issue a draft: it gets the next number and never changes again."""
        return await self._transport.call(
            "POST", fill_path("/v1/invoices/{invoice_id}/issue", invoice_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InvoicesListQuery]
    ) -> AsyncPages[types.InvoiceOut]:
        """List invoices."""
        return self._transport.list_pages("/v1/invoices", query=query, options=options)

    async def list_ageing(
        self, *, options: Options | None = None, **query: Unpack[InvoicesListAgeingQuery]
    ) -> builtins.list[types.AgeingOut]:
        """List what customers still have to pay, by how long it is overdue."""
        return await self._transport.call(
            "GET", "/v1/invoices/ageing", query=query, options=options
        )

    async def refresh(
        self, invoice_id: str, /, *, options: Options | None = None
    ) -> types.InvoiceDetailsOut:
        """Gather the lines of a draft again."""
        return await self._transport.call(
            "POST", fill_path("/v1/invoices/{invoice_id}/refresh", invoice_id), options=options
        )

    async def send(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceSendIn],
    ) -> types.MessageOut:
        """Email an issued invoice to the customer, with a link to its PDF."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/invoices/{invoice_id}/send", invoice_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        invoice_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.InvoiceChange],
    ) -> types.InvoiceDetailsOut:
        """Update the texts and the due date of a draft."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/invoices/{invoice_id}", invoice_id),
            body=fields,
            options=options,
        )
