"""Events are counted by the hour and by the day, each of them once."""

from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from devices.recorder import EVENTS, Recorder, add_up
from pannier.devices.events import feed, hourly_sums
from pannier.devices.readings import Flags
from pannier.kit.clock import ManualClock
from probe import refused
from stage import NOON, Firm

COUNTS = f"{EVENTS}/counts"


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def counted(firm: Firm, **asked: Any) -> dict[str, Any]:
    answer = await firm.admin.get(COUNTS, params=asked)
    assert answer.status_code == 200, answer.text
    page = answer.json()
    shown = {row["start"][:16]: row["types"] for row in page["data"] if row["count"]}
    assert page["meta"]["complete"]
    return shown


async def test_each_event_counts_once_however_late_it_comes(
    acme: Firm, rival: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_EXAMINED", 4)
    device, other = await recorder.device(), await recorder.device()
    database = acme.house.database
    async with database.transaction() as slow:
        await recorder.write(slow, [recorder.event(device, 30)])
        await recorder.store(*(recorder.event(device, minutes) for minutes in (31, 89, 91)))
        await recorder.store(recorder.event(other, 31, "honk"), recorder.event(other, 32))
        while await hourly_sums.step(database):
            pass
        assert await counted(acme) == {}
    await add_up(acme)
    await recorder.store(recorder.event(device, 91.5))
    theirs = Recorder(rival)
    await theirs.store(theirs.event(await theirs.device(), 30))
    # Of two workers at once, one adds up.
    async with database.transaction() as db:
        assert await hourly_sums._lock_position(db) is not None  # noqa: SLF001 - what a step begins with
        assert await hourly_sums.step(database) is False
    await add_up(acme)
    assert not await hourly_sums.step(database)
    everything = {
        "2026-01-15T10:00": {"position_update": 3},
        "2026-01-15T11:00": {"position_update": 3, "honk": 1},
    }
    assert await counted(acme) == everything
    assert await counted(acme, device=other.id) == {
        "2026-01-15T11:00": {"position_update": 1, "honk": 1}
    }
    assert await counted(acme, event_type="honk") == {"2026-01-15T11:00": {"honk": 1}}
    assert await counted(acme, to="2026-01-15T10:59:00Z") == {
        "2026-01-15T10:00": {"position_update": 3}
    }
    # What the sums do not know, the events do.
    assert await counted(acme, bbox="-180,-90,180,90") == {}
    vehicle = await recorder.vehicle()
    await recorder.attach(device, vehicle, NOON - timedelta(minutes=90))
    assert await counted(acme, vehicle=vehicle) == {
        "2026-01-15T10:00": {"position_update": 1},
        "2026-01-15T11:00": {"position_update": 2},
    }


async def test_the_sums_wait_for_no_transaction_of_another_database_of_the_server(
    acme: Firm, recorder: Recorder, server_url: str
) -> None:
    device, other = await recorder.device(), await asyncpg.connect(server_url)
    async with other.transaction():
        await other.execute("select pg_current_xact_id()")
        await recorder.store(recorder.event(device, 30))
        assert await hourly_sums.step(acme.house.database)
        assert await counted(acme) == {"2026-01-15T11:00": {"position_update": 1}}
    await other.close()


async def test_of_a_vehicle_counts_what_was_on_it_then(acme: Firm, recorder: Recorder) -> None:
    one, two = await recorder.device(), await recorder.device()
    vehicle, other = await recorder.vehicle(), await recorder.vehicle()
    hour = timedelta(hours=1)
    for device, on, since, until in (
        (one, vehicle, NOON - 99 * hour, NOON - 3 * hour),
        (one, other, NOON - 3 * hour, NOON - 2 * hour),
        (one, vehicle, NOON - 2 * hour, None),
        (two, vehicle, NOON - 99 * hour, NOON - 50 * hour),
        (two, other, NOON - 50 * hour, None),
    ):
        await recorder.attach(device, on, since, until)
    for device in (one, two):
        await recorder.store(*(recorder.event(device, 60.0 * n - 30) for n in range(1, 5)))
    found = {f"2026-01-15T{hour:02}:00": {"position_update": 1} for hour in (8, 10, 11)}
    assert await counted(acme, vehicle=vehicle) == found
    assert await counted(acme, vehicle=vehicle, device=two.id) == {}
    assert await counted(acme, vehicle=vehicle, event_type="honk") == {}


async def test_what_was_concluded_counts_only_as_long_as_it_stands(
    acme: Firm, recorder: Recorder
) -> None:
    device = await recorder.device()
    await recorder.store(
        recorder.event(device, 30, "speed_alert", flags=Flags.DERIVED),
        recorder.event(device, 31, "speed_alert"),
    )
    await add_up(acme)
    assert await counted(acme) == {"2026-01-15T11:00": {"speed_alert": 2}}
    async with acme.house.database.transaction() as db:
        await db.execute("delete from device_events where flags & 4 <> 0")
    assert await counted(acme) == {"2026-01-15T11:00": {"speed_alert": 1}}


async def test_that_a_device_fell_silent_counts_as_the_list_has_it(
    acme: Firm, recorder: Recorder
) -> None:
    device = await recorder.device()
    told = recorder.event(
        device, 30, "device_heartbeat", severity="warning", flags=Flags.DERIVED, status="stale"
    )
    await recorder.store(told, recorder.event(device, 31, "device_heartbeat"))
    await add_up(acme)
    assert await counted(acme) == {"2026-01-15T11:00": {"device_heartbeat": 2}}
    assert await counted(acme, severity="warning") == {"2026-01-15T11:00": {"device_heartbeat": 1}}


async def test_what_is_forgotten_is_old_and_was_added_up(
    acme: Firm, clock: ManualClock, recorder: Recorder
) -> None:
    device = await recorder.device()
    await recorder.store(recorder.event(device, 30))
    await add_up(acme)
    await recorder.store(recorder.event(device, 31))
    clock.advance(days=31)
    await recorder.store(recorder.event(device, 32))
    assert await hourly_sums.purge(acme.house.database) is True
    assert await hourly_sums.purge(acme.house.database) is False
    assert await acme.house.value("select count(*) from device_batches") == 2
    await add_up(acme)
    assert await acme.house.value("select sum(events) from device_counts where device_no = 0") == 3
    clock.advance(days=2000)
    assert await hourly_sums.purge(acme.house.database) is True
    assert await acme.house.value("select count(*) from device_counts") == 0


async def test_of_more_batches_than_are_kept_the_newest_stay(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hourly_sums, "MAX_BATCHES", 2)
    device = await recorder.device()
    for minutes in range(4):
        await recorder.store(recorder.event(device, 30 + minutes))
    assert await hourly_sums.purge(acme.house.database) is False, "they are not added up yet"
    await add_up(acme)
    newest = "select array_agg(batch order by batch) from device_batches"
    batches = await acme.house.value(newest)
    assert await hourly_sums.purge(acme.house.database) is True
    assert await acme.house.value(newest) == batches[-2:]
    assert await hourly_sums.purge(acme.house.database) is False


async def test_days_are_the_companys(acme: Firm, recorder: Recorder) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    device = await recorder.device()
    await recorder.store(*(recorder.event(device, float(hours * 60)) for hours in (1, 19, 21)))
    await add_up(acme)
    assert await counted(acme, by="day") == {
        "2026-01-13T16:00": {"position_update": 1},
        "2026-01-14T16:00": {"position_update": 2},
    }
    whole = (await acme.admin.get(COUNTS, params={"by": "day"})).json()
    assert len(whole["data"]) == 30
    wrong = {"from": "2024-01-15T00:00:00Z"}
    refused(await acme.admin.get(COUNTS, params=wrong), 422, "validation_failed")


async def test_too_many_to_look_at_are_said_to_be_more(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pannier.devices.events.counts.MAX_EXAMINED", 3)
    device = await recorder.device()
    await recorder.store(*(recorder.event(device, number, at=(1, 1)) for number in range(5)))
    page = (await acme.admin.get(COUNTS, params={"bbox": "0,0,2,2"})).json()
    assert page["meta"]["complete"] is False
    assert sum(row["count"] for row in page["data"]) == 3
