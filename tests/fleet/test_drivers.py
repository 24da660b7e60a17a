"""Drivers and vehicles: kept, changed, listed, deleted, and each change told once."""

import asyncio
from typing import Any

import pytest

from fleet.depot import Depot
from pannier.kit.clock import ManualClock
from probe import paths, refused
from stage import Firm, House


async def test_a_driver_is_kept_as_it_was_sent_with_the_phone_in_one_spelling(
    depot: Depot,
) -> None:
    made = await depot.driver(
        phone="0065 9123 4567", email="Ada@Example.com", country="sg", internal_id="D-1",
        drivers_license_number="S1", license_expiry="2028-05-31", city="Singapore",
        meta={"shift": "night"},
    )  # fmt: skip
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("driver_")
    assert (made["phone"], made["country"]) == ("+6591234567", "SG")
    assert (made["status"], made["online"], made["vehicle"]) == ("available", False, None)
    assert (made["fleets"], made["location"], made["version"]) == ([], None, 1)
    assert made["license_expiry"] == "2028-05-31"
    for name in (made["id"], made["uuid"]):
        assert await depot.get(f"drivers/{name}") == made
    assert await depot.names() == []


async def test_a_driver_needs_a_name_and_a_phone_that_can_be_one(acme: Firm) -> None:
    assert paths(await acme.api.post("/v1/drivers", json={})) == ["name", "phone"]
    body = {"name": "Ada", "phone": "12"}
    assert paths(await acme.api.post("/v1/drivers", json=body)) == ["phone"]
    body = {"name": "Ada", "phone": "+6591234567", "email": "nobody"}
    assert paths(await acme.api.post("/v1/drivers", json=body)) == ["email"]


async def test_a_phone_belongs_to_one_living_driver_of_a_company(
    depot: Depot, yard: Depot, acme: Firm
) -> None:
    first = await depot.driver(phone="+6591234567")
    second = await depot.driver()
    await yard.driver(phone="+6591234567")
    body = {"name": "Eve", "phone": "0065 9123 4567"}
    refused(await acme.api.post("/v1/drivers", json=body), 409, "phone_taken")
    answer = await acme.api.patch(f"/v1/drivers/{second['id']}", json={"phone": "+6591234567"})
    refused(answer, 409, "phone_taken")
    await acme.api.delete(f"/v1/drivers/{first['id']}")
    await depot.driver(phone="+6591234567")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_an_update_changes_what_is_sent_and_tells_it_once(
    depot: Depot, acme: Firm, method: str
) -> None:
    made = await depot.driver(email="ada@example.com", city="Singapore")
    body = {"name": "Ada King", "email": None, "status": "on_duty", "city": "Singapore"}
    answer = await acme.api.request(method, f"/v1/drivers/{made['id']}", json=body)
    assert answer.status_code == 200
    assert answer.headers["etag"] == '"2"'
    changed = answer.json()
    assert (changed["name"], changed["email"], changed["phone"]) == (
        "Ada King",
        None,
        made["phone"],
    )
    [event] = await depot.told()
    assert event["event"] == "driver.updated"
    assert event["data"]["changed"] == ["name", "email", "status"]
    assert event["data"]["id"] == made["id"]
    for nothing in ({}, body):
        again = await acme.api.request(method, f"/v1/drivers/{made['id']}", json=nothing)
        assert again.json() == changed
    assert len(await depot.told()) == 1


async def test_if_match_lets_only_the_one_through_who_read_the_latest(
    depot: Depot, acme: Firm
) -> None:
    for path, made in (
        ("drivers", await depot.driver()), ("vehicles", await depot.vehicle()),
        ("fleets", await depot.fleet()), ("issues", await depot.issue()),
    ):  # fmt: skip
        address, first = f"/v1/{path}/{made['id']}", {"If-Match": '"1"'}
        meta = {"meta": {"a": 1}}
        assert (await acme.api.put(address, json=meta, headers=first)).status_code == 200
        late = await acme.api.put(address, json={"meta": {}}, headers=first)
        refused(late, 412, "precondition_failed")
        assert (await depot.get(f"{path}/{made['id']}"))["meta"] == {"a": 1}


