"""Ad-hoc orders: drivers nearby see them, and one takes each."""

import asyncio
from typing import Any

import httpx
import pytest

from db.test_plans import COPIES, COPY, explained, passed_over
from orders.shop import CHANGI, MANDAI, RAFFLES, Phone, Shop
from orders.test_plans import DELIVERED, HISTORY, read
from pannier.kit.geo import Point
from pannier.orders.offers import queries
from pannier.orders.offers.schemas import shorten_postal_code
from probe import refused
from stage import Firm, House

HERE = {"latitude": 1.29, "longitude": 103.852}


async def courier(shop: Shop, phone: Phone, **more: Any) -> httpx.AsyncClient:
    """Sign a driver in who is on duty near Raffles Place."""
    return await phone(await shop.driver(**{"online": True, "location": HERE, **more}))


async def offers(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    answer = await client.get("/v1/orders/nearby")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()
    return rows


async def offered(shop: Shop, **more: Any) -> dict[str, Any]:
    return await shop.order(**{"adhoc": True, "dispatch": True, **more})


async def test_what_is_offered_nearby_is_listed_the_nearest_first(shop: Shop, phone: Phone) -> None:
    client = await courier(shop, phone)
    near = await offered(shop)
    nearer = await offered(shop, waypoints=[HERE, MANDAI, CHANGI], entities=[{"name": "Lamp"}] * 2)
    await offered(shop, pickup=MANDAI, dropoff=RAFFLES)
    far = await offered(shop, pickup=MANDAI, dropoff=RAFFLES, adhoc_distance=20_000)
    await offered(shop, adhoc_distance=100)
    await shop.order(adhoc=True)
    await shop.ready(adhoc=True, dispatch=True)
    await shop.act(await offered(shop), "cancel")
    found = await offers(client)
    assert [row["id"] for row in found] == [nearer["id"], near["id"], far["id"]]
    assert [row["away"] for row in found] == [0, 700, 14_400]
    assert [(row["stops"], row["items"]) for row in found] == [(3, 2), (2, 0), (2, 0)]
    assert found[1]["distance"] == near["distance"]


async def test_an_offer_tells_nothing_of_the_people_and_not_the_door(
    shop: Shop, phone: Phone
) -> None:
    client = await courier(shop, phone)
    place = {**RAFFLES, "name": "Ada's", "phone": "+6561234567", "postal_code": "048616"}
    customer = {"name": "Ada Lovelace", "phone": "+6591239876"}
    await offered(shop, pickup=place, customer=customer, notes="Code 4711.", internal_id="SO-1")
    [found] = await offers(client)
    assert found["pickup"] == {
        "city": "Singapore", "district": None, "neighborhood": None, "country": None,
        "postal_area": "048",
        "location": {"type": "Point", "coordinates": [103.85, 1.28]},
    }  # fmt: skip
    text = str(found)
    for secret in ("Raffles", "Ada", "9123", "6561", "048616", "4711", "SO-1", "103.851"):
        assert secret not in text


@pytest.mark.parametrize(
    ("code", "area"),
    [
        ("00100", "00100"),
        ("SW1A 1AA", "SW1A"),
        ("1012AB", "101"),
        ("D02X285", "D02"),
        ("M11AE", "M1"),
        ("SW1A1AA", "SW1A"),
        ("", None),
    ],
)
def test_an_offer_has_the_area_of_a_postal_code(code: str, area: str | None) -> None:
    assert shorten_postal_code(code) == area


async def test_the_company_says_how_far_orders_are_offered(
    shop: Shop, phone: Phone, acme: Firm
) -> None:
    client = await courier(shop, phone)
    await offered(shop)
    body = {"routing": {"adhoc_distance": 500}}
    assert (await acme.admin.patch("/int/v1/settings", json=body)).status_code == 200
    assert await offers(client) == []


async def test_who_takes_an_order_has_it_and_that_is_told(shop: Shop, phone: Phone) -> None:
    client = await courier(shop, phone)
    order = await offered(shop)
    address = f"/v1/orders/{order['id']}"
    refused(await client.get(address), 404, "not_found")
    taken = await client.post(f"{address}/take")
    assert taken.status_code == 200, taken.text
    assert taken.json()["driver_assigned"]["name"] == "Ada"
    again = await client.post(f"{address}/take")
    assert again.json() == taken.json() == (await client.get(address)).json()
    assert await offers(client) == []
    [told] = await shop.told("driver.assigned")
    assert told["data"]["assigned_to"]["id"] == order["id"]
    assert (await client.post(f"{address}/start")).json()["status"] == "started"


@pytest.mark.slow
async def test_of_many_who_reach_for_an_order_one_gets_it(shop: Shop, phone: Phone) -> None:
    clients = [await courier(shop, phone) for _ in range(5)]
    order = await offered(shop)
    address = f"/v1/orders/{order['id']}/take"
    answers = await asyncio.gather(*(client.post(address) for client in clients))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    for answer in answers:
        if answer.status_code != 200:
            refused(answer, 409, "already_taken")
    assert len(await shop.told("driver.assigned")) == 1


async def test_only_what_is_offered_can_be_taken(shop: Shop, phone: Phone, market: Shop) -> None:
    client = await courier(shop, phone)
    hidden = [
        await shop.order(adhoc=True), await shop.order(), await shop.ready(dispatch=True),
        await offered(market),
    ]  # fmt: skip
    for order in hidden:
        refused(await client.post(f"/v1/orders/{order['id']}/take"), 404, "not_found")
    over = await offered(shop)
    await shop.act(over, "cancel")
    refused(await client.post(f"/v1/orders/{over['id']}/take"), 409, "illegal_move")


async def test_who_is_off_duty_or_nowhere_is_told_so(shop: Shop, phone: Phone) -> None:
    resting = await courier(shop, phone, online=False)
    order = await offered(shop)
    refused(await resting.get("/v1/orders/nearby"), 409, "driver_offline")
    refused(await resting.post(f"/v1/orders/{order['id']}/take"), 409, "driver_offline")
    nowhere = await phone(await shop.driver(online=True))
    refused(await nowhere.get("/v1/orders/nearby"), 409, "driver_unlocated")


async def test_a_key_is_offered_nothing(shop: Shop, acme: Firm) -> None:
    order = await offered(shop)
    refused(await acme.api.get("/v1/orders/nearby"), 401, "unauthenticated")
    refused(await acme.api.post(f"/v1/orders/{order['id']}/take"), 401, "unauthenticated")


async def test_an_order_that_is_given_back_is_offered_again(shop: Shop, phone: Phone) -> None:
    client = await courier(shop, phone)
    order = await offered(shop)
    await client.post(f"/v1/orders/{order['id']}/take")
    await shop.firm.api.delete(f"/v1/orders/{order['id']}/assign-driver")
    assert [row["id"] for row in await offers(client)] == [order["id"]]


@pytest.mark.slow
async def test_what_was_delivered_costs_offers_nothing(
    shop: Shop, acme: Firm, house: House
) -> None:
    await offered(shop)
    async with house.database.transaction() as db:
        await db.execute(DELIVERED, many=HISTORY)
    await offered(shop, waypoints=[RAFFLES, CHANGI])
    async with house.database.transaction() as db:
        for table in ("places", "waypoints"):
            await db.execute(COPY.format(table=table, changes=COPIES[table], many=HISTORY))
    await house.value("analyze")
    heard: list[tuple[str, tuple[Any, ...]]] = []
    connections = house.database.connections
    connection = await connections.acquire()
    with connection.query_logger(lambda record: heard.append((record.query, record.args or ()))):
        connections.release(connection)
        async with house.database.reading() as db:
            here = Point(HERE["longitude"], HERE["latitude"])
            assert (
                len(
                    await queries.list_nearby_offers(
                        db, acme.uuid, here, radius_metres=6000, limit=50
                    )
                )
                == 2
            )
        await asyncio.sleep(0)
    ((sql, values),) = [each for each in heard if "join payloads" in each[0]]
    async with house.database.reading() as db:
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to have explained what it was asked
        plan = await explained(connection, sql, values)
    assert passed_over(plan) < 10, plan
    assert read(plan) < 20, plan
