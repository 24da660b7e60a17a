"""Conversion of a document to a PDF."""

from pannier.invoices import structured
from pannier.invoices.document import InvoiceDocument
from pannier.proofs.printing import shrink_images


def render_pdf(document: InvoiceDocument, logo: bytes | None = None) -> bytes:
    """Render a document as a PDF. Equal documents give the same bytes.

    The structured form is attached to it, if the document has all facts for that.
    """
    from pannier.invoices import sheet  # noqa: PLC0415 - imports take half a second

    is_complete = not structured.list_missing_facts(document)
    return sheet.render_pdf(
        document,
        None if logo is None else shrink_images([logo]).get(logo),
        structured.render_xml(document) if is_complete else None,
    )
