"""The QR code that banks' apps read to pay an invoice (EPC069-12, version 2)."""

from typing import Final

from pannier.invoices.document import InvoiceDocument
from pannier.kit import money

CURRENCY: Final = "EUR"
MAX_AMOUNT: Final = 99_999_999_999
MAX_NAME_LENGTH: Final = 70
MAX_TEXT_LENGTH: Final = 140


def make_payment_code(document: InvoiceDocument) -> str | None:
    """Return the text of the code, or None if the invoice cannot be paid that way."""
    iban, amount = document.payment.iban, document.due_amount
    if document.kind != "invoice" or document.number is None or iban is None:
        return None
    if document.currency != CURRENCY or not 0 < amount <= MAX_AMOUNT:
        return None
    return "\n".join(
        (
            "BCD",
            "002",
            "1",  # UTF-8
            "SCT",
            _to_one_line(document.payment.bic or "").replace(" ", ""),
            _to_one_line(document.seller.name)[:MAX_NAME_LENGTH],
            _to_one_line(iban).replace(" ", ""),
            f"{CURRENCY}{money.to_major_units(amount, CURRENCY)}",
            "",  # purpose
            "",  # structured reference
            _to_one_line(document.number)[:MAX_TEXT_LENGTH],
        )
    )


def _to_one_line(text: str) -> str:
    return " ".join(text.split())
