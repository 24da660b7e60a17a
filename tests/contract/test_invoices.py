"""Invoices: drafts, numbers, credit notes, payments and the ageing list."""

import asyncio
from typing import Any

import asyncpg
import pytest

from invoices.conftest import desk
from invoices.desk import Desk
from pannier.kit.clock import ManualClock
from probe import refused

__all__ = ["desk"]


async def ask(desk: Desk, path: str, **body: Any) -> Any:
    return await desk.firm.api.post(f"/v1/{path}", json=body)


async def test_a_draft_gathers_what_a_customer_was_not_invoiced_for(desk: Desk) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    order = await desk.charged(ada)
    await desk.charged(bob)
    draft = await desk.draft(ada)
    assert (draft["status"], draft["number"], draft["kind"]) == ("draft", None, "invoice")
    assert (draft["customer"], draft["customer_name"]) == (ada, "Ada Lovelace")
    assert (draft["net_amount"], draft["tax_amount"], draft["amount"]) == (1000, 240, 1240)
    (line,) = draft["lines"]
    assert (line["order"], line["description"], line["kind"]) == (order, "Delivery", "other")
    assert (line["net_amount"], line["tax_amount"], line["amount"]) == (1000, 240, 1240)
    assert draft["taxes"] == [
        {"tax_rate": 24, "net_amount": 1000, "tax_amount": 240, "amount": 1240}
    ]
    refused(await ask(desk, "invoices", customer=ada), 409, "nothing_to_invoice")
    await desk.charge(order, description="Waited", amount=620)
    (later,) = (await desk.draft(ada))["lines"]
    assert (later["description"], later["amount"]) == ("Waited", 620)


async def test_from_to_and_orders_choose_the_charges(desk: Desk, clock: ManualClock) -> None:
    ada = await desk.customer()
    first = await desk.charged(ada, amount=100)
    clock.advance(hours=10)  # which is the next day in Helsinki
    second, third = await desk.charged(ada, amount=200), await desk.charged(ada, amount=400)
    amounts = []
    for chosen in (
        {"to": "2026-01-15"},
        {"from": "2026-01-16", "to": "2026-01-16", "orders": [third]},
        {"from": "2026-01-16"},
    ):
        draft = await desk.draft(ada, **chosen)
        amounts.append(draft["amount"])
        assert {name: draft[name] for name in ("from", "to") if name in chosen} == {
            name: value for name, value in chosen.items() if name != "orders"
        }
    assert amounts == [100, 400, 200]
    reversed_days = {"from": "2026-02-01", "to": "2026-01-01"}
    problem = refused(
        await ask(desk, "invoices", customer=ada, **reversed_days), 422, "validation_failed"
    )
    assert problem["fields"][0]["path"] == "to"
    unknown = ["order_0000000000000000"]
    problem = refused(await ask(desk, "invoices", customer=ada, orders=unknown), 404, "not_found")
    assert problem["fields"][0]["path"] == "orders[0]"
    chosen = {"customer": ada, "orders": [first, second]}
    refused(await ask(desk, "invoices", **chosen), 409, "nothing_to_invoice")


async def test_charges_of_several_currencies_need_a_choice(desk: Desk) -> None:
    ada = await desk.customer()
    await desk.charged(ada, amount=1000)
    await desk.configure(currency="JPY")
    await desk.charged(ada, amount=500, tax_rate=10)
    problem = refused(await ask(desk, "invoices", customer=ada), 422, "validation_failed")
    assert problem["fields"] == [
        {
            "path": "currency",
            "message": "The charges have several currencies: EUR, JPY. Choose one of them.",
        }
    ]
    draft = await desk.draft(ada, currency="jpy")
    assert (draft["currency"], draft["amount"], draft["tax_amount"]) == ("JPY", 500, 45)


