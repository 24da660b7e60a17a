"""Routes of invoices."""

from typing import Any, Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.db.clock import ClockWrong
from pannier.errors import NotFound
from pannier.invoices import (
    ageing,
    contents,
    credit_notes,
    downloads,
    export,
    gathering,
    issuing,
    mailing,
    queries,
    receipts,
    service,
)
from pannier.invoices.ageing import AgeingFilters, AgeingOut
from pannier.invoices.export import InvoiceExportFilters
from pannier.invoices.mail_schemas import InvoiceSendIn
from pannier.invoices.models import Invoice
from pannier.invoices.queries import INVOICES
from pannier.invoices.schemas import CreditNoteIn, InvoiceChange, InvoiceDetailsOut, InvoiceIn
from pannier.notifications.schemas import MessageOut
from pannier.payments.transactions.schemas import PaymentIn
from pannier.payments.transactions.service import AlreadyVoid
from pannier.web.deletions import RecordDeleted
from pannier.web.exchange import Exchange
from pannier.web.resources import Resource
from pannier.web.routes import change, delete, get, post
from pannier.web.streams import StreamedResponse, TooManyStreams
from pannier.web.versions import IfMatch, PreconditionFailed

invoices: Final = Resource(
    INVOICES,
    page=queries.list_invoices,
    show=queries.load_invoices_out,
    read=False,
    remove=False,
    problems={"list": [NotFound]},
)
ONE: Final = "/invoices/{invoice_id:str}"


async def load_details(db: Db, invoice: Invoice) -> InvoiceDetailsOut:
    """Load the output of an invoice and its lines."""
    lines = await queries.list_lines(db, invoice.company, invoice.uuid)
    names = await queries.load_line_names(db, invoice.company, lines)
    document = await contents.load_contents(db, invoice, lines)
    return InvoiceDetailsOut.from_rows(await invoices.to_out(db, invoice), document, lines, names)


async def create_invoice(caller: FleetKey | Caller, data: InvoiceIn, db: Db) -> InvoiceDetailsOut:
    """Create a draft of what a customer was not invoiced for yet.

    It contains the charges of a period or of some orders. Refunded and voided amounts are taken
    out. A draft below zero becomes a credit note.
    """
    return await load_details(db, await service.create_draft(db, caller.company, data))


async def get_invoice(caller: FleetKey | Caller, invoice_id: str, db: Db) -> InvoiceDetailsOut:
    """Retrieve an invoice with its lines."""
    return await load_details(db, await INVOICES.get(db, caller.company, invoice_id))


async def update_invoice(
    caller: FleetKey | Caller, invoice_id: str, data: InvoiceChange, match: IfMatch, db: Db
) -> InvoiceDetailsOut:
    """Update the texts and the due date of a draft."""
    draft = await service.lock_draft(db, caller.company, invoice_id)
    match(draft.version)
    return await load_details(db, await service.change_draft(db, draft, data))


async def delete_invoice(
    caller: FleetKey | Caller, invoice_id: str, match: IfMatch, db: Db
) -> RecordDeleted:
    """Delete a draft. Its charges can be invoiced again."""
    draft = await service.lock_draft(db, caller.company, invoice_id)
    match(draft.version)
    await INVOICES.remove(db, draft)
    return RecordDeleted.from_id(db, INVOICES.noun, draft.public_id)


async def refresh_invoice(
    caller: FleetKey | Caller, invoice_id: str, match: IfMatch, db: Db
) -> InvoiceDetailsOut:
    """Gather the lines of a draft again."""
    draft = await service.lock_draft(db, caller.company, invoice_id)
    match(draft.version)
    return await load_details(db, await service.refresh_draft(db, draft))


async def issue_invoice(
    caller: FleetKey | Caller, invoice_id: str, match: IfMatch, db: Db
) -> InvoiceDetailsOut:
    """Issue a draft: it gets the next number and never changes again."""
    draft = await service.lock_draft(db, caller.company, invoice_id)
    match(draft.version)
    return await load_details(db, await issuing.issue_draft(db, draft))


async def send_invoice(
    caller: FleetKey | Caller, invoice_id: str, data: InvoiceSendIn, db: Db
) -> MessageOut:
    """Email an issued invoice to the customer, with a link to its PDF.

    The link is valid for 90 days.
    """
    invoice = await INVOICES.get(db, caller.company, invoice_id)
    return MessageOut.from_row(await mailing.send_invoice(db, invoice, data.to))


