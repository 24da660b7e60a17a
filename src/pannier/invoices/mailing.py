"""Emails with issued documents to their customers."""

from datetime import timedelta
from typing import Final

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.files import links
from pannier.invoices import queries
from pannier.invoices.document import InvoiceDocument
from pannier.invoices.models import Invoice
from pannier.invoices.phrases import Formats
from pannier.kit import email
from pannier.locales.catalogue import find_language
from pannier.notifications import service as notifications
from pannier.notifications.models import MessageRow
from pannier.notifications.texts import compose

LINK_PURPOSE: Final = "invoice-link"
# Longer than usual terms of payment.
LINK_LIFETIME: Final = timedelta(days=90)
NO_ADDRESS: Final = "The customer has no email address. Send one."


class InvoiceIsDraft(Conflict):
    """A draft is not sent to the customer, because it may change."""

    code = "invoice_is_draft"
    title = "The invoice is a draft."
    remedy = "Issue it first."


async def send_invoice(db: Db, invoice: Invoice, recipient: str | None = None) -> MessageRow:
    """Queue an email with a link to an issued document, by default to its buyer."""
    if invoice.state != "issued":
        raise InvoiceIsDraft
    document = await queries.get_document(db, invoice.company, invoice.uuid)
    address = document.buyer.email
    if recipient is not None:
        address = parse_field("to", email.normalise, recipient)
    if address is None:
        raise Invalid(fields=[FieldError("to", NO_ADDRESS)])
    return await _queue_email(db, invoice, document, address)


async def send_issued_invoice(db: Db, invoice: Invoice, document: InvoiceDocument) -> None:
    """Queue the email of a document that was just issued, if its buyer has an email address."""
    settings = await company_settings.load(db, invoice.company)
    if settings.invoices.are_emailed and document.buyer.email is not None:
        await _queue_email(db, invoice, document, document.buyer.email)


async def _queue_email(
    db: Db, invoice: Invoice, document: InvoiceDocument, address: str
) -> MessageRow:
    settings = await company_settings.load(db, invoice.company)
    formats = Formats(find_language(document.locale), document.currency)
    values = {
        "brand": settings.branding.name or document.seller.name,
        "name": document.buyer.name,
        "number": document.number,
        "amount": formats.format_money(abs(document.amount)),
        "due_date": "" if document.due_date is None else formats.format_date(document.due_date),
        "link": _make_link(db, invoice),
    }
    key = f"{document.kind}_email"
    return await notifications.queue_message(
        db,
        invoice.company,
        "email",
        address,
        compose(document.locale, f"{key}.body", **values),
        compose(document.locale, f"{key}.subject", **values),
        attachment=invoice.public_id,
    )


def _make_link(db: Db, invoice: Invoice) -> str:
    database = db.database
    expires_at = db.now + LINK_LIFETIME
    query = links.sign_query(database.keys, invoice.public_id, expires_at, purpose=LINK_PURPOSE)
    return f"{database.base_url.rstrip('/')}/invoices/{invoice.public_id}.pdf?{query}"