async def test_a_draft_can_be_changed_refreshed_and_deleted(desk: Desk) -> None:
    ada = await desk.customer()
    order = await desk.charged(ada)
    draft = await desk.draft(ada, reference="PO 1")
    client, path = desk.firm.api, f"/v1/invoices/{draft['id']}"
    changed = await client.patch(path, json={"notes": "Thank you.", "due_date": "2026-03-01"})
    assert changed.status_code == 200, changed.text
    found = changed.json()
    texts = ("reference", "notes", "due_date")
    assert [found[name] for name in texts] == ["PO 1", "Thank you.", "2026-03-01"]
    await desk.charge(order, amount=60)
    refreshed = await desk.post(f"invoices/{draft['id']}/refresh")
    assert (refreshed["amount"], len(refreshed["lines"])) == (1300, 2)
    assert (await client.delete(path)).status_code == 200
    refused(await client.get(path), 404, "not_found")
    assert (await desk.draft(ada))["amount"] == 1300


async def test_issuing_gives_the_next_number_of_the_year(desk: Desk, clock: ManualClock) -> None:
    ada = await desk.customer()
    numbers = []
    for prefix in (None, None, "R/", "R/"):
        await desk.configure(invoice_prefix=prefix)
        await desk.charged(ada)
        numbers.append((await desk.issued(ada))["number"])
    clock.advance(days=350, hours=11)  # 2027 has begun in Helsinki
    await desk.charged(ada)
    numbers.append((await desk.issued(ada))["number"])
    assert numbers == [
        "INV-2026-00001", "INV-2026-00002", "R/2026-00001", "R/2026-00002", "R/2027-00001",
    ]  # fmt: skip


async def test_the_due_date_follows_the_terms_of_the_customer(desk: Desk) -> None:
    await desk.configure(payment_terms_days=7)
    bob = await desk.customer("Bob")
    eve = await desk.customer("Eve", payment_terms_days=0)
    due = []
    for customer, chosen in ((bob, {}), (eve, {}), (bob, {"due_date": "2026-04-01"})):
        await desk.charged(customer)
        due.append((await desk.issued(customer, **chosen))["due_date"])
    assert due == ["2026-01-22", "2026-01-15", "2026-04-01"]


async def test_an_issued_invoice_keeps_what_it_said(desk: Desk) -> None:
    await desk.configure(
        legal_name="Acme Oy", tax_number="FI99999999", iban="FI21 1234 5600 0007 85",
        bic="ndeafihh", billing_address={"street": "Quay 1", "city": "Turku", "country": "FI"},
    )  # fmt: skip
    ada = await desk.customer()
    await desk.charged(ada)
    invoice = await desk.issued(ada)
    assert invoice["seller"] == {
        "name": "Acme Oy", "address_lines": ["Quay 1"], "postal_code": None, "city": "Turku",
        "country": "FI", "tax_number": "FI99999999", "email": None,
    }  # fmt: skip
    assert invoice["buyer"] == {
        "name": "Ada Lovelace", "address_lines": ["12 Market Street"], "postal_code": "00100",
        "city": "Helsinki", "country": "FI", "tax_number": "FI12345671",
        "email": "ada@example.com",
    }  # fmt: skip
    await desk.configure(legal_name="Other Oy", tax_number=None)
    await desk.firm.api.patch(f"/v1/contacts/{ada}", json={"name": "Eve", "tax_number": None})
    found = await desk.read(invoice)
    assert (found["seller"], found["buyer"]) == (invoice["seller"], invoice["buyer"])
    for call in (
        desk.firm.api.patch(f"/v1/invoices/{invoice['id']}", json={"notes": "No."}),
        desk.firm.api.delete(f"/v1/invoices/{invoice['id']}"),
        ask(desk, f"invoices/{invoice['id']}/refresh"),
        ask(desk, f"invoices/{invoice['id']}/issue"),
    ):
        refused(await call, 409, "invoice_issued")


