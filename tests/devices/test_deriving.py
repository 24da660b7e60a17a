"""Deriving: whatever comes, however late and however often, ends in the same alerts and trips."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices.gear import Gear, device, flush, position
from devices.test_fold import walks
from devices.walks import EAST, NORTH, at, drive
from pannier.db import Database
from pannier.devices import checkpoints, rule_evaluation
from pannier.devices.outcomes import Submission
from pannier.devices.readings import Reading
from pannier.devices.rule_evaluation import STEP_LIMITS, CompanyRotation, StepLimits
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.geofences import METRES_PER_DEGREE
from pannier.parked import sweep as parked_sweep
from pannier.subscribers import RETRIES
from stage import NOON, Firm, House


def reading(fix: Fix) -> Reading:
    """What a device says of a fix."""
    moment = int((fix.at - NOON).total_seconds() * 1000)
    return msgspec.structs.replace(
        position(moment, fix.at),
        latitude=fix.latitude,
        longitude=fix.longitude,
        speed=fix.speed,
        accuracy=fix.accuracy,
        data=None if fix.ignition is None else {"ignition": fix.ignition},
    )


async def send(house: House, gear: Gear, *fixes: Fix) -> None:
    await flush(house, Submission(gear.own, [reading(fix) for fix in fixes]))


async def derive(database: Database, pace: StepLimits = STEP_LIMITS) -> None:
    while await rule_evaluation.step(database, pace):
        pass


async def zone(firm: Firm, west: float, south: float, side: float, **more: Any) -> dict[str, Any]:
    """A square zone in a wide area, in metres from the corner of the map."""

    def square(west: float, south: float, side: float) -> dict[str, Any]:
        west, south = EAST + west / METRES_PER_DEGREE, NORTH + south / METRES_PER_DEGREE
        side /= METRES_PER_DEGREE
        east, north = west + side, south + side
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        return {"type": "Polygon", "coordinates": [ring]}

    wide = {"name": "Wide", "border": square(-90_000, -90_000, 180_000)}
    area = (await firm.api.post("/v1/service-areas", json=wide)).json()
    body = {"name": "Depot", "service_area": area["id"], "border": square(west, south, side)}
    answer = await firm.api.post("/v1/zones", json={**body, **more})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def alerts(house: House, gear: Gear) -> list[dict[str, Any]]:
    """What is told of a device, in its order, without what differs from run to run."""
    sql = """select coalesce(jsonb_agg(jsonb_build_array(occurred_at, kind, severity, latitude,
                    longitude, data) order by occurred_at, kind, data::text), '[]')
             from device_events where device_no = :number and flags & 4 > 0"""
    found: list[dict[str, Any]] = await house.value(sql, number=gear.number)
    return found


async def trips(house: House, gear: Gear) -> list[Any]:
    sql = """select coalesce(jsonb_agg(to_jsonb(t) - 'uuid' - 'public_id' - 'device'
                    order by started_at), '[]') from device_trips t where device = :device"""
    found: list[Any] = await house.value(sql, device=gear.uuid)
    return found


async def head(house: House, gear: Gear) -> Any:
    sql = "select jsonb_build_array(at, state) from device_folds where device = :device"
    return await house.value(sql, device=gear.uuid)


async def everything(house: House, gear: Gear) -> Any:
    return await head(house, gear), await alerts(house, gear), await trips(house, gear)


async def test_positions_become_alerts_and_trips_once(acme: Firm, house: House) -> None:
    gear = await device(acme)
    made = await zone(acme, 1000, -500, 1000, speed_limit_kmh=30)
    fixes = [*drive(0, 0, seconds=300, kmh=36), *(at(300 + 30 * n, 3000) for n in range(1, 9))]
    await send(house, gear, *fixes)
    await send(house, gear, *fixes[5:20])
    await derive(house.database)
    told = [row[5] for row in await alerts(house, gear)]
    actions = [(data["action"], data["area_id"]) for data in told if "action" in data]
    assert [action for action, area in actions if area == made["id"]] == ["enter", "exit"]
    phases = [(data["phase"], data["limit"], data["zone_id"]) for data in told if "phase" in data]
    assert phases == [("started", 30, made["id"]), ("ended", 30, made["id"])]
    (trip,) = await trips(house, gear)
    assert trip["distance"] == pytest.approx(3000, rel=0.01)
    assert trip["ended_at"] is not None
    assert await house.value("select count(*) from device_backlog") == 0


@pytest.mark.slow
@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], print_blob=True
)
@given(data=st.data(), walk=walks())
async def test_any_order_any_duplication_and_any_grouping_give_the_same(
    data: st.DataObject, walk: list[Fix], acme: Firm, house: House
) -> None:
    # Small stretches, so that a short walk has many.
    positions = data.draw(st.sampled_from([3, 8, 4000]))
    pace = StepLimits(positions=positions, min_positions=3, checkpoint_every=4)
    if not await house.value("select count(*) from zones where company = :c", c=acme.uuid):
        await zone(acme, -300, -300, 600, speed_limit_kmh=20, dwell_threshold_minutes=2)
        await acme.admin.patch("/int/v1/settings", json={"speed_limit_kmh": 50})
    straight, mixed = await device(acme), await device(acme)
    await send(house, straight, *walk)
    sent = data.draw(st.permutations(walk + data.draw(st.lists(st.sampled_from(walk), max_size=9))))
    while sent:
        size = data.draw(st.integers(1, len(sent)))
        await send(house, mixed, *sent[:size])
        sent = sent[size:]
        for _ in range(data.draw(st.integers(0, 2))):
            await rule_evaluation.step(house.database, pace)
    await derive(house.database, pace)
    assert await everything(house, mixed) == await everything(house, straight)


async def test_late_positions_change_history_and_nothing_that_is_settled_after_it(
    acme: Firm, house: House
) -> None:
    gear = await device(acme)
    await zone(acme, 1000, -500, 1000)
    morning = drive(0, 0, seconds=300, kmh=36)
    evening = drive(40_000, 3000, seconds=300, kmh=36)
    rest = [at(40_300 + 30 * n, 6000) for n in range(1, 9)]
    await send(house, gear, *(morning[n] for n in (0, 1, 30)), *evening, *rest)
    await derive(house.database)
    before = await trips(house, gear)
    await send(house, gear, *morning[2:30])
    await derive(house.database)
    after = await trips(house, gear)
    assert len(after) == 2
    assert after[-1] == before[-1]
    entered = [
        row[5]["action"] for row in await alerts(house, gear) if row[5]["area_name"] == "Depot"
    ]
    assert entered == ["enter", "exit"]
    other = await device(acme)
    await send(house, other, *morning, *evening, *rest)
    await derive(house.database)
    assert await everything(house, gear) == await everything(house, other)


async def test_what_came_late_is_known_to_the_checkpoint_at_the_head_too(
    acme: Firm, house: House
) -> None:
    gear, other = await device(acme), await device(acme)
    fixes = drive(0, 0, seconds=300, kmh=36)
    pace = StepLimits(checkpoint_every=4)
    # The head leaves a checkpoint, changes, goes on, and then something comes in between.
    for some in (fixes[3:20], fixes[:3], fixes[22:24], fixes[20:22]):
        await send(house, gear, *some)
        await derive(house.database, pace)
    await send(house, other, *fixes[:24])
    await derive(house.database, pace)
    assert await everything(house, gear) == await everything(house, other)


async def test_of_two_positions_of_one_moment_the_same_one_counts_whichever_came_first(
    acme: Firm, house: House
) -> None:
    await zone(acme, -500, -500, 1000)
    here, there = (
        msgspec.structs.replace(reading(at(0, metres, accuracy=5.0)), event_key=key)
        for metres, key in ((100, 2), (300, 1))
    )
    one, two = await device(acme), await device(acme)
    for gear, order in ((one, (here, there)), (two, (there, here))):
        for each in order:
            await flush(house, Submission(gear.own, [each]))
            await derive(house.database)
    told = await alerts(house, one)
    assert {row[4] for row in told} == {there.longitude}
    assert await everything(house, one) == await everything(house, two)


async def test_a_trip_that_began_elsewhere_after_all_is_told_once_while_news_come_in(
    acme: Firm, house: House
) -> None:
    gear, other = await device(acme), await device(acme)
    fixes = drive(0, 0, seconds=600, kmh=36)
    await send(house, gear, fixes[0], *fixes[6:30])
    await derive(house.database)
    # What comes late says that it stood there for longer; what comes next waits behind that.
    late = [at(20, 5, accuracy=5.0), at(30, 10, accuracy=5.0)]
    await send(house, gear, *late)
    await send(house, gear, *fixes[30:])
    await derive(house.database)
    await send(house, other, fixes[0], *late, *fixes[6:])
    await derive(house.database)
    assert len(await trips(house, gear)) == 1
    assert await everything(house, gear) == await everything(house, other)


async def test_an_alert_that_is_derived_again_is_the_same_event(acme: Firm, house: House) -> None:
    gear = await device(acme)
    await zone(acme, 1000, -500, 1000)
    fixes = drive(0, 0, seconds=300, kmh=36)
    await send(house, gear, *fixes[::2])
    await derive(house.database)
    sql = "select array_agg(batch order by occurred_at) from device_events where flags & 4 > 0"
    batches = await house.value(sql)
    # It says nothing new.
    await send(house, gear, at(15, 150, accuracy=999.0))
    await derive(house.database)
    assert await house.value(sql) == batches


@pytest.mark.slow
async def test_weeks_of_late_positions_hold_nobody_up(acme: Firm, house: House) -> None:
    gear, other = await device(acme), await device(acme)
    weeks = [at(-86_400 * 20 + 600 * n, 500 * (n % 7)) for n in range(2800)]
    await send(house, gear, at(0, 0))
    await derive(house.database)
    await send(house, gear, *weeks)
    await send(house, other, *drive(0, 0, seconds=300, kmh=36))
    await rule_evaluation.step(house.database)
    assert len(await trips(house, other)) == 1
    steps = 1
    while await rule_evaluation.step(house.database):
        steps += 1
    assert steps > 1
    counted = "select count(*) from device_checkpoints where device = :device"
    assert 0 < await house.value(counted, device=gear.uuid) < 60


@pytest.mark.slow
async def test_two_workers_at_once_derive_everything_once(acme: Firm, house: House) -> None:
    await zone(acme, 1000, -500, 1000)
    one, two = await device(acme), await device(acme)
    fixes = drive(0, 0, seconds=300, kmh=36)
    await send(house, one, *fixes)
    await derive(house.database)
    for start in (2, 0, 3, 7, 1):
        await send(house, two, *fixes[start::4])
        await asyncio.gather(*(rule_evaluation.step(house.database) for _ in range(3)))
    await asyncio.gather(*(derive(house.database) for _ in range(3)))
    assert await everything(house, two) == await everything(house, one)


async def test_the_limit_is_that_of_the_vehicle_of_then(acme: Firm, house: House) -> None:
    gear = await device(acme)
    vans = [
        (await acme.api.post("/v1/vehicles", json={"speed_limit_kmh": limit})).json()
        for limit in (60, 120)
    ]
    hour = timedelta(hours=1)
    async with house.database.transaction() as db:
        for van, since, until in (
            (vans[0], NOON - hour, NOON + hour),
            (vans[1], NOON + hour, None),
        ):
            await db.execute(
                """insert into attachments (uuid, company, device, vehicle, since, until)
                   values (:uuid, :company, :device, :vehicle, :since, :until)""",
                uuid=db.new_uuid(), company=acme.uuid, device=gear.uuid, vehicle=van["uuid"],
                since=since, until=until,
            )  # fmt: skip
    await send(
        house, gear, *drive(0, 0, seconds=60, kmh=90), *drive(7200, 9000, seconds=60, kmh=90)
    )
    await derive(house.database)
    told = [row[5] for row in await alerts(house, gear)]
    assert [(data["phase"], data["limit"]) for data in told] == [("started", 60), ("ended", 60)]


def test_checkpoints_are_the_rarer_the_older_they_are() -> None:
    minutes = [NOON - timedelta(minutes=n) for n in range(0, 60 * 24 * 60, 5)]
    kept = sorted(set(minutes) - set(checkpoints.list_surplus(minutes)))
    assert kept[-1] == NOON
    assert len(kept) < 40
    gaps = [later - earlier for earlier, later in pairwise(kept)]
    assert max(gaps) <= timedelta(days=31)
    assert all(gap <= timedelta(minutes=20) for gap in gaps[-5:])
    assert checkpoints.list_surplus(kept) == []


async def test_a_device_that_the_rules_fail_at_is_set_aside_and_holds_nobody_up(
    acme: Firm, house: House
) -> None:
    one, two = await device(acme), await device(acme)
    fixes = drive(0, 0, seconds=300, kmh=36)
    for gear in (one, two):
        await send(house, gear, *fixes[:10])
    await derive(house.database)
    async with house.database.transaction() as db:
        # A moment without an offset, which nothing can be compared with.
        await db.execute(
            """update device_folds set state = jsonb_set(state, '{motion,last,0}',
               '"2026-01-15T12:00:00"') where device = :device""",
            device=one.uuid,
        )
    for gear in (one, two):
        await send(house, gear, *fixes[10:])
    await derive(house.database)
    sql = "select array[step, subject] from parked"
    assert await house.value(sql) == [rule_evaluation.STEP_NAME, one.public_id]
    house.clock.advance(minutes=2)
    assert await parked_sweep.step(house.database, RETRIES)
    await derive(house.database)
    assert await everything(house, one) == await everything(house, two)


async def test_a_company_with_one_position_has_its_turn_after_one_device_of_another(
    acme: Firm, rival: Firm, house: House
) -> None:
    await zone(rival, -500, -500, 1000)
    flood = [await device(acme) for _ in range(5)]
    for gear in flood:
        for fix in drive(0, 0, seconds=60, kmh=36):
            await send(house, gear, fix)
    lonely = await device(rival)
    await send(house, lonely, at(0, 0, accuracy=5.0), at(60, 0, accuracy=5.0))
    pace, rotation = StepLimits(devices=2, rows=4), CompanyRotation()
    await rule_evaluation.step(house.database, pace, rotation)
    assert {row[5]["action"] for row in await alerts(house, lonely)} == {"enter"}


async def test_a_step_that_is_out_of_time_leaves_the_next_turn_to_the_next_company(
    acme: Firm, rival: Firm, house: House
) -> None:
    await zone(rival, -500, -500, 1000)
    for _ in range(5):
        await send(house, await device(acme), *drive(0, 0, seconds=60, kmh=36))
    lonely = await device(rival)
    await send(house, lonely, at(0, 0, accuracy=5.0), at(60, 0, accuracy=5.0))
    pace, rotation = StepLimits(max_seconds=0), CompanyRotation()
    served = []
    for _ in range(3):
        await rule_evaluation.step(house.database, pace, rotation)
        served.append(rotation.last_served)
    assert sorted(served[:2]) == sorted([acme.uuid, rival.uuid])
    assert served[2] == acme.uuid
    assert {row[5]["action"] for row in await alerts(house, lonely)} == {"enter"}
    await derive(house.database, pace)
    assert await house.value("select count(*) from device_backlog") == 0


async def test_a_turn_ends_with_a_bounded_number_of_alerts_and_the_next_goes_on(
    acme: Firm, house: House
) -> None:
    for side in range(1000, 1020):
        await zone(acme, -500, -500, side)
    whole, parts = await device(acme), await device(acme)
    fixes = [at(300 * n, 9_000 * (n % 4 // 2), accuracy=5.0) for n in range(12)]
    await send(house, whole, *fixes)
    await derive(house.database)
    await send(house, parts, *fixes)
    pace, rotation, steps = StepLimits(max_alerts=25), CompanyRotation(), 0
    while await rule_evaluation.step(house.database, pace, rotation):
        steps += 1
    assert steps > 2
    assert await everything(house, parts) == await everything(house, whole)