async def create_credit_note(
    caller: FleetKey | Caller, invoice_id: str, data: CreditNoteIn, db: Db
) -> InvoiceDetailsOut:
    """Issue a credit note that takes back an invoice, in full or in part.

    What a customer still owes can be invoiced again.
    """
    note = await credit_notes.create_credit_note(db, caller.company, invoice_id, data)
    return await load_details(db, note)


async def record_invoice_payment(
    caller: FleetKey | Caller, invoice_id: str, data: PaymentIn, db: Db
) -> InvoiceDetailsOut:
    """Record money that was received for an invoice, in full or in part.

    It is recorded with the transactions of the invoice, the oldest first. Without an amount, the
    amount still open was received. Send an `Idempotency-Key`, so that a repeated request records it
    once.
    """
    invoice = await receipts.record_payment(db, caller.company, invoice_id, data)
    return await load_details(db, invoice)


async def list_ageing(caller: FleetKey | Caller, filters: AgeingFilters, db: Db) -> list[AgeingOut]:
    """List what customers still have to pay, by how long it is overdue.

    The customers with the oldest due date come first, at most 1,000.
    """
    return await ageing.load_ageing(db, caller.company, filters)


EXPORT_OPTIONS: Final[dict[str, Any]] = {
    "responses": {200: {export.MEDIA_TYPE: {"type": "string"}}}
}


@get("/invoices/export", opt=EXPORT_OPTIONS, problems=[NotFound, TooManyStreams])
async def export_invoices(
    company: UUID, filters: InvoiceExportFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Download all invoices that match the filters as CSV, oldest first, or their lines.

    Amounts are in major units, such as `14.96`.
    """
    return await export.start_export(exchange, db, company, filters)


_GATHER_PROBLEMS: Final = [service.NothingToInvoice, gathering.TooManyLines]
_DRAFT_PROBLEMS: Final = [NotFound, service.InvoiceIsIssued, PreconditionFailed]
_REFRESH_PROBLEMS: Final = [*_DRAFT_PROBLEMS, *_GATHER_PROBLEMS]
_ISSUE_PROBLEMS: Final = [*_DRAFT_PROBLEMS, issuing.InvoiceOutdated, ClockWrong]
_CREDIT_PROBLEMS: Final = [
    NotFound,
    credit_notes.NotCreditable,
    credit_notes.NothingToCredit,
    ClockWrong,
]
_PAYMENT_PROBLEMS: Final = [NotFound, receipts.NotPayable, receipts.InvoicePaid, AlreadyVoid]


def _make_writers(**options: Any) -> list[Any]:  # noqa: ANN401 - Litestar's options
    return [
        post(
            "/invoices",
            problems=[NotFound, *_GATHER_PROBLEMS],
            **options,
        )(create_invoice),
        change(ONE, problems=_DRAFT_PROBLEMS, **options)(update_invoice),
        delete(
            ONE,
            status_code=200,
            problems=_DRAFT_PROBLEMS,
            **options,
        )(delete_invoice),
        post(
            f"{ONE}/refresh",
            status_code=200,
            problems=_REFRESH_PROBLEMS,
            **options,
        )(refresh_invoice),
        post(
            f"{ONE}/issue",
            status_code=200,
            problems=_ISSUE_PROBLEMS,
            **options,
        )(issue_invoice),
        post(
            f"{ONE}/send",
            problems=[NotFound, mailing.InvoiceIsDraft],
            **options,
        )(send_invoice),
        post(
            f"{ONE}/credit-note",
            problems=_CREDIT_PROBLEMS,
            **options,
        )(create_credit_note),
    ]


def _make_readers() -> list[Any]:
    return [
        get("/invoices/ageing", problems=[NotFound])(list_ageing),
        get(ONE, problems=[NotFound])(get_invoice),
    ]


def _make_payment(**options: Any) -> Any:  # noqa: ANN401 - Litestar's handler
    return post(
        f"{ONE}/payments",
        problems=_PAYMENT_PROBLEMS,
        **options,
    )(record_invoice_payment)


routers: Final = (
    api_routers.api_router(
        "Invoices",
        "invoices",
        [
            *invoices.make_handlers(),
            *_make_readers(),
            *downloads.make_handlers(),
            *_make_writers(),
            _make_payment(),
        ],
    ),
    api_routers.operator_router(
        "Invoices",
        "viewer",
        [
            *invoices.make_handlers(with_envelope=True),
            export_invoices,
            *_make_readers(),
            *downloads.make_handlers(),
            _make_payment(before_request=auth.require_money_role("record_payment")),
            *_make_writers(before_request=auth.require_money_role("issue_invoice")),
        ],
    ),
    downloads.public_router,
)
