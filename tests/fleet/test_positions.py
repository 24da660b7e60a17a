"""Where drivers and vehicles were: by the time of the fix, page by page."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.depot import Depot
from pannier.kit.clock import ManualClock
from pannier.web.times import to_rfc3339
from probe import refused
from stage import NOON, Firm


def minutes(number: int) -> str:
    return to_rfc3339(NOON - timedelta(minutes=number))


async def tracked(depot: Depot, kind: str, *ages: int) -> str:
    """Make a driver or a vehicle that reports, in this order, fixes of so many minutes ago."""
    made = await (depot.driver() if kind == "drivers" else depot.vehicle())
    for number, age in enumerate(ages):
        body = {
            "heading": number,
            "latitude": 1 + age / 100,
            "longitude": 103.8,
            "recorded_at": minutes(age),
        }
        await depot.post(f"{kind}/{made['id']}/track", **body)
    return f"{kind}/{made['id']}/positions"


def ages(rows: list[dict[str, Any]]) -> list[int]:
    return [round((row["location"]["coordinates"][1] - 1) * 100) for row in rows]


@pytest.mark.parametrize("kind", ["drivers", "vehicles"])
async def test_positions_are_listed_by_the_time_of_the_fix_the_latest_first(
    depot: Depot, kind: str
) -> None:
    path = await tracked(depot, kind, 30, 10, 20)
    await tracked(depot, kind, 15)
    rows = await depot.get(path)
    assert ages(rows) == [10, 20, 30]
    assert [row["recorded_at"] for row in rows] == [minutes(10), minutes(20), minutes(30)]
    assert ages(await depot.get(f"{path}?sort=recorded_at")) == [30, 20, 10]


async def test_a_position_shows_all_that_was_reported(depot: Depot) -> None:
    made = await depot.driver()
    body = {"heading": 90, "altitude": 15, "speed": 8.5, "accuracy": 5, "recorded_at": minutes(1)}
    await depot.post(f"drivers/{made['id']}/track", location="1.3,103.8", **body)
    [row] = await depot.get(f"drivers/{made['uuid']}/positions")
    assert len(row.pop("uuid")) == 36
    assert row == {
        **body,
        "location": {"type": "Point", "coordinates": [103.8, 1.3]},
        "created_at": "2026-01-15T12:00:00.000Z",
    }


async def test_a_drivers_way_is_the_vehicles_too_while_they_drove_it_however_late_it_is_told(
    depot: Depot, clock: ManualClock
) -> None:
    van = await depot.vehicle()
    made = await depot.driver()
    track = f"drivers/{made['id']}/track"
    for vehicle in (van["id"], None):
        clock.advance(minutes=10)
        await depot.patch(f"drivers/{made['id']}", vehicle=vehicle)
    for minute in (5, 10, 19, 20):
        at = to_rfc3339(NOON + timedelta(minutes=minute))
        await depot.post(track, location=f"{1 + minute / 100},103.8", recorded_at=at)
    assert ages(await depot.get(f"drivers/{made['id']}/positions")) == [20, 19, 10, 5]
    assert ages(await depot.get(f"vehicles/{van['id']}/positions")) == [19, 10]


@pytest.mark.parametrize("kind", ["drivers", "vehicles"])
async def test_positions_are_narrowed_to_a_time(depot: Depot, kind: str) -> None:
    path = await tracked(depot, kind, 10, 20, 30)
    assert ages(await depot.get(f"{path}?since={minutes(20)}")) == [10, 20]
    assert ages(await depot.get(f"{path}?until={minutes(20)}")) == [30]
    assert ages(await depot.get(f"{path}?since={minutes(25)}&until={minutes(15)}")) == [20]


@pytest.mark.parametrize("kind", ["drivers", "vehicles"])
async def test_pages_lead_through_all_of_them_once(depot: Depot, acme: Firm, kind: str) -> None:
    path = await tracked(depot, kind, 5, 1, 4, 2, 3, 3)
    seen, address = [], f"/v1/{path}?limit=2&since={minutes(4)}"
    while address:
        answer = await acme.api.get(address)
        assert len(answer.json()) <= 2
        seen += answer.json()
        address = answer.headers.get("link", "").partition(">")[0][1:]
    assert ages(seen) == [1, 2, 3, 3, 4]
    assert len({row["uuid"] for row in seen}) == 5


async def test_another_companys_positions_are_404(depot: Depot, rival: Firm) -> None:
    for kind in ("drivers", "vehicles"):
        path = await tracked(depot, kind, 1)
        refused(await rival.api.get(f"/v1/{path}"), 404, "not_found")