@pytest.mark.parametrize(
    "statement",
    [
        "update invoices set notes = 'No.'",
        "update invoices set amount = amount + 1",
        "update invoices set number = 'INV-2026-00009'",
        "update invoices set state = 'draft', number = null",
        "delete from invoices",
        "update invoice_lines set description = 'No.'",
        "delete from invoice_lines",
        (
            "insert into invoice_lines select gen_random_uuid(), 'line_2', company, invoice, 2,"
            " customer, transaction, charge, order_uuid, kind, description, day, tax_rate,"
            " tax_amount, amount, credits, created_at from invoice_lines"
        ),
        "update invoice_documents set document = '{}'",
        (
            "update invoice_documents set document ="
            " jsonb_set(document, '{buyer,name}', '\"Somebody else\"')"
        ),
        "delete from invoice_documents",
    ],
)
async def test_the_database_refuses_to_change_what_is_issued(desk: Desk, statement: str) -> None:
    ada = await desk.customer()
    await desk.charged(ada)
    invoice = await desk.issued(ada)
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        async with desk.firm.house.database.transaction() as db:
            await db.execute(statement)
    assert await desk.read(invoice) == invoice


async def test_a_draft_that_no_longer_matches_is_not_issued(desk: Desk) -> None:
    ada = await desk.customer()
    order, other = await desk.charged(ada), await desk.charged(ada)
    draft = await desk.draft(ada)
    assert (await desk.void(order)).is_success
    path = f"invoices/{draft['id']}"
    refused(await ask(desk, f"{path}/issue"), 409, "invoice_outdated")
    assert (await desk.read(draft))["status"] == "draft"
    (line,) = (await desk.post(f"{path}/refresh"))["lines"]
    assert line["order"] == other
    await desk.charge(await desk.order(ada), amount=5)  # which concerns another order
    assert (await desk.issue(draft))["amount"] == 1240


async def test_what_is_void_or_refunded_after_its_invoice_becomes_a_credit_note(desk: Desk) -> None:
    ada = await desk.customer()
    order, paid = await desk.charged(ada), await desk.charged(ada, amount=620)
    invoice = await desk.issued(ada)
    await desk.void(order)
    await desk.pay(paid)
    await desk.refund(paid, amount=310)
    draft = await desk.draft(ada)
    assert (draft["kind"], draft["amount"], draft["tax_amount"]) == ("credit_note", -1550, -300)
    assert {line["kind"] for line in draft["lines"]} == {"balance"}
    note = await desk.issue(draft)
    assert (note["number"], note["status"], note["due_date"]) == ("CN-2026-00001", "issued", None)
    assert (note["refers_to"], note["open_amount"]) == (invoice["id"], 0)
    found = await desk.read(invoice)
    assert (found["open_amount"], found["credited_amount"]) == (0, 1550)


async def test_a_payment_of_many_transactions_updates_their_invoice_once(desk: Desk) -> None:
    ada = await desk.customer()
    orders = [await desk.charged(ada) for _ in range(4)]
    invoice = await desk.issued(ada)
    paid = await desk.post(f"invoices/{invoice['id']}/payments", 201, method="transfer")
    assert (paid["status"], paid["open_amount"]) == ("paid", 0)
    assert paid["version"] == invoice["version"] + 1
    assert {(await desk.transaction(order))["status"] for order in orders} == {"paid"}


async def test_all_that_is_left_is_credited_after_a_refund_was_credited(desk: Desk) -> None:
    ada = await desk.customer()
    refunded, other = await desk.charged(ada), await desk.charged(ada, amount=620)
    invoice = await desk.issued(ada)
    await desk.pay(refunded)
    await desk.refund(refunded, amount=310)
    await desk.issued(ada)  # the credit note of the refund, which names no line of the invoice
    path = f"invoices/{invoice['id']}/credit-note"
    rest = await desk.post(path, 201, reason="Wrong customer.")
    assert (rest["amount"], rest["tax_amount"]) == (310 - 1860, 60 - 360)
    assert {line["order"]: line["amount"] for line in rest["lines"]} == {
        refunded: 310 - 1240,
        other: -620,
    }
    found = await desk.read(invoice)
    assert (found["status"], found["credited_amount"]) == ("credited", 1860)
    refused(await ask(desk, path, reason="Again."), 409, "invoice_credited")


