"""Conversion of a document to a PDF."""

from pannier.invoices.document import InvoiceDocument
from pannier.proofs.printing import shrink_images


def render_pdf(document: InvoiceDocument, logo: bytes | None = None) -> bytes:
    """Render a document as a PDF. Equal documents give the same bytes."""
    from pannier.invoices import sheet  # noqa: PLC0415 - imports take half a second

    return sheet.render_pdf(document, None if logo is None else shrink_images([logo]).get(logo))
