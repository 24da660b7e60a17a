"""What may change of a payload while its order is open, under way or over."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from payloads.warehouse import Warehouse, streets
from probe import paths, refused
from stage import House


async def test_a_payload_belongs_to_one_order_at_the_most(depot: Warehouse) -> None:
    made = await depot.route("A", "B")
    order = await depot.order(made)
    again = await depot.firm.api.post("/v1/orders", json={"payload": made["id"]})
    refused(again, 409, "payload_taken")
    assert (await depot.get(f"payloads/{made['id']}"))["order"] == order
    refused(await depot.delete(f"payloads/{made['id']}"), 409, "payload_ordered")


async def test_a_payload_is_handed_to_its_order_at_the_first_stop(depot: Warehouse) -> None:
    made = await depot.route("A", "B")
    order = await depot.post("orders", payload=made["id"])
    assert order["current_waypoint"] == made["waypoints"][0]["id"]
    shown = await depot.get(f"payloads/{made['id']}")
    assert (shown["order"], shown) == (order["id"], order["payload"])


@pytest.mark.parametrize(
    "change",
    [
        {"pickup": "C"},
        {"waypoints": ["C"]},
        {"waypoints": []},
    ],
)
async def test_the_route_of_an_order_under_way_is_not_turned_round(
    depot: Warehouse, change: dict[str, Any]
) -> None:
    made = await depot.route("A", "B")
    await depot.order(made, "begun")
    change = change | ({"pickup": "X", "dropoff": "Y"} if change.get("waypoints") == [] else {})
    refused(await depot.tried(f"payloads/{made['id']}", **change), 409, "payload_begun")
    stops = made["waypoints"]
    for listed in (stops[::-1], stops[1:], ["C", *stops]):
        answer = await depot.tried(f"payloads/{made['id']}", waypoints=listed)
        refused(answer, 409, "payload_begun")
    refused(await depot.delete(f"waypoints/{stops[0]['id']}"), 409, "payload_begun")
    assert streets(await depot.get(f"payloads/{made['id']}")) == ["A", "B"]


async def test_other_things_may_change_under_way(depot: Warehouse) -> None:
    made = await depot.payload(entities=[{"name": "X"}])
    await depot.order(made, "begun")
    path = f"payloads/{made['id']}"
    now = await depot.patch(
        path, dropoff="C", **{"return": "R"}, type="x", cod_amount=1, cod_currency="SGD",
        meta={"a": 1}, entities=[{"name": "Y"}],
    )  # fmt: skip
    assert now["dropoff"]["street1"] == "C"
    assert [item["name"] for item in now["entities"]] == ["Y"]
    refused(await depot.tried(path, pickup="C"), 409, "payload_begun")
    refused(await depot.tried(path, waypoints=["C"]), 409, "payload_begun")
    added = await depot.post("entities", name="Z", payload=made["id"])
    assert (await depot.patch(f"entities/{added['id']}", weight=1))["weight"] == 1
    assert (await depot.delete(f"entities/{added['id']}")).status_code == 200


async def test_a_stop_is_free_until_something_happens_there(depot: Warehouse) -> None:
    made = await depot.route("A", "B")
    await depot.order(made, "begun")
    first, second = made["waypoints"]
    await depot.happen(first)
    path = f"waypoints/{first['id']}"
    now = await depot.patch(path, notes="Ring.", meta={"a": 1})
    assert (now["notes"], now["status_code"], now["complete"]) == ("Ring.", "enroute", False)
    for change in (
        {"place": "C"},
        {"type": "pickup"},
        {"service_time": 5},
        {"contact": {"name": "A"}},
    ):
        refused(await depot.tried(path, **change), 409, "waypoint_begun")
    now = await depot.patch(f"waypoints/{second['id']}", place="C", type="pickup", service_time=5)
    assert (now["address"], now["type"]) == ("C", "pickup")
    payload = await depot.get(f"payloads/{made['id']}")
    assert payload["dropoff"]["street1"] == "C"
    assert payload["current_waypoint"] == first["id"]


async def test_stops_after_the_current_one_change_under_way(depot: Warehouse) -> None:
    made = await depot.route("A", "B", "C", "D", entities=[{"name": "X", "destination": 2}])
    await depot.order(made, "begun")
    first, second, third, last = made["waypoints"]
    path = f"payloads/{made['id']}"
    now = await depot.patch(
        path, waypoints=[first, {"id": last["id"], "notes": "Ring."}, "N", {"id": second["id"]}]
    )
    assert streets(now) == ["A", "D", "N", "B"]
    assert (now["waypoints"][1]["notes"], now["current_waypoint"]) == ("Ring.", first["id"])
    assert now["entities"][0]["destination"] is None
    assert (await depot.delete(f"waypoints/{last['id']}")).status_code == 200
    refused(await depot.delete(f"waypoints/{third['id']}"), 404, "not_found")
    await depot.happen(second)
    stops = (await depot.get(path))["waypoints"]
    refused(await depot.tried(path, waypoints=stops[:2]), 409, "payload_begun")
    refused(await depot.tried(path, waypoints=[*stops[1:], stops[0]]), 409, "payload_begun")
    now = await depot.patch(path, waypoints=[stops[0], stops[2], stops[1]])
    assert streets(now) == ["A", "B", "N"]
    sent = [{"id": stop["id"]} for stop in (await depot.get(path))["waypoints"]]
    sent[1]["service_time"] = 5
    refused(await depot.tried(path, waypoints=sent), 409, "waypoint_begun")
    assert (await depot.tried(path, dropoff="Z")).status_code == 200


async def test_stops_may_be_added_under_way(depot: Warehouse) -> None:
    made = await depot.route("A", "B")
    order = await depot.order(made, "begun")
    await depot.post("waypoints", payload=made["id"], place="C")
    now = await depot.get(f"payloads/{made['id']}")
    assert streets(now) == ["A", "B", "C"]
    assert now["current_waypoint"] == made["waypoints"][0]["id"]
    assert now["order"] == order
    plain = await depot.payload()
    await depot.order(plain, "begun")
    sent = {"payload": plain["id"], "place": "C"}
    refused(await depot.firm.api.post("/v1/waypoints", json=sent), 409, "payload_begun")


async def test_an_item_is_moved_only_into_a_payload_that_is_open(depot: Warehouse) -> None:
    alone = await depot.post("entities", name="X")
    for state in ("begun", "closed"):
        payload = await depot.payload()
        await depot.order(payload, state)
        answer = await depot.tried(f"entities/{alone['id']}", payload=payload["id"])
        refused(answer, 409, f"payload_{state}")


async def test_what_is_over_keeps_everything_but_its_meta(depot: Warehouse) -> None:
    made = await depot.route("A", "B", entities=[{"name": "X"}])
    await depot.order(made, "closed")
    stop, item = made["waypoints"][0], made["entities"][0]
    path = f"payloads/{made['id']}"
    for change in (
        {"pickup": "C"}, {"dropoff": "C"}, {"return": "C"}, {"type": "x"}, {"waypoints": ["C"]},
        {"entities": []}, {"payment_method": "x"}, {"cod_payment_method": "cash"},
    ):  # fmt: skip
        refused(await depot.tried(path, **change), 409, "payload_closed")
    for change in ({"notes": "x"}, {"place": "C"}):
        refused(await depot.tried(f"waypoints/{stop['id']}", **change), 409, "payload_closed")
    for change in ({"name": "Y"}, {"payload": None}, {"destination": 0}):
        refused(await depot.tried(f"entities/{item['id']}", **change), 409, "payload_closed")
    for kind, sent in (("waypoints", {"place": "C"}), ("entities", {"name": "Y"})):
        answer = await depot.firm.api.post(f"/v1/{kind}", json={"payload": made["id"], **sent})
        refused(answer, 409, "payload_closed")
    for gone in (f"waypoints/{stop['id']}", f"entities/{item['id']}"):
        refused(await depot.delete(gone), 409, "payload_closed")
    for thing in (path, f"waypoints/{stop['id']}", f"entities/{item['id']}"):
        assert (await depot.patch(thing, meta={"a": 1}))["meta"] == {"a": 1}


async def test_a_stop_follows_only_a_flow_that_its_order_has(
    depot: Warehouse, house: House
) -> None:
    made = await depot.route("A", "B")
    stop = made["waypoints"][0]
    assert (await depot.patch(f"waypoints/{stop['id']}", subflow="any"))["subflow"] == "any"
    await depot.patch(f"waypoints/{stop['id']}", subflow=None)
    await depot.order(made)
    async with house.database.transaction() as db:
        await db.execute("""update order_config_versions set subflows = '{"cold": []}'""")
        await db.update("waypoints", UUID(stop["uuid"]), subflow="any")
    assert paths(await depot.tried(f"waypoints/{stop['id']}", subflow="hot")) == ["subflow"]
    sent = {"payload": made["id"], "place": "C", "subflow": "hot"}
    assert paths(await depot.firm.api.post("/v1/waypoints", json=sent)) == ["subflow"]
    listed = [{"id": stop["id"]}, {"place": "C", "subflow": "hot"}]
    answer = await depot.tried(f"payloads/{made['id']}", waypoints=listed)
    assert paths(answer) == ["waypoints[1].subflow"]
    # What stands there already is not asked about again.
    assert (await depot.patch(f"waypoints/{stop['id']}", subflow="any"))["subflow"] == "any"
    assert (await depot.patch(f"waypoints/{stop['id']}", subflow="cold"))["subflow"] == "cold"
    assert (await depot.patch(f"waypoints/{stop['id']}", subflow=None))["subflow"] is None


async def test_a_stop_that_was_chosen_stays_the_present_one(depot: Warehouse, house: House) -> None:
    made = await depot.route("A", "B", "C")
    path = f"payloads/{made['id']}"
    second = made["waypoints"][1]
    async with house.database.transaction() as db:
        await db.execute("update payloads set current_waypoint = :stop", stop=UUID(second["uuid"]))
    assert (await depot.patch(path, **made))["current_waypoint"] == second["id"]
    turned = await depot.patch(path, waypoints=made["waypoints"][::-1])
    assert turned["current_waypoint"] == second["id"]
    await depot.delete(f"waypoints/{second['id']}")
    now = await depot.get(path)
    assert now["current_waypoint"] == now["waypoints"][0]["id"]


@pytest.mark.slow
async def test_stops_and_items_added_at_once_all_find_their_turn(depot: Warehouse) -> None:
    made = await depot.route("A")
    await depot.order(made)
    sent = {"payload": made["id"]}
    await asyncio.gather(
        *(depot.post("waypoints", **sent, place=f"{n} Street") for n in range(5)),
        *(depot.post("entities", **sent, name=f"{n}") for n in range(5)),
    )
    now = await depot.get(f"payloads/{made['id']}")
    assert [stop["order"] for stop in now["waypoints"]] == [0, 1, 2, 3, 4, 5]
    assert (len(now["entities"]), now["version"]) == (5, 12)


async def test_two_items_changing_places_do_not_wait_for_each_other(depot: Warehouse) -> None:
    one = await depot.payload(entities=[{"name": "X"}])
    two = await depot.payload(entities=[{"name": "Y"}])
    for _ in range(5):
        await asyncio.gather(
            depot.patch(f"entities/{one['entities'][0]['id']}", payload=two["id"]),
            depot.patch(f"entities/{two['entities'][0]['id']}", payload=one["id"]),
        )
        one, two = [await depot.get(f"payloads/{name}") for name in (one["id"], two["id"])]
        assert [len(payload["entities"]) for payload in (one, two)] == [1, 1]
