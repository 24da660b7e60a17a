"""Customers cancel their own orders, and orders that nobody pays end."""

from typing import Any

import httpx
import pytest

from orders.test_shop_orders import ORDERS, WAY, allow, problem, quoted, shop
from pannier.orders import unpaid
from pannier.payments import sweep as payments
from payments.till import Till
from rates.counter import rate

__all__ = ["shop"]


async def placed(shop: Till, client: httpx.AsyncClient) -> dict[str, Any]:
    """Place an order for 5.00."""
    answer = await client.post(ORDERS, json={**WAY, "service_quote": (await quoted(shop))["id"]})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()["order"]
    return found


async def pay(shop: Till, client: httpx.AsyncClient, order: dict[str, Any]) -> dict[str, Any]:
    page = (await client.post(f"{ORDERS}/{order['id']}/checkout", json={})).json()
    await shop.firm.house.client().post(f"{page['checkout_url']}/pay")
    found: dict[str, Any] = (await client.get(f"{ORDERS}/{order['id']}/payment")).json()
    return found


async def settle(shop: Till) -> None:
    house = shop.firm.house
    while await payments.step(house.database, house.edge.services["gateway"]):
        pass


async def configure(shop: Till, **settings: Any) -> None:
    answer = await shop.firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.status_code == 200, answer.text


async def seen(shop: Till, order: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await shop.firm.api.get(f"/v1/orders/{order['id']}")).json()
    return found


@pytest.mark.parametrize("fee", [0, 200])
async def test_a_customer_cancels_pays_the_fee_and_gets_the_rest_back(shop: Till, fee: int) -> None:
    await rate(shop.firm, public=True)
    await configure(shop, cancellation_fees={"created": fee})
    _, client = await shop.visitor()
    order = await placed(shop, client)
    paid = await pay(shop, client, order)
    assert (paid["status"], paid["cancellation_fee"]) == ("paid", fee)
    answer = await client.post(f"{ORDERS}/{order['id']}/cancel", json={"reason": "Too late."})
    assert (answer.status_code, answer.json()["status"]) == (200, "canceled")
    await settle(shop)
    found = await seen(shop, order)
    assert found["payment_status"] == ("paid" if fee else "refunded")
    account = (await shop.firm.api.get(f"/v1/orders/{order['id']}/charges")).json()
    assert account["paid"] - account["refunded"] == fee
    after = (await client.get(f"{ORDERS}/{order['id']}/payment")).json()
    assert after["amount_paid"] - after["amount_refunded"] == fee
    assert after["cancellation_fee"] is None
    again = await client.post(f"{ORDERS}/{order['id']}/cancel", json={})
    assert problem(again) == (409, "illegal_move")


async def test_once_the_driver_is_on_the_way_only_the_store_cancels(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    order = await placed(shop, client)
    driver = (
        await shop.firm.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})
    ).json()
    path = f"/v1/orders/{order['id']}"
    await shop.firm.api.post(f"{path}/assign-driver", json={"driver": driver["id"]})
    answer = await shop.firm.api.post(f"{path}/start", json={"skip_dispatch": True})
    assert answer.status_code == 200, answer.text
    answer = await client.post(f"{ORDERS}/{order['id']}/cancel", json={})
    assert problem(answer) == (409, "illegal_move")
    assert (await client.get(f"{ORDERS}/{order['id']}/payment")).json()["cancellation_fee"] is None
    assert (await seen(shop, order))["status"] == "started"


async def test_nobody_cancels_another_customers_order(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    _, stranger = await shop.visitor()
    order = await placed(shop, client)
    answer = await stranger.post(f"{ORDERS}/{order['id']}/cancel", json={})
    assert problem(answer) == (404, "not_found")
    assert (await seen(shop, order))["status"] == "created"


async def test_an_order_that_nobody_pays_is_canceled_and_a_paid_one_stays(shop: Till) -> None:
    await rate(shop.firm, public=True)
    await allow(shop, orders=True, unpaid_order_minutes=30)
    await configure(shop, cancellation_fees={"created": 200})
    _, client = await shop.visitor()
    unpaid_order, paid_order = await placed(shop, client), await placed(shop, client)
    await pay(shop, client, paid_order)
    house = shop.firm.house
    house.clock.advance(minutes=29)
    assert not await unpaid.step(house.database)
    house.clock.advance(minutes=2)
    while await unpaid.step(house.database):
        pass
    ended = await seen(shop, unpaid_order)
    assert (ended["status"], ended["cancel_reason"]) == ("canceled", unpaid.NOT_PAID)
    assert (ended["payment_status"], ended["balance"]) == ("none", 0)
    assert (await seen(shop, paid_order))["status"] == "created"


async def test_a_part_payment_keeps_an_order(shop: Till) -> None:
    await rate(shop.firm, public=True)
    await allow(shop, orders=True, unpaid_order_minutes=30)
    _, client = await shop.visitor()
    order = await placed(shop, client)
    name = (await seen(shop, order))["transaction"]
    body = {"method": "cash", "amount": 1}
    await shop.firm.api.post(f"/v1/transactions/{name}/payments", json=body)
    shop.firm.house.clock.advance(minutes=31)
    while await unpaid.step(shop.firm.house.database):
        pass
    assert (await seen(shop, order))["status"] == "created"


async def test_a_store_dispatches_only_what_its_customers_have_paid(shop: Till) -> None:
    await rate(shop.firm, public=True)
    await allow(shop, orders=True, dispatch_requires="payment")
    _, client = await shop.visitor()
    order = await placed(shop, client)
    path = f"/v1/orders/{order['id']}/dispatch"
    driver = (
        await shop.firm.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})
    ).json()
    answer = await shop.firm.api.post(path, json={"driver": driver["id"]})
    assert problem(answer) == (409, "payment_required")
    await pay(shop, client, order)
    answer = await shop.firm.api.post(path, json={"driver": driver["id"]})
    assert answer.status_code == 200, answer.text


async def test_a_customer_pays_what_was_charged_afterwards(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    order = await placed(shop, client)
    await pay(shop, client, order)
    body = {"kind": "waiting", "description": "Waited 25 minutes", "amount": 850}
    await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=body)
    owed = (await client.get(f"{ORDERS}/{order['id']}/payment")).json()
    assert (owed["balance"], owed["status"]) == (850, "unpaid")
    assert [item["details"] for item in owed["items"]] == ["Waited 25 minutes"]
    await pay(shop, client, order)
    assert (await seen(shop, order))["payment_status"] == "paid"
