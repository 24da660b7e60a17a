"""Where drivers and vehicles are: the newest report counts, in whatever order reports come."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stage
from fleet.depot import Depot
from orders.shop import statements
from pannier.accounts.company_settings.models import Locations
from pannier.db import Database
from pannier.fleet import whereabouts
from pannier.fleet.fixes import PositionFix
from pannier.fleet.whereabouts import Move
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from probe import paths, refused
from stage import NOON, Firm, House

PLACES = "select count(*) from device_events where class = 0"


def spot(longitude: float, latitude: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [longitude, latitude]}


async def test_a_report_moves_the_driver_and_the_vehicle(depot: Depot, house: House) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    body = {"latitude": 1.3, "longitude": 103.8, "speed": 8.5, "heading": 90, "altitude": 12}
    shown = await depot.post(f"drivers/{made['id']}/track", **body, accuracy=4)
    moved = await depot.get(f"vehicles/{van['id']}")
    for one in (shown, moved):
        assert one["location"] == spot(103.8, 1.3)
        assert (one["speed"], one["heading"], one["altitude"]) == (8.5, 90, 12)
        assert one["located_at"] == "2026-01-15T12:00:00.000Z"
    assert shown["version"] == made["version"]
    assert await house.value(PLACES) == 1
    [event] = await depot.told("driver.location_changed")
    assert event["data"]["location"] == spot(103.8, 1.3)
    assert event["data"]["id"] == made["id"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
@pytest.mark.parametrize("kind", ["drivers", "vehicles"])
async def test_every_method_that_clients_use_tracks(
    depot: Depot, acme: Firm, method: str, kind: str
) -> None:
    made = await (depot.driver() if kind == "drivers" else depot.vehicle())
    body = {"location": spot(103.8, 1.3)}
    answer = await acme.api.request(method, f"/v1/{kind}/{made['id']}/track", json=body)
    assert answer.status_code == 200
    assert answer.json()["location"] == spot(103.8, 1.3)


async def test_a_late_report_is_kept_and_moves_nobody_back(
    depot: Depot, house: House, clock: ManualClock
) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    address = f"drivers/{made['id']}/track"
    clock.advance(minutes=10)
    await depot.post(address, latitude=1.3, longitude=103.8)
    late = await depot.post(
        address, latitude=2, longitude=100, recorded_at="2026-01-15T12:05:00+00:00"
    )
    assert late["location"] == spot(103.8, 1.3)
    assert (await depot.get(f"vehicles/{van['id']}"))["location"] == spot(103.8, 1.3)
    assert await house.value(PLACES) == 2
    assert len(await depot.told("driver.location_changed")) == 1


METRE = 1 / 111_195
HOUR_AGO = NOON - timedelta(hours=1)


async def every_five_seconds(firm: Firm) -> None:
    """Let a company choose how often moves are told."""
    wish = {"locations": {"interval": 5}}
    assert (await firm.admin.patch("/int/v1/settings", json=wish)).status_code == 200


async def test_only_a_real_move_is_told_and_small_steps_add_up(
    depot: Depot, acme: Firm, clock: ManualClock
) -> None:
    await every_five_seconds(acme)
    made = await depot.driver()
    for step in (0, 0, 10, 20, 26, 26, 40):
        await depot.post(f"drivers/{made['id']}/track", latitude=1 + step * METRE, longitude=103)
        clock.advance(seconds=5)
    assert len(await depot.told("driver.location_changed")) == 2


@pytest.mark.slow
async def test_a_driver_who_hurries_is_told_of_once_in_five_seconds(
    depot: Depot, acme: Firm, house: House, clock: ManualClock
) -> None:
    await every_five_seconds(acme)
    made = await depot.driver()
    for second in range(60):
        latitude = 1 + second * 30 * METRE
        await depot.post(f"drivers/{made['id']}/track", latitude=latitude, longitude=103)
        clock.advance(seconds=1)
    assert len(await depot.told("driver.location_changed")) == 12
    assert await house.value(PLACES) == 60


async def test_a_company_chooses_how_far_and_how_often_moves_are_told(
    depot: Depot, acme: Firm, clock: ManualClock
) -> None:
    wish = {"locations": {"distance": 5, "interval": 1}}
    answer = await acme.admin.patch("/int/v1/settings", json=wish)
    assert answer.json()["locations"] == wish["locations"], answer.text
    refused = await acme.admin.patch("/int/v1/settings", json={"locations": {"distance": 1}})
    assert paths(refused) == ["locations.distance"]
    made = await depot.driver()
    for step in range(4):
        await depot.post(f"drivers/{made['id']}/track", latitude=1 + step * 6 * METRE, longitude=1)
        clock.advance(seconds=1)
    assert len(await depot.told("driver.location_changed")) == 4


async def test_no_company_has_moves_told_more_often_than_the_installation_allows(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    bounds = {"location_distance": "50", "location_interval": "10"}
    acme = await (await stage.build(database, clock, str(tmp_path), **bounds)).found("Acme")
    depot, least = Depot(acme), {"distance": 50, "interval": 10}
    assert (await acme.admin.get("/int/v1/settings")).json()["locations"] == least
    wish = {"locations": {"distance": 49, "interval": 9}}
    wrong = await acme.admin.patch("/int/v1/settings", json=wish)
    assert paths(wrong) == ["locations.distance", "locations.interval"]
    right = await acme.admin.patch("/int/v1/settings", json={"locations": {"interval": 10}})
    assert right.status_code == 200
    made = await depot.driver()
    for step in range(6):
        latitude = 1 + step * 60 * METRE
        await depot.post(f"drivers/{made['id']}/track", latitude=latitude, longitude=103)
        clock.advance(seconds=5)
    assert len(await depot.told("driver.location_changed")) == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"latitude": 0, "longitude": 0}, ["latitude"]),
        ({"location": "0,0"}, ["location"]),
        ({"latitude": 91, "longitude": 0}, ["latitude"]),
        ({"latitude": 1}, ["longitude"]),
        ({}, ["latitude", "longitude"]),
        ({"latitude": "x", "longitude": 1}, ["latitude"]),
        ({"latitude": 1, "longitude": 1, "recorded_at": "2026-01-15T12:06:00Z"}, ["recorded_at"]),
        ({"latitude": 1, "longitude": 1, "recorded_at": "2026-01-15T12:00:00"}, ["recorded_at"]),
        ({"latitude": 1, "longitude": 1, "heading": 361}, ["heading"]),
    ],
)
async def test_what_cannot_be_a_position_is_refused_by_name(
    depot: Depot, acme: Firm, house: House, body: dict[str, Any], field: list[str]
) -> None:
    made = await depot.driver()
    assert paths(await acme.api.post(f"/v1/drivers/{made['id']}/track", json=body)) == field
    assert await house.value(PLACES) == 0


async def test_reports_at_once_end_with_the_newest(
    depot: Depot, clock: ManualClock, house: House
) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    clock.advance(hours=1)

    async def report(minute: int) -> None:
        await depot.post(
            f"drivers/{made['id']}/track", latitude=1 + minute / 100, longitude=103,
            recorded_at=f"2026-01-15T12:{minute:02}:00Z",
        )  # fmt: skip

    await asyncio.gather(*(report(minute) for minute in (7, 3, 12, 1, 9, 11, 2, 5)))
    for path in (f"drivers/{made['id']}", f"vehicles/{van['id']}"):
        assert (await depot.get(path))["location"] == spot(103, 1.12)
    assert await house.value(PLACES) == 8


@pytest.mark.slow
@given(seconds=st.lists(st.integers(0, 3600), min_size=1, max_size=8))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_order_of_moves_ends_at_the_newest_place(
    house: House, acme: Firm, seconds: list[int]
) -> None:
    subject = uuid4()
    moves = [
        Move(
            subject,
            "device",
            PositionFix(Point(103.0, second / 100), HOUR_AGO + timedelta(seconds=second)),
        )
        for second in seconds
    ]
    half = len(moves) // 2
    async with house.database.transaction() as db:
        for one in moves[:half]:
            await whereabouts.update_positions(db, acme.uuid, [one], Locations())
        await whereabouts.update_positions(db, acme.uuid, moves[half:], Locations())
        found = (await whereabouts.load(db, acme.uuid, [subject]))[subject]
    assert found.located_at == HOUR_AGO + timedelta(seconds=max(seconds))
    assert found.location == Point(103.0, max(seconds) / 100)


async def test_however_many_move_it_takes_the_same_statements(
    house: House, acme: Firm, depot: Depot
) -> None:
    await every_five_seconds(acme)
    drivers = [UUID((await depot.driver())["uuid"]) for _ in range(5)]
    vans = [UUID((await depot.vehicle())["uuid"]) for _ in range(5)]

    async def moved(metres: int, some: int) -> int:
        fix = PositionFix(Point(103.0, 1 + metres * METRE), HOUR_AGO + timedelta(seconds=metres))
        moves = [Move(one, "driver", fix) for one in drivers[:some]]
        moves += [Move(one, "vehicle", fix) for one in vans[:some]]
        async with statements(house) as heard, house.database.transaction() as db:
            assert (
                len(await whereabouts.update_positions(db, acme.uuid, moves, Locations()))
                == 2 * some
            )
        return len(heard)

    few = await moved(100, some=1)
    assert await moved(200, some=5) <= few
    told = await depot.told("vehicle.updated")
    assert [event["data"]["changed"] for event in told] == [["location"]] * 6


async def test_the_nearest_online_drivers_come_first(depot: Depot, acme: Firm) -> None:
    async def at(latitude: float, **more: Any) -> str:
        more.setdefault("online", True)
        made = await depot.driver(location=f"{latitude},103.8", **more)
        return str(made["id"])

    far, near, here = await at(1.35), await at(1.305), await at(1.3001)
    away, offline = await at(2.5), await at(1.3, online=False)
    await depot.driver(online=True)

    async def found(query: str) -> list[str]:
        return [row["id"] for row in await depot.get(f"drivers?nearby=1.3,103.8&{query}")]

    assert await found("") == [here, near, far]
    assert await found("radius=1000") == [here, near]
    assert await found("radius=500000&limit=4") == [here, near, far, away]
    assert await found("online=false") == [offline]
    shown = (await depot.get("drivers?nearby=1.3,103.8"))[0]
    assert 5 < shown["distance"] < 15
    assert "distance" not in (await depot.get("drivers"))[0]
    assert paths(await acme.api.get("/v1/drivers?nearby=somewhere")) == ["nearby"]
    refused(await acme.api.get("/v1/drivers?nearby=1,1&cursor=x"), 400, "cursor_invalid")


async def test_nearby_reaches_over_the_date_line_and_not_into_another_company(
    depot: Depot, yard: Depot
) -> None:
    ours = await depot.driver(location="0.001,-179.999", online=True)
    await yard.driver(location="0.001,-179.999", online=True)
    found = await depot.get("drivers?nearby=0,179.999&radius=1000")
    assert [row["id"] for row in found] == [ours["id"]]
