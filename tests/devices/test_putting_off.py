"""While much comes in, what it says of the present is noted a moment later; none of it is lost."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices.garage import Garage
from devices.gear import Gear, device, position
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.cli import doctor
from pannier.db import Db
from pannier.devices import deferred, effects, status_events, store
from pannier.devices import writer as writing
from pannier.devices.effects import DeviceContact
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import Reading
from pannier.devices.store import DeferredEffects
from pannier.devices.writer import Allowance, Writer
from pannier.kit.clock import ManualClock
from program import PATIENCE
from stage import NOON, Firm, House

# Events of different types have different keys: a key is a hash of all that is said.
SAID = st.builds(
    lambda key, second, north, kind: (
        position(key, NOON - timedelta(seconds=second), latitude=52 + north / 1000)
        if kind == 1
        else position(10 * kind + key, NOON - timedelta(seconds=second), class_=1, kind=kind)
    ),
    st.integers(1, 5),
    st.integers(0, 20),
    st.integers(0, 500),
    st.sampled_from([1, 1, 2, 3]),
)


async def put_off(house: House, *puts: Submission) -> Any:
    """Store puts as if much came in, and tell what is to be noted."""
    async with house.database.transaction() as db:
        await store.flush(
            db, puts, InstallationLimits.from_settings(house.settings), lambda _: True
        )
        return db.cache[store.DEFERRED_KEY]


def busy(house: House) -> Writer:
    """A writer to which a second device is too much."""
    return Writer(
        house.database, house.settings, max_immediate_devices=1, immediate_devices_per_second=0
    )


async def diagnosis(house: House) -> str:
    """Ask the doctor what devices wait for."""
    connection = await house.database.acquire()
    try:
        return (await dict(doctor.CHECKS)["devices"](house.settings, connection)).words
    finally:
        house.database.connections.release(connection)


async def shown(firm: Firm, one: Gear) -> tuple[str, list[str]]:
    """Tell what a device is said to be, and as which of these it is listed."""
    said = (await firm.api.get(f"/v1/devices/{one.public_id}")).json()["status"]
    lists = {
        status: (await firm.api.get("/v1/devices", params={"status": status})).json()
        for status in ("online", "stale", "offline")
    }
    return said, [status for status, listed in lists.items() if listed]


async def present(house: House, one: Gear) -> list[Any]:
    """Tell all that is known of a device at present."""
    return [
        await house.value(f"select jsonb_agg(to_jsonb(r) - 'device' - 'subject' order by {order})"
                          f" from {table} r where {name} = :device", device=one.uuid)
        for table, name, order in (
            ("device_states", "device", "device"),
            ("device_latest", "device", "kind"),
            ("whereabouts", "subject", "subject"),
        )
    ]  # fmt: skip


async def test_where_much_comes_in_the_present_is_noted_a_moment_later(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, the moment is not over before it is looked at.
    monkeypatch.setattr(writing, "DEFER_SECONDS", 600.0)
    one, writer = await device(acme), busy(house)
    assert await writer.put(one.own, [position(1, NOON - timedelta(hours=1))]) == IngestOutcome(
        1, 0, []
    )
    last = "select last_event_at from device_states"
    assert await house.value(last) == NOON - timedelta(hours=1)
    assert await writer.put(one.own, [position(2)]) == IngestOutcome(1, 0, [])
    assert await house.value("select count(*) from device_put_off") == 1
    await writer.close()
    assert await house.value(last) == NOON
    assert await house.value("select count(*) from device_put_off") == 0


async def test_how_much_is_put_off_and_since_when_is_measured_and_told_by_the_doctor(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one = await device(acme)
    for key in (1, 2):
        await put_off(house, Submission(one.own, [position(key)]))
        clock.advance(seconds=30)
    metrics = await house.metrics()
    assert "pannier_device_put_off 2.0" in metrics
    assert "pannier_device_put_off_oldest_seconds 60.0" in metrics
    clock.advance(seconds=1)
    assert await diagnosis(house) == (
        "Waiting batches of device events: 2. The oldest is 1 minute old. "
        "Check that a worker is running, and read its log."
    )
    assert await deferred.step(house.database, InstallationLimits.from_settings(house.settings))
    metrics = await house.metrics()
    assert "pannier_device_put_off 0.0" in metrics
    assert "pannier_device_put_off_oldest_seconds 0.0" in metrics
    assert await diagnosis(house) == "All device events are processed."


async def test_what_was_put_off_by_somebody_who_fell_is_noted_by_the_worker(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    gateway, one, two = await device(acme, kind="gateway"), await device(acme), await device(acme)
    said = [position(1, speed=36.0), position(2, class_=1, kind=2, data={"rpm": 900})]
    through = gateway.own._replace(speaks_for_all=True)
    for each in (one, two):
        for reading in said:
            reading.device = each.public_id
        puts = [Submission(through, said), Submission(through, [position(9, name="nobody")])]
        if each is one:
            await put_off(house, *puts)
        else:
            async with house.database.transaction() as db:
                await store.flush(db, puts, InstallationLimits.from_settings(house.settings))
    bounds = InstallationLimits.from_settings(house.settings)
    assert not await deferred.step(house.database, bounds)
    assert await present(house, one) == [None] * 3
    clock.advance(seconds=11)
    assert await deferred.step(house.database, bounds)
    assert await present(house, one) == await present(house, two)
    backlog = "select count(*) from device_backlog where since = :noon and until = :noon"
    assert await house.value(backlog, noon=NOON) == 2
    assert not await deferred.step(house.database, bounds)


async def test_who_gave_only_a_sign_of_life_is_not_forgotten_either(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one = await device(acme)
    await put_off(house, Submission(one.own, []))
    clock.advance(seconds=11)
    assert await deferred.step(house.database, InstallationLimits.from_settings(house.settings))
    assert await house.value("select last_seen_at from device_states") == NOON


async def test_what_cannot_be_noted_holds_nobody_up_and_is_tried_again(
    acme: Firm, house: House, clock: ManualClock, monkeypatch: Any
) -> None:
    one, writer = await device(acme), busy(house)
    follow = effects.apply

    async def fails(*args: Any) -> int:
        if args[5:]:
            raise RuntimeError("It fell.")
        return await follow(*args)

    with monkeypatch.context() as patched:
        patched.setattr(effects, "apply", fails)
        await writer.put(one.own, [position(1, NOON - timedelta(hours=1))])
        await writer.put(one.own, [position(2)])
        await writer.close()
    assert await house.value("select count(*) from device_put_off") == 1
    clock.advance(seconds=11)
    assert await deferred.step(house.database, InstallationLimits.from_settings(house.settings))
    assert await house.value("select last_event_at from device_states") == NOON


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(said=st.lists(SAID, min_size=1, max_size=8), data=st.data())
async def test_however_much_is_put_off_and_whenever_noted_the_present_is_the_same(
    said: list[Reading], data: st.DataObject, acme: Firm, house: House
) -> None:
    once, bounds = (
        {(each.occurred_at, each.kind): each for each in said},
        InstallationLimits.from_settings(house.settings),
    )
    straight, mixed = await device(acme), await device(acme)
    async with house.database.transaction() as db:
        await store.flush(db, [Submission(straight.own, list(once.values()))], bounds)
    waiting = []
    for reading in data.draw(st.permutations([*once.values()])):
        if data.draw(st.booleans()):
            waiting.append(await put_off(house, Submission(mixed.own, [reading])))
        else:
            async with house.database.transaction() as db:
                await store.flush(db, [Submission(mixed.own, [reading])], bounds)
    waiting = data.draw(st.permutations(waiting))
    cut = data.draw(st.integers(0, len(waiting)))
    for some in (waiting[:cut], waiting[cut:]):
        if some:
            async with house.database.transaction() as db:
                await store.apply_deferred_effects(db, some, bounds)
    assert await present(house, mixed) == await present(house, straight)
    left = "select count(*) from device_put_off where batch = any(:batches)"
    assert await house.value(left, batches=[each.batch for each in waiting]) == 0


async def test_what_was_noted_by_somebody_else_is_not_noted_again(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one, bounds = await device(acme), InstallationLimits.from_settings(house.settings)
    late = await put_off(house, Submission(one.own, [position(1)]))
    clock.advance(seconds=11)
    assert await deferred.step(house.database, bounds)
    async with house.database.transaction() as db:
        await store.apply_deferred_effects(db, [late], bounds)
    assert await house.value("select count(*) from device_backlog") == 1


async def test_who_notes_what_somebody_else_is_noting_neither_waits_nor_notes_it_too(
    acme: Firm, house: House
) -> None:
    one, bounds = await device(acme), InstallationLimits.from_settings(house.settings)
    late = await put_off(house, Submission(one.own, [position(1)]))
    async with house.database.transaction() as first:
        await store.apply_deferred_effects(first, [late], bounds)
        async with asyncio.timeout(PATIENCE), house.database.transaction() as second:
            await store.apply_deferred_effects(second, [late], bounds)
    assert await house.value("select count(*) from device_backlog") == 1
    assert await house.value("select count(*) from device_put_off") == 0


async def test_of_several_signs_of_life_the_last_counts_in_whichever_order_they_are_noted(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one = await device(acme)
    earlier = await put_off(house, Submission(one.own, []))
    clock.advance(seconds=3)
    later = await put_off(house, Submission(one.own, []))
    async with house.database.transaction() as db:
        await store.apply_deferred_effects(
            db, [later, earlier], InstallationLimits.from_settings(house.settings)
        )
    last = await house.value("select last_seen_at from device_states")
    assert last == NOON + timedelta(seconds=3)


async def test_a_clock_that_is_ahead_takes_nobody_back_when_it_is_noted_late(
    acme: Firm, house: House, clock: ManualClock, garage: Garage
) -> None:
    vehicle = await garage.vehicle()
    made = await garage.device(vehicle=vehicle["id"])
    one = Gear(acme, UUID(made["uuid"]), made["id"], await garage.number(made))
    ahead, bounds = timedelta(minutes=5), InstallationLimits.from_settings(house.settings)
    await put_off(house, Submission(one.own, [position(1, NOON + ahead, latitude=1.0)]))
    clock.advance(seconds=1)
    async with house.database.transaction() as db:
        newer = position(2, clock.now() + ahead, latitude=2.0)
        await store.flush(db, [Submission(one.own, [newer])], bounds)
    clock.advance(hours=1)
    assert await deferred.step(house.database, bounds)
    where = "select array_agg(array[latitude, extract(epoch from located_at)]) from whereabouts"
    seen = (NOON + timedelta(seconds=1)).timestamp()
    assert await house.value(where) == [[2.0, seen], [2.0, seen]]


async def test_what_was_put_off_while_noting_failed_is_noted_all_the_same(
    acme: Firm, house: House, monkeypatch: Any
) -> None:
    one, writer = await device(acme), busy(house)
    note, failed = store.apply_deferred_effects, asyncio.Event()

    async def fails(db: Db, some: Sequence[DeferredEffects], bounds: InstallationLimits) -> None:
        if failed.is_set():
            await note(db, some, bounds)
            return
        await writer.put(one.own, [position(3)])
        failed.set()
        raise RuntimeError("It fell.")

    monkeypatch.setattr(writing, "DEFER_SECONDS", 0.01)
    monkeypatch.setattr(store, "apply_deferred_effects", fails)
    await writer.put(one.own, [position(1, NOON - timedelta(hours=2))])
    await writer.put(one.own, [position(2, NOON - timedelta(hours=1))])
    await failed.wait()
    await writer.close()
    assert await house.value("select count(*) from device_put_off") == 1
    assert await house.value("select last_event_at from device_states") == NOON


async def test_only_so_much_is_put_off_and_more_is_noted_at_once(
    acme: Firm, house: House, monkeypatch: Any
) -> None:
    note, held = store.apply_deferred_effects, asyncio.Event()

    async def waits(db: Db, some: Sequence[DeferredEffects], bounds: InstallationLimits) -> None:
        await held.wait()
        await note(db, some, bounds)

    monkeypatch.setattr(store, "apply_deferred_effects", waits)
    one = await device(acme)
    writer = Writer(
        house.database,
        house.settings,
        max_immediate_devices=1,
        immediate_devices_per_second=0,
        max_deferred_events=1,
    )
    for hours in (3, 2, 1):
        await writer.put(one.own, [position(hours, NOON - timedelta(hours=hours))])
    assert await house.value("select count(*) from device_put_off") == 1
    last = await house.value("select last_event_at from device_states")
    assert last == NOON - timedelta(hours=1)
    held.set()
    await writer.close()
    assert await house.value("select count(*) from device_put_off") == 0
    await writer.close()


def test_while_too_many_come_all_the_time_all_of_them_are_put_off() -> None:
    allowance = Allowance(1000, 200)
    assert not allowance.count_devices(5000, 0)  # the first is never too much
    assert not allowance.count_devices(1000, 60)
    assert all(allowance.count_devices(64, 60 + turn / 10) for turn in range(1, 600))
    assert not allowance.count_devices(64, 121)  # soon after, few are few again


def test_those_who_come_few_at_a_time_are_never_put_off() -> None:
    allowance = Allowance(1000, 200)
    assert not any(allowance.count_devices(19, turn / 10) for turn in range(1, 600))


async def test_what_is_much_by_now_is_noted_before_its_time(
    acme: Firm, house: House, monkeypatch: Any
) -> None:
    note, noted = store.apply_deferred_effects, asyncio.Queue[int]()

    async def tells(db: Db, some: Sequence[DeferredEffects], bounds: InstallationLimits) -> None:
        await note(db, some, bounds)
        noted.put_nowait(len(some))

    monkeypatch.setattr(store, "apply_deferred_effects", tells)
    monkeypatch.setattr(writing, "DEFER_SECONDS", 600.0)
    one = await device(acme)
    writer = Writer(
        house.database,
        house.settings,
        max_immediate_devices=1,
        immediate_devices_per_second=0,
        max_deferred_events=4,
    )
    await writer.put(one.own, [position(1)])  # the first is never too much
    for turn in (1, 2):
        await writer.put(one.own, [position(10 * turn)])
        await writer.put(one.own, [position(10 * turn + 1)])
        assert await noted.get() == 2
        # The room of what was noted is free only after the commit.
        async with asyncio.timeout(PATIENCE):
            while writer._deferred_events:  # noqa: ASYNC110, SLF001 - nothing else tells
                await asyncio.sleep(0)
    await writer.close()
    assert noted.empty()


@pytest.mark.parametrize("failure", ["select 1 / 0", "select pg_sleep(600)"])
async def test_what_can_never_be_noted_is_set_aside_for_a_while_and_holds_nobody_up(
    acme: Firm, house: House, clock: ManualClock, monkeypatch: Any, failure: str
) -> None:
    wrong, right, bounds = (
        await device(acme),
        await device(acme),
        InstallationLimits.from_settings(house.settings),
    )
    for each in (wrong, right):
        await put_off(house, Submission(each.own, [position(1)]))
    follow = effects.apply

    async def fails(db: Db, fresh: Any, heard: Sequence[DeviceContact], *rest: Any) -> int:
        if any(each.device.uuid == wrong.uuid for each in heard):
            await db.execute("set local statement_timeout = 100")
            await db.execute(failure)
        return await follow(db, fresh, heard, *rest)

    clock.advance(seconds=11)
    with monkeypatch.context() as patched:
        patched.setattr(effects, "apply", fails)
        assert await deferred.step(house.database, bounds)
        assert not await deferred.step(house.database, bounds)
    assert (await present(house, right))[0] is not None
    assert (await present(house, wrong))[0] is None
    clock.advance(minutes=1)
    assert await deferred.step(house.database, bounds)
    assert (await present(house, wrong))[0] is not None


async def test_what_was_put_off_is_found_again_though_its_batch_is_forgotten(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one = await device(acme)
    await put_off(house, Submission(one.own, [position(1), position(2, NOON - timedelta(days=20))]))
    async with house.database.transaction() as db:
        await db.execute("delete from device_batches")
    clock.advance(seconds=11)
    assert await deferred.step(house.database, InstallationLimits.from_settings(house.settings))
    assert await house.value("select last_event_at from device_states") == NOON


async def test_nobody_is_called_silent_whose_sign_of_life_is_put_off(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one, told = await device(acme), "select count(*) from device_events where class = 3"
    async with house.database.transaction() as db:
        await store.flush(
            db,
            [Submission(one.own, [position(1)])],
            InstallationLimits.from_settings(house.settings),
        )
    clock.advance(minutes=9, seconds=59)
    await put_off(house, Submission(one.own, []))
    clock.advance(seconds=2)
    assert not await status_events.step(house.database)
    assert await house.value(told) == 0
    assert await shown(acme, one) == ("online", ["online"])
    # Nor for ever: what cannot be noted hides no silence.
    clock.advance(minutes=2)
    assert await status_events.step(house.database)
    assert await house.value(told) == 1
    assert await shown(acme, one) == ("stale", ["stale"])


async def test_a_device_that_left_before_it_was_noted_is_nowhere(
    house: House, acme: Firm, garage: Garage
) -> None:
    made = await garage.device()
    one = Gear(acme, UUID(made["uuid"]), made["id"], await garage.number(made))
    late = await put_off(house, Submission(one.own, [position(1)]))
    await garage.firm.api.delete(f"/v1/devices/{made['id']}")
    bounds = InstallationLimits.from_settings(house.settings)
    async with house.database.transaction() as db:
        await store.apply_deferred_effects(db, [late], bounds)
    assert await present(house, one) == [None] * 3
    assert await house.value("select count(*) from device_put_off") == 0


async def test_a_position_moves_no_vehicle_that_its_device_was_put_on_later(
    house: House, clock: ManualClock, acme: Firm, garage: Garage
) -> None:
    before, after = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    made = await garage.device(vehicle=before["id"])
    one = Gear(acme, UUID(made["uuid"]), made["id"], await garage.number(made))
    late = await put_off(house, Submission(one.own, [position(1)]))
    clock.advance(seconds=1)
    moved = await garage.firm.api.post(
        f"/v1/devices/{made['id']}/attach", json={"vehicle": after["id"]}
    )
    assert moved.is_success, moved.text
    async with house.database.transaction() as db:
        await store.apply_deferred_effects(
            db, [late], InstallationLimits.from_settings(house.settings)
        )
    assert (await garage.get(f"vehicles/{after['id']}"))["located_at"] is None
    events = await acme.admin.get("/int/v1/fleet-module/device-events")
    assert [event["vehicle_id"] for event in events.json()["data"]] == [before["id"]]
