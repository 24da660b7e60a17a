"""Reports of trips: each journey counts once, on the company's day, even after it is deleted."""

from datetime import timedelta
from typing import Any

import pytest

from console.seat import Seat
from devices.gear import Gear, device
from devices.test_deriving import derive, send
from devices.test_trips import attach, van
from devices.walks import at, drive
from orders.shop import Shop
from pannier.devices.rules.fixes import Fix
from pannier.devices.trips.service import TRIPS
from reports.test_reports import TODAY, by_day, next_day, read, work
from stage import NOON, Firm, House

KILOMETRES = ("trips", "distance")


def ride(start: float, number: int = 0) -> list[Fix]:
    """Ten minutes and six kilometres to the east, then eight minutes at rest."""
    rest = [at(start + 600 + 60 * minute, 6000 * (number + 1)) for minute in range(1, 9)]
    return [*drive(start, 6000 * number, seconds=600, kmh=36), *rest]


async def driving(firm: Firm, *starts: float, hours: float = 24, **more: Any) -> Gear:
    """A device on a van that drives six kilometres at some times, in seconds after noon."""
    gear = await device(firm, **more)
    await attach(gear, await van(firm), hours)
    for number, start in enumerate(sorted(starts)):
        await send(firm.house, gear, *ride(start, number))
    await derive(firm.house.database)
    return gear


async def total(firm: Firm, name: str, figure: str, query: str = "") -> int:
    found = await read(firm, name, query)
    return sum(one["figures"][figure] for one in found["totals"])


@pytest.mark.parametrize("stored", [False, True])
async def test_a_day_has_the_kilometres_of_its_trips(acme: Firm, stored: bool) -> None:  # noqa: FBT001 - one of two cases
    await driving(acme, -7200, -3600)
    if stored:
        await next_day(acme.house)
        assert await acme.house.value("select trips from report_trips") == 2
    found = await by_day(acme, "kilometres", *KILOMETRES)
    assert found == {TODAY: [2, pytest.approx(12_000, rel=0.01)]}
    assert await total(acme, "kilometres", "distance") == found[TODAY][1]


async def test_two_devices_on_a_vehicle_count_once_even_around_midnight(acme: Firm) -> None:
    house = acme.house
    vehicle = await van(acme)
    tracker, phone = await device(acme), await device(acme, kind="phone")
    for gear in (tracker, phone):
        await attach(gear, vehicle, 48)
    # The phone notices the departure before midnight, and the tracker after it.
    midnight = -12 * 3600
    await send(house, phone, *drive(midnight - 120, 0, seconds=720, kmh=36))
    await send(house, tracker, *drive(midnight + 10, 1300, seconds=590, kmh=36))
    await derive(house.database)
    await work(house)
    found = await by_day(acme, "kilometres", "trips")
    assert found == {TODAY: [1]}
    await next_day(house)
    assert await by_day(acme, "kilometres", "trips") == found


async def test_a_device_on_no_vehicle_has_no_kilometres(acme: Firm, rival: Firm) -> None:
    gear = await device(acme)
    await send(acme.house, gear, *drive(-7200, 0, seconds=600, kmh=36))
    await derive(acme.house.database)
    assert await acme.house.value("select count(*) from device_trips") == 1
    await driving(rival, -3600)
    assert await by_day(acme, "kilometres", "trips") == {}


async def test_a_trip_counts_on_the_company_s_day_when_the_clocks_change(acme: Firm) -> None:
    house = acme.house
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    house.clock.advance(days=74)  # 30 March 2026, the day after one of 23 hours.
    began = 74 * 86_400
    # 28 March at 23:30, 29 March at 00:30 and 23:30, and 30 March at 00:30 in Berlin.
    await driving(acme, *(began - hours * 3600 for hours in (37.5, 36.5, 14.5, 13.5)), hours=24)
    await work(house)
    expected = {"2026-03-28": [1], "2026-03-29": [2], "2026-03-30": [1]}
    assert await by_day(acme, "kilometres", "trips") == expected
    await next_day(house)
    assert await by_day(acme, "kilometres", "trips") == expected


async def test_late_positions_correct_their_own_day_and_repeated_ones_change_nothing(
    acme: Firm,
) -> None:
    house = acme.house
    gear = await driving(acme, -7200)
    house.clock.advance(days=20)
    await work(house)
    before = await by_day(acme, "kilometres", *KILOMETRES, query=f"from={TODAY}")
    assert before == {TODAY: [1, pytest.approx(6000, rel=0.01)]}
    # Of the same day, but received twenty days later.
    late = ride(-3600, 1)
    await send(house, gear, *late)
    await derive(house.database)
    house.clock.advance(minutes=1)
    await work(house)
    assert await house.value("select count(*) from report_queue where day < '2026-02-03'") == 0
    after = await by_day(acme, "kilometres", *KILOMETRES, query=f"from={TODAY}")
    assert after == {TODAY: [2, pytest.approx(12_000, rel=0.01)]}
    await send(house, gear, *late)
    await send(house, gear, *ride(-7200))
    await derive(house.database)
    house.clock.advance(minutes=1)
    await work(house)
    assert await by_day(acme, "kilometres", *KILOMETRES, query=f"from={TODAY}") == after


