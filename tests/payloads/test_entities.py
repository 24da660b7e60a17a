"""Entities: taken in, changed, moved between payloads, let go."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from payloads.warehouse import Warehouse, absent
from probe import paths, refused
from stage import House


async def test_an_item_may_wait_for_its_payload(depot: Warehouse) -> None:
    made = await depot.post("entities", name=" Coffee ", sku="")
    assert made["id"].startswith("entity_")
    assert (made["name"], made["type"], made["sku"]) == ("Coffee", "parcel", None)
    assert (made["payload"], made["destination"], made["tracking_number"]) == (None, None, None)
    assert (made["dimensions_unit"], made["weight_unit"]) == ("cm", "kg")
    assert (made["expected_codes"], made["meta"], made["version"]) == ([], {}, 1)
    assert await depot.get(f"entities/{made['uuid']}") == made


async def test_an_item_is_taken_into_a_payload(depot: Warehouse, clock: ManualClock) -> None:
    payload = await depot.route("A", "B")
    stop = payload["waypoints"][1]
    clock.advance(seconds=5)
    for destination in (1, stop["id"], stop["uuid"], stop["place"]["id"]):
        made = await depot.post(
            "entities", name="X", payload=payload["id"], destination=destination,
            expected_codes=[" 123 ", "456", "123"], length=1, width=2.5, height=0,
            dimensions_unit="in", weight=3, weight_unit="lb", declared_value=1, price=2,
            sale_price=3, currency="sgd", internal_id="I-1", description="A thing.", type="box",
        )  # fmt: skip
        assert (made["payload"], made["destination"]) == (payload["id"], stop["id"])
        assert made["expected_codes"] == ["123", "456"]
        assert (made["length"], made["height"], made["currency"]) == (1, 0, "SGD")
    now = await depot.get(f"payloads/{payload['id']}")
    assert now["entities"][-1] == made
    assert (len(now["entities"]), now["version"]) == (4, 5)


async def test_a_destination_is_the_dropoff_rather_than_the_pickup_at_one_place(
    depot: Warehouse,
) -> None:
    place = await depot.place()
    made = await depot.payload(
        pickup="P",
        waypoints=[{"place": place, "type": "pickup"}, {"place": place}],
        entities=[{"name": "X", "destination": place}],
    )
    assert made["entities"][0]["destination"] == made["waypoints"][2]["id"]


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "X", "type": ""}, "type"),
        ({"name": "X", "internal_id": "i" * 101}, "internal_id"),
        ({"name": "X", "sku": "s" * 101}, "sku"),
        ({"name": "X", "expected_codes": "123"}, "expected_codes"),
        ({"name": "X", "expected_codes": ["1"] * 51}, "expected_codes"),
        ({"name": "X", "expected_codes": ["1", ""]}, "expected_codes[1]"),
        ({"name": "X", "expected_codes": [" "]}, "expected_codes"),
        ({"name": "X", "expected_codes": ["c" * 201]}, "expected_codes[0]"),
        ({"name": "X", "length": -0.1}, "length"),
        ({"name": "X", "height": 1e300}, "height"),
        ({"name": "X", "weight": "heavy"}, "weight"),
        ({"name": "X", "dimensions_unit": "mile"}, "dimensions_unit"),
        ({"name": "X", "weight_unit": "stone"}, "weight_unit"),
        ({"name": "X", "price": -1, "currency": "SGD"}, "price"),
        ({"name": "X", "price": 1.5, "currency": "SGD"}, "price"),
        ({"name": "X", "declared_value": 1}, "currency"),
        ({"name": "X", "sale_price": 0}, "currency"),
        ({"name": "X", "currency": "ZZZ"}, "currency"),
        ({"name": "X", "currency": "SG"}, "currency"),
        ({"name": "X", "destination": 0}, "destination"),
        ({"name": "X", "destination": True}, "destination"),
        ({"name": "X", "destination": 1.5}, "destination"),
        ({"name": "X", "meta": {"a": "x" * 16384}}, "meta"),
    ],
)
async def test_a_wrong_field_is_refused_by_its_path(
    depot: Warehouse, house: House, sent: Any, path: str
) -> None:
    assert paths(await depot.firm.api.post("/v1/entities", json=sent)) == [path]
    assert await house.value("select count(*) from entities") == 0


async def test_what_is_not_there_or_anothers_is_named_by_its_path(
    depot: Warehouse, theirs: Warehouse
) -> None:
    other = await theirs.route("A")
    contact = (await theirs.post("contacts", name="Ada"))["id"]
    vendor = (await theirs.post("vendors", name="Swift"))["id"]
    mine = await depot.route("A", entities=[{"name": "X"}])
    path = f"entities/{mine['entities'][0]['id']}"
    for sent in (
        {"payload": other["id"]},
        {"payload": "payload_nothing"},
        {"customer": contact},
        {"customer": vendor},
        {"supplier": vendor},
        {"destination": other["waypoints"][0]["id"]},
        {"destination": other["waypoints"][0]["place"]["uuid"]},
    ):
        whole = {"name": "X", "payload": mine["id"], **sent}
        assert absent(await depot.firm.api.post("/v1/entities", json=whole)) == list(sent)
        assert absent(await depot.tried(path, **sent)) == list(sent)
    assert await depot.get(f"payloads/{mine['id']}") == mine


@pytest.mark.slow
async def test_a_payload_has_a_thousand_items_at_the_most(depot: Warehouse) -> None:
    made = await depot.payload(entities=[{"name": "X"}] * 1000)
    sent = {"name": "X", "payload": made["id"]}
    assert paths(await depot.firm.api.post("/v1/entities", json=sent)) == ["payload"]
    alone = await depot.post("entities", name="X")
    answer = await depot.tried(f"entities/{alone['id']}", payload=made["id"])
    assert paths(answer) == ["payload"]


async def test_an_item_is_changed(depot: Warehouse, clock: ManualClock) -> None:
    payload = await depot.route("A", "B", entities=[{"name": "X", "price": 1, "currency": "SGD"}])
    made = payload["entities"][0]
    path = f"entities/{made['id']}"
    clock.advance(seconds=5)
    now = await depot.patch(path, name="Y", price=None, destination=1, expected_codes=["1"])
    assert now == made | {
        "name": "Y", "price": None, "destination": payload["waypoints"][1]["id"],
        "expected_codes": ["1"], "version": 2, "updated_at": "2026-01-15T12:00:05.000Z",
    }  # fmt: skip
    assert (await depot.get(f"payloads/{payload['id']}"))["version"] == 2
    assert (await depot.patch(path, destination=None))["destination"] is None
    assert paths(await depot.tried(path, price=1, currency=None)) == ["currency"]
    assert paths(await depot.tried(path, destination=2)) == ["destination"]
    for wrong in ({"name": None}, {"type": None}, {"expected_codes": None}, {"meta": None}):
        assert paths(await depot.tried(path, **wrong)) == list(wrong)


async def test_an_item_is_moved(depot: Warehouse) -> None:
    one = await depot.route("A", entities=[{"name": "X", "destination": 0}])
    two = await depot.route("B", "C")
    path = f"entities/{one['entities'][0]['id']}"
    now = await depot.patch(path, payload=two["id"], destination=1)
    assert (now["payload"], now["destination"]) == (two["id"], two["waypoints"][1]["id"])
    assert (await depot.get(f"payloads/{one['id']}"))["entities"] == []
    assert (await depot.get(f"payloads/{one['id']}"))["version"] == 2
    assert (await depot.get(f"payloads/{two['id']}"))["entities"] == [now]
    assert (await depot.get(f"payloads/{two['id']}"))["version"] == 2
    now = await depot.patch(path, payload=one["uuid"])
    assert (now["payload"], now["destination"]) == (one["id"], None)
    now = await depot.patch(path, payload=None)
    assert (now["payload"], now["destination"]) == (None, None)
    assert paths(await depot.tried(path, destination=0)) == ["destination"]
    again = await depot.patch(path, payload=two["id"], destination=two["waypoints"][0]["id"])
    assert again["destination"] == two["waypoints"][0]["id"]


async def test_an_item_is_let_go(depot: Warehouse, house: House) -> None:
    payload = await depot.payload(entities=[{"name": "X"}, {"name": "Y"}])
    alone = await depot.post("entities", name="Z")
    for item in (payload["entities"][0], alone):
        path = f"entities/{item['id']}"
        headers = {"If-Match": '"7"'}
        refused(
            await depot.firm.api.delete(f"/v1/{path}", headers=headers), 412, "precondition_failed"
        )
        assert (await depot.delete(path)).json()["object"] == "entity"
        refused(await depot.delete(path), 404, "not_found")
    now = await depot.get(f"payloads/{payload['id']}")
    assert [item["name"] for item in now["entities"]] == ["Y"]
    assert now["version"] == 2
    assert await house.value("select count(*) from entities where deleted_at is not null") == 2


async def test_items_are_listed_found_and_chosen(
    depot: Warehouse, theirs: Warehouse, clock: ManualClock
) -> None:
    contact = (await depot.post("contacts", name="Ada"))["id"]
    payload = await depot.route("A", entities=[{"name": "Cup", "destination": 0, "sku": "S-1"}])
    clock.advance(seconds=1)
    await depot.post("entities", name="Box", type="box", internal_id="I-1", customer=contact)
    clock.advance(seconds=1)
    await depot.post("entities", name="Axe", sku="CUP-HOLDER")

    async def names(**query: Any) -> list[str]:
        return [row["name"] for row in await depot.get("entities", **query)]

    assert await names() == ["Axe", "Box", "Cup"]
    assert await names(sort="name") == ["Axe", "Box", "Cup"]
    assert await names(sort="created_at") == ["Cup", "Box", "Axe"]
    for query, expected in (
        ({"query": "cup"}, ["Axe", "Cup"]),
        ({"payload": payload["id"]}, ["Cup"]),
        ({"destination": payload["waypoints"][0]["id"]}, ["Cup"]),
        ({"type": "box"}, ["Box"]),
        ({"internal_id": "I-1"}, ["Box"]),
        ({"sku": "S-1"}, ["Cup"]),
        ({"customer": contact}, ["Box"]),
    ):
        assert await names(**query) == expected, query
    assert await theirs.get("entities") == []
    for query in (
        {"payload": payload["id"]},
        {"destination": payload["waypoints"][0]["id"]},
        {"customer": contact},
    ):
        assert absent(await theirs.firm.api.get("/v1/entities", params=query)) == list(query)
    first = await depot.firm.api.get("/v1/entities", params={"sort": "name", "limit": 2})
    rest = await depot.firm.api.get(first.links["next"]["url"])
    assert [row["name"] for row in first.json() + rest.json()] == ["Axe", "Box", "Cup"]
    assert paths(await depot.firm.api.get("/v1/entities", params={"sort": "sku"})) == ["sort"]
