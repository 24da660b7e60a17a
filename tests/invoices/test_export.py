"""Invoices and their lines as a table, for programs that know nothing of us."""

import csv
import io
from typing import Any

import pytest

from invoices.desk import Desk
from pannier.invoices import export
from probe import refused

EXPORT = "/int/v1/invoices/export"


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS_PER_PAGE", {"invoices": 2, "lines": 1})


async def exported(desk: Desk, **asked: Any) -> list[dict[str, str]]:
    answer = await desk.firm.admin.get(EXPORT, params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_every_invoice_is_there_once_the_oldest_first(desk: Desk) -> None:
    ada = await desk.customer("=Ada")
    await desk.charged(ada)
    first = await desk.issued(ada, reference="PO 1")
    note = await desk.post(f"invoices/{first['id']}/credit-note", 201, reason="Wrong.")
    draft = await desk.draft(ada)
    rows = await exported(desk)
    assert [row["id"] for row in rows] == [first["id"], note["id"], draft["id"]]
    assert rows[0] | {"created_at": ""} == {
        "id": first["id"], "number": "INV-2026-00001", "kind": "invoice", "status": "credited",
        "issue_date": "2026-01-15", "due_date": "2026-01-29", "customer": ada,
        "customer_type": "contact", "customer_name": "'=Ada", "currency": "EUR",
        "net_amount": "10.00", "tax_amount": "2.40", "amount": "12.40", "open_amount": "0.00",
        "credited_amount": "12.40", "refers_to": "", "reference": "PO 1", "created_at": "",
    }  # fmt: skip
    assert [row["id"] for row in await exported(desk, status="draft")] == [draft["id"]]
    refused(await desk.firm.admin.get(EXPORT, params={"customer": "contact_00"}), 404, "not_found")


async def test_every_line_is_there_once_in_major_units(desk: Desk) -> None:
    await desk.configure(currency="KWD")
    ada = await desk.customer()
    order = await desk.charged(ada, description="=1+1")
    await desk.charge(order, amount=-5, tax_rate=None, kind="goodwill")
    invoice = await desk.issued(ada)
    line, credit = await exported(desk, content="lines")
    name = (await desk.transaction(order))["id"]
    assert line == {
        "invoice": invoice["id"], "number": "INV-2026-00001", "kind": "invoice",
        "issue_date": "2026-01-15", "customer": ada, "position": "1", "line_kind": "other",
        "date": "2026-01-15", "description": "'=1+1", "order": order, "transaction": name,
        "currency": "KWD", "net_amount": "1.000", "tax_rate": "24", "tax_amount": "0.240",
        "amount": "1.240",
    }  # fmt: skip
    assert (credit["line_kind"], credit["amount"]) == ("goodwill", "-0.005")