async def test_a_credit_note_takes_back_an_invoice_or_parts_of_it(desk: Desk) -> None:
    ada = await desk.customer()
    await desk.charged(ada), await desk.charged(ada, amount=620)
    invoice = await desk.issued(ada)
    path, (first, second) = f"invoices/{invoice['id']}/credit-note", invoice["lines"]
    part = {"line": second["id"], "amount": 124}
    note = await desk.post(path, 201, reason="Late.", lines=[part])
    assert (note["kind"], note["status"], note["number"]) == (
        "credit_note", "issued", "CN-2026-00001",
    )  # fmt: skip
    assert (note["refers_to"], note["reason"]) == (invoice["id"], "Late.")
    assert (note["amount"], note["tax_amount"]) == (-124, -24)
    for lines in (
        [{"line": second["id"], "amount": 497}],
        [{"line": second["id"], "amount": -1}],
        [{"line": second["id"], "amount": 0}],
        [{"line": first["id"]}, {"line": first["id"]}],
    ):
        refused(await ask(desk, path, reason="No.", lines=lines), 422, "validation_failed")
    unknown = [{"line": "line_0000000000000000"}]
    refused(await ask(desk, path, reason="No.", lines=unknown), 404, "not_found")
    found = await desk.read(invoice)
    assert (found["status"], found["credited_amount"], found["open_amount"]) == (
        "issued",
        124,
        1736,
    )
    rest = await desk.post(path, 201, reason="Wrong customer.")
    assert (rest["amount"], len(rest["lines"])) == (-1736, 2)
    assert (await desk.read(invoice))["status"] == "credited"
    refused(await ask(desk, path, reason="Again."), 409, "invoice_credited")
    again = f"invoices/{rest['id']}/credit-note"
    refused(await ask(desk, again, reason="No."), 409, "invoice_not_creditable")


async def test_what_is_owed_after_a_credit_note_can_be_invoiced_again(desk: Desk) -> None:
    ada = await desk.customer()
    order = await desk.charged(ada)
    invoice = await desk.issued(ada)
    await desk.post(f"invoices/{invoice['id']}/credit-note", 201, reason="Wrong address.")
    again = await desk.issued(ada)
    assert (again["amount"], again["open_amount"]) == (1240, 1240)
    await desk.pay(order)
    assert [(await desk.read(each))["status"] for each in (invoice, again)] == ["credited", "paid"]


async def test_payments_settle_the_oldest_invoice_first(desk: Desk) -> None:
    ada = await desk.customer()
    order = await desk.charged(ada, amount=1000)
    first = await desk.issued(ada)
    await desk.charge(order, amount=500)
    second = await desk.issued(ada)

    async def opened() -> list[tuple[str, int]]:
        found = [await desk.read(each) for each in (first, second)]
        return [(each["status"], each["open_amount"]) for each in found]

    assert await opened() == [("issued", 1000), ("issued", 500)]
    await desk.pay(order, amount=1200)
    assert await opened() == [("paid", 0), ("issued", 300)]
    await desk.pay(order)
    assert await opened() == [("paid", 0), ("paid", 0)]


async def test_a_payment_of_an_invoice_is_spread_over_its_transactions(desk: Desk) -> None:
    ada = await desk.customer()
    orders = [await desk.charged(ada, amount=amount) for amount in (300, 500, 700)]
    draft = await desk.draft(ada)
    path = f"invoices/{draft['id']}/payments"
    refused(await ask(desk, path, method="transfer"), 409, "invoice_not_payable")
    await desk.issue(draft)
    paid = await desk.post(path, 201, method="transfer", amount=600, reference="T 1")
    assert (paid["status"], paid["open_amount"]) == ("issued", 900)
    found = [await desk.transaction(order) for order in orders]
    assert [each["amount_paid"] for each in found] == [300, 300, 0]
    assert found[0]["payments"][0]["reference"] == "T 1"
    assert (await desk.post(path, 201, method="transfer"))["status"] == "paid"
    refused(await ask(desk, path, method="transfer"), 409, "invoice_paid")
    await desk.post(path, 201, method="cash", amount=50)
    assert (await desk.transaction(orders[-1]))["balance"] == -50
    order = await desk.get(f"orders/{orders[0]}")
    assert (order["payment_status"], order["balance"]) == ("paid", 0)


