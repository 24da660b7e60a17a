"""Routes of invoices."""

from typing import Any, Final

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.invoices import contents, downloads, gathering, issuing, mailing, queries, service
from pannier.invoices.mail_schemas import InvoiceSendIn
from pannier.invoices.models import Invoice
from pannier.invoices.queries import INVOICES
from pannier.invoices.schemas import InvoiceChange, InvoiceDetailsOut, InvoiceIn
from pannier.notifications.schemas import MessageOut
from pannier.web.deletions import RecordDeleted
from pannier.web.resources import Resource
from pannier.web.routes import change, delete, get, post
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


_GATHER_PROBLEMS: Final = [service.NothingToInvoice, gathering.TooManyLines]
_DRAFT_PROBLEMS: Final = [NotFound, service.InvoiceIsIssued, PreconditionFailed]
_REFRESH_PROBLEMS: Final = [*_DRAFT_PROBLEMS, *_GATHER_PROBLEMS]
_ISSUE_PROBLEMS: Final = [*_DRAFT_PROBLEMS, issuing.InvoiceOutdated]


def _make_writers(suffix: str, **options: Any) -> list[Any]:  # noqa: ANN401 - Litestar's options
    return [
        post(
            "/invoices",
            problems=[NotFound, *_GATHER_PROBLEMS],
            operation_id=f"create_invoice{suffix}",
            **options,
        )(create_invoice),
        change(ONE, problems=_DRAFT_PROBLEMS, operation_id=f"update_invoice{suffix}", **options)(
            update_invoice
        ),
        delete(
            ONE,
            status_code=200,
            problems=_DRAFT_PROBLEMS,
            operation_id=f"delete_invoice{suffix}",
            **options,
        )(delete_invoice),
        post(
            f"{ONE}/refresh",
            status_code=200,
            problems=_REFRESH_PROBLEMS,
            operation_id=f"refresh_invoice{suffix}",
            **options,
        )(refresh_invoice),
        post(
            f"{ONE}/issue",
            status_code=200,
            problems=_ISSUE_PROBLEMS,
            operation_id=f"issue_invoice{suffix}",
            **options,
        )(issue_invoice),
        post(
            f"{ONE}/send",
            problems=[NotFound, mailing.InvoiceIsDraft],
            operation_id=f"send_invoice{suffix}",
            **options,
        )(send_invoice),
    ]


_BY_OPERATOR: Final = "_by_operator"
routers: Final = (
    api_routers.api_router(
        "Invoices",
        "invoices",
        [
            *invoices.make_handlers(),
            get(ONE, problems=[NotFound])(get_invoice),
            *downloads.make_handlers(),
            *_make_writers(""),
        ],
    ),
    api_routers.operator_router(
        "Invoices",
        "viewer",
        [
            *invoices.make_handlers(with_envelope=True),
            get(ONE, problems=[NotFound])(get_invoice),
            *downloads.make_handlers(),
            *_make_writers(_BY_OPERATOR, before_request=auth.require_money_role("issue_invoice")),
        ],
    ),
    downloads.public_router,
)
