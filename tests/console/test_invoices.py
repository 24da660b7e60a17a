"""Invoices at the console: drafts, issued documents, payments, credit notes and what is overdue."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.reading import Element, Page
from console.seat import Seat
from contract.test_balances import owing
from contract.test_money import charge, record
from db.test_plans import COPIES, COPY
from orders.shop import Shop
from orders.test_price_status import configure
from orders.test_quotes import FLAT
from pannier.console import invoice_view
from pannier.invoices.ageing import MAX_CUSTOMERS
from pannier.kit.clock import ManualClock
from rates.counter import rate
from stage import Firm

HOME = "/console/invoices"
CHARGE = {"kind": "other", "description": "Waiting", "amount": 100}
# Everybody has the invoice of one customer.
OWING = """
    insert into invoices
    select made.*
    from invoices i, contacts c, jsonb_populate_record(i, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'invoice_' || c.uuid, 'number', c.uuid,
        'customer', c.uuid)) made
    where c.company = i.company and c.uuid <> i.customer"""


@pytest.fixture
async def shop(acme: Firm) -> Shop:
    await rate(acme, **FLAT)
    await configure(Shop(acme), tax_rate=25.5)
    return Shop(acme)


@pytest.fixture
async def billing(acme: Firm) -> Seat:
    return await Seat.of(acme, "billing")


async def drafted(shop: Shop, customer: dict[str, Any]) -> dict[str, Any]:
    return await shop.post("invoices", customer=customer["id"])


async def issued(shop: Shop, customer: dict[str, Any]) -> dict[str, Any]:
    return await shop.post(f"invoices/{(await drafted(shop, customer))['id']}/issue")


async def read(shop: Shop, invoice: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await shop.get(f"invoices/{invoice['id']}")
    return found


def buttons(page: Page) -> list[str]:
    return [each.text for each in page.main.all("button")]


def rows(page: Page) -> dict[str, Element]:
    """The rows of a list by the id of the invoice."""
    return {row["data-href"].rpartition("/")[2]: row for row in page.main.all("tr", tabindex="-1")}


async def test_a_draft_is_previewed_created_and_issued(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await charge(shop, ada["order"], reason="The ramp was blocked.")
    form = (await billing.open(f"{HOME}/new?customer={ada['id']}")).sheet()
    form |= {"reference": "PO 4711", "due_date": "2026-03-01"}
    preview = Page((await billing.send(f"{HOME}/new", {**form, "do": "preview"})).text)
    text = preview.main.one("section", id="preview").text
    assert ada["order"]["tracking_number"]["tracking_number"] in text
    assert "Total 17.50 SGD" in text
    assert await shop.get("invoices") == []
    page = await billing.sent(f"{HOME}/new", form)
    assert "Draft created." in page.root.one("div", id="toasts").text
    assert page.heading == "Invoices Draft invoice"
    assert "Waited 25 minutes at the dock Waiting" in page.main.text
    (draft,) = await shop.get("invoices")
    assert (draft["reference"], draft["due_date"]) == ("PO 4711", "2026-03-01")
    home = f"{HOME}/{draft['id']}"
    issue = page.form(f"{home}/issue")
    asked = await billing.client.post(f"{home}/issue", data=issue)
    assert "the next number" in asked.text
    page = await billing.sent(f"{home}/issue", issue)
    invoice = await read(shop, draft)
    assert invoice["status"] == "issued"
    assert page.heading == f"Invoices {invoice['number']}"
    assert "Open 17.50 SGD" in page.main.text
    assert "Issue invoice" not in buttons(page)
    assert "Delete" not in buttons(page)


async def test_a_draft_says_whether_issuing_sends_an_email(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await shop.firm.api.patch(f"/v1/contacts/{ada['id']}", json={"email": "ada@example.com"})
    home, text = f"{HOME}/{(await drafted(shop, ada))['id']}", "when it is issued"
    assert text in (await billing.open(home)).main.text
    await configure(shop, email_invoices=False)
    page = await billing.open(home)
    assert "ada@example.com" in page.main.text
    assert text not in page.main.text


async def test_documents_are_downloaded_and_sent(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    home = f"{HOME}/{(await issued(shop, ada))['id']}"
    page = await billing.open(home)
    assert "No email address" in page.main.text
    for kind in ("pdf", "xml"):
        assert f"{home}/document.{kind}" in page.links()
    answer = await billing.client.get(f"{home}/document.pdf")
    assert answer.content.startswith(b"%PDF")
    refused = await billing.send(f"{home}/send", {"to": ""})
    assert refused.status_code == 422
    dialog = Page(refused.text).main.one("dialog", id="do-send")
    assert "The customer has no email address." in dialog.text
    page = await billing.sent(f"{home}/send", {"to": "ada@example.com"})
    assert "Email queued." in page.root.one("div", id="toasts").text
    (message,) = (await shop.firm.admin.get("/int/v1/messages")).json()["data"]
    assert (message["channel"], message["to"]) == ("email", "ada@example.com")


async def test_a_draft_is_refreshed_edited_and_deleted(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    draft = await drafted(shop, ada)
    home = f"{HOME}/{draft['id']}"
    page = await billing.open(home)
    await charge(shop, ada["order"])
    refused = await billing.sent(f"{home}/issue", page.form(f"{home}/issue"))
    assert "no longer matches" in refused.main.text or "Refresh the draft" in refused.main.text
    page = await billing.sent(f"{home}/refresh", page.form(f"{home}/refresh"))
    assert "Draft refreshed." in page.root.one("div", id="toasts").text
    assert "Total 17.50 SGD" in page.main.text
    form = (await billing.open(f"{home}/edit")).sheet()
    await billing.sent(f"{home}/edit", {**form, "notes": "Thank you."})
    assert (await read(shop, draft))["notes"] == "Thank you."
    page = await billing.open(home)
    assert "Thank you." in page.main.text
    await billing.sent(f"{home}/delete", page.form(f"{home}/delete"))
    assert await shop.get("invoices") == []


async def test_an_order_and_a_customer_lead_to_a_new_invoice(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await owing(shop)
    page = await billing.open(f"/console/orders/{ada['order']['id']}")
    (new,) = [each for each in page.links() if each.startswith(f"{HOME}/new")]
    form = (await billing.open(new)).sheet()
    number = (await shop.get(f"orders/{ada['order']['id']}"))["tracking_number"]["tracking_number"]
    assert form["orders"].strip().replace("-", "") == number.replace("-", "")  # not its id
    await billing.sent(f"{HOME}/new", form)
    (draft,) = await shop.get("invoices")
    assert draft["amount"] == 900
    page = await billing.open(f"/console/contacts/{ada['id']}")
    assert f"{HOME}/new?customer={ada['id']}" in page.links()
    (all_,) = [each for each in page.links() if each.startswith(f"{HOME}?")]
    assert rows(await billing.open(all_)).keys() == {draft["id"]}


async def test_orders_of_one_name_are_invoiced_as_they_were_chosen(
    shop: Shop, billing: Seat
) -> None:
    ada = await owing(shop)
    await shop.firm.admin.patch("/int/v1/settings", json={"unique_internal_ids": False})
    other = await shop.order(customer=ada["id"])
    await shop.firm.api.post(f"/v1/orders/{other['id']}/charges", json=CHARGE)
    for order in (ada["order"], other):
        await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"internal_id": "PO 7"})
    chosen = f"customer={ada['id']}&orders={ada['order']['id']}%0A{other['id']}"
    form = (await billing.open(f"{HOME}/new?{chosen}")).sheet()
    assert form["orders"].split("\n") == ["PO 7", "PO 7"]
    # The names that are left keep their orders, also in a form that comes back.
    again = await billing.send(f"{HOME}/new", {**form, "due_date": "never"})
    form = {**Page(again.text).sheet(), "due_date": ""}
    await billing.sent(f"{HOME}/new", form)
    (draft,) = await shop.get("invoices")
    lines = (await read(shop, draft))["lines"]
    assert {line["order"] for line in lines} == {ada["order"]["id"], other["id"]}


async def test_only_billing_writes_invoices(acme: Firm, shop: Shop) -> None:
    ada = await owing(shop)
    draft, invoice = await drafted(shop, ada), await issued(shop, await owing(shop))
    for seat in (await Seat.of(acme, "viewer"), await Seat.of(acme, "dispatcher")):
        assert f"{HOME}/new" not in (await seat.open(HOME)).links()
        await seat.open(f"{HOME}/new", 403)
        for each in (draft, invoice):
            page = await seat.open(f"{HOME}/{each['id']}")
            shown = set(buttons(page)) & {
                "Issue invoice",
                "Delete",
                "Refresh",
                "Issue credit note",
                "Edit",
            }
            assert shown == set()
            assert not page.main.all("dialog", id="do-credit-note")
        refused = await seat.sent(f"{HOME}/{draft['id']}/issue")
        assert "This requires the billing role" in refused.main.text
    assert (await read(shop, draft))["status"] == "draft"


async def test_invoices_are_filtered_by_status(
    shop: Shop, billing: Seat, clock: ManualClock
) -> None:
    draft = await drafted(shop, await owing(shop))
    overdue = await issued(shop, await owing(shop))
    clock.advance(hours=24 * 15)
    open_, payer = await issued(shop, await owing(shop)), await owing(shop)
    paid = await issued(shop, payer)
    await record(shop, payer["order"])
    expected = {
        "": {draft["id"], overdue["id"], open_["id"], paid["id"]},
        "draft": {draft["id"]},
        "open": {overdue["id"], open_["id"]},
        "overdue": {overdue["id"]},
        "paid": {paid["id"]},
        "credited": set(),
    }
    for status, found in expected.items():
        assert rows(await billing.open(f"{HOME}?status={status}")).keys() == found
    by_customer = await billing.open(f"{HOME}?customer={payer['id']}")
    assert rows(by_customer).keys() == {paid["id"]}
    assert "Draft invoice Draft" in rows(await billing.open(HOME))[draft["id"]].text


async def test_the_palette_finds_an_invoice_by_its_number(shop: Shop, billing: Seat) -> None:
    invoice = await issued(shop, await owing(shop))
    draft = await drafted(shop, await owing(shop))
    for query in (invoice["number"], invoice["id"]):
        page = await billing.open(f"/console/search?query={query}")
        assert f"{HOME}/{invoice['id']}" in page.links()
    page = await billing.open("/console/search?query=INV-2026")
    assert f"{HOME}/{invoice['id']}" not in page.links()
    page = await billing.open(f"/console/search?query={draft['id']}")
    assert f"{HOME}/{draft['id']}" in page.links()


async def test_the_filtered_invoices_or_their_lines_are_exported(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await charge(shop, ada["order"])
    invoice = await issued(shop, ada)
    await drafted(shop, await owing(shop))
    page = await billing.open(f"{HOME}?status=open")
    links = [each for each in page.links() if each.startswith(f"{HOME}/export")]
    tables = [(await billing.client.get(link)).text.splitlines() for link in links]
    assert [len(table) for table in tables] == [2, 3]
    assert all(invoice["number"] in row for table in tables for row in table[1:])


async def test_a_refused_draft_shows_its_form_again(shop: Shop, billing: Seat) -> None:
    await shop.post("contacts", name="Bob")
    answer = await billing.send(f"{HOME}/new", {"customer": "Bob", "reference": "PO 1"})
    assert answer.status_code == 409
    page = Page(answer.text)
    assert "There is nothing to invoice." in page.main.one("p", role="alert").text
    assert page.main.one("input", name="reference")["value"] == "PO 1"
    preview = await billing.send(f"{HOME}/new", {"customer": "Bob", "do": "preview"})
    text = Page(preview.text).main.one("section", id="preview").text
    assert "There is nothing to invoice." in text
    answer = await billing.send(f"{HOME}/new", {"customer": ""})
    assert answer.status_code == 422


def test_the_ageing_list_is_summed_by_currency() -> None:
    row = dict.fromkeys(dict(invoice_view.PERIODS), 10)
    totals = invoice_view.sum_ageing([
        {**row, "currency": "SGD"}, {**row, "currency": "JPY"}, {**row, "currency": "SGD"},
    ])  # fmt: skip
    assert list(totals) == ["JPY", "SGD"]
    assert totals["SGD"]["over_90_days"] == 20


async def test_the_ageing_list_says_that_it_is_not_complete(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await issued(shop, ada)
    note = f"Only the {MAX_CUSTOMERS} rows with the oldest due dates are listed"
    assert note not in (await billing.open(f"{HOME}/ageing")).main.text
    copy = COPY.format(table="contacts", many=MAX_CUSTOMERS, changes=COPIES["contacts"])
    async with shop.firm.house.database.transaction() as db:
        await db.execute(copy)
        await db.execute(OWING)
    assert note in (await billing.open(f"{HOME}/ageing")).main.text


async def test_a_payment_is_recorded_with_the_invoice(shop: Shop, acme: Firm) -> None:
    ada = await owing(shop)
    invoice = await issued(shop, ada)
    home = f"{HOME}/{invoice['id']}"
    for seat, amount, open_amount in (
        (await Seat.of(acme, "billing"), "4,50", "Open 4.50 SGD"),
        (await Seat.of(acme, "dispatcher"), "", "Open 0.00 SGD"),
    ):
        dialog = (await seat.open(home)).main.one("dialog", id="do-payments")
        assert "Amount in SGD" in dialog.text
        page = await seat.sent(f"{home}/payments", {"amount": amount, "method": "transfer"})
        assert "Payment recorded." in page.root.one("div", id="toasts").text
        assert open_amount in page.main.text
    assert (await read(shop, invoice))["status"] == "paid"
    assert not page.main.all("dialog", id="do-payments")


async def test_lines_of_an_invoice_are_credited(shop: Shop, billing: Seat) -> None:
    ada = await owing(shop)
    await charge(shop, ada["order"])
    invoice = await issued(shop, ada)
    home = f"{HOME}/{invoice['id']}"
    dialog = (await billing.open(home)).main.one("dialog", id="do-credit-note")
    assert "2. Waited 25 minutes at the dock, 8.50 SGD" in dialog.text
    form = {"reason": "Nobody waited.", "lines": invoice["lines"][1]["id"]}
    page = await billing.sent(f"{home}/credit-note", form)
    assert "Credit note issued." in page.root.one("div", id="toasts").text
    (note,) = await shop.get("invoices?kind=credit_note")
    assert (note["amount"], note["refers_to"]) == (-850, invoice["id"])
    assert "Credited -8.50 SGD Open 9.00 SGD" in page.main.text
    assert f"{HOME}/{note['id']}" in page.links()
    page = await billing.open(f"{HOME}/{note['id']}")
    assert f"Corrects {invoice['number']}" in page.main.text
    assert not page.main.all("dialog", id="do-credit-note")
    refused = await billing.send(f"{home}/credit-note", {"reason": ""})
    assert refused.status_code == 422
    page = await billing.sent(f"{home}/credit-note", {"reason": "All wrong."})
    assert (await read(shop, invoice))["status"] == "credited"
    assert rows(await billing.open(f"{HOME}?status=credited")).keys() == {invoice["id"]}


async def test_a_credit_note_is_listed_with_its_invoice_after_many_others(
    shop: Shop, billing: Seat
) -> None:
    ada = await owing(shop)
    first = await issued(shop, ada)
    note = await shop.post(f"invoices/{first['id']}/credit-note", reason="Wrong.")
    other = await issued(shop, ada)
    line = other["lines"][0]["id"]
    for _ in range(101):
        credit = {"line": line, "amount": 1}
        await shop.post(f"invoices/{other['id']}/credit-note", reason="-", lines=[credit])
    page = await billing.open(f"{HOME}/{first['id']}")
    assert f"{HOME}/{note['id']}" in page.links()


async def test_the_ageing_list_shows_how_long_amounts_are_overdue(
    shop: Shop, billing: Seat, clock: ManualClock
) -> None:
    assert "Nothing is open." in (await billing.open(f"{HOME}/ageing")).main.text
    ada = await owing(shop)
    invoice = await issued(shop, ada)
    clock.advance(hours=24 * 50)
    await issued(shop, await owing(shop))
    page = await billing.open(f"{HOME}/ageing")
    listed = page.rows()
    dash = "\N{EN DASH}"
    assert listed[0][:6] == ["Ada 1", "9.00 SGD", dash, dash, "9.00 SGD", dash]
    assert listed[1][:3] == ["Ada 1", "9.00 SGD", "9.00 SGD"]
    assert "Total SGD 18.00 SGD 9.00 SGD" in page.main.text
    first = page.main.all("tr", tabindex="-1")[0]
    assert rows(await billing.open(first["data-href"])).keys() == {invoice["id"]}
    assert f"{HOME}/ageing" in (await billing.open(HOME)).links()


@pytest.mark.slow
async def test_an_invoice_is_drafted_and_issued_by_keyboard(shop: Shop, page: Tab) -> None:
    await owing(shop)
    await page.goto(HOME)
    await page.keyboard.press("n")
    await page.locator("[name=customer]").fill("Ada")
    await page.keyboard.press("Tab")
    await expect(page.locator("#preview .sums")).to_contain_text("Total9.00 SGD")
    assert await shop.get("invoices") == []
    await page.locator("[name=reference]").fill("PO 4711")
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_contain_text("Draft invoice")
    await page.get_by_role("button", name="Issue invoice").press("Enter")
    await page.get_by_role("button", name="Issue invoice").last.press("Enter")
    await expect(page.locator("h1")).to_contain_text("INV-")
