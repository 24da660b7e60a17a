"""The PDF of a document, for its download and its email."""

import asyncio
from typing import Final, NamedTuple

from pannier.db import Database, Db
from pannier.files import queries as files
from pannier.files.models import File
from pannier.files.storage import Storage
from pannier.invoices import contents, queries
from pannier.invoices.document import InvoiceDocument
from pannier.invoices.models import Invoice
from pannier.invoices.printing import render_pdf
from pannier.invoices.queries import INVOICES
from pannier.notifications.channels import MessageAttachment
from pannier.notifications.models import MessageRow
from pannier.proofs.stored_pictures import load_logo

PDF: Final = "application/pdf"


class PrintableInvoice(NamedTuple):
    """A document and the file with its logo."""

    document: InvoiceDocument
    logo: File | None
    file_name: str


async def load_document(db: Db, invoice: Invoice) -> InvoiceDocument:
    """Load what a document says."""
    lines = await queries.list_lines(db, invoice.company, invoice.uuid)
    return await contents.load_contents(db, invoice, lines)


async def load_printable(db: Db, invoice: Invoice) -> PrintableInvoice:
    """Load what the PDF of a document needs."""
    document = await load_document(db, invoice)
    logo = document.brand.logo
    logo_file = None if logo is None else await files.find(db, invoice.company, logo)
    return PrintableInvoice(document, logo_file, f"{invoice.number or invoice.public_id}.pdf")


class AttachmentRenderer:
    """Renders the documents that are attached to emails, one at a time."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database, self._storage = database, storage
        self._turn = asyncio.Lock()

    async def load(self, message: MessageRow) -> MessageAttachment:
        """Render the document of a message, outside the event loop."""
        async with self._database.reading() as db:
            invoice = await INVOICES.get(db, message.company, message.attachment or "")
            printable = await load_printable(db, invoice)
        async with self._turn:
            image = await load_logo(self._storage, printable.logo)
            pdf = await asyncio.to_thread(render_pdf, printable.document, image)
        return MessageAttachment(printable.file_name, PDF, pdf)