async def test_invoices_are_listed_by_status_customer_and_days(
    desk: Desk, clock: ManualClock
) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    await desk.charged(ada)
    late = await desk.issued(ada)
    clock.advance(days=15)
    await desk.charged(bob)
    open_invoice = await desk.issued(bob)
    paid_order = await desk.charged(bob)
    paid = await desk.issued(bob)
    await desk.pay(paid_order)
    await desk.charged(ada)
    credited = await desk.issued(ada)
    note = await desk.post(f"invoices/{credited['id']}/credit-note", 201, reason="Wrong.")
    draft = await desk.draft(ada)

    async def listed(query: str) -> list[str]:
        return [each["id"] for each in await desk.get(f"invoices?{query}")]

    everything = [draft, note, credited, paid, open_invoice, late]
    assert await listed("") == [each["id"] for each in everything]
    assert await listed("status=draft") == [draft["id"]]
    assert await listed("status=overdue") == [late["id"]]
    assert await listed("status=issued") == [note["id"], open_invoice["id"]]
    assert await listed("status=paid") == [paid["id"]]
    assert await listed("status=credited&status=overdue") == [credited["id"], late["id"]]
    assert await listed("kind=credit_note") == [note["id"]]
    assert await listed(f"customer={bob}") == [paid["id"], open_invoice["id"]]
    assert await listed("number=INV-2026-00002") == [open_invoice["id"]]
    assert await listed("currency=usd") == []
    assert await listed("issued_until=2026-01-29") == [late["id"]]
    assert await listed("issued_since=2026-01-30&kind=invoice") == [
        credited["id"], paid["id"], open_invoice["id"],
    ]  # fmt: skip
    assert await listed("due_until=2026-01-29") == [late["id"]]
    assert await listed("due_since=2026-02-01&status=issued") == [open_invoice["id"]]
    assert await listed("until=2026-01-16T00:00:00Z") == [late["id"]]


async def test_the_ageing_list_tells_who_owes_and_for_how_long(
    desk: Desk, clock: ManualClock
) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    # Due 100, 90, 61, 60, 31, 30 and 1 days ago, and today.
    ages, last = (100, 90, 61, 60, 31, 30, 1, 0), 100
    for number, age in enumerate(ages):
        clock.advance(days=last - age)
        await desk.charged(ada, amount=10**number)
        await desk.issued(ada, due_date=None)
        last = age
    clock.advance(days=14)
    await desk.charged(bob, amount=5)
    await desk.issued(bob)
    owing, other = await desk.get("invoices/ageing")
    assert owing == {
        "customer": ada, "customer_type": "contact", "name": "Ada Lovelace", "currency": "EUR",
        "invoices": 8, "not_due": 10**7, "days_1_30": 1_100_000, "days_31_60": 11_000,
        "days_61_90": 110, "over_90_days": 1, "total": 11_111_111,
        "oldest_due_date": "2026-01-29",
    }  # fmt: skip
    assert (other["customer"], other["not_due"], other["total"]) == (bob, 5, 5)
    assert await desk.get(f"invoices/ageing?customer={bob}") == [other]
    assert await desk.get("invoices/ageing?currency=USD") == []
    seen = await desk.firm.admin.get("/int/v1/invoices/ageing")
    assert seen.json() == [owing, other]


