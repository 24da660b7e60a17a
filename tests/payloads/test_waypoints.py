"""Waypoints: added to a payload, changed, taken out."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from payloads.warehouse import Warehouse, absent, streets
from probe import paths, refused
from stage import House


async def test_a_stop_is_added_at_the_end(depot: Warehouse, clock: ManualClock) -> None:
    made = await depot.route("A", "B")
    clock.advance(seconds=5)
    stop = await depot.post(
        "waypoints", payload=made["id"], place="C", type="pickup", service_time=60,
        contact={"name": "Ada"}, subflow="anything",
    )  # fmt: skip
    assert (stop["order"], stop["type"], stop["service_time"]) == (2, "pickup", 60)
    assert (stop["payload"], stop["subflow"]) == (made["id"], "anything")
    now = await depot.get(f"payloads/{made['id']}")
    assert streets(now) == ["A", "B", "C"]
    assert now["waypoints"][2] == stop == await depot.get(f"waypoints/{stop['uuid']}")
    assert now["dropoff"] == stop["place"]
    assert now["current_waypoint"] == now["waypoints"][0]["id"]
    assert (now["version"], now["updated_at"]) == (2, "2026-01-15T12:00:05.000Z")


async def test_a_stop_stands_between_a_pickup_and_a_dropoff(depot: Warehouse) -> None:
    made = await depot.payload()
    stop = await depot.post("waypoints", payload=made["uuid"], street1="C", city="Singapore")
    now = await depot.get(f"payloads/{made['id']}")
    assert streets(now) == ["A Street", "C", "B Street"]
    assert [one["type"] for one in now["waypoints"]] == ["pickup", "dropoff", "dropoff"]
    assert stop["order"] == 1
    assert (now["pickup"], now["dropoff"]) == (made["pickup"], made["dropoff"])


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "place"),
        ({"place": {"phone": "1"}}, "place.phone"),
        ({"country": "ZZ"}, "country"),
        ({"place": "A", "pod_required": True}, "pod_method"),
        ({"place": "A", "contact": {"name": " "}}, "contact.name"),
        ({"place": "A", "meta": {"a": "x" * 16384}}, "meta"),
        ({"place": "A", "service_time": 2**40}, "service_time"),
    ],
)
async def test_a_wrong_field_of_a_new_stop_is_refused_by_its_path(
    depot: Warehouse, sent: Any, path: str
) -> None:
    made = await depot.route("A")
    answer = await depot.firm.api.post("/v1/waypoints", json={"payload": made["id"], **sent})
    assert paths(answer) == [path]
    assert await depot.get(f"payloads/{made['id']}") == made


async def test_a_stop_needs_a_payload_of_the_company(depot: Warehouse, theirs: Warehouse) -> None:
    other = await theirs.route("A")
    assert paths(await depot.firm.api.post("/v1/waypoints", json={"place": "A"})) == ["payload"]
    for name in (other["id"], other["uuid"], "payload_nothing"):
        sent = {"payload": name, "place": "A"}
        assert absent(await depot.firm.api.post("/v1/waypoints", json=sent)) == ["payload"]
    mine = await depot.route("A")
    place = other["pickup"]["id"]
    sent = {"payload": mine["id"], "place": place}
    assert absent(await depot.firm.api.post("/v1/waypoints", json=sent)) == ["place"]
    path = f"waypoints/{mine['waypoints'][0]['id']}"
    contact = (await theirs.post("contacts", name="Ada"))["id"]
    assert absent(await depot.tried(path, place=place)) == ["place"]
    assert absent(await depot.tried(path, contact=contact)) == ["contact"]


async def test_a_payload_has_two_hundred_stops_at_the_most(depot: Warehouse) -> None:
    place = await depot.place()
    made = await depot.payload(waypoints=[place] * 200)
    sent = {"payload": made["id"], "place": place}
    assert paths(await depot.firm.api.post("/v1/waypoints", json=sent)) == ["payload"]


async def test_a_stop_is_changed(depot: Warehouse, clock: ManualClock) -> None:
    made = await depot.route("A", "B")
    stop = made["waypoints"][1]
    clock.advance(seconds=5)
    path = f"waypoints/{stop['id']}"
    now = await depot.patch(
        path, place="C", notes="Ring.", time_window_start="2026-01-15T13:00:00Z",
        contact={"name": "Ada"}, pod_required=True, pod_method="scan", meta={"a": 1},
    )  # fmt: skip
    assert (now["id"], now["order"], now["version"]) == (stop["id"], 1, 2)
    assert (now["address"], now["notes"], now["pod_method"]) == ("C", "Ring.", "scan")
    payload = await depot.get(f"payloads/{made['id']}")
    assert payload["dropoff"] == now["place"]
    assert payload["version"] == 2
    assert paths(await depot.tried(path, pod_method=None)) == ["pod_method"]
    late = "2026-01-15T12:59:00Z"
    assert paths(await depot.tried(path, time_window_end=late)) == ["time_window_end"]
    emptied = await depot.patch(
        path, notes=None, contact=None, time_window_start=None, pod_required=False, pod_method=None
    )
    assert (emptied["notes"], emptied["contact"], emptied["pod_method"]) == (None, None, None)
    for wrong in ({"place": None}, {"type": None}, {"pod_required": None}, {"meta": None}):
        assert paths(await depot.tried(path, **wrong)) == list(wrong)


async def test_if_match_refuses_a_change_of_a_stop_that_was_changed_since(
    depot: Warehouse,
) -> None:
    stop = (await depot.route("A", "B"))["waypoints"][0]
    path = f"/v1/waypoints/{stop['id']}"
    await depot.patch(f"waypoints/{stop['id']}", notes="Ring.")
    headers = {"If-Match": '"1"'}
    answer = await depot.firm.api.patch(path, json={"notes": "No."}, headers=headers)
    refused(answer, 412, "precondition_failed")
    refused(await depot.firm.api.delete(path, headers=headers), 412, "precondition_failed")
    answer = await depot.firm.api.patch(path, json={}, headers={"If-Match": '"2"'})
    assert answer.headers["etag"] == '"2"'


async def test_a_stop_is_taken_out(depot: Warehouse, house: House) -> None:
    made = await depot.route("A", "B", "C", entities=[{"name": "X", "destination": 0}])
    first = made["waypoints"][0]
    answer = await depot.delete(f"waypoints/{first['id']}")
    assert (answer.status_code, answer.json()["object"]) == (200, "waypoint")
    now = await depot.get(f"payloads/{made['id']}")
    assert streets(now) == ["B", "C"]
    assert [stop["order"] for stop in now["waypoints"]] == [0, 1]
    assert now["pickup"] == now["waypoints"][0]["place"]
    assert now["current_waypoint"] == now["waypoints"][0]["id"]
    assert now["entities"][0]["destination"] is None
    assert now["version"] == 2
    refused(await depot.delete(f"waypoints/{first['id']}"), 404, "not_found")
    assert await house.value("select count(*) from waypoints where deleted_at is not null") == 1


async def test_the_last_stop_stays(depot: Warehouse) -> None:
    made = await depot.route("A")
    answer = await depot.delete(f"waypoints/{made['waypoints'][0]['id']}")
    refused(answer, 409, "last_waypoint")
    assert await depot.get(f"payloads/{made['id']}") == made


async def test_stops_are_listed_and_chosen(depot: Warehouse, theirs: Warehouse) -> None:
    place = await depot.place("B")
    one = await depot.payload(waypoints=["A", {"place": place, "type": "pickup"}])
    two = await depot.payload(waypoints=[place])
    everything = {stop["id"]: stop for made in (one, two) for stop in made["waypoints"]}
    assert {stop["id"]: stop for stop in await depot.get("waypoints")} == everything
    for query, expected in (
        ({"payload": one["id"]}, {stop["id"] for stop in one["waypoints"]}),
        ({"payload": two["uuid"]}, {two["waypoints"][0]["id"]}),
        ({"type": "pickup"}, {one["waypoints"][1]["id"]}),
        ({"place": place}, {one["waypoints"][1]["id"], two["waypoints"][0]["id"]}),
    ):
        found = {stop["id"] for stop in await depot.get("waypoints", **query)}
        assert found == expected, query
    assert await theirs.get("waypoints") == []
    for query in ({"payload": one["id"]}, {"place": place}):
        answer = await theirs.firm.api.get("/v1/waypoints", params=query)
        assert absent(answer) == list(query)
