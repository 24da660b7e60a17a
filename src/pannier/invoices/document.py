"""The contents of an issued document, frozen when it is issued.

Everything on the paper and in its structured form comes from here, so a later change of a customer,
a company or a charge does not change a document. Amounts are whole minor units of the document's
currency. They state the effect on what the customer owes: a credit note's are negative.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Literal, NamedTuple

import msgspec

DocumentKind = Literal["invoice", "credit_note"]


class Party(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The seller or the buyer."""

    name: str
    # The lines above the postal code and the city; the whole address if it is not structured.
    address_lines: tuple[str, ...] = ()
    postal_code: str | None = None
    city: str | None = None
    # The code of ISO 3166-1, such as `DE`.
    country: str | None = None
    tax_number: str | None = None
    email: str | None = None
    phone: str | None = None


class DocumentLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A charge or credit. `amount` contains the tax."""

    position: int
    # A kind of charge, or `balance`.
    kind: str
    description: str
    # The day of the supply, in the company's time zone.
    date: date
    order: str | None = None
    tracking_number: str | None = None
    # The number by which people know the order. Older documents have none.
    order_number: str | None = None
    charge: str | None = None
    tax_rate: Decimal | None = None
    tax_amount: int = 0
    amount: int

    @property
    def order_label(self) -> str:
        """The order's number. Older documents keep the id and the tracking number."""
        names = (self.order, self.tracking_number)
        return self.order_number or " · ".join(name for name in names if name)

    @property
    def net_amount(self) -> int:
        """The amount without tax."""
        return self.amount - self.tax_amount


class TaxTotal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The sum of the lines with one tax rate. Without a rate, no tax was charged."""

    rate: Decimal | None = None
    net_amount: int
    tax_amount: int


class PaymentInstructions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How to pay an invoice."""

    iban: str | None = None
    bic: str | None = None
    text: str | None = None


class Brand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The look of the paper: the company's name, its colour such as `#1d4ed8`, and its logo."""

    name: str
    color: str | None = None
    # The public id of the logo's file.
    logo: str | None = None


class DocumentReference(msgspec.Struct, frozen=True, kw_only=True):
    """The invoice that a credit note corrects."""

    number: str
    issue_date: date


class InvoiceDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An invoice or a credit note. Drafts have no number."""

    kind: DocumentKind = "invoice"
    number: str | None = None
    issue_date: date
    due_date: date | None = None
    # The first and last day of the supply.
    supply_from: date | None = None
    supply_to: date | None = None
    currency: str
    locale: str = "en"
    seller: Party
    buyer: Party
    brand: Brand
    lines: tuple[DocumentLine, ...] = ()
    taxes: tuple[TaxTotal, ...] = ()
    net_amount: int
    tax_amount: int
    amount: int
    # What was paid before the document was issued, and what was left to pay.
    paid_amount: int = 0
    due_amount: int
    refers_to: DocumentReference | None = None
    # The customer's own reference, such as a purchase order number.
    reference: str | None = None
    notes: str | None = None
    footer: str | None = None
    payment: PaymentInstructions = PaymentInstructions()


class LineTotals(NamedTuple):
    """The sums of a document's lines. The tax totals add up to the others."""

    net_amount: int
    tax_amount: int
    amount: int
    taxes: tuple[TaxTotal, ...]


def sum_lines(lines: Sequence[DocumentLine]) -> LineTotals:
    """Sum lines, also for each tax rate. Taxes were rounded with their lines, and only add up."""
    rates = {line.tax_rate for line in lines}
    return LineTotals(
        net_amount=sum(line.net_amount for line in lines),
        tax_amount=sum(line.tax_amount for line in lines),
        amount=sum(line.amount for line in lines),
        taxes=tuple(
            _sum_rate(rate, (line for line in lines if line.tax_rate == rate))
            for rate in sorted(rates, key=_rank_rate)
        ),
    )


def _sum_rate(rate: Decimal | None, lines: Iterable[DocumentLine]) -> TaxTotal:
    amounts = [(line.net_amount, line.tax_amount) for line in lines]
    return TaxTotal(
        rate=rate,
        net_amount=sum(net for net, _ in amounts),
        tax_amount=sum(tax for _, tax in amounts),
    )


def _rank_rate(rate: Decimal | None) -> Decimal:
    """Rank the highest rate first, and lines without one last."""
    return Decimal(1) if rate is None else -rate