async def test_a_debt_that_moves_to_another_customer_is_credited_and_invoiced_there(
    desk: Desk,
) -> None:
    ada, bob = await desk.customer(), await desk.customer("Bob")
    order = await desk.charged(ada)
    invoice = await desk.issued(ada)
    moved = await desk.firm.api.patch(f"/v1/orders/{order}", json={"customer": bob})
    assert moved.status_code == 200, moved.text
    assert (await desk.read(invoice))["open_amount"] == 0
    assert (await desk.issued(ada))["amount"] == -1240
    assert (await desk.issued(bob))["open_amount"] == 1240


async def test_a_stranger_sees_and_writes_no_invoice(desk: Desk) -> None:
    ada = await desk.customer()
    await desk.charged(ada)
    draft = await desk.draft(ada)
    rival = await desk.firm.house.found("Rival")
    path = f"/v1/invoices/{draft['id']}"
    for call in (
        rival.api.get(path),
        rival.api.patch(path, json={"notes": "No."}),
        rival.api.delete(path),
        rival.api.post(f"{path}/issue"),
        rival.api.post(f"{path}/refresh"),
        rival.api.post(f"{path}/credit-note", json={"reason": "No."}),
        rival.api.post(f"{path}/payments", json={"method": "cash"}),
        rival.api.post("/v1/invoices", json={"customer": ada}),
    ):
        refused(await call, 404, "not_found")
    assert (await rival.api.get("/v1/invoices")).json() == []
    assert (await rival.api.get("/v1/invoices/ageing")).json() == []


async def test_an_invoice_issued_twice_at_once_gets_one_number(desk: Desk) -> None:
    ada = await desk.customer()
    await desk.charged(ada)
    draft = await desk.draft(ada)
    path = f"invoices/{draft['id']}/issue"
    answers = await asyncio.gather(*(ask(desk, path) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    await desk.charged(ada)
    assert (await desk.issued(ada))["number"] == "INV-2026-00002"


async def test_a_billing_operator_sets_up_and_issues_invoices_and_a_dispatcher_reads(
    desk: Desk,
) -> None:
    billing = await desk.firm.operator("billing")
    dispatcher = await desk.firm.operator("dispatcher")
    papers = {
        "legal_name": "Acme Oy", "iban": "fi21 1234 5600 0007 85", "bic": "ndeafihh",
        "payment_instructions": "Within two weeks.", "payment_terms_days": 30,
        "invoice_prefix": "A-", "credit_note_prefix": "G-", "invoice_footer": "Turku",
        "billing_address": {"street": "Quay 1", "country": "fi"},
    }  # fmt: skip
    answer = await billing.patch("/int/v1/settings", json=papers)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert (shown["iban"], shown["bic"]) == ("FI2112345600000785", "NDEAFIHH")
    assert shown["billing_address"]["country"] == "FI"
    for wrong in ({"iban": "FI2112345600000786"}, {"bic": "NDEA"}, {"invoice_prefix": "no spaces"}):
        refused(await billing.patch("/int/v1/settings", json=wrong), 422, "validation_failed")
    ada = await desk.customer()
    await desk.charged(ada)
    refused(await dispatcher.post("/int/v1/invoices", json={"customer": ada}), 403, "forbidden")
    drafted = await billing.post("/int/v1/invoices", json={"customer": ada})
    assert drafted.status_code == 201, drafted.text
    path = f"/int/v1/invoices/{drafted.json()['id']}"
    refused(await dispatcher.post(f"{path}/issue"), 403, "forbidden")
    issued = await billing.post(f"{path}/issue")
    assert (issued.json()["number"], issued.json()["due_date"]) == ("A-2026-00001", "2026-02-14")
    assert (await dispatcher.get(path)).json() == issued.json()
    assert (await dispatcher.get("/int/v1/invoices")).json()["data"][0]["number"] == "A-2026-00001"
    paid = await dispatcher.post(f"{path}/payments", json={"method": "cash"})
    assert paid.json()["status"] == "paid", paid.text
