"""The whole fleet at a glance: where everything is, whether it moves, how old that is."""

from typing import Any

from fleet.depot import Depot
from stage import Firm

DOOR = "/int/v1/fleet-module/whereabouts"
HERE = {"latitude": 1.35, "longitude": 103.8}


async def seen(firm: Firm, query: str = "") -> dict[str, Any]:
    answer = await firm.admin.get(f"{DOOR}?{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def states(firm: Firm, query: str = "") -> dict[str, str]:
    return {row["name"]: row["state"] for row in (await seen(firm, query))["data"]}


async def test_what_moves_comes_first_and_what_is_silent_grows_stale_and_offline(
    acme: Firm, depot: Depot
) -> None:
    fast = await depot.vehicle(plate_number="FAST")
    slow = await depot.vehicle(plate_number="SLOW")
    await depot.vehicle(plate_number="DARK")
    await depot.post(f"vehicles/{fast['id']}/track", **HERE, speed=12.5, heading=90)
    await depot.post(f"vehicles/{slow['id']}/track", **HERE, speed=0)
    assert await states(acme) == {"FAST": "moving", "SLOW": "standing", "DARK": "never_seen"}
    first = (await seen(acme))["data"][0]
    assert (first["name"], first["speed"], first["heading"]) == ("FAST", 12.5, 90)
    assert first["location"]["coordinates"] == [103.8, 1.35]
    acme.house.clock.advance(minutes=11)
    assert set((await states(acme)).values()) == {"stale", "never_seen"}
    acme.house.clock.advance(minutes=20)
    assert set((await states(acme)).values()) == {"offline", "never_seen"}


async def test_counts_tell_of_all_states_whatever_state_is_asked_for(
    acme: Firm, depot: Depot
) -> None:
    fast = await depot.vehicle(plate_number="FAST")
    await depot.vehicle(plate_number="DARK")
    await depot.post(f"vehicles/{fast['id']}/track", **HERE, speed=12.5)
    found = await seen(acme, "state=moving")
    assert [row["name"] for row in found["data"]] == ["FAST"]
    counts = {"moving": 1, "standing": 0, "stale": 0, "offline": 0, "never_seen": 1}
    assert found["meta"] == {"counts": counts, "complete": True}


async def test_a_driver_is_told_with_the_vehicle_and_without_one_alone(
    acme: Firm, depot: Depot
) -> None:
    van = await depot.vehicle(plate_number="VAN")
    ada = await depot.driver(name="Ada", vehicle=van["id"], location=HERE)
    await depot.driver(name="Grace")
    found = {row["name"]: row for row in (await seen(acme))["data"]}
    assert set(found) == {"VAN", "Grace"}
    assert (found["VAN"]["driver"], found["VAN"]["driver_name"]) == (ada["id"], "Ada")
    assert found["VAN"]["state"] == "standing"
    assert found["Grace"]["kind"] == "driver"


async def test_it_is_found_by_plate_and_by_driver_and_narrowed_to_a_fleet(
    acme: Firm, depot: Depot
) -> None:
    van = await depot.vehicle(plate_number="VAN 100%")
    await depot.vehicle(plate_number="TRUCK")
    await depot.driver(name="Ada", vehicle=van["id"])
    fleet = await depot.fleet()
    await depot.post(f"fleets/{fleet['id']}/vehicles", vehicle=van["id"])
    for query in ("query=ada", "query=100%25", f"fleet={fleet['id']}"):
        assert set(await states(acme, query)) == {"VAN 100%"}, query
    assert await states(acme, "query=_an") == {}
    refused = await acme.admin.get(f"{DOOR}?fleet=fleet_nowhere")
    assert refused.status_code == 404


async def test_what_has_left_is_nowhere(acme: Firm, depot: Depot) -> None:
    van = await depot.vehicle(plate_number="VAN")
    await acme.api.delete(f"/v1/vehicles/{van['id']}")
    assert await states(acme) == {}


async def test_nobody_sees_the_fleet_of_others(rival: Firm, depot: Depot) -> None:
    await depot.vehicle(plate_number="VAN")
    assert await states(rival) == {}


async def test_a_key_that_may_read_vehicles_alone_is_told_nothing_of_people(
    acme: Firm, depot: Depot
) -> None:
    van = await depot.vehicle(plate_number="VAN")
    ada = await depot.driver(name="Ada", vehicle=van["id"], location=HERE)
    await depot.driver(name="Grace", location=HERE)
    for scopes, names in (
        (["vehicles:read"], {"VAN"}),
        (["vehicles:read", "drivers:read"], {"VAN", "Grace"}),
    ):
        body = {"kind": "api", "name": "Shop", "scopes": scopes}
        key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
        client = acme.house.client(key)
        found = {row["name"]: row for row in (await client.get(DOOR)).json()["data"]}
        assert set(found) == names
        assert found["VAN"]["driver"] == ada["id"]
        told = "Grace" in names
        assert (found["VAN"]["driver_name"] == "Ada") is told
        assert (found["VAN"]["location"] is not None) is told
        assert len((await client.get(f"{DOOR}?query=ada")).json()["data"]) == told
