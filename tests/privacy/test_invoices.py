"""Documents keep the billing identity of an erased customer until their retention ends."""

from datetime import timedelta
from typing import Any

import pytest

from customers.mall import Mall
from invoices.desk import Desk
from orders.shop import MANDAI
from pannier.invoices import erasure as invoices
from pannier.kit.clock import ManualClock
from privacy import traces
from privacy.test_erasure import billed, forgotten
from stage import House

pytestmark = pytest.mark.slow
DECADE = timedelta(days=3650)
IDENTITY = {"name": "Ada", "tax_number": "DE123456789"}


@pytest.fixture
async def desk(mall: Mall) -> Desk:
    desk = Desk(mall.firm)
    await desk.configure(currency="EUR", retention={"billing": 100})
    return desk


async def moved_in(mall: Mall, desk: Desk) -> dict[str, Any]:
    """Have a customer with an address and a tax number."""
    made, _ = await mall.visitor(name="Ada", email="ada@example.com")
    place = {"owner_type": "customer", "owner": made["contact"]}
    await desk.post("places", 201, **MANDAI, **place)
    path = f"/v1/contacts/{made['contact']}"
    assert (await desk.firm.api.patch(path, json={"tax_number": "DE123456789"})).is_success
    return made


async def swept(house: House) -> None:
    while await invoices.step(house.database, DECADE):
        pass


async def test_an_issued_invoice_keeps_the_name_address_and_tax_number_of_the_erased(
    mall: Mall, desk: Desk, house: House, clock: ManualClock
) -> None:
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    invoice = await desk.issued(made["contact"])
    assert invoice["buyer"]["email"] == "ada@example.com"
    await desk.post(f"orders/{order}/cancel")
    await forgotten(mall, made["id"])
    found = await desk.read(invoice)
    assert found["buyer"] == invoice["buyer"] | {"email": None}
    assert {name: found["buyer"][name] for name in IDENTITY} == IDENTITY
    assert found["customer_name"].startswith("Former customer")
    assert "ada@example.com" not in (await traces.kept(house))["invoice_documents"]
    clock.advance(days=99)
    await swept(house)
    assert (await desk.read(invoice))["buyer"] == found["buyer"]
    clock.advance(days=2)
    await swept(house)
    blank = (await desk.read(invoice))["buyer"]
    assert (blank["name"], blank["address_lines"], blank["tax_number"]) == ("", [], None)
    assert (await desk.read(invoice))["amount"] == 1240


async def test_a_draft_keeps_the_billing_identity_of_the_erased_and_can_be_issued(
    mall: Mall, desk: Desk, house: House, clock: ManualClock
) -> None:
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    await desk.pay(order)
    await desk.post(f"orders/{order}/cancel")
    draft = await desk.draft(made["contact"])
    await forgotten(mall, made["id"])
    assert (await desk.read(draft))["lines"] == draft["lines"]
    invoice = await desk.issue(draft)
    assert {name: invoice["buyer"][name] for name in IDENTITY} == IDENTITY
    assert (invoice["buyer"]["email"], invoice["status"]) == (None, "paid")
    clock.advance(days=101)
    await swept(house)
    await billed(house)
    kept = await traces.kept(house)
    assert [name for name, text in kept.items() if IDENTITY["tax_number"] in text] == []


async def test_a_draft_forgets_the_erased_after_the_retention(
    mall: Mall, desk: Desk, house: House, clock: ManualClock
) -> None:
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    await desk.pay(order)
    await desk.post(f"orders/{order}/cancel")
    draft = await desk.draft(made["contact"])
    await forgotten(mall, made["id"])
    assert (await desk.read(draft))["buyer"]["name"] == "Ada"
    clock.advance(days=101)
    await swept(house)
    assert (await desk.read(draft))["buyer"]["name"] == ""


async def owing(mall: Mall, desk: Desk) -> tuple[str, dict[str, Any]]:
    """Invoice a customer, erase them while they owe something, and return contact and invoice."""
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    invoice = await desk.issued(made["contact"])
    await desk.post(f"orders/{order}/cancel")
    await desk.charge(order, amount=500)
    await forgotten(mall, made["id"])
    return made["contact"], invoice


@pytest.mark.parametrize("kind", ["invoice", "credit_note"])
async def test_a_document_issued_after_the_erasure_forgets_the_erased_after_the_retention(
    mall: Mall, desk: Desk, house: House, clock: ManualClock, kind: str
) -> None:
    contact, invoice = await owing(mall, desk)
    if kind == "invoice":
        made = await desk.issued(contact, currency="EUR")
    else:
        made = await desk.post(f"invoices/{invoice['id']}/credit-note", 201, reason="Wrong.")
    assert {name: made["buyer"][name] for name in IDENTITY} == IDENTITY
    clock.advance(days=101)
    await swept(house)
    await billed(house)
    assert (await desk.read(made))["buyer"]["name"] == ""
    kept = await traces.kept(house)
    assert [name for name, text in kept.items() if IDENTITY["tax_number"] in text] == []


async def test_a_credit_note_has_the_buyer_of_its_invoice_after_the_erasure(
    mall: Mall, desk: Desk
) -> None:
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    invoice = await desk.issued(made["contact"])
    await desk.pay(order)
    await desk.post(f"orders/{order}/cancel")
    await forgotten(mall, made["id"])
    note = await desk.post(f"invoices/{invoice['id']}/credit-note", 201, reason="Wrong.")
    assert note["buyer"] == (await desk.read(invoice))["buyer"]


async def test_the_audit_log_never_names_the_buyers_of_erased_customers(
    mall: Mall, desk: Desk, house: House
) -> None:
    made = await moved_in(mall, desk)
    order = await desk.charged(made["contact"])
    invoice = await desk.issued(made["contact"])
    await desk.charge(order, amount=500)
    await desk.pay(order)
    await desk.post(f"orders/{order}/cancel")
    draft = await desk.draft(made["contact"])
    await forgotten(mall, made["id"])
    paths = {
        f"/int/v1/invoices/{draft['id']}/issue": {},
        f"/int/v1/invoices/{invoice['id']}/credit-note": {"reason": "Wrong."},
    }
    for path, body in paths.items():
        answer = await mall.firm.admin.post(path, json=body)
        assert answer.is_success, answer.text
    log = (await traces.kept(house))["audit_entries"]
    assert "invoice.issued" in log
    assert IDENTITY["tax_number"] not in log


async def test_the_export_of_a_customer_contains_their_invoices(mall: Mall, desk: Desk) -> None:
    made = await moved_in(mall, desk)
    await desk.charged(made["contact"])
    issued = await desk.issued(made["contact"])
    await desk.charged(made["contact"], amount=5)
    draft = await desk.draft(made["contact"])
    answer = await desk.firm.admin.get(f"/int/v1/customers/{made['id']}/export")
    assert answer.status_code == 200, answer.text
    first, second = answer.json()["invoices"]
    assert (first["id"], second["id"]) == (issued["id"], draft["id"])
    assert first["document"]["number"] == "INV-2026-00001"
    assert first["document"]["buyer"]["name"] == "Ada"
    assert (second["document"], second["amount"]) == (None, 5)
