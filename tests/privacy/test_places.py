"""Erasure and export follow the owner of a place: the company, a customer or an order."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from customers.mall import Mall
from orders.shop import CHANGI, MANDAI
from privacy import traces
from privacy.test_erasure import forgotten, swept, waited
from privacy.traces import HERE, MARK, OTHER
from probe import refused
from proofs.evidence import Courier
from stage import House

pytestmark = pytest.mark.slow


async def export(mall: Mall, customer: dict[str, Any]) -> Any:
    """Read a customer's export."""
    answer = await mall.firm.admin.get(f"/int/v1/customers/{customer['id']}/export")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_companys_place_outlives_the_customer_of_an_order_with_a_deleted_stop_there(
    mall: Mall, courier: Courier
) -> None:
    made, _ = await mall.visitor()
    order = await courier.order(
        customer=made["id"], payload={"waypoints": [MANDAI, CHANGI, MANDAI]}
    )
    depot = await courier.post("places", **traces.place(CHANGI, OTHER))
    stop = order["payload"]["waypoints"][1]["id"]
    moved = await mall.firm.api.put(f"/v1/waypoints/{stop}", json={"place": depot["id"]})
    assert moved.status_code == 200, moved.text
    assert (await mall.firm.api.delete(f"/v1/waypoints/{stop}")).status_code == 200
    assert f"{OTHER} code" not in str(await export(mall, made))
    await courier.act(order, "cancel")
    await forgotten(mall, made["id"])
    assert await courier.get(f"places/{depot['id']}") == depot


async def test_a_companys_place_at_the_end_of_an_order_outlives_the_customer(
    mall: Mall, courier: Courier
) -> None:
    made, _ = await mall.visitor()
    locker = await courier.post("places", **traces.place(MANDAI, OTHER))
    await mall.firm.api.put(f"/v1/contacts/{made['contact']}", json={"place": locker["id"]})
    for parts in (
        {"dropoff": locker["id"]},
        {"payload": {"waypoints": [CHANGI, {"place": locker["id"], "contact": made["contact"]}]}},
    ):
        await courier.act(await courier.order(customer=made["id"], **parts), "cancel")
    told = await export(mall, made)
    ends = [
        told["places"][0],
        *(row["dropoff"] for row in told["orders"] if row["dropoff"]),
        *(stop["place"] for row in told["orders"] for stop in row["waypoints"][1:]),
    ]
    assert [end["street1"] for end in ends] == [f"{OTHER} street"] * 3
    assert {end["security_access_code"] for end in ends} == {None}
    assert {str(end["meta"]) for end in ends} == {"{}"}
    await forgotten(mall, made["id"])
    assert await courier.get(f"places/{locker['id']}") == locker


async def test_an_orders_own_places_are_emptied_with_the_customer_it_was_for(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor()
    ends = {"pickup": traces.place(CHANGI, MARK), "dropoff": traces.place(MANDAI, MARK)}
    order = await courier.order(customer=made["id"], **ends)
    owners = [order["payload"][end]["owner_type"] for end in ends]
    assert owners == ["order", "order"]
    assert order["payload"]["dropoff"]["owner"] == order["id"]
    await courier.act(order, "cancel")
    told = (await export(mall, made))["orders"][0]
    assert told["dropoff"]["security_access_code"] == f"{MARK} code"
    assert (told["pickup"]["street1"], told["pickup"]["security_access_code"]) == (
        f"{MARK} street", None,
    )  # fmt: skip
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}


async def test_an_orders_place_for_another_recipient_is_kept(mall: Mall, courier: Courier) -> None:
    made, _ = await mall.visitor()
    stops = [
        {"place": traces.place(MANDAI, OTHER), "contact": {"name": "Eve", "phone": "+6594440004"}},
        {"place": traces.place(CHANGI, MARK)},
    ]
    order = await courier.order(customer=made["id"], payload={"waypoints": stops})
    await courier.act(order, "cancel")
    assert OTHER not in str(await export(mall, made))
    await forgotten(mall, made["id"])
    left = (await courier.get(f"orders/{order['id']}"))["payload"]["waypoints"]
    assert [stop["place"]["street1"] for stop in left] == [f"{OTHER} street", None]


async def test_an_orders_place_that_two_people_used_is_emptied_with_the_last_of_them(
    mall: Mall, courier: Courier, house: House
) -> None:
    ada, _ = await mall.visitor()
    eve, _ = await mall.visitor()
    first = await courier.order(customer=ada["id"], dropoff=traces.place(MANDAI, MARK))
    home = first["payload"]["dropoff"]["id"]
    second = await courier.order(customer=eve["id"], dropoff=home)
    for order in (first, second):
        await courier.act(order, "cancel")
    await forgotten(mall, ada["id"])
    assert (await courier.get(f"places/{home}"))["street1"] == f"{MARK} street"
    await forgotten(mall, eve["id"])
    assert await traces.where(house, MARK) == {}


