"""Invoices in JSON."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, ClassVar, Final, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.invoices.document import DocumentKind, InvoiceDocument, Party, TaxTotal
from pannier.invoices.models import Invoice, InvoiceLine, LineKind
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.payments.transactions.models import CustomerType
from pannier.payments.transactions.schemas import Currency, CustomerId, TaxAmount, TaxRate
from pannier.web.fields import Clearable
from pannier.web.identifiers import OrderId, OrderReference, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Day, Moment, Time

MAX_ORDERS: Final = 500

InvoiceStatus = Literal["draft", "issued", "overdue", "paid", "credited"]
InvoiceId = Annotated[str, identifier("invoice_3HtVb8QmZ5wKxR2d", max_length=100)]
LineId = Annotated[str, identifier("line_9MpXc4TzW7qLkB2v", max_length=100)]
Number = Annotated[
    str, Meta(min_length=1, max_length=64, description="Its number.", examples=["INV-2026-00042"])
]
InvoiceReference = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The customer's reference, such as an order number.",
        examples=["PO 4711"],
    ),
]
Notes = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        description="A text for the customer.",
        examples=["Thank you for your business."],
    ),
]
CreditReason = Annotated[
    str, Meta(min_length=1, max_length=500, examples=["The wrong weight was invoiced."])
]
CurrencyIn = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{3}\Z",
        description="ISO 4217. Required if the charges have several currencies.",
        examples=["SGD"],
        extra={MESSAGE: "must be a currency code of three letters, such as SGD."},
    ),
]
Gross = Annotated[
    int, Meta(description="With tax, in whole minor units of the currency.", examples=[1496])
]
Net = Annotated[
    int, Meta(description="Without tax, in whole minor units of the currency.", examples=[1192])
]


class InvoiceIn(msgspec.Struct, kw_only=True):
    """What to invoice to a customer."""

    customer: CustomerId
    from_: Annotated[
        Day | None,
        Meta(
            description="The first day of the charges, in the company's time zone.",
            examples=["2026-01-01"],
        ),
    ] = msgspec.field(default=None, name="from")
    to: Annotated[
        Day | None, Meta(description="The last day of the charges, in the company's time zone.")
    ] = None
    orders: Annotated[
        Annotated[list[OrderReference], Meta(min_length=1, max_length=MAX_ORDERS)] | None,
        Meta(description="Only charges of these orders."),
    ] = None
    currency: CurrencyIn | None = None
    reference: InvoiceReference | None = None
    notes: Notes | None = None
    due_date: Annotated[
        Day | None,
        Meta(
            description="Defaults to the terms of the customer, from the issue date.",
            examples=["2026-02-14"],
        ),
    ] = None


class InvoiceChange(msgspec.Struct, kw_only=True):
    """Changes to a draft. Omitted fields stay; null clears a field."""

    reference: Clearable[InvoiceReference] = UNSET
    notes: Clearable[Notes] = UNSET
    due_date: Clearable[Day] = UNSET


class InvoiceLineOut(msgspec.Struct, kw_only=True):
    """A line of an invoice."""

    id: LineId
    position: Annotated[int, Meta(description="Its number, from 1.", examples=[1])]
    kind: Annotated[
        LineKind,
        Meta(description="The kind of charge. `balance` corrects earlier lines of a transaction."),
    ]
    description: Annotated[str, Meta(examples=["9.321 km at 0.80"])]
    date: Annotated[date, Meta(description="The day of the charge.", examples=["2026-01-31"])]
    order: OrderId | None
    transaction: Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]
    net_amount: Net
    tax_rate: TaxRate | None
    tax_amount: TaxAmount
    amount: Gross

    @classmethod
    def from_row(cls, row: InvoiceLine, names: Mapping[UUID, str]) -> Self:
        """Build the output of a line, with the public ids of its order and transaction."""
        return to_schema(
            row,
            cls,
            date=row.day,
            order=None if row.order_uuid is None else names[row.order_uuid],
            transaction=names[row.transaction],
            net_amount=row.amount - row.tax_amount,
        )


class InvoiceOut(ResourceOut, kw_only=True):
    """An invoice or a credit note, without its lines."""

    id: InvoiceId
    kind: Annotated[DocumentKind, Meta(description="The amounts of a credit note are negative.")]
    status: Annotated[
        InvoiceStatus,
        Meta(
            description="Derived from the payments of its transactions, which settle the oldest "
            "invoice first. A credit note stays `issued`."
        ),
    ]
    number: Annotated[Number | None, Meta(description="Null while it is a draft.")]
    customer: CustomerId
    customer_type: CustomerType
    customer_name: Annotated[
        str, Meta(description="The present name of the customer.", examples=["Ada Lovelace"])
    ]
    currency: Currency
    net_amount: Net
    tax_amount: TaxAmount
    amount: Gross
    open_amount: Annotated[int, Meta(description="What is still to be paid.", examples=[1496])]
    credited_amount: Annotated[
        int, Meta(description="What credit notes have taken back.", examples=[0])
    ]
    from_: Annotated[
        date | None, Meta(description="The first day of the charges.", examples=["2026-01-01"])
    ] = msgspec.field(name="from")
    to: Annotated[
        date | None, Meta(description="The last day of the charges.", examples=["2026-01-31"])
    ]
    issue_date: Annotated[
        date | None, Meta(description="In the company's time zone.", examples=["2026-02-01"])
    ]
    issued_at: Time | None
    due_date: Annotated[date | None, Meta(examples=["2026-02-15"])]
    reference: InvoiceReference | None
    notes: Notes | None
    refers_to: Annotated[
        InvoiceId | None, Meta(description="The invoice that a credit note corrects.")
    ]
    reason: Annotated[CreditReason | None, Meta(description="The reason of a credit note.")]


class TaxTotalOut(msgspec.Struct, kw_only=True):
    """The sums of the lines with one tax rate."""

    tax_rate: TaxRate | None
    net_amount: Net
    tax_amount: TaxAmount
    amount: Gross

    @classmethod
    def from_total(cls, total: TaxTotal) -> Self:
        """Build the output of the sums of one tax rate."""
        return cls(
            tax_rate=total.rate,
            net_amount=total.net_amount,
            tax_amount=total.tax_amount,
            amount=total.net_amount + total.tax_amount,
        )


class PartyOut(msgspec.Struct, kw_only=True):
    """The seller or the buyer of an invoice."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    address_lines: Annotated[list[str], Meta(examples=[["12 Market Street"]])]
    postal_code: Annotated[str | None, Meta(examples=["00100"])]
    city: Annotated[str | None, Meta(examples=["Helsinki"])]
    country: Annotated[str | None, Meta(description="ISO 3166.", examples=["FI"])]
    tax_number: Annotated[str | None, Meta(examples=["FI12345678"])]
    email: Annotated[str | None, Meta(examples=["ada@example.com"])]

    @classmethod
    def from_party(cls, party: Party) -> Self:
        """Build the output of a party."""
        return to_schema(party, cls, address_lines=list(party.address_lines))


