"""Downloads of documents: the PDF, and its structured form."""

from functools import partial
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.files import links
from pannier.files.downloads import Download
from pannier.files.schemas import LinkIn
from pannier.files.storage import Storage, StorageUnavailable
from pannier.invoices import queries
from pannier.invoices.attachments import load_document, load_printable
from pannier.invoices.mailing import LINK_PURPOSE
from pannier.invoices.models import Invoice
from pannier.invoices.printing import render_pdf
from pannier.invoices.queries import INVOICES
from pannier.invoices.structured import StructuredInvoiceIncomplete, render_xml
from pannier.proofs.documents import (
    PDF,
    DocumentsBusy,
    binary_response,
    document_queue,
    make_disposition,
    to_download,
)
from pannier.proofs.stored_pictures import load_logo
from pannier.web.exchange import Exchange
from pannier.web.routes import get

XML: Final = "application/xml"


async def download_invoice(
    caller: FleetKey | Caller, invoice_id: str, exchange: Exchange, db: Db, storage: Storage
) -> Download:
    """Download an invoice as PDF.

    A draft is marked as such. An issued one never changes, and contains its structured form if it
    has one.
    """
    invoice = await INVOICES.get(db, caller.company, invoice_id)
    return await _download_pdf(db, exchange, storage, invoice)


async def download_linked_invoice(
    invoice_id: str, filters: LinkIn, exchange: Exchange, db: Db, storage: Storage
) -> Download:
    """Download an invoice as PDF; the link from its email is the credential."""
    keys = db.database.keys
    links.check(keys, invoice_id, filters.expires, filters.signature, db.now, purpose=LINK_PURPOSE)
    invoice = await queries.get_linked_invoice(db, invoice_id)
    return await _download_pdf(db, exchange, storage, invoice)


async def download_structured_invoice(
    caller: FleetKey | Caller, invoice_id: str, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931.

    It is XML in the syntax CII. The PDF contains the same file.
    """
    invoice = await INVOICES.get(db, caller.company, invoice_id)
    document = await load_document(db, invoice)
    async with document_queue.wait_turn(exchange, invoice.company):
        xml = await document_queue.run(partial(render_xml, document))
    headers = make_disposition(f"{invoice.number}.xml")
    return Response(xml, media_type=XML, headers=headers)


async def _download_pdf(db: Db, exchange: Exchange, storage: Storage, invoice: Invoice) -> Download:
    printable = await load_printable(db, invoice)
    async with document_queue.wait_turn(exchange, invoice.company):
        image = await load_logo(storage, printable.logo)
        pdf = await document_queue.run(partial(render_pdf, printable.document, image))
    return to_download(PDF, printable.file_name, pdf)


_ONE: Final = "/invoices/{invoice_id:str}"
_PDF_PROBLEMS: Final = [StorageUnavailable, DocumentsBusy]


def make_handlers() -> list[Any]:
    """Make the handlers for keys or operators."""
    return [
        get(f"{_ONE}/.pdf", opt=binary_response(PDF), problems=_PDF_PROBLEMS)(download_invoice),
        get(
            f"{_ONE}/.xml",
            opt={"responses": {200: {XML: {"type": "string"}}}},
            problems=[StructuredInvoiceIncomplete, DocumentsBusy],
        )(download_structured_invoice),
    ]


_linked_handler: Final[Any] = get(
    "/{invoice_id:str}/.pdf",
    opt=binary_response(PDF),
    problems=[links.LinkInvalid, links.LinkExpired, *_PDF_PROBLEMS],
)(download_linked_invoice)
# Our decorators register one method each; HEAD shares the handler of GET.
public_router: Final = api_routers.guarded_router(
    "/invoices", auth.allow_anonymous, "Invoices", [_linked_handler], {}
)
