"""How often moves are told: rarely enough to keep, and never without the last place."""

from typing import Any

import pytest

from fleet.depot import Depot
from pannier.accounts.company_settings.models import Locations
from pannier.fleet import moves
from pannier.kit.clock import ManualClock
from stage import Firm, House

METRE = 1 / 111_195
HOOK = {"url": "https://receiver.example.com/hooks"}


async def drive(
    depot: Depot, clock: ManualClock, driver: dict[str, Any], *metres: int, seconds: int = 10
) -> None:
    """Report places along a road, one every few seconds."""
    for metre in metres:
        latitude = 1 + metre * METRE
        await depot.post(f"drivers/{driver['id']}/track", latitude=latitude, longitude=103)
        clock.advance(seconds=seconds)


async def told(depot: Depot) -> list[int]:
    """The metres along the road that were told."""
    events = await depot.told("driver.location_changed")
    return [round((event["data"]["location"]["coordinates"][1] - 1) / METRE) for event in events]


async def announce(house: House) -> bool:
    return await moves.step(house.database, Locations(distance=5, interval=1))


async def test_moves_that_nobody_receives_are_kept_once_in_five_minutes_with_the_last_place(
    depot: Depot, house: House, clock: ManualClock
) -> None:
    made = await depot.driver()
    await drive(depot, clock, made, *range(0, 1000, 100))
    assert await told(depot) == [0]
    assert not await announce(house)
    clock.advance(seconds=200)
    assert await announce(house)
    assert not await announce(house)
    assert await told(depot) == [0, 900]
    shown = await depot.get(f"drivers/{made['id']}")
    assert shown["location"]["coordinates"][1] == pytest.approx(1 + 900 * METRE)


async def test_an_interval_begins_again_when_the_worker_tells_a_move(
    depot: Depot, house: House, clock: ManualClock
) -> None:
    made = await depot.driver()
    await drive(depot, clock, made, 0, 100)
    clock.advance(seconds=300)
    assert await announce(house)
    await drive(depot, clock, made, 200, 300)
    assert await told(depot) == [0, 100]
    clock.advance(seconds=300)
    assert await announce(house)
    assert await told(depot) == [0, 100, 300]


async def test_a_later_report_tells_what_was_due_and_nothing_is_told_twice(
    depot: Depot, house: House, clock: ManualClock
) -> None:
    made = await depot.driver()
    await drive(depot, clock, made, 0, 100, seconds=150)
    await drive(depot, clock, made, 200)
    assert await told(depot) == [0, 200]
    clock.advance(hours=1)
    assert not await announce(house)
    assert await told(depot) == [0, 200]


async def test_who_came_back_to_the_place_that_was_told_has_not_moved(
    depot: Depot, house: House, clock: ManualClock
) -> None:
    made = await depot.driver()
    await drive(depot, clock, made, 0, 100, 0)
    clock.advance(hours=1)
    assert await announce(house)
    assert await told(depot) == [0]
    assert not await announce(house)


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        ({"events": ["driver.*"]}, [0, 100, 200]),
        ({"events": ["*"]}, [0, 100, 200]),
        ({"events": ["vehicle.updated"]}, [0, 100, 200]),
        ({"events": ["order.*"]}, [0]),
        ({"events": ["driver.*"], "state": "paused"}, [0]),
    ],
)
async def test_a_webhook_for_moves_receives_them_as_often_as_the_company_has_chosen(
    depot: Depot,
    acme: Firm,
    clock: ManualClock,
    hook: dict[str, Any],
    expected: list[int],
) -> None:
    assert (await acme.admin.post("/int/v1/webhooks", json=HOOK | hook)).status_code == 201
    made = await depot.driver()
    await drive(depot, clock, made, 0, 100, 200)
    assert await told(depot) == expected


async def test_a_rivals_webhook_changes_nothing(
    depot: Depot, rival: Firm, clock: ManualClock
) -> None:
    assert (await rival.admin.post("/int/v1/webhooks", json=HOOK)).status_code == 201
    made = await depot.driver()
    await drive(depot, clock, made, 0, 100, 200)
    assert await told(depot) == [0]


async def test_a_driver_who_stops_within_the_interval_is_told_of_where_they_stand(
    depot: Depot, acme: Firm, house: House, clock: ManualClock
) -> None:
    wish = {"locations": {"interval": 5}}
    assert (await acme.admin.patch("/int/v1/settings", json=wish)).status_code == 200
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    await drive(depot, clock, made, 0, 50, seconds=2)
    assert await told(depot) == [0]
    clock.advance(seconds=1)
    assert await announce(house)
    assert await told(depot) == [0, 50]
    assert len(await depot.told("vehicle.updated")) == 2
