"""Documents that tests print."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from pannier.invoices.document import (
    Brand,
    DocumentLine,
    InvoiceDocument,
    Party,
    PaymentInstructions,
    sum_lines,
)

DAY = date(2026, 3, 2)
SELLER = Party(
    name="Velo Kurier GmbH",
    address_lines=("Lange Straße 12",),
    postal_code="10115",
    city="Berlin",
    country="DE",
    tax_number="DE136695976",
    email="billing@velo.example",
)
BUYER = Party(
    name="Lovelace & Daughters",
    address_lines=("1 Analytical Row",),
    postal_code="048616",
    city="Singapore",
    country="SG",
    tax_number="SG201912345A",
)
BANK = PaymentInstructions(iban="DE75512108001245126199", bic="SOGEDEFF", text="Thank you.")


def line(position: int = 1, **more: Any) -> DocumentLine:
    told: dict[str, Any] = {
        "position": position,
        "kind": "quote",
        "description": f"Same-day delivery {position}",
        "date": DAY + timedelta(days=position % 28),
        "order": "order_5uJr2EwZ7bQx9KmT",
        "tracking_number": "PNR7F3K9D2MXQ4",
        "tax_rate": Decimal(19),
        "tax_amount": 190,
        "amount": 1190,
    }
    return DocumentLine(**{**told, **more})


def paper(lines: Sequence[DocumentLine] = (line(),), **more: Any) -> InvoiceDocument:
    totals = sum_lines(lines)
    told: dict[str, Any] = {
        "number": "INV-2026-00042",
        "issue_date": date(2026, 4, 1),
        "due_date": date(2026, 4, 15),
        "supply_from": DAY,
        "supply_to": date(2026, 3, 31),
        "currency": "EUR",
        "seller": SELLER,
        "buyer": BUYER,
        "brand": Brand(name="Velo", color="#0f766e"),
        "lines": tuple(lines),
        "due_amount": totals.amount - more.get("paid_amount", 0),
        "payment": BANK,
        **totals._asdict(),
    }
    return InvoiceDocument(**{**told, **more})