async def test_a_customers_own_place_is_exported_whole_and_emptied(
    mall: Mall, courier: Courier, house: House
) -> None:
    made, _ = await mall.visitor()
    home = await courier.post(
        "places", **traces.place(MANDAI, MARK), owner_type="customer", owner=made["id"]
    )
    contact = await courier.get(f"contacts/{made['contact']}")
    assert (home["owner_type"], home["owner"]) == ("customer", contact["id"])
    [told] = (await export(mall, made))["places"]
    assert told["security_access_code"] == f"{MARK} code"
    await forgotten(mall, made["id"])
    assert await traces.where(house, MARK) == {}


async def test_a_place_that_somebody_else_owns_outlives_the_customer_of_the_only_order_there(
    mall: Mall, courier: Courier
) -> None:
    ada, _ = await mall.visitor()
    eve, _ = await mall.visitor()
    home = await courier.post(
        "places", **traces.place(MANDAI, OTHER), owner_type="customer", owner=eve["id"]
    )
    order = await courier.order(customer=ada["id"], dropoff=home["id"])
    await courier.act(order, "cancel")
    told = (await export(mall, ada))["orders"][0]["dropoff"]
    assert (told["security_access_code"], told["phone"]) == (None, None)
    await forgotten(mall, ada["id"])
    assert await courier.get(f"places/{home['id']}") == home
    # Once its owner is erased too, nobody keeps it.
    await forgotten(mall, eve["id"])
    assert (await courier.get(f"places/{home['id']}"))["street1"] is None


SAVED = "update places set owner_type = 'company', owner = null where public_id = :id"
USED = """update waypoints set place = (select uuid from places where public_id = :id)
          where uuid = :stop"""


@pytest.mark.parametrize("late", ["saved", "used"])
async def test_a_place_that_is_saved_or_used_while_its_customer_is_erased_is_kept(
    mall: Mall, courier: Courier, house: House, late: str
) -> None:
    ada, _ = await mall.visitor()
    eve, _ = await mall.visitor()
    order = await courier.order(customer=ada["id"], dropoff=traces.place(MANDAI, OTHER))
    home = order["payload"]["dropoff"]["id"]
    other = await courier.order(customer=eve["id"], payload={"waypoints": [CHANGI, CHANGI]})
    await courier.act(order, "cancel")
    path = f"/int/v1/customers/{ada['id']}/erase"
    assert (await mall.firm.admin.post(path, json={"reason": "Asked."})).status_code == 200
    async with house.database.transaction() as db:
        if late == "saved":
            await db.execute(SAVED, id=home)
        else:
            await db.execute(USED, id=home, stop=UUID(other["payload"]["waypoints"][1]["uuid"]))
        erasing = asyncio.create_task(swept(house))
        await waited(house, erasing)
    await erasing
    assert (await courier.get(f"places/{home}"))["street1"] == f"{OTHER} street"


async def test_an_orders_place_that_an_operator_saves_as_the_companys_is_kept(
    mall: Mall, courier: Courier
) -> None:
    made, _ = await mall.visitor()
    order = await courier.order(customer=made["id"], dropoff=traces.place(MANDAI, OTHER))
    path = f"/v1/places/{order['payload']['dropoff']['id']}"
    saved = await mall.firm.api.put(path, json={"owner_type": "company"})
    assert (saved.json()["owner_type"], saved.json()["owner"]) == ("company", None), saved.text
    await courier.act(order, "cancel")
    await forgotten(mall, made["id"])
    assert (await mall.firm.api.get(path)).json() == saved.json()


async def test_places_of_a_payload_get_the_order_that_takes_it_as_their_owner(
    courier: Courier,
) -> None:
    stops = [MANDAI, {"place": {**CHANGI, "owner_type": "company"}}]
    payload = await courier.post("payloads", waypoints=stops)
    owned = [(stop["place"]["owner_type"], stop["place"]["owner"]) for stop in payload["waypoints"]]
    assert owned == [("order", None), ("company", None)]
    order = await courier.post("orders", payload=payload["id"])
    read = await courier.get(f"orders/{order['id']}")
    for shown in (order, read):
        owners = [stop["place"]["owner"] for stop in shown["payload"]["waypoints"]]
        assert owners == [order["id"], None]


async def test_what_a_customer_describes_in_the_shop_is_their_own_and_they_cannot_say_otherwise(
    mall: Mall, courier: Courier
) -> None:
    made, client = await mall.visitor()
    order = await traces.bought(mall, client, "from", "to")
    read = (await courier.get(f"orders/{order['id']}"))["payload"]
    owners = [(read[end]["owner_type"], read[end]["owner"]) for end in ("pickup", "dropoff")]
    contact = await courier.get(f"contacts/{made['contact']}")
    assert owners == [("customer", contact["id"])] * 2
    spot = {"street1": "1 Road", "location": "1.28,103.85"}
    wish = {
        "pickup": spot,
        "dropoff": {**spot, "owner_type": "company"},
        "service_quote": "quote_1",
    }
    answer = await client.post(f"{HERE}/orders", json=wish)
    refused(answer, 422, "validation_failed")
    assert answer.json()["fields"][0]["path"] == "dropoff.owner_type"
