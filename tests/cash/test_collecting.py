"""Cash is collected once at each stop, by the driver of the order or by a key for them."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Phone, Shop
from pannier.kit.clock import ManualClock
from probe import paths, refused
from stage import Firm, House

COD = {"cod_amount": 5000, "cod_currency": "SGD"}


async def order_with_cash(shop: Shop, **more: Any) -> dict[str, Any]:
    """Place an order whose driver collects 50 dollars."""
    return await shop.ready(**{**COD, **more}, dispatch=True)


async def test_a_driver_collects_the_cash_of_an_order(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    order = await shop.order(driver=ada["id"], customer=merchant["id"], dispatch=True, **COD)
    client, path = await phone(ada), f"/v1/orders/{order['id']}"
    sent = {"amount": 5000, "collected_at": "2026-01-15T11:00:00Z"}
    answer = await client.post(f"{path}/collect-cash", json=sent)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    expected = {
        "order": order["id"], "waypoint": None, "driver": ada["id"], "customer": merchant["id"],
        "customer_type": "contact", "amount_due": 5000, "amount": 5000, "currency": "SGD",
        "method": "cash", "reason": None, "hand_in": None, "remittance": None,
    }  # fmt: skip
    assert {name: made[name] for name in expected} == expected
    assert made["actor"]["id"] == ada["id"]
    now = (await client.get(path)).json()
    assert now["cash_to_collect"] == {
        "amount": 5000, "currency": "SGD", "method": None, "collected": True,
    }  # fmt: skip
    assert now["version"] > order["version"]
    again = await client.post(f"{path}/collect-cash", json=sent)
    refused(again, 409, "cash_already_collected")
    balance = (await client.get("/v1/drivers/me/cash")).json()
    assert balance["driver"] == ada["id"]
    [euros] = balance["balances"]
    assert (euros["currency"], euros["balance"]) == ("SGD", 5000)
    assert euros["collections"] == [made]
    assert await shop.get(f"cash/collections/{made['id']}") == made
    assert await shop.get(f"cash/collections?order={order['id']}") == [made]


async def test_the_cash_is_not_the_price_of_the_order(shop: Shop) -> None:
    order = await order_with_cash(shop)
    await shop.act(order, "collect-cash", amount=5000)
    assert await shop.get(f"transactions?order={order['id']}") == []


async def test_each_stop_is_collected_on_its_own(shop: Shop) -> None:
    order = await order_with_cash(
        shop,
        waypoints=[
            {"place": RAFFLES, "type": "pickup"},
            {"place": MANDAI, "cod_amount": 700, "cod_currency": "SGD"},
            {"place": CHANGI},
        ],
        cod_payment_method="card",
    )
    first, second, third = order["payload"]["waypoints"]
    unnamed = await shop.attempt(order, "collect-cash", amount=700)
    assert paths(unnamed) == ["waypoint"]
    wrong = await shop.attempt(order, "collect-cash", amount=700, stop="waypoint_nowhere0000000")
    refused(wrong, 404, "not_found")
    nothing = await shop.attempt(order, "collect-cash", amount=700, stop=first["id"])
    refused(nothing, 409, "no_cash_due")
    made = await shop.act(order, "collect-cash", amount=700, stop=second["uuid"], method="cash")
    assert (made["waypoint"], made["method"]) == (second["id"], "cash")
    rest = await shop.act(order, "collect-cash", amount=5000)
    assert (rest["waypoint"], rest["method"]) == (third["id"], "card")
    done = await shop.attempt(order, "collect-cash", amount=5000)
    refused(done, 409, "cash_already_collected")
    named = await shop.attempt(order, "collect-cash", amount=700, stop=second["id"])
    refused(named, 409, "cash_already_collected")
    change = await shop.firm.api.patch(f"/v1/waypoints/{second['id']}", json={"cod_amount": 1})
    refused(change, 409, "cash_collected")


@pytest.mark.parametrize(("amount", "path"), [(4900, "reason"), (0, "reason"), (5100, "amount")])
async def test_another_amount_needs_a_reason(shop: Shop, amount: int, path: str) -> None:
    order = await order_with_cash(shop)
    answer = await shop.attempt(order, "collect-cash", amount=amount)
    assert answer.status_code == 422
    assert paths(answer) == [path]
    made = await shop.act(order, "collect-cash", amount=amount, reason="Agreed by phone.")
    assert (made["amount_due"], made["amount"], made["reason"]) == (
        5000, amount, "Agreed by phone.",
    )  # fmt: skip


async def test_an_order_without_cash_collects_none(shop: Shop) -> None:
    order = await shop.ready(dispatch=True)
    refused(await shop.attempt(order, "collect-cash", amount=1), 409, "no_cash_due")


async def test_an_order_without_a_driver_names_who_has_the_cash(shop: Shop) -> None:
    order = await shop.order(**COD)
    refused(await shop.attempt(order, "collect-cash", amount=5000), 409, "driver_required")
    grace = await shop.driver(name="Grace")
    made = await shop.act(order, "collect-cash", amount=5000, driver=grace["id"])
    assert made["driver"] == grace["id"]


async def test_only_the_orders_driver_collects(shop: Shop, phone: Phone) -> None:
    order = await order_with_cash(shop)
    stranger = await phone(await shop.driver(name="Grace"))
    path = f"/v1/orders/{order['id']}/collect-cash"
    refused(await stranger.post(path, json={"amount": 5000}), 404, "not_found")
    other = f"/v1/drivers/{order['driver_assigned']['id']}/cash"
    refused(await stranger.get(other), 404, "not_found")
    own = await shop.driver(name="Edsger")
    body = {"amount": 5000, "driver": order["driver_assigned"]["id"]}
    theirs = await shop.order(driver=own["id"], **COD)
    wrong = await (await phone(own)).post(f"/v1/orders/{theirs['id']}/collect-cash", json=body)
    assert paths(wrong) == ["driver"]


async def test_a_repeated_report_is_answered_alike(
    shop: Shop, phone: Phone, clock: ManualClock
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client, path = await phone(ada), f"/v1/orders/{order['id']}/collect-cash"
    body = {"amount": 5000, "collection_uuid": str(uuid4())}
    first = (await client.post(path, json=body)).json()
    await shop.act(order, "assign-driver", driver=(await shop.driver(name="Grace"))["id"])
    clock.advance(days=2)
    late = await client.post(path, json=body)
    assert (late.status_code, late.json()) == (201, first)
    other = await client.post(path, json=body | {"amount": 1, "reason": "x"})
    refused(other, 409, "collection_conflict")
    elsewhere = await shop.order(driver=ada["id"], **COD)
    wrong = await client.post(f"/v1/orders/{elsewhere['id']}/collect-cash", json=body)
    refused(wrong, 409, "collection_conflict")


async def test_a_late_report_counts_when_the_order_has_ended(
    shop: Shop, phone: Phone, clock: ManualClock
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True, **COD)
    client = await phone(ada)
    clock.advance(hours=1)
    await shop.act(order, "cancel")
    body = {"amount": 5000, "collected_at": "2026-01-15T12:30:00Z"}
    answer = await client.post(f"/v1/orders/{order['id']}/collect-cash", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["collected_at"] == "2026-01-15T12:30:00.000Z"


async def test_a_collection_is_told_once(shop: Shop, house: House) -> None:
    order = await order_with_cash(shop)
    body = {"amount": 5000, "collection_uuid": str(uuid4())}
    made = await shop.act(order, "collect-cash", **body)
    await shop.act(order, "collect-cash", **body)
    sql = "select convert_from(body, 'utf8') from events where name = 'cash.collected'"
    assert await house.value(f"select count(*) from ({sql}) e") == 1
    text = await house.value(sql)
    for part in (made["id"], order["id"], '"amount":5000', '"amount_due":5000'):
        assert part in text


async def test_several_reports_at_once_are_one_collection(shop: Shop, house: House) -> None:
    for same_uuid in (True, False):
        order = await order_with_cash(shop)
        uuid = str(uuid4())
        answers = await asyncio.gather(
            *(
                shop.attempt(
                    order, "collect-cash", amount=5000,
                    collection_uuid=uuid if same_uuid else str(uuid4()),
                )
                for _ in range(6)
            )
        )  # fmt: skip
        codes = sorted(answer.status_code for answer in answers)
        assert codes == ([201] * 6 if same_uuid else [201] + [409] * 5)
        sql = "select count(*) from cash_collections where order_id = :order"
        assert await house.value(sql, order=order["id"]) == 1


async def test_a_key_needs_the_scope(shop: Shop, acme: Firm) -> None:
    order = await order_with_cash(shop)
    body = {"kind": "api", "name": "Orders", "scopes": ["orders:write", "cash:read"]}
    key = (await acme.admin.post("/int/v1/keys", json=body)).json()
    client = acme.house.client(key["key"])
    path = f"/v1/orders/{order['id']}/collect-cash"
    assert (await client.post(path, json={"amount": 5000})).status_code == 403
    assert (await client.get("/v1/cash/collections")).status_code == 200
