"""Real money is accounted for, whatever happened to the order, driver or customer meanwhile."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from cash.test_collecting import COD
from cash.test_desk import collect, hand_in
from orders.shop import Phone, Shop
from pannier.kit.clock import ManualClock
from pannier.kit.money import MAX_AMOUNT
from probe import refused
from stage import Firm, House


async def test_the_cash_of_a_deleted_driver_is_handed_in(shop: Shop) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 1000)
    deleted = await shop.firm.api.delete(f"/v1/drivers/{ada['id']}")
    assert deleted.status_code == 200, deleted.text
    [row] = (await shop.get("cash/balances"))["drivers"]
    assert (row["driver"], row["balance"]) == (ada["id"], 1000)
    cash = await shop.get(f"drivers/{ada['id']}/cash")
    assert [one["balance"] for one in cash["balances"]] == [1000]
    made = await hand_in(shop, ada, currency="SGD", counted_amount=1000)
    assert made.status_code == 201, made.text
    listed = await shop.get(f"cash/hand-ins?driver={ada['id']}")
    assert [one["id"] for one in listed] == [made.json()["id"]]


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_the_cash_of_a_deleted_customer_is_remitted(shop: Shop, kind: str) -> None:
    ada = await shop.driver()
    merchant = await shop.post(kind, name="Corner shop")
    await collect(shop, ada, 1000, customer=merchant["id"], method="card")
    deleted = await shop.firm.api.delete(f"/v1/{kind}/{merchant['id']}")
    assert deleted.status_code == 200, deleted.text
    [due] = (await shop.get("cash/balances"))["customers"]
    assert (due["customer"], due["amount"]) == (merchant["id"], 1000)
    made = await shop.post("cash/remittances", customer=due["customer"], currency="SGD")
    assert made["amount"] == 1000
    assert await shop.get(f"cash/remittances?customer={merchant['id']}") == [made]
    assert len(await shop.get(f"cash/collections?customer={merchant['id']}")) == 1


async def test_a_driver_who_lost_the_order_reports_the_cash_that_was_collected_before(
    shop: Shop, phone: Phone
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client = await phone(ada)
    path = f"/v1/orders/{order['id']}"
    started = await client.post(f"{path}/start", json={})
    assert started.status_code == 200, started.text
    await shop.act(order, "assign-driver", driver=grace["id"])
    body = {"amount": 5000, "collection_uuid": str(uuid4())}
    made = await client.post(f"{path}/collect-cash", json=body)
    assert made.status_code == 201, made.text
    assert made.json()["driver"] == ada["id"]
    cash = (await client.get("/v1/drivers/me/cash")).json()
    assert [one["balance"] for one in cash["balances"]] == [5000]
    again = await (await phone(grace)).post(f"{path}/collect-cash", json={"amount": 5000})
    refused(again, 409, "cash_already_collected")
    stranger = await phone(await shop.driver(name="Edsger"))
    body["collection_uuid"] = str(uuid4())
    refused(await stranger.post(f"{path}/collect-cash", json=body), 404, "not_found")


@pytest.mark.parametrize(
    ("change", "due"),
    [
        ({"cod_amount": 4000}, 4000),
        ({"cod_amount": 9000}, 9000),
        ({"cod_amount": None, "cod_currency": None}, 0),
        ({"cod_currency": "EUR"}, 0),
    ],
)
async def test_cash_that_was_due_when_it_was_collected_counts_when_the_report_is_late(
    shop: Shop, phone: Phone, change: dict[str, Any], due: int
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client = await phone(ada)
    path = f"/v1/orders/{order['id']}/collect-cash"
    changed = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json=change)
    assert changed.status_code == 200, changed.text
    sent = {"amount": 5000, "amount_due": 5000, "currency": "SGD"}
    made = await client.post(path, json=sent)
    assert made.status_code == 201, made.text
    answer = made.json()
    assert (answer["amount"], answer["amount_due"], answer["currency"]) == (5000, due, "SGD")
    [listed] = await shop.get("cash/collections?has_difference=true")
    assert listed["id"] == answer["id"]
    refused(await client.post(path, json=sent), 409, "cash_already_collected")


@pytest.mark.parametrize("sent", [{"amount_due": 5000}, {"currency": "SGD"}])
async def test_a_report_names_both_the_amount_and_the_currency_that_were_shown(
    shop: Shop, sent: dict[str, Any]
) -> None:
    order = await shop.ready(dispatch=True)
    answer = await shop.attempt(order, "collect-cash", amount=5000, **sent)
    assert answer.status_code == 422


@pytest.mark.parametrize("year", ["1970", "2099"])
async def test_a_clock_of_another_age_is_no_reason_to_lose_a_collection(
    shop: Shop, phone: Phone, clock: ManualClock, year: str
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client, path = await phone(ada), f"/v1/orders/{order['id']}/collect-cash"
    clock.advance(hours=1)
    body = {"amount": 5000, "collected_at": f"{year}-01-15T12:30:00Z"}
    made = await client.post(path, json=body)
    assert made.status_code == 201, made.text
    assert made.json()["clock_skew"]
    assert "2026-01-15T12" <= made.json()["collected_at"] <= "2026-01-15T13:00:01"


async def test_a_rival_sees_and_moves_none_of_it(shop: Shop, rival: Firm) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    made = await collect(shop, ada, 1000, customer=merchant["id"], method="card")
    await collect(shop, ada, 1000)
    order = await shop.order(driver=ada["id"], **COD)
    for path in (f"cash/collections/{made['id']}", f"drivers/{ada['id']}/cash"):
        refused(await rival.api.get(f"/v1/{path}"), 404, "not_found")
    for path, body in (
        (f"drivers/{ada['id']}/cash/hand-in", {"currency": "SGD", "counted_amount": 1000}),
        ("cash/remittances", {"customer": merchant["id"], "currency": "SGD"}),
        (f"orders/{order['id']}/collect-cash", {"amount": 5000, "driver": ada["id"]}),
    ):
        refused(await rival.api.post(f"/v1/{path}", json=body), 404, "not_found")
    assert (await rival.api.get("/v1/cash/balances")).json() == {"drivers": [], "customers": []}
    assert (await rival.api.get("/v1/cash/collections")).json() == []


async def test_cash_of_a_canceled_order_stays_with_the_driver_until_it_is_handed_in(
    shop: Shop,
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    await shop.act(order, "collect-cash", amount=5000)
    await shop.act(order, "cancel")
    cash = await shop.get(f"drivers/{ada['id']}/cash")
    assert [one["balance"] for one in cash["balances"]] == [5000]
    change = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"cod_amount": 1})
    assert change.status_code == 409


async def test_cash_of_a_deleted_order_is_reported_late(
    shop: Shop, phone: Phone, house: House, rival: Firm
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client, path = await phone(ada), f"/v1/orders/{order['id']}/collect-cash"
    assert (await shop.firm.api.delete(f"/v1/orders/{order['id']}")).status_code == 200
    told = "select count(*) from events where name = 'order.updated'"
    before = await house.value(told)
    refused(await rival.api.post(path, json={"amount": 5000}), 404, "not_found")
    made = await client.post(path, json={"amount": 5000})
    assert made.status_code == 201, made.text
    assert await house.value(told) == before
    refused(await client.post(path, json={"amount": 5000}), 409, "cash_already_collected")
    cash = await shop.get(f"drivers/{ada['id']}/cash")
    assert [one["balance"] for one in cash["balances"]] == [5000]
    refused(await shop.firm.api.get(f"/v1/orders/{order['id']}"), 404, "not_found")
    [listed] = await shop.get(f"cash/collections?order={order['id']}")
    assert listed["id"] == made.json()["id"]


async def test_differences_beyond_what_a_number_holds_are_reported(shop: Shop) -> None:
    ada = await shop.driver()
    for _ in range(2):
        order = await shop.order(driver=ada["id"], cod_amount=MAX_AMOUNT, cod_currency="SGD")
        await shop.act(order, "collect-cash", amount=0, reason="Nobody has that much.")
    [row] = await shop.get("cash/differences")
    assert (row["collections"], row["uncollected"]) == (2, MAX_AMOUNT)


async def test_one_uuid_for_two_orders_at_once_is_refused_once(shop: Shop) -> None:
    ada = await shop.driver()
    for _ in range(5):
        body = {"amount": 5000, "collection_uuid": str(uuid4())}
        orders = [await shop.order(driver=ada["id"], **COD) for _ in range(2)]
        answers = await asyncio.gather(
            *(shop.attempt(order, "collect-cash", **body) for order in orders)
        )
        assert sorted(answer.status_code for answer in answers) == [201, 409]
