"""The company's own numbers of orders: unique, and accepted in place of ids."""

import asyncio
from urllib.parse import quote

import pytest

from orders.shop import MANDAI, RAFFLES, Shop
from pannier.db.migrate import list_migrations
from probe import refused
from stage import Firm, House

ROUTE = {"pickup": RAFFLES, "dropoff": MANDAI}


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_an_internal_id_is_refused_while_another_order_has_it(
    shop: Shop, acme: Firm, rival: Firm
) -> None:
    order = await shop.order(internal_id="WEB-5")
    request = {**ROUTE, "internal_id": "WEB-5"}
    body = refused(await acme.api.post("/v1/orders", json=request), 409, "internal_id_taken")
    assert (body["order"], body["fields"][0]["path"]) == (order["id"], "internal_id")
    assert order["id"] in body["detail"]
    assert (await rival.api.post("/v1/orders", json=request)).status_code == 201

    other = await shop.order(internal_id="WEB-6")
    change = await acme.api.patch(f"/v1/orders/{other['id']}", json={"internal_id": "WEB-5"})
    refused(change, 409, "internal_id_taken")
    # Of a canceled order, history still shows the number. A deleted or renamed one releases it.
    await shop.act(order, "cancel")
    refused(await acme.api.post("/v1/orders", json=request), 409, "internal_id_taken")
    renamed = await acme.api.patch(f"/v1/orders/{order['id']}", json={"internal_id": "WEB-7"})
    assert renamed.status_code == 200, renamed.text
    again = await shop.order(internal_id="WEB-5")
    assert (await acme.api.delete(f"/v1/orders/{again['id']}")).status_code == 200
    await shop.order(internal_id="WEB-5")


@pytest.mark.parametrize("internal_id", ["WEB-5", "a/b:c d", "Tilaus №5 ✓", "order_x", "%2F"])
async def test_an_internal_id_stands_for_the_id_in_paths(
    shop: Shop, acme: Firm, rival: Firm, internal_id: str
) -> None:
    order = await shop.order(internal_id=internal_id)
    path = f"/v1/orders/{quote(f'internal:{internal_id}', safe='')}"
    found = await acme.api.get(path)
    assert found.status_code == 200, found.text
    assert found.json()["id"] == order["id"]
    assert (await acme.api.get(f"{path}/tracker")).status_code == 200
    assert (await rival.api.get(path)).status_code == 404
    canceled = await acme.api.post(f"{path}/cancel", json={})
    assert (canceled.status_code, canceled.json()["id"]) == (200, order["id"])
    assert (await acme.api.get(f"{path}x")).status_code == 404


async def test_of_two_orders_at_once_one_gets_the_internal_id(acme: Firm, house: House) -> None:
    request = {**ROUTE, "internal_id": "RACE"}
    answers = await asyncio.gather(*(acme.api.post("/v1/orders", json=request) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json().get("code") for answer in answers} == {None, "internal_id_taken"}
    assert await house.value("select count(*) from orders where internal_id = 'RACE'") == 1


async def test_the_last_of_several_orders_holds_a_repeated_internal_id(
    shop: Shop, acme: Firm, house: House
) -> None:
    settings = await acme.admin.patch("/int/v1/settings", json={"unique_internal_ids": False})
    assert settings.status_code == 200, settings.text
    first, last = [await shop.order(internal_id="OLD") for _ in range(2)]
    assert (await shop.get("orders/internal:OLD"))["id"] == last["id"]
    # As in an installation from before the table.
    connection = await house.database.connections.acquire()
    try:
        await connection.execute("delete from order_internal_ids")
        (fill,) = [step for step in list_migrations() if "fill_order_internal" in step.name]
        for _ in range(2):
            await connection.execute(fill.sql)
    finally:
        house.database.connections.release(connection)
    assert (await shop.get("orders/internal:OLD"))["id"] == last["id"]
    assert (await acme.api.delete(f"/v1/orders/{last['id']}")).status_code == 200
    assert (await shop.get("orders/internal:OLD"))["id"] == first["id"]


async def test_an_internal_id_stands_for_the_id_in_bodies_and_filters(
    shop: Shop, acme: Firm, rival: Firm
) -> None:
    order, name = await shop.order(internal_id="a/b c"), "internal:a/b c"
    template = {"name": "Weekly", "order": name}
    answer = await acme.api.post("/v1/order-templates", json=template)
    assert answer.status_code == 201, answer.text
    assert (await rival.api.post("/v1/order-templates", json=template)).status_code == 404
    for path in ("tracking-numbers", "tracking-statuses", "transactions", "proofs", "events"):
        query = {"order": name}
        answers = [await each.api.get(f"/v1/{path}", params=query) for each in (acme, rival)]
        assert [answer.status_code for answer in answers] == [200, 404], path
    (found,) = (await acme.api.get("/v1/orders", params={"id": name})).json()
    assert found["id"] == order["id"]