async def test_deleted_positions_leave_the_kilometres_of_their_day(acme: Firm) -> None:
    house = acme.house
    gear = await driving(acme, -7200, -3600)
    await next_day(house)
    before = await by_day(acme, "kilometres", *KILOMETRES)
    house.clock.advance(days=100)
    assert await TRIPS.delete_batch(house.database, timedelta(days=90))
    assert await house.value("select count(*) from device_trips") == 0
    async with house.database.transaction() as db:
        # As after an upgrade with other figures: every day is computed again.
        await db.execute("update report_companies set figures = 0")
    await work(house)
    found = await by_day(acme, "kilometres", *KILOMETRES, query=f"from={TODAY}")
    assert found == before
    # Not even a longer time in the settings makes them new.
    await acme.admin.patch("/int/v1/settings", json={"retention": {"positions": 90}})
    await send(house, gear, *ride(99 * 86_400, 2))
    await derive(house.database)
    house.clock.advance(minutes=1)
    await work(house)
    found = await by_day(acme, "kilometres", *KILOMETRES, query=f"from={TODAY}")
    assert found == {**before, "2026-04-24": [1, pytest.approx(6000, rel=0.01)]}


async def test_the_sum_of_the_days_is_the_total_in_every_period(acme: Firm) -> None:
    await driving(acme, *(-7200 - 86_400 * days for days in range(5)), -3600, hours=24 * 7)
    await work(acme.house)
    whole = await total(acme, "kilometres", "distance")
    for period in ("day", "week", "month"):
        rows = (await read(acme, "kilometres", f"by={period}"))["rows"]
        assert sum(row["figures"]["distance"] for row in rows) == whole
    assert whole == pytest.approx(36_000, rel=0.01)


async def test_a_driver_has_kilometres_and_hours(shop: Shop) -> None:
    firm, house = shop.firm, shop.firm.house
    driver, vehicle = await shop.driver(), await shop.vehicle()
    await shop.patch(f"drivers/{driver['id']}", vehicle=vehicle["id"])
    gear = await device(firm)
    await attach(gear, vehicle)
    house.clock.advance(hours=6)
    # Ten minutes, half an hour at rest, ten minutes; and ten more after a long rest.
    for number, start in enumerate((3600, 3600 + 2400, 3600 + 3 * 3600)):
        await send(house, gear, *ride(start, number))
    await derive(house.database)
    for _ in range(2):
        rows = (await read(firm, "drivers"))["rows"]
        assert [row["driver"]["id"] for row in rows] == [driver["id"]]
        assert rows[0]["figures"]["distance"] == pytest.approx(18_000, rel=0.01)
        assert rows[0]["figures"]["worked"] == pytest.approx(3600, rel=0.02)
        await next_day(house)


async def test_the_page_and_the_file_are_in_kilometres(acme: Firm) -> None:
    seat = await Seat.of(acme, "viewer")
    empty = await seat.open("/console/reports/kilometres")
    assert "No figures on these days." in empty.text
    assert not empty.main.all("svg", role="img")
    await driving(acme, -7200)
    page = await seat.open("/console/reports/kilometres")
    assert page.rows()[-1] == ["1", "6 km"]
    assert "Total: Distance 6 km." in page.main.one("svg", role="img")["aria-label"]
    answer = await acme.admin.get(f"/int/v1/reports/kilometres/csv?from={TODAY}")
    head, row = answer.text.splitlines()
    assert head == "day,until,trips,distance_km"
    assert row.startswith(f"{TODAY},{TODAY},1,6.0")


async def test_a_key_needs_to_read_devices(acme: Firm, house: House) -> None:
    for scope, status in (("reports:read", 403), ("devices:read", 200)):
        body = {"kind": "api", "name": "Figures", "scopes": [scope]}
        key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
        answer = await house.client(key).get(f"/v1/reports/kilometres?from={NOON:%Y-%m-%d}")
        assert answer.status_code == status, answer.text


async def test_idle_time_is_that_of_standing_on_the_way(acme: Firm) -> None:
    gear = await device(acme)
    await attach(gear, await van(acme))
    # Two minutes at a red light in the middle, which do not end the trip.
    first, second = drive(-7200, 0, seconds=600, kmh=36), drive(-6480, 6000, seconds=600, kmh=36)
    light = [at(-6600 + 10 * n, 6000) for n in range(1, 12)]
    rest = [at(-5880 + 60 * n, 12_000) for n in range(1, 9)]
    await send(acme.house, gear, *first, *light, *second, *rest)
    await derive(acme.house.database)
    found = await by_day(acme, "idle", "moving", "idle", "idle_share")
    moving, idle, share = found[TODAY]
    assert (moving, idle) == (pytest.approx(1200, abs=30), pytest.approx(120, abs=30))
    assert share == round(100 * idle / (idle + moving), 1)
    page = await (await Seat.of(acme)).open(f"/console/reports/idle?from={TODAY}")
    assert page.rows()[0][0] == "0.3 h"