async def test_a_vehicle_is_assigned_through_its_driver_and_told_once(depot: Depot) -> None:
    van, made = await depot.vehicle(), await depot.driver()
    assigned = await depot.patch(f"drivers/{made['id']}", vehicle=van["uuid"])
    assert assigned["vehicle"] == van["id"]
    assert (await depot.get(f"vehicles/{van['id']}"))["driver"] == made["id"]
    await depot.patch(f"drivers/{made['id']}", vehicle=van["id"])
    assert await depot.names() == ["driver.updated", "vehicle.assigned"]
    told = (await depot.told("vehicle.assigned"))[0]["data"]
    assert told["assigned_to"] == {"type": "driver", "id": made["id"], "name": "Ada"}
    assert (await depot.patch(f"drivers/{made['id']}", vehicle=None))["vehicle"] is None
    assert (await depot.told())[-1]["data"]["changed"] == ["vehicle"]
    assert len(await depot.told()) == 3


async def test_of_two_who_want_one_vehicle_at_once_one_gets_it(depot: Depot, acme: Firm) -> None:
    van = await depot.vehicle()
    drivers = [await depot.driver() for _ in range(4)]
    answers = await asyncio.gather(
        *(
            acme.api.patch(f"/v1/drivers/{one['id']}", json={"vehicle": van["id"]})
            for one in drivers
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    for answer in answers:
        if answer.status_code == 409:
            refused(answer, 409, "vehicle_taken")
    assert await depot.names() == ["driver.updated", "vehicle.assigned"]


async def test_deleting_a_vehicle_leaves_its_driver_and_the_other_way_round(
    depot: Depot, acme: Firm
) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    gone = (await acme.api.delete(f"/v1/vehicles/{van['id']}")).json()
    assert (gone["id"], gone["object"], gone["deleted"]) == (van["id"], "vehicle", True)
    assert (await depot.get(f"drivers/{made['id']}"))["vehicle"] is None
    refused(await acme.api.get(f"/v1/vehicles/{van['id']}"), 404, "not_found")
    other = await depot.vehicle()
    await depot.patch(f"drivers/{made['id']}", vehicle=other["id"])
    assert (await acme.api.delete(f"/v1/drivers/{made['id']}")).json()["object"] == "driver"
    assert (await depot.get(f"vehicles/{other['id']}"))["driver"] is None
    assert await depot.get("drivers") == []
    assert (await acme.api.delete(f"/v1/drivers/{made['id']}")).status_code == 404


async def test_deleting_and_assigning_a_vehicle_at_once_ends_with_one_truth(
    depot: Depot, acme: Firm
) -> None:
    for _ in range(5):
        van, made = await depot.vehicle(), await depot.driver()
        assigned, _gone = await asyncio.gather(
            acme.api.patch(f"/v1/drivers/{made['id']}", json={"vehicle": van["id"]}),
            acme.api.delete(f"/v1/vehicles/{van['id']}"),
        )
        assert assigned.status_code in {200, 404}
        assert (await depot.get(f"drivers/{made['id']}"))["vehicle"] is None


async def test_a_vehicles_change_is_told_once_with_what_changed(depot: Depot) -> None:
    van = await depot.vehicle(make="Toyota", year=2020)
    await depot.patch(f"vehicles/{van['id']}", year=2021, make="Toyota", status="maintenance")
    await depot.patch(f"vehicles/{van['id']}", year=2021)
    [event] = await depot.told()
    assert event["event"] == "vehicle.updated"
    assert event["data"]["changed"] == ["year", "status"]
    assert event["data"]["plate_number"] == "SGX 1"


async def test_lists_are_filtered_searched_sorted_and_paged(
    depot: Depot, acme: Firm, clock: ManualClock
) -> None:
    for name, status in (("Carl", "active"), ("Ada", "active"), ("Bea", "on_leave")):
        await depot.driver(name=name, status=status)
        clock.advance(seconds=1)

    async def names(query: str) -> list[str]:
        return [row["name"] for row in await depot.get(f"drivers?{query}")]

    assert await names("") == ["Bea", "Ada", "Carl"]
    assert await names("sort=name") == ["Ada", "Bea", "Carl"]
    assert await names("status=active") == ["Ada", "Carl"]
    assert await names("query=ar") == ["Carl"]
    assert await names("online=true") == []
    assert await names("phone=%2B6591234502") == ["Ada"]
    first = await acme.api.get("/v1/drivers?limit=2&sort=name")
    rest = await acme.api.get(first.headers["link"].split(">")[0][1:])
    assert [row["name"] for row in first.json() + rest.json()] == ["Ada", "Bea", "Carl"]


async def test_who_loses_the_right_to_work_goes_offline(depot: Depot, acme: Firm) -> None:
    made = await depot.driver(online=True)
    assert (await depot.patch(f"drivers/{made['id']}", status="suspended"))["online"] is False
    assert await depot.names() == ["driver.online", "driver.updated", "driver.offline"]
    answer = await acme.api.post(f"/v1/drivers/{made['id']}/toggle-online", json={"online": True})
    refused(answer, 409, "driver_inactive")


async def test_presence_is_told_when_it_changes_and_toggles_when_nothing_is_said(
    depot: Depot,
) -> None:
    made = await depot.driver()
    address = f"drivers/{made['id']}/toggle-online"
    assert (await depot.post(address))["online"] is True
    assert (await depot.post(address, online=True))["online"] is True
    assert (await depot.patch(address))["online"] is False
    assert (await depot.patch(f"drivers/{made['id']}", online=True))["online"] is True
    assert await depot.names() == ["driver.online", "driver.offline", "driver.online"]


NAMING: list[tuple[str, str, dict[str, Any]]] = [
    ("drivers", "vehicles", {"name": "Eve", "phone": "+6598765432", "vehicle": ""}),
    ("fleets", "fleets", {"name": "F", "parent_fleet": ""}),
    ("issues", "drivers", {"report": "R", "driver": ""}),
    ("issues", "vehicles", {"report": "R", "vehicle": ""}),
    ("issues", "orders", {"report": "R", "order": ""}),
]


@pytest.mark.parametrize(("path", "kind", "body"), NAMING)
async def test_a_body_that_names_another_companys_is_404(
    depot: Depot, yard: Depot, acme: Firm, house: House, path: str, kind: str, body: dict[str, Any]
) -> None:
    make = {
        "vehicles": yard.vehicle, "drivers": yard.driver, "fleets": yard.fleet,
        "orders": yard.order,
    }[kind]  # fmt: skip
    theirs = await make()
    [name] = [name for name, value in body.items() if value == ""]
    for identifier in (theirs["id"], theirs["uuid"]):
        answer = await acme.api.post(f"/v1/{path}", json={**body, name: identifier})
        refused(answer, 404, "not_found")
    assert await depot.get(path) == []
    ours = await depot.post(path, **{**body, name: None})
    answer = await acme.api.patch(f"/v1/{path}/{ours['id']}", json={name: theirs["id"]})
    refused(answer, 404, "not_found")
    assert await house.value("select count(*) from events") == 0 or path == "issues"


@pytest.mark.parametrize(
    "query",
    ["drivers?fleet={fleet}", "drivers?vehicle={vehicle}", "vehicles?driver={driver}",
     "vehicles?fleet={fleet}", "fleets?parent_fleet={fleet}", "issues?driver={driver}",
     "issues?vehicle={vehicle}", "issues?order={order}"],
)  # fmt: skip
async def test_a_query_that_names_another_companys_is_404(
    acme: Firm, yard: Depot, query: str
) -> None:
    theirs = {
        "fleet": (await yard.fleet())["id"],
        "vehicle": (await yard.vehicle())["id"],
        "driver": (await yard.driver())["id"],
        "order": (await yard.order())["id"],
    }
    refused(await acme.api.get("/v1/" + query.format(**theirs)), 404, "not_found")
    assert (await yard.firm.api.get("/v1/" + query.format(**theirs))).status_code == 200
