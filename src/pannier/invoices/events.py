"""Events of invoices."""

from collections.abc import Mapping
from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.invoices import queries
from pannier.invoices.document import DocumentKind
from pannier.invoices.models import Invoice
from pannier.invoices.schemas import Gross, InvoiceId, InvoiceOut, Number
from pannier.payments.transactions.models import CustomerType
from pannier.payments.transactions.schemas import Currency, CustomerId, TaxAmount
from pannier.web.serialization import to_schema
from pannier.web.times import Time


class InvoiceIssued(msgspec.Struct, kw_only=True):
    """An invoice or a credit note was issued. It has a number and never changes.

    Emitted by `POST /v1/invoices/{invoice_id}/issue` and
    `POST /v1/invoices/{invoice_id}/credit-note`.
    """

    id: Annotated[InvoiceId, Meta(description="The document, by public id.")]
    public_id: Annotated[InvoiceId, Meta(description="The same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The UUID.")]
    kind: Annotated[DocumentKind, Meta(description="The kind of document.")]
    number: Number
    customer: Annotated[CustomerId, Meta(description="The contact or vendor, by public id.")]
    customer_type: Annotated[CustomerType, Meta(description="The kind of customer.")]
    currency: Currency
    amount: Gross
    tax_amount: TaxAmount
    open_amount: Annotated[int, Meta(description="What is still to be paid.", examples=[1496])]
    issue_date: Annotated[
        str, Meta(description="In the company's time zone.", examples=["2026-02-01"])
    ]
    due_date: Annotated[
        str | None, Meta(description="The last day for the payment.", examples=["2026-02-15"])
    ]
    refers_to: Annotated[
        InvoiceId | None, Meta(description="The invoice that a credit note corrects.")
    ]
    issued_at: Annotated[Time | None, Meta(description="Time of issue.")]
    created_at: Annotated[Time, Meta(description="Time of the draft.")]

    @classmethod
    def from_out(cls, invoice: InvoiceOut) -> Self:
        """Build the event data from the API's output."""
        return to_schema(
            invoice,
            cls,
            issue_date=str(invoice.issue_date),
            due_date=invoice.due_date and str(invoice.due_date),
        )


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {Name.INVOICE_ISSUED: InvoiceIssued}


async def emit_issued(db: Db, invoice: Invoice) -> None:
    """Emit the event of an issued document."""
    (out,) = await queries.load_invoices_out(db, invoice.company, [invoice])
    await outbox.emit(
        db,
        invoice.company,
        Name.INVOICE_ISSUED,
        InvoiceIssued.from_out(out),
        subject=invoice.public_id,
    )
