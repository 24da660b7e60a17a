"""The rows of invoices. Amounts are whole minor units of the invoice's currency, with tax."""

from datetime import date, datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.row import PublicRow, VersionedRow
from pannier.invoices.document import DocumentKind, InvoiceDocument, Party
from pannier.payments.transactions.models import ChargeKind, CustomerType

InvoiceState = Literal["draft", "issued"]
# `balance` corrects earlier lines of a transaction that was voided or refunded.
LineKind = ChargeKind | Literal["balance"]


class Invoice(VersionedRow, kw_only=True):
    """An invoice or a credit note. An issued one never changes."""

    kind: DocumentKind = "invoice"
    state: InvoiceState = "draft"
    number: str | None = None
    customer: UUID
    customer_type: CustomerType
    currency: str
    # A draft gathers charges of these days and orders; None is any.
    period_from: date | None = None
    period_to: date | None = None
    orders: list[UUID] | None = None
    # The sums of the lines.
    amount: int = 0
    tax_amount: int = 0
    # What is still to be paid, and what credit notes have taken back.
    open_amount: int = 0
    credited_amount: int = 0
    issue_date: date | None = None
    issued_at: datetime | None = None
    due_date: date | None = None
    reference: str | None = None
    notes: str | None = None
    # The invoice that a credit note corrects, and why.
    refers_to: UUID | None = None
    reason: str | None = None
    # The buyer of a draft whose contact was erased.
    buyer: Party | None = None
    # Whether it names an erased contact, until the retention of billing data ends.
    names_erased: bool = False
    actor_kind: Kind
    actor_id: str
    actor_name: str


class LineContent(msgspec.Struct, frozen=True, kw_only=True):
    """What a line of an invoice says. Credits are negative."""

    transaction: UUID
    charge: UUID | None = None
    order_uuid: UUID | None = None
    kind: LineKind
    description: str
    day: date
    tax_rate: Decimal | None = None
    tax_amount: int
    amount: int
    # The line of an invoice that this line of a credit note takes back.
    credits: UUID | None = None


class InvoiceLine(PublicRow, kw_only=True):
    """A line of an invoice."""

    invoice: UUID
    position: int
    customer: UUID
    transaction: UUID
    charge: UUID | None = None
    order_uuid: UUID | None = None
    kind: LineKind
    description: str
    day: date
    tax_rate: Decimal | None = None
    tax_amount: int
    amount: int
    credits: UUID | None = None


class InvoiceShare(msgspec.Struct, kw_only=True):
    """The part of an issued document that belongs to a transaction, less its credit notes."""

    invoice: UUID
    transaction: UUID
    company: UUID
    customer: UUID
    issued_at: datetime
    amount: int
    # What of the amount is still to be paid.
    open_amount: int


class FrozenDocument(msgspec.Struct, kw_only=True):
    """The contents of an issued document, from which it is printed."""

    invoice: UUID
    company: UUID
    document: InvoiceDocument
