"""The health of devices: in which hours they were heard, their readings, and refused ones."""

from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from console.seat import Seat
from devices.gear import Gear, device, flush, position
from devices.recorder import add_up
from pannier.devices import status_events
from pannier.devices.outcomes import Submission
from pannier.devices.sweep import REJECTS
from reports.test_reports import TODAY, by_day, next_day, read, work
from stage import NOON, Firm

FIGURES = ("device_days", "days_heard", "silent_hours", "readings", "refused")
KEYS = count(1)


async def report(gear: Gear, *hours: float) -> None:
    """Have a device report some hours after noon, all received now."""
    readings = [position(next(KEYS), NOON + timedelta(hours=hour)) for hour in hours]
    await flush(gear.firm.house, Submission(gear.own, readings))
    await add_up(gear.firm)


async def refuse(firm: Firm) -> None:
    """Send a reading of a device that there is not."""
    gear = await device(firm)
    (outcome,) = await flush(firm.house, Submission(gear.company, [position(1, name="nobody")]))
    assert [refusal.code for refusal in outcome.refusals] == ["unknown_device"]


async def test_hours_without_readings_are_silent(acme: Firm, rival: Firm) -> None:
    one, other = await device(acme), await device(acme)
    await device(acme, kind="phone")
    acme.house.clock.advance(minutes=30)
    await report(one, 0.1, 0.2)
    await report(await device(rival), 0.3)
    # Both were created at noon.
    assert await by_day(acme, "devices", *FIGURES) == {TODAY: [2, 1, 1, 2, 0]}
    acme.house.clock.advance(hours=6)
    await report(other, 5.5)
    assert await by_day(acme, "devices", *FIGURES) == {TODAY: [2, 2, 12, 3, 0]}
    # Silence is told by events, which are not signs of life.
    while await status_events.step(acme.house.database):
        pass
    await add_up(acme)
    assert await acme.house.value("select sum(events) from device_counts where kind = 9") > 0
    assert await by_day(acme, "devices", *FIGURES) == {TODAY: [2, 2, 12, 3, 0]}
    await next_day(acme.house)
    found = await by_day(acme, "devices", *FIGURES)
    assert found == {TODAY: [2, 2, 22, 3, 0], "2026-01-16": [2, 0, 38, 0, 0]}
    page = await (await Seat.of(acme, "viewer")).open(f"/console/reports/devices?to={TODAY}")
    assert page.rows()[-1] == ["2", "2", "100%", "22", "91.7%", "3", "0"]


async def test_late_readings_count_on_their_own_day_and_repeated_ones_once(acme: Firm) -> None:
    house, gear = acme.house, await device(acme)
    await report(gear, 0)
    house.clock.advance(days=20)
    await work(house)
    late = [position(next(KEYS), NOON + timedelta(hours=hour)) for hour in (2, 3)]
    for _ in range(2):
        await flush(house, Submission(gear.own, late))
        await add_up(acme)
        house.clock.advance(minutes=1)
        await work(house)
        found = await by_day(acme, "devices", *FIGURES, query=f"from={TODAY}&to={TODAY}")
        assert found == {TODAY: [1, 1, 9, 3, 0]}


async def test_the_hours_of_a_day_are_those_of_the_company_when_the_clocks_change(
    acme: Firm,
) -> None:
    house = acme.house
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    await device(acme)
    house.clock.advance(days=74)
    await work(house)
    found = await by_day(acme, "devices", "silent_hours", query="from=2026-03-28&to=2026-03-29")
    assert found == {"2026-03-28": [24], "2026-03-29": [23]}
    totals: list[dict[str, Any]] = (
        await read(acme, "devices", "from=2026-03-28&to=2026-03-29&by=week")
    )["totals"]
    assert totals[0]["figures"]["silent_hours"] == 47


@pytest.mark.parametrize("stored", [False, True])
async def test_refused_readings_outlive_their_records(acme: Firm, stored: bool) -> None:  # noqa: FBT001 - one of two cases
    house = acme.house
    await refuse(acme)
    assert await by_day(acme, "devices", "refused") == {TODAY: [1]}
    if stored:
        await next_day(house)
        house.clock.advance(days=3)
        assert await REJECTS.delete_batch(house.database, timedelta(days=2))
        await work(house)
        assert await by_day(acme, "devices", "refused") == {TODAY: [1]}
