"""The contents of documents: frozen ones, and those of drafts as they would be issued now."""

from collections.abc import Sequence
from datetime import date, timedelta

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.invoices import parties, queries
from pannier.invoices.document import (
    Brand,
    DocumentLine,
    DocumentReference,
    InvoiceDocument,
    PaymentInstructions,
    sum_lines,
)
from pannier.invoices.models import Invoice, InvoiceLine
from pannier.orders import numbering


async def load_contents(db: Db, invoice: Invoice, lines: Sequence[InvoiceLine]) -> InvoiceDocument:
    """Load the contents of an issued document, or build those of a draft."""
    if invoice.state == "issued":
        return await queries.get_document(db, invoice.company, invoice.uuid)
    return await build_contents(db, invoice, lines, paid=0)


async def build_contents(
    db: Db, invoice: Invoice, lines: Sequence[InvoiceLine], *, paid: int
) -> InvoiceDocument:
    """Build the contents of a document from the rows as they are now."""
    settings = await company_settings.load(db, invoice.company)
    today = db.now.astimezone(settings.zone).date()
    names = await queries.load_line_names(db, invoice.company, lines)
    tracking_numbers = await queries.load_tracking_numbers(db, invoice.company, lines)
    orders = list({line.order_uuid for line in lines if line.order_uuid is not None})
    numbers = await numbering.load_numbers(db, invoice.company, orders)
    document_lines = tuple(
        DocumentLine(
            position=line.position,
            kind=line.kind,
            description=line.description,
            date=line.day,
            order=None if line.order_uuid is None else names[line.order_uuid],
            tracking_number=tracking_numbers.get(line.order_uuid),
            order_number=None if line.order_uuid is None else numbers.get(line.order_uuid),
            charge=None if line.charge is None else names[line.charge],
            tax_rate=line.tax_rate,
            tax_amount=line.tax_amount,
            amount=line.amount,
        )
        for line in lines
    )
    totals = sum_lines(document_lines)
    issue_date = invoice.issue_date or today
    days = [line.day for line in lines] or [issue_date]
    return InvoiceDocument(
        kind=invoice.kind,
        number=invoice.number,
        issue_date=issue_date,
        due_date=await find_due_date(db, settings, invoice, issue_date),
        supply_from=invoice.period_from or min(days),
        supply_to=invoice.period_to or max(days),
        currency=invoice.currency,
        locale=settings.locale,
        seller=parties.make_seller(settings),
        buyer=await parties.load_buyer(db, invoice),
        brand=Brand(
            name=settings.branding.name,
            color=settings.branding.color,
            logo=settings.branding.logo,
        ),
        lines=document_lines,
        taxes=totals.taxes,
        net_amount=totals.net_amount,
        tax_amount=totals.tax_amount,
        amount=totals.amount,
        paid_amount=paid,
        due_amount=max(0, totals.amount - paid),
        refers_to=await _load_reference(db, invoice),
        reference=invoice.reference,
        notes=invoice.notes or invoice.reason,
        footer=settings.invoices.footer,
        payment=PaymentInstructions(
            iban=settings.invoices.iban,
            bic=settings.invoices.bic,
            text=settings.invoices.payment_instructions,
        ),
    )


async def find_due_date(
    db: Db, settings: CompanySettings, invoice: Invoice, issue_date: date
) -> date | None:
    """Return when a document is due: as its draft says, else by the terms of the customer.

    A credit note is never due.
    """
    if invoice.kind == "credit_note":
        return None
    if invoice.due_date is not None:
        return max(invoice.due_date, issue_date)
    days = (await parties.load_partner(db, invoice)).payment_terms_days
    return issue_date + timedelta(
        days=settings.invoices.payment_terms_days if days is None else days
    )


async def _load_reference(db: Db, invoice: Invoice) -> DocumentReference | None:
    if invoice.refers_to is None:
        return None
    original = await queries.INVOICES.get(db, invoice.company, invoice.refers_to)
    if original.number is None or original.issue_date is None:
        return None
    return DocumentReference(number=original.number, issue_date=original.issue_date)
