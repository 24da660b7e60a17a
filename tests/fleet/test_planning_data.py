"""Drivers' shifts, skills and costs, and vehicles' capacities and costs, over HTTP."""

from typing import Any

import pytest

from fleet.depot import Depot
from fleet.test_signin import signed_in
from probe import refused

WEEK = [
    {"days": ["mon", "tue", "wed", "thu"], "start": "08:00", "end": "16:00",
     "breaks": [{"earliest": "11:00", "latest": "13:00", "duration": 1800}]},
    {"days": ["fri"], "start": "22:00", "end": "06:00", "breaks": []},
]  # fmt: skip
HOLIDAYS = [
    {"date": "2027-07-05", "until": "2027-07-16", "shifts": []},
    {"date": "2027-12-24", "until": None,
     "shifts": [{"start": "08:00", "end": "12:00", "breaks": []}]},
]  # fmt: skip


async def wrong_fields(depot: Depot, path: str, **body: Any) -> dict[str, str]:
    answer = await depot.firm.api.post(f"/v1/{path}", json=body)
    refused(answer, 422, "validation_failed")
    return {field["path"]: field["message"] for field in answer.json()["fields"]}


async def wrong_driver(depot: Depot, **body: Any) -> dict[str, str]:
    return await wrong_fields(depot, "drivers", name="Ada", phone="+6591234599", **body)


async def test_a_driver_has_shifts_skills_and_places_where_work_begins_and_ends(
    depot: Depot,
) -> None:
    start = await depot.post("places", street1="1 Main", location="1.30,103.80")
    driver = await depot.driver(
        skills=["Heavy", " cold  chain", "heavy"], shifts=WEEK, shift_exceptions=HOLIDAYS,
        start_place=start["id"], end_place=start["uuid"],
    )  # fmt: skip
    assert driver["skills"] == ["heavy", "cold chain"]
    assert driver["shifts"] == WEEK
    assert driver["shift_exceptions"] == HOLIDAYS
    assert (driver["start_place"], driver["end_place"]) == (start["id"], start["id"])
    assert await depot.get(f"drivers/{driver['id']}") == driver


async def test_a_driver_works_at_any_time_until_shifts_are_set(depot: Depot) -> None:
    driver = await depot.driver()
    assert (driver["skills"], driver["shifts"], driver["shift_exceptions"]) == ([], None, [])
    changed = await depot.patch(f"drivers/{driver['id']}", shifts=[])
    assert changed["shifts"] == []
    changed = await depot.patch(f"drivers/{driver['id']}", shifts=None)
    assert changed["shifts"] is None


async def test_a_change_of_shifts_is_emitted_without_the_cost(depot: Depot) -> None:
    driver = await depot.driver()
    await depot.patch(f"drivers/{driver['id']}", shifts=WEEK, cost_per_hour=2400, currency="sgd")
    [event] = await depot.told("driver.updated")
    assert event["data"]["changed"] == ["shifts", "cost_per_hour", "currency"]
    assert event["data"]["shifts"] == WEEK
    assert "cost_per_hour" not in event["data"]


@pytest.mark.parametrize(
    ("shift", "path", "words"),
    [
        ({"days": ["mon"], "start": "8:00", "end": "16:00"}, "shifts[0].start", "time of day"),
        ({"days": ["mon"], "start": "08:00", "end": "24:00"}, "shifts[0].end", "time of day"),
        ({"days": [], "start": "08:00", "end": "16:00"}, "shifts[0].days", "must not be empty"),
        ({"days": ["monday"], "start": "08:00", "end": "16:00"}, "shifts[0].days[0]", "mon"),
        (
            {"days": ["mon"], "start": "08:00", "end": "16:00",
             "breaks": [{"earliest": "15:45", "latest": "15:45", "duration": 1800}]},
            "shifts[0].breaks[0]", "within the shift",
        ),
    ],
)  # fmt: skip
async def test_a_wrong_shift_is_refused_by_its_path(
    depot: Depot, shift: dict[str, Any], path: str, words: str
) -> None:
    faults = await wrong_driver(depot, shifts=[shift])
    assert words in faults[path]


async def test_overlapping_shifts_are_refused(depot: Depot) -> None:
    late = {"days": ["tue"], "start": "15:00", "end": "20:00"}
    assert await wrong_driver(depot, shifts=[*WEEK, late]) == {"shifts[2]": "overlaps `shifts[0]`."}


async def test_there_are_bounds_to_shifts_exceptions_and_skills(depot: Depot) -> None:
    shift = {"days": ["mon"], "start": "08:00", "end": "08:30"}
    assert "shifts" in await wrong_driver(depot, shifts=[shift] * 22)
    assert "skills" in await wrong_driver(depot, skills=[f"skill {n}" for n in range(21)])
    days = [{"date": f"{2000 + n // 12}-{n % 12 + 1:02}-01"} for n in range(51)]
    assert "shift_exceptions" in await wrong_driver(depot, shift_exceptions=days)


async def test_an_empty_skill_is_refused(depot: Depot) -> None:
    assert "empty" in (await wrong_driver(depot, skills=[" "]))["skills"]