class InvoiceDetailsOut(InvoiceOut, kw_only=True):
    """An invoice or a credit note with its lines."""

    seller: Annotated[PartyOut, Meta(description="As it was when the document was issued.")]
    buyer: Annotated[PartyOut, Meta(description="As it was when the document was issued.")]
    lines: list[InvoiceLineOut]
    taxes: Annotated[list[TaxTotalOut], Meta(description="The sums for each tax rate.")]

    @classmethod
    def from_rows(
        cls,
        invoice: InvoiceOut,
        document: InvoiceDocument,
        lines: Sequence[InvoiceLine],
        names: Mapping[UUID, str],
    ) -> Self:
        """Build the output of an invoice and its lines."""
        return cls(
            **msgspec.structs.asdict(invoice),
            seller=PartyOut.from_party(document.seller),
            buyer=PartyOut.from_party(document.buyer),
            lines=[InvoiceLineOut.from_row(line, names) for line in lines],
            taxes=[TaxTotalOut.from_total(total) for total in document.taxes],
        )


class InvoiceFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing invoices."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    status: Annotated[list[InvoiceStatus] | None, Meta(description="Filter by status.")] = None
    kind: Annotated[DocumentKind | None, Meta(description="Filter by kind.")] = None
    customer: Annotated[CustomerId | None, Meta(description="Filter by customer.")] = None
    currency: CurrencyIn | None = None
    number: Number | None = None
    since: Moment | None = None
    until: Moment | None = None
    issued_since: Annotated[Day | None, Meta(description="The first day of issue.")] = None
    issued_until: Annotated[Day | None, Meta(description="The last day of issue.")] = None
    due_since: Annotated[Day | None, Meta(description="The first due date.")] = None
    due_until: Annotated[Day | None, Meta(description="The last due date.")] = None


class CreditedLineIn(msgspec.Struct, kw_only=True):
    """A line of an invoice to take back."""

    line: LineId
    amount: Annotated[
        Annotated[
            int,
            Meta(
                description="With tax, in whole minor units.",
                examples=[500],
                extra={MESSAGE: MINOR_UNITS},
            ),
        ]
        | None,
        Meta(description="Defaults to the rest of the line."),
    ] = None


class CreditNoteIn(msgspec.Struct, kw_only=True):
    """What a credit note takes back of an invoice."""

    reason: CreditReason
    lines: Annotated[
        Annotated[list[CreditedLineIn], Meta(min_length=1, max_length=2000)] | None,
        Meta(description="Defaults to all that is left of the invoice."),
    ] = None


def find_status(row: Invoice, today: date) -> InvoiceStatus:
    """Return the status of an invoice on a day of its company."""
    if row.state == "draft":
        return "draft"
    if row.kind == "credit_note":
        return "issued"
    if row.open_amount > 0:
        return "overdue" if row.due_date is not None and row.due_date < today else "issued"
    return "credited" if row.credited_amount > 0 and row.credited_amount >= row.amount else "paid"
