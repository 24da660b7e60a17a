"""Drafts gather what a customer was not invoiced for, and are issued once."""

import pytest

from invoices.desk import Desk
from probe import refused


async def test_a_draft_gathers_the_charges_of_a_customer_and_is_issued(desk: Desk) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    order = await desk.charged(ada)
    await desk.charged(bob)
    draft = await desk.draft(ada)
    assert (draft["status"], draft["number"], draft["kind"]) == ("draft", None, "invoice")
    assert (draft["amount"], draft["tax_amount"], draft["net_amount"]) == (1240, 240, 1000)
    (line,) = draft["lines"]
    assert (line["order"], line["description"]) == (order, "Delivery")
    invoice = await desk.issue(draft)
    assert (invoice["status"], invoice["number"]) == ("issued", "INV-2026-00001")
    assert (invoice["issue_date"], invoice["due_date"]) == ("2026-01-15", "2026-01-29")
    assert invoice["buyer"]["name"] == "Ada Lovelace"
    assert await desk.read(invoice) == invoice


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_the_debt_of_a_deleted_customer_is_invoiced_and_found(desk: Desk, kind: str) -> None:
    ada = (await desk.post(kind, 201, name="Ada Lovelace"))["id"]
    order = await desk.charged(ada)
    invoice = await desk.issued(ada)
    deleted = await desk.firm.api.delete(f"/v1/{kind}/{ada}")
    assert deleted.status_code == 200, deleted.text
    assert [row["id"] for row in await desk.get(f"invoices?customer={ada}")] == [invoice["id"]]
    [row] = await desk.get(f"invoices/ageing?customer={ada}")
    assert (row["customer"], row["customer_type"], row["total"]) == (ada, kind[:-1], 1240)
    assert (await desk.void(order)).is_success
    note = await desk.issued(ada)
    assert (note["amount"], note["refers_to"]) == (-1240, invoice["id"])


async def test_money_for_a_debt_that_has_moved_does_not_pay_for_somebody_else(desk: Desk) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    order = await desk.charged(ada)
    invoice = await desk.issued(ada)
    moved = await desk.firm.api.patch(f"/v1/orders/{order}", json={"customer": bob})
    assert moved.status_code == 200, moved.text
    theirs = await desk.issued(bob)
    path = f"/v1/invoices/{invoice['id']}/payments"
    answer = await desk.firm.api.post(path, json={"method": "cash", "amount": 40})
    refused(answer, 409, "invoice_paid")
    assert (await desk.read(theirs))["open_amount"] == 1240
