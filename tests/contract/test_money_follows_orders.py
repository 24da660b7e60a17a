"""Money follows the order: its first transaction, its ends, and prices that are known later."""

from typing import Any

import pytest

from contract.test_money import accepted, account, charge, record, shop, standing
from orders.shop import CHANGI, RAFFLES, Shop
from orders.test_price_status import NOWHERE, configure, owed_by, pay, settle
from orders.test_quotes import problem
from pannier.orders import remeasure
from pannier.payments import facts
from pannier.payments.settlement import GatewayFact
from rates.counter import BY_KILOMETRE, rate

__all__ = ["shop"]


async def test_an_order_names_its_first_transaction_and_the_list_has_all(shop: Shop) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    await charge(shop, order)
    found = await shop.get(f"transactions?order={order['id']}")
    assert len(found) == 2
    assert (await shop.get(f"orders/{order['id']}"))["transaction"] == found[1]["id"]
    assert found[1]["id"] == order["transaction"]


async def test_an_order_is_refunded_only_when_everything_went_back(shop: Shop) -> None:
    order = await accepted(shop)
    await record(shop, order)
    name = order["transaction"]
    await shop.post(f"transactions/{name}/refund", amount=899)
    assert await standing(shop, order) == ("paid", 0)
    await shop.post(f"transactions/{name}/refund", amount=1)
    assert await standing(shop, order) == ("refunded", 0)


async def test_what_a_page_received_beyond_the_amount_goes_back_by_itself(shop: Shop) -> None:
    order = await accepted(shop)
    await charge(shop, order, kind="goodwill", description="Sorry.", amount=-400)
    house = shop.firm.house
    # The payer was faster than the credit, and the notice is late.
    async with house.database.transaction() as db:
        page = await db.fetch_value("select uuid from checkouts")
        paid = GatewayFact(
            kind="paid", checkout=page, payment="pay_late", amount=900, currency="SGD"
        )
        await facts.record_facts(db, house.edge.services["gateway"], paid)
    await settle(shop)
    found = await account(shop, order)
    assert (found["paid"], found["refunded"], found["balance"]) == (900, 400, 0)
    assert await standing(shop, order) == ("paid", 0)


@pytest.mark.parametrize(
    ("settings", "total"),
    [
        ({}, 900),
        ({"undelivered_charge": "void"}, 0),
        ({"undelivered_charge": "return_fee", "return_fee": 250}, 250),
        ({"undelivered_charge": "return_fee", "return_fee": "50%"}, 450),
    ],
)
async def test_returned_goods_cost_what_the_company_says(
    shop: Shop, settings: dict[str, Any], total: int
) -> None:
    if settings:
        await configure(shop, **settings)
    order = await accepted(shop)
    await shop.act(order, "start", skip_dispatch=True)
    await shop.act(order, "fail-attempt", reason="refused")
    assert (await shop.act(order, "complete"))["status"] == "canceled"
    assert (await account(shop, order))["total"] == total
    assert await standing(shop, order) == ("unpaid" if total else "none", total)


async def test_dispatch_requires_a_price(shop: Shop) -> None:
    await configure(shop, dispatch_requires="price")
    order = await shop.ready(dropoff=NOWHERE, pickup=RAFFLES)
    assert problem(await shop.attempt(order, "dispatch")) == (409, "price_required")
    assert (await shop.act(await accepted(shop), "dispatch"))["status"] == "dispatched"


async def test_a_change_whose_distance_is_unknown_is_adjusted_when_it_is_known(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE, minimum_fee=1)
    await shop.firm.api.delete(
        f"/v1/service-rates/{(await shop.get('service-rates?query=Flat'))[0]['id']}"
    )
    order = await accepted(shop)
    before = await account(shop, order)
    changed = await shop.patch(f"orders/{order['id']}", dropoff=NOWHERE)
    assert await account(shop, order) == before
    point = {"latitude": CHANGI["latitude"], "longitude": CHANGI["longitude"]}
    await shop.patch(f"places/{changed['payload']['dropoff']['id']}", **point)
    while await remeasure.step(shop.firm.house.database):
        pass
    after = await account(shop, order)
    (*_, adjustment) = after["lines"]
    assert (adjustment["kind"], adjustment["amount"] > 0) == ("adjustment", True)
    assert (await owed_by(shop, order))["balance"] == before["total"] + adjustment["amount"]
