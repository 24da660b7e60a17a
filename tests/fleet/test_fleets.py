"""Fleets: who is in them, what lies within what."""

import asyncio

import pytest

from fleet.depot import Depot
from probe import paths, refused
from stage import Firm, House


async def test_members_are_taken_in_once_and_told_once(depot: Depot) -> None:
    fleet, driver, van = await depot.fleet(), await depot.driver(), await depot.vehicle()
    for _ in range(2):
        await depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"])
        shown = await depot.post(f"fleets/{fleet['id']}/vehicles", vehicle=van["uuid"])
    assert (shown["drivers"], shown["vehicles"]) == ([driver["id"]], [van["id"]])
    assert (await depot.get(f"drivers/{driver['id']}"))["fleets"] == [fleet["id"]]
    assert (await depot.get(f"vehicles/{van['id']}"))["fleets"] == [fleet["id"]]
    assert [row["id"] for row in await depot.get(f"drivers?fleet={fleet['id']}")] == [driver["id"]]
    assert [row["id"] for row in await depot.get(f"vehicles?fleet={fleet['id']}")] == [van["id"]]
    assert await depot.names() == ["driver.assigned", "vehicle.assigned"]
    for event in await depot.told():
        assert event["data"]["assigned_to"] == {
            "type": "fleet", "id": fleet["id"], "name": "Night riders",
        }  # fmt: skip


async def test_taking_in_the_same_driver_at_once_is_told_once(depot: Depot) -> None:
    fleet, driver = await depot.fleet(), await depot.driver()
    await asyncio.gather(
        *(depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"]) for _ in range(4))
    )
    assert await depot.names() == ["driver.assigned"]


async def test_members_leave_and_whoever_is_not_in_it_is_not_found(
    depot: Depot, acme: Firm
) -> None:
    fleet, driver, van = await depot.fleet(), await depot.driver(), await depot.vehicle()
    await depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"])
    await depot.post(f"fleets/{fleet['id']}/vehicles", vehicle=van["id"])
    for member in (f"drivers/{driver['id']}", f"vehicles/{van['id']}"):
        address = f"/v1/fleets/{fleet['id']}/{member}"
        assert (await acme.api.delete(address)).status_code == 200
        refused(await acme.api.delete(address), 404, "not_found")
    shown = await depot.get(f"fleets/{fleet['id']}")
    assert (shown["drivers"], shown["vehicles"]) == ([], [])


async def test_another_companys_members_cannot_be_taken_in(
    depot: Depot, yard: Depot, acme: Firm
) -> None:
    fleet, driver, van = await depot.fleet(), await yard.driver(), await yard.vehicle()
    for path, body in (("drivers", {"driver": driver["id"]}), ("vehicles", {"vehicle": van["id"]})):
        answer = await acme.api.post(f"/v1/fleets/{fleet['id']}/{path}", json=body)
        refused(answer, 404, "not_found")
        answer = await acme.api.post(f"/v1/fleets/{fleet['id']}/{path}", json={})
        assert paths(answer) == [path.removesuffix("s")]


async def test_a_deleted_member_is_in_no_fleet_and_a_deleted_fleet_has_no_members(
    depot: Depot, acme: Firm
) -> None:
    fleet, driver, van = await depot.fleet(), await depot.driver(), await depot.vehicle()
    await depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"])
    await depot.post(f"fleets/{fleet['id']}/vehicles", vehicle=van["id"])
    await acme.api.delete(f"/v1/drivers/{driver['id']}")
    assert (await depot.get(f"fleets/{fleet['id']}"))["drivers"] == []
    within = await depot.fleet(parent_fleet=fleet["id"])
    assert (await acme.api.delete(f"/v1/fleets/{fleet['id']}")).json()["object"] == "fleet"
    assert (await depot.get(f"vehicles/{van['id']}"))["fleets"] == []
    assert (await depot.get(f"fleets/{within['id']}"))["parent_fleet"] is None


async def test_no_fleet_lies_within_itself_not_even_by_two_changes_at_once(
    depot: Depot, acme: Firm
) -> None:
    one, two = await depot.fleet(), await depot.fleet()
    itself = await acme.api.patch(f"/v1/fleets/{one['id']}", json={"parent_fleet": one["id"]})
    refused(itself, 422, "fleet_circle")
    answers = await asyncio.gather(
        acme.api.patch(f"/v1/fleets/{one['id']}", json={"parent_fleet": two["id"]}),
        acme.api.patch(f"/v1/fleets/{two['id']}", json={"parent_fleet": one["id"]}),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 422]


async def test_a_large_fleet_shows_its_first_hundred_and_lists_all(
    depot: Depot, house: House
) -> None:
    fleet = await depot.post("fleets", name="North")
    driver = await depot.driver()
    await depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"])
    async with house.database.transaction() as db:
        await db.execute(
            """with hired as (
                   insert into drivers
                   select (jsonb_populate_record(d, jsonb_build_object(
                       'uuid', gen_random_uuid(), 'public_id', 'driver_' || number,
                       'phone', '+6590' || number))).*
                   from drivers d, generate_series(1, 120) number returning uuid, company)
               insert into fleet_members (uuid, company, fleet, driver, created_at)
               select gen_random_uuid(), hired.company, f.uuid, hired.uuid, f.created_at
               from hired, fleets f"""
        )
    shown = await depot.get(f"fleets/{fleet['id']}")
    assert len(shown["drivers"]) == 100
    assert len((await depot.get("fleets"))[0]["drivers"]) == 100
    assert len(await depot.get(f"drivers?fleet={fleet['id']}&limit=100")) == 100


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/drivers", {"name": "Ada", "phone": "+6591234567", "vehicle": "vehicle_x"}, "vehicle"),
        ("/v1/fleets", {"name": "North", "parent_fleet": "fleet_x"}, "parent_fleet"),
    ],
)
async def test_what_is_named_and_not_there_is_refused_by_its_field(
    acme: Firm, path: str, body: dict[str, str], field: str
) -> None:
    answer = await acme.api.post(path, json=body)
    assert answer.status_code == 404, answer.text
    assert [one["path"] for one in answer.json()["fields"]] == [field]
    listed = await acme.api.get(f"{path}?{field}={body[field]}")
    assert [one["path"] for one in listed.json()["fields"]] == [field]