async def test_a_cost_takes_the_companys_currency_or_names_one(depot: Depot) -> None:
    faults = await wrong_driver(depot, cost_per_hour=2400)
    assert "the company has no currency" in faults["currency"]
    answer = await depot.firm.admin.patch("/int/v1/settings", json={"currency": "EUR"})
    assert answer.status_code == 200, answer.text
    driver = await depot.driver(cost_per_hour=2400)
    assert (driver["cost_per_hour"], driver["currency"]) == (2400, "EUR")
    vehicle = await depot.vehicle(cost_per_km=35, currency="usd")
    assert (vehicle["cost_per_km"], vehicle["currency"]) == (35, "USD")
    vehicle = await depot.patch(f"vehicles/{vehicle['id']}", cost_per_km=40)
    assert (vehicle["cost_per_km"], vehicle["currency"]) == (40, "USD")
    assert "currency" in await wrong_fields(depot, "vehicles", cost_per_km=1, currency="XXX")


async def test_a_cost_is_a_whole_number_of_minor_units(depot: Depot) -> None:
    assert "minor units" in (await wrong_driver(depot, cost_per_hour=24.5))["cost_per_hour"]
    assert "cost_per_hour" in await wrong_driver(depot, cost_per_hour=-1)


async def test_a_driver_does_not_see_what_they_cost(depot: Depot) -> None:
    driver = await depot.driver(cost_per_hour=2400, currency="SGD", skills=["heavy"])
    session = await signed_in(depot.firm, driver["phone"])
    assert session["skills"] == ["heavy"]
    async with depot.firm.house.client(session["token"]) as phone:
        own = (await phone.get("/v1/drivers/me")).json()
    for seen in (session, session["driver"], own):
        assert not {"cost_per_hour", "currency"} & seen.keys()


async def test_another_companys_place_is_not_found(depot: Depot, yard: Depot) -> None:
    place = await yard.post("places", street1="1 Main")
    body = {"name": "Ada", "phone": "+6591234599", "start_place": place["id"]}
    answer = await depot.firm.api.post("/v1/drivers", json=body)
    refused(answer, 404, "not_found")
    assert answer.json()["fields"][0]["path"] == "start_place"


async def test_a_place_that_was_deleted_stays_until_another_one_is_named(depot: Depot) -> None:
    place = await depot.post("places", street1="1 Main")
    driver = await depot.driver(start_place=place["id"])
    path = f"drivers/{driver['id']}"
    assert (await depot.firm.api.delete(f"/v1/places/{place['id']}")).status_code == 200
    read = await depot.get(path)
    assert read["start_place"] == place["id"]
    assert (await depot.patch(path, **read | {"city": "Singapore"}))["start_place"] == place["id"]
    answer = await depot.firm.api.patch(f"/v1/{path}", json={"end_place": place["id"]})
    refused(answer, 404, "not_found")


async def test_a_vehicle_has_a_capacity_and_a_profile(depot: Depot) -> None:
    plain = await depot.vehicle()
    assert plain["capacity"] == {"weight": None, "volume": None, "items": None}
    assert plain["profile"] == "car"
    bike = await depot.vehicle(capacity={"weight": 30, "items": 8}, profile="bicycle")
    assert bike["capacity"] == {"weight": 30, "volume": None, "items": 8}
    assert bike["payload_capacity"] == 30
    changed = await depot.patch(f"vehicles/{bike['id']}", capacity={"volume": 0.2, "items": None})
    assert changed["capacity"] == {"weight": 30, "volume": 0.2, "items": None}
    [event] = await depot.told("vehicle.updated")
    assert event["data"]["changed"] == ["capacity"]
    cleared = await depot.patch(f"vehicles/{bike['id']}", capacity=None)
    assert cleared["capacity"] == plain["capacity"]


async def test_payload_capacity_is_the_weight_of_the_capacity(depot: Depot) -> None:
    van = await depot.vehicle(payload_capacity=800)
    assert van["capacity"]["weight"] == 800
    path = f"vehicles/{van['id']}"
    read = await depot.get(path)
    assert (await depot.patch(path, **read | {"payload_capacity": 900}))["capacity"][
        "weight"
    ] == 900
    read = await depot.get(path)
    capacity = read["capacity"] | {"weight": 950}
    assert (await depot.patch(path, **read | {"capacity": capacity}))["payload_capacity"] == 950
    faults = await wrong_fields(depot, "vehicles", payload_capacity=1, capacity={"weight": 2})
    assert faults == {"payload_capacity": "This contradicts `capacity.weight`. Send one of them."}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"capacity": {"weight": -1}}, "capacity.weight"),
        ({"capacity": {"items": 1.5}}, "capacity.items"),
        ({"profile": "ship"}, "profile"),
    ],
)
async def test_a_wrong_capacity_is_refused_by_its_path(
    depot: Depot, body: dict[str, Any], path: str
) -> None:
    assert path in await wrong_fields(depot, "vehicles", **body)


async def test_an_order_names_the_skills_that_its_driver_needs(depot: Depot) -> None:
    assert (await depot.order())["required_skills"] == []
    order = await depot.order(required_skills=["Heavy", "heavy", "cold chain"])
    assert order["required_skills"] == ["heavy", "cold chain"]
    changed = await depot.patch(f"orders/{order['id']}", required_skills=["tail lift"])
    assert changed["required_skills"] == ["tail lift"]
    [event] = await depot.told("order.updated")
    assert event["data"]["changed"] == ["required_skills"]
    assert (await depot.patch(f"orders/{order['id']}", required_skills=None))[
        "required_skills"
    ] == []
    faults = await wrong_fields(
        depot, "orders", pickup="1 Main", dropoff="2 Main", required_skills=["x" * 51]
    )
    assert "required_skills[0]" in faults
