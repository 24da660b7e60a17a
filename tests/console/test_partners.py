"""Contacts and vendors at the console, with the orders they have to do with."""

import pytest

from console.seat import Seat
from contract.test_balances import owing
from contract.test_money import record
from orders.shop import Shop
from orders.test_quotes import FLAT
from rates.counter import rate
from stage import Firm


async def test_a_vendor_is_made_and_shown_with_the_orders_it_carries(
    acme: Firm, seat: Seat
) -> None:
    form = (await seat.open("/console/vendors/new")).sheet()
    told = {"name": "Swift", "country": "sg", "website_url": "https://swift.example.com"}
    made = await seat.send("/console/vendors/new", {**form, **told, "status": "active"})
    home = made.headers["Location"]
    vendor = home.rpartition("/")[2]
    order = {"pickup": "1 Road", "dropoff": "2 Road", "facilitator": vendor}
    placed = (await acme.api.post("/v1/orders", json=order)).json()
    page = await seat.open(home)
    assert "https://swift.example.com" in page.main.text
    assert f"/console/orders/{placed['id']}" in page.links()
    (row,) = (await seat.open("/console/vendors?status=active&country=SG")).rows()
    assert row[:2] == ["Swift", "Active"]


async def test_what_is_kept_beside_a_contact_is_read_as_json(acme: Firm, seat: Seat) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()
    sent = {**form, "name": "Ada", "type": "contact", "meta": '{"floor": 3}'}
    await seat.send("/console/contacts/new", sent)
    (contact,) = (await acme.api.get("/v1/contacts?type=contact")).json()
    assert contact["meta"] == {"floor": 3}
    answer = await seat.send("/console/contacts/new", {**sent, "meta": "{floor"})
    assert answer.status_code == 422
    assert "not valid JSON" in answer.text
    for deep in ("[" * 40 + "]" * 40, '{"a":' * 2000 + "1" + "}" * 2000):
        answer = await seat.send("/console/contacts/new", {**sent, "meta": deep})
        assert answer.status_code == 422
        assert "is nested too deeply." in answer.text


async def test_a_contacts_tariff_and_terms_are_kept_and_shown(acme: Firm, seat: Seat) -> None:
    rate = {"service_name": "Express", "service_type": "express", "currency": "SGD",
            "rate_calculation_method": "fixed_rate"}  # fmt: skip
    express = (await acme.api.post("/v1/service-rates", json=rate)).json()
    form = (await seat.open("/console/contacts/new")).sheet()
    terms = {"price_group": "gold", "default_service": "Express", "payment_terms_days": "14",
             "tax_number": "DE123"}  # fmt: skip
    made = await seat.send("/console/contacts/new", {**form, "name": "Ada", **terms})
    page = await seat.open(made.headers["Location"])
    (contact,) = (await acme.api.get("/v1/contacts")).json()
    assert contact["default_service"] == express["id"]
    assert (contact["payment_terms_days"], contact["tax_number"]) == (14, "DE123")
    assert f"/console/service-rates/{express['id']}" in page.links()
    assert "gold" in page.main.text


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_the_account_shows_what_is_due_and_where_to_record_it(acme: Firm, kind: str) -> None:
    await rate(acme, **FLAT)
    shop = Shop(acme)
    ada, bob = await owing(shop, kind), await owing(shop, kind)
    await record(shop, bob["order"], amount=1000)
    seat = await Seat.of(acme, "billing")
    page = await seat.open(f"/console/{kind}/{ada['id']}")
    account = page.main.one("section", id="account")
    number = ada["order"]["tracking_number"]["tracking_number"]
    assert "Account 9.00 SGD due" in account.text
    assert number in account.text
    pay = f"/console/transactions/{ada['order']['transaction']}?do=payment"
    assert pay in [link["href"] for link in account.all("a")]
    (unpaid,) = [each for each in page.links() if "payment_status=owed" in each]
    table = await seat.open(unpaid)
    assert [row["data-href"] for row in table.main.all("tr", tabindex="-1")] == [
        f"/console/orders/{ada['order']['id']}"
    ]
    page = await seat.open(f"/console/{kind}/{bob['id']}")
    assert "Account 1.00 SGD credit" in page.main.one("section", id="account").text
    assert f"/console/transactions/{bob['order']['transaction']}?do=refund" in page.links()
    await record(shop, ada["order"])
    page = await seat.open(f"/console/{kind}/{ada['id']}")
    assert "Nothing is due." in page.main.one("section", id="account").text


async def test_contacts_and_transactions_are_filtered_by_balance(acme: Firm, seat: Seat) -> None:
    await rate(acme, **FLAT)
    shop = Shop(acme)
    ada, bob = await owing(shop), await owing(shop)
    await record(shop, bob["order"], amount=1000)
    for balance, customer, text in (("owed", ada, "9.00 SGD"), ("credit", bob, "-1.00 SGD")):
        page = await seat.open(f"/console/contacts?balance={balance}")
        (row,) = page.main.all("tr", tabindex="-1")
        assert row["data-href"].endswith(customer["id"])
        assert text in row.text
        page = await seat.open(f"/console/transactions?balance={balance}")
        (row,) = page.main.all("tr", tabindex="-1")
        assert row["data-href"].endswith(customer["order"]["transaction"])
        (export,) = [each for each in page.links() if "content=charges" in each]
        assert f"balance={balance}" in export
