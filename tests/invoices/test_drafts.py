"""Drafts gather what a customer was not invoiced for, and are issued once."""

from invoices.desk import Desk


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
