"""Prices accepted, paid, refunded and voided at once: an order owes by one transaction at most."""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import pytest

import stage
from orders.ledger import check_books
from orders.shop import CHANGI, MANDAI, Shop
from orders.test_price_status import pay
from orders.test_quotes import FLAT, accept, quotes
from orders.test_races import DEADLOCKS
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.payments import sweep as payments
from rates.counter import rate

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

ROUNDS: Final = 6
# Each round is a storm of requests. `PANNIER_RACES=100` makes 200 of them.
STORMS: Final = int(os.environ.get("PANNIER_RACES", "4"))
ADA: Final = {"name": "Ada", "phone": "+6591234567"}
STANDING: Final = """select count(*) from transactions
                     where order_uuid = :order and voided_at is null and status <> 'refunded'
                       and quote_id is not null"""


@pytest.fixture
async def paying(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A test company with two rates in a house with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    shop = Shop(await house.found("Acme", mode="test"))
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, service_name="Fast", base_fee=1500)
    return shop


async def standing(shop: Shop, order: dict[str, Any]) -> int:
    """Count the transactions by which an order owes, and compare its price status with that."""
    count: int = await shop.firm.house.value(STANDING, order=order["uuid"])
    status = (await shop.get(f"orders/{order['id']}"))["price_status"]
    assert (status == "accepted") == (count > 0)
    return count


async def test_an_order_dispatched_while_its_quotes_are_accepted_owes_once(paying: Shop) -> None:
    for _ in range(ROUNDS):
        order = await paying.ready()
        offered = await quotes(paying, order)
        await asyncio.gather(
            paying.attempt(order, "dispatch"),
            *(accept(paying.firm, quote["id"]) for quote in offered),
            paying.attempt(order, "dispatch"),
        )
        assert await standing(paying, order) == 1
        assert (await paying.get(f"orders/{order['id']}"))["status"] == "dispatched"


async def test_an_order_refunded_while_another_quote_is_accepted_owes_once(paying: Shop) -> None:
    house, client = paying.firm.house, paying.firm.api
    for _ in range(ROUNDS):
        order = await paying.order()
        await accept(paying.firm, (await quotes(paying, order))[0]["id"])
        await pay(paying, order)
        name = (await paying.get(f"orders/{order['id']}"))["transaction"]
        await paying.firm.admin.post(f"/int/v1/transactions/{name}/refund", json={})

        async def again(order: dict[str, Any] = order) -> None:
            fresh = await client.post(f"/v1/orders/{order['id']}/service-quotes")
            if fresh.is_success:
                await accept(paying.firm, fresh.json()[0]["id"])

        await asyncio.gather(payments.step(house.database, house.edge.services["gateway"]), again())
        assert await standing(paying, order) <= 1


@pytest.mark.parametrize("seed", range(3))
async def test_in_a_storm_of_payments_an_order_owes_once_and_nobody_waits_for_ever(
    paying: Shop, seed: int
) -> None:
    house = paying.firm.house
    order = await paying.ready()
    locked, random = await house.value(DEADLOCKS), Random(seed)
    for _ in range(ROUNDS):
        storm = await touching(paying, order)
        random.shuffle(storm)
        answers = await asyncio.gather(*storm)
        for answer in answers:
            if isinstance(answer, httpx.Response):
                assert answer.status_code in {200, 201, 303, 404, 409, 410, 422}, answer.text
        assert await standing(paying, order) <= 1
    assert await house.value(DEADLOCKS) == locked


async def touching(shop: Shop, order: dict[str, Any]) -> list[Coroutine[Any, Any, Any]]:
    """Name all that changes what an order owes."""
    firm, house, path = shop.firm, shop.firm.house, f"/v1/orders/{order['id']}"
    offered = [quote["id"] for quote in await quotes(shop, order)]
    owed = await shop.get(f"transactions?order={order['id']}")
    pages = [each["checkout_url"] for each in owed if each["checkout_url"]]
    return [
        shop.attempt(order, "dispatch"),
        firm.api.post(f"{path}/service-quotes"),
        firm.api.patch(path, json={"dropoff": "1.357,103.988"}),
        *(accept(firm, name) for name in offered[:4]),
        *(firm.admin.post(f"/int/v1/transactions/{each['id']}/void", json={}) for each in owed),
        *(firm.admin.post(f"/int/v1/transactions/{each['id']}/refund", json={}) for each in owed),
        *(house.client().post(f"{page}/pay") for page in pages),
        *(payments.step(house.database, house.edge.services["gateway"]) for _ in range(2)),
    ]


@pytest.mark.parametrize("seed", range(2))
async def test_accepted_changed_canceled_paid_and_refunded_at_once_the_books_balance(
    paying: Shop, seed: int
) -> None:
    house, random, driver = paying.firm.house, Random(seed), await paying.driver()
    deadlocks = await house.value(DEADLOCKS)
    for _ in range(STORMS):
        order = await paying.order(driver=driver["id"], customer=ADA)
        await accept(paying.firm, (await quotes(paying, order))[0]["id"])
        for is_last in (False, True):
            storm = [*await touching(paying, order), *await charging(paying, order)]
            if is_last:
                storm.append(paying.attempt(order, "cancel"))
            random.shuffle(storm)
            for answer in await asyncio.gather(*storm):
                if isinstance(answer, httpx.Response):
                    assert answer.status_code < 500, answer.text
        gateway = house.edge.services["gateway"]
        while await payments.step(house.database, gateway):
            pass
        await check_books(house)
    assert await house.value(DEADLOCKS) == deadlocks


async def charging(shop: Shop, order: dict[str, Any]) -> list[Coroutine[Any, Any, Any]]:
    """Name what people do by hand with an order and its money."""
    firm, path = shop.firm, f"/v1/orders/{order['id']}"
    owed = await shop.get(f"transactions?order={order['id']}")
    waiting = {"kind": "waiting", "description": "Waited", "amount": 250}
    credit = {"kind": "goodwill", "description": "Sorry", "amount": -300}
    bob = {"customer": {"name": "Bob", "phone": "+6598765432"}}
    return [
        firm.api.post(f"{path}/charges", json=waiting),
        firm.api.post(f"{path}/charges", json=credit),
        *(firm.api.patch(path, json=body) for body in ({"dropoff": CHANGI}, {"dropoff": MANDAI})),
        firm.api.patch(path, json=bob),
        *(
            firm.api.post(f"/v1/transactions/{each['id']}/payments", json={"method": "cash"})
            for each in owed
        ),
        *(
            firm.api.post(f"/v1/transactions/{each['id']}/refund", json={"amount": 100})
            for each in owed
        ),
    ]
