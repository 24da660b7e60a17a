"""Each event is stored once, and whoever sent it hears exactly what became of it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
import pytest

from devices.gear import device, flush, position
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.accounts.company_settings.retention import Retention
from pannier.db import Db
from pannier.devices import effects, partitions, rejects, store, sweep
from pannier.devices.effects import DeviceContact
from pannier.devices.event_types import RetentionClass
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import Flags, ItemRefusal, Reading
from pannier.kit.clock import ManualClock
from stage import NOON, Firm, House

WAITING: Final = """select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'"""


async def stored(house: House) -> int:
    return int(await house.value("select count(*) from device_events"))


async def test_duplicates_are_told_exactly_within_a_put_between_puts_and_of_before(
    acme: Firm, house: House
) -> None:
    one, two = await device(acme), await device(acme)
    assert await flush(house, Submission(one.own, [position(1)])) == [IngestOutcome(1, 0, [])]
    outcomes = await flush(
        house,
        Submission(one.own, [position(1), position(2), position(2)]),
        Submission(one.own, [position(2), position(3), position(1)]),
        Submission(two.own, [position(1)]),
    )
    assert outcomes == [IngestOutcome(1, 2, []), IngestOutcome(1, 2, []), IngestOutcome(1, 0, [])]
    assert await stored(house) == 4


class Undone(Exception):  # noqa: N818 - nothing is wrong
    """A transaction is not to commit."""


@pytest.mark.parametrize("count", [1, 2, 3, 40])
@pytest.mark.parametrize("commits", [True, False])
async def test_of_two_who_store_the_same_at_once_one_waits_and_is_told_what_became_of_it(
    acme: Firm, house: House, *, count: int, commits: bool
) -> None:
    one = await device(acme)
    same = Submission(one.own, [position(key, data={"n": key}) for key in range(count)])
    more = Submission(one.own, [position(count)])
    with suppress(Undone):
        async with house.database.transaction() as db:
            first = await store.flush(db, [same], InstallationLimits.from_settings(house.settings))
            second = asyncio.create_task(flush(house, same, more))
            while not await house.value(WAITING):
                assert not second.done()
            if not commits:
                raise Undone
    told = IngestOutcome(0, count, []) if commits else IngestOutcome(count, 0, [])
    assert (first, await second) == ([IngestOutcome(count, 0, [])], [told, IngestOutcome(1, 0, [])])
    assert await stored(house) == count + 1


@pytest.mark.parametrize("known", [(), (0,), (0, 1, 2, 3), (1, 3), (3,)])
async def test_only_what_is_not_there_yet_is_stored_of_whichever_class_and_moment(
    acme: Firm, house: House, known: tuple[int, ...]
) -> None:
    one = await device(acme)
    said = [
        position(1),
        position(1, NOON - timedelta(days=40)),
        position(1, class_=RetentionClass.ALERT, kind=4, data={"state": "open"}),
        position(1, class_=RetentionClass.OTHER, kind=0, type="axle_load"),
    ]
    for each in known:
        await flush(house, Submission(one.own, [said[each]]))
    new = len(said) - len(known)
    assert await flush(house, Submission(one.own, said)) == [IngestOutcome(new, len(known), [])]
    assert await house.value("select sum(events) from device_batches") == len(said)
    assert await stored(house) == len(said)


async def test_an_event_of_a_wrong_clock_is_stored_once_whenever_it_comes_again(
    acme: Firm, house: House
) -> None:
    one = await device(acme)
    corrected = int(Flags.CLOCK_CORRECTED)
    assert await flush(house, Submission(one.own, [position(1, flags=corrected)])) == [
        IngestOutcome(1, 0, [])
    ]
    later = NOON + timedelta(minutes=3)
    assert await flush(house, Submission(one.own, [position(1, later, flags=corrected)])) == [
        IngestOutcome(0, 1, [])
    ]


async def test_an_event_that_has_a_moment_keeps_it_beside_one_of_the_same_id_that_has_none(
    acme: Firm, house: House
) -> None:
    one, untimed = await device(acme), int(Flags.UNTIMED)
    before = NOON - timedelta(hours=1)
    said = Submission(one.own, [position(1, before), position(1, flags=untimed)])
    assert await flush(house, said) == [IngestOutcome(2, 0, [])]
    moments = "select array_agg(occurred_at order by occurred_at) from device_events"
    assert await house.value(moments) == [before, NOON]
    assert await flush(house, said) == [IngestOutcome(0, 2, [])]


async def test_many_companies_are_stored_at_once_each_in_a_batch_of_its_own(
    acme: Firm, rival: Firm, house: House
) -> None:
    one, two = await device(acme, "imei-1"), await device(rival, "imei-1")
    names = [one.public_id, "imei-1", str(one.uuid)]
    outcomes = await flush(
        house,
        Submission(one.company, [position(key, name=name) for key, name in enumerate(names)]),
        Submission(two.company, [position(7, name="imei-1"), position(8, name=one.public_id)]),
    )
    assert outcomes[0] == IngestOutcome(3, 0, [])
    assert (outcomes[1].accepted, [each.index for each in outcomes[1].refusals]) == (1, [1])
    assert await house.value("select array_agg(events order by events) from device_batches") == [
        1,
        3,
    ]
    assert (
        await house.value(
            "select count(*) from device_events e join device_batches b using (batch, company)"
        )
        == 4
    )


async def test_a_uuid_names_its_device_whatever_another_calls_itself(
    acme: Firm, house: House
) -> None:
    one = await device(acme)
    await device(acme, str(one.uuid))
    await flush(house, Submission(one.company, [position(1, name=str(one.uuid))]))
    assert await house.value("select device_no from device_events") == one.number


async def test_signs_of_life_are_noted_in_the_order_of_devices_whoever_sends(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway, one, two = await device(acme, kind="gateway"), await device(acme), await device(acme)
    noted: list[list[int]] = []
    follow = effects.apply

    async def follows(db: Db, fresh: Any, heard: Sequence[DeviceContact], *rest: Any) -> int:
        noted.append([each.device.number for each in heard])
        return await follow(db, fresh, heard, *rest)

    monkeypatch.setattr(effects, "apply", follows)
    through = gateway.own._replace(speaks_for_all=True)
    readings = [position(1, name=each.public_id) for each in (two, one)]
    await flush(house, Submission(two.own, [position(2)]), Submission(through, readings))
    assert noted == [[gateway.number, one.number, two.number]]


async def test_what_a_device_may_not_say_is_refused_by_its_index_and_kept(
    acme: Firm, house: House
) -> None:
    one, other = await device(acme), await device(acme)
    old = NOON - timedelta(days=91)
    put = Submission(
        one.own,
        [position(1), position(2, name=other.public_id), position(3, old)],
        [ItemRefusal(1, "data_invalid", "Wrong.", b"{}")],
    )
    [outcome] = await flush(house, put)
    assert (outcome.accepted, outcome.duplicates) == (1, 0)
    assert [(each.index, each.code) for each in outcome.refusals] == [
        (1, "data_invalid"),
        (2, "unknown_device"),
        (3, "too_old"),
    ]
    assert await house.value("select count(*) from device_rejects") == 3


async def test_room_for_rejects_is_looked_for_once_however_many_send_nonsense(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, asked, value = await device(acme), list[str](), Db.fetch_value

    async def values(db: Db, sql: str, **given: Any) -> Any:
        asked.append(sql)
        return await value(db, sql, **given)

    monkeypatch.setattr(Db, "fetch_value", values)
    nonsense = Submission(one.own, [], [ItemRefusal(0, "data_invalid", "Wrong.", b"{}")])
    await flush(house, *[nonsense] * 600)
    await flush(house, *[nonsense] * 600)
    assert sum("device_rejects" in sql for sql in asked) == 2
    assert await house.value("select count(*) from device_rejects") == rejects.MAX_PER_DAY


async def test_a_device_that_makes_up_types_has_some_of_them_remembered(
    acme: Firm, house: House
) -> None:
    def said(number: int, key: int) -> Reading:
        more = {"class_": RetentionClass.OTHER, "kind": 0, "type": f"made up {number:04}"}
        return msgspec.structs.replace(position(key), **more)

    one = await device(acme)
    for first in (0, 60, 120, 180):
        some = [said(first + each, first + each) for each in range(60)]
        assert await flush(house, Submission(one.own, some)) == [IngestOutcome(60, 0, [])]
    assert await house.value("select count(*) from device_latest") == 120
    await flush(house, Submission(one.own, [said(7, 999), position(1)]))
    latest = "select event_key from device_latest where type = 'made up 0007'"
    assert await house.value(latest) == 999
    assert await house.value("select count(*) from device_latest") == 121
    two = await device(acme)
    await flush(house, Submission(two.own, [said(each, each) for each in range(300)]))
    assert await house.value("select count(*) from device_latest") == 221


@pytest.mark.slow
@pytest.mark.parametrize("by", ["public_id", "uuid::text", "identifier"])
async def test_devices_are_found_by_index_though_there_were_few_when_that_was_planned(
    acme: Firm, house: House, by: str
) -> None:
    one = await device(acme)
    for key in range(3):
        await flush(house, Submission(one.company, [position(key, name=one.public_id)]))
    async with house.database.transaction() as db:
        await db.execute(
            """with made as (
                   insert into devices (uuid, public_id, company, name, kind, identifier, meta,
                                        created_at, updated_at)
                   select gen_random_uuid(), 'device_' || lpad(n::text, 16, '0'), :company, 'One',
                          'tracker', 'imei-' || n, '{}', :now, :now
                   from generate_series(1, 2000) n returning uuid)
               insert into tokens (uuid, public_id, company, kind, holder, secret_hash, method,
                                   user_agent, address, created_at, last_used_at, vouches)
               select uuid, 'token_' || uuid, :company, 'device', uuid, '', 'issued', '', '', :now,
                      :now, false from made""",
            company=acme.uuid,
            now=NOON,
        )
    some = await house.value(f"select array_agg({by}) from devices where identifier like '%00'")
    token = await house.value("select uuid from tokens where kind = 'device' limit 1")
    put = Submission(one.company._replace(token=token), [position(9, name=name) for name in some])
    read = """select sum(idx_tup_fetch) from pg_stat_xact_user_tables
              where relname in ('devices', 'tokens', 'keys')"""
    async with house.database.transaction() as db:
        before = await db.fetch_value(read)
        [outcome] = await store.flush(db, [put], InstallationLimits.from_settings(house.settings))
        assert await db.fetch_value(read) - before < 500
    assert outcome == IngestOutcome(20, 0, [])


async def test_a_deleted_device_stores_nothing(acme: Firm, house: House) -> None:
    one = await device(acme)
    async with house.database.transaction() as db:
        await db.update("devices", one.uuid, deleted_at=NOON)
    [outcome] = await flush(house, Submission(one.own, [position(1)]))
    assert outcome.is_revoked
    assert await stored(house) == 0


async def test_late_events_do_not_take_the_place_of_the_latest(acme: Firm, house: House) -> None:
    one = await device(acme)
    early = NOON - timedelta(hours=1)
    await flush(house, Submission(one.own, [position(1, data={"n": 1}), position(2, early)]))
    await flush(house, Submission(one.own, [position(3, early)]))
    assert await house.value("select event_key from device_latest") == 1
    assert await house.value("select last_event_at from device_states") == NOON
    assert await house.value("select array_agg(since order by position) from device_backlog") == [
        early,
        early,
    ]


@pytest.mark.parametrize(
    ("class_", "moment", "name"),
    [
        (
            RetentionClass.POSITION,
            datetime(2026, 1, 1, tzinfo=UTC),
            "device_events_positions_20251229",
        ),
        (RetentionClass.ALERT, datetime(2026, 12, 31, tzinfo=UTC), "device_events_alerts_20261201"),
        (
            RetentionClass.HEARTBEAT,
            datetime(2024, 2, 29, 9, tzinfo=UTC),
            "device_events_heartbeats_20240229",
        ),
    ],
)
def test_a_partition_spans_a_week_a_month_or_a_day(
    class_: int, moment: datetime, name: str
) -> None:
    found = partitions.find_partition(class_, moment)
    assert found.name == name
    assert found.since <= moment < found.until
    assert partitions.find_partition(class_, found.until).since == found.until


@pytest.mark.slow
async def test_nothing_lies_in_a_default_partition_and_what_did_moves_out(
    acme: Firm, house: House
) -> None:
    one = await device(acme)
    long_ago = NOON - timedelta(days=60)
    await flush(house, Submission(one.own, [position(1), position(2, long_ago)]))
    strays = "select count(*) from device_events_positions_default"
    assert await house.value(strays) == 0
    async with house.database.transaction() as db:
        await db.execute(
            """insert into device_events_positions_default
               select device_no, '2020-02-02', event_key, batch, company, latitude, longitude,
                      speed, heading, altitude, accuracy, class, kind, severity, flags
               from device_events where event_key = 2"""
        )
    assert await house.value(partitions.UNPARTITIONED) == 1, "which the doctor tells"
    await partitions.step(house.database)
    assert await house.value(strays) == 0
    assert await stored(house) == 3
    metrics = await house.metrics()
    assert "pannier_device_events_in_default_partitions 0.0" in metrics


@pytest.mark.slow
async def test_a_large_class_gets_a_partition_for_each_day_that_has_none(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    one, monday = await device(acme), datetime(2026, 6, 15, 12, tzinfo=UTC)
    clock.advance(seconds=(monday - NOON).total_seconds())
    await flush(house, Submission(one.own, [position(1, monday)]))
    week = partitions.find_partition(RetentionClass.POSITION, monday)
    assert await house.value(f"select count(*) from {week.name}") == 1
    monkeypatch.setattr(partitions, "DAILY_FROM_BYTES", 1)
    days = [week.since - timedelta(days=number) for number in (1, 2)]
    readings = [position(number, day) for number, day in enumerate(days, 2)]
    await flush(house, Submission(one.own, readings))
    # A week that has begun with days is not covered by a longer one.
    monkeypatch.setattr(partitions, "DAILY_FROM_BYTES", 2**60)
    days.append(days[-1] - timedelta(days=1))
    await flush(house, Submission(one.own, [position(4, days[-1])]))
    for day in days:
        name = f"device_events_positions_{day:%Y%m%d}"
        assert await house.value(f"select count(*) from {name}") == 1
    clock.advance(days=400)
    await sweep.step(house.database, Retention.from_settings(house.settings))
    assert await house.value("select count(*) from device_events") == 0


async def test_a_stray_moves_out_although_another_process_dropped_its_partition(
    acme: Firm, house: House
) -> None:
    one, long_ago = await device(acme), NOON - timedelta(days=60)
    await flush(house, Submission(one.own, [position(1, long_ago)]))
    name = partitions.find_partition(RetentionClass.POSITION, long_ago).name
    async with house.database.transaction() as db:
        await db.execute(f"drop table {name}")
    await flush(house, Submission(one.own, [position(2, long_ago)]))
    assert await house.value(partitions.UNPARTITIONED) == 1
    await partitions.step(house.database)
    assert await house.value(partitions.UNPARTITIONED) == 0
    assert await stored(house) == 1


@pytest.mark.slow
async def test_who_reads_everything_keeps_a_flush_waiting_once_and_not_for_each_day(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, tried = await device(acme), list[str]()
    make = partitions._create_partition  # noqa: SLF001 - what is watched

    async def makes(db: Db, class_: int, day: datetime) -> partitions.Partition:
        tried.append(f"{class_} {day:%d}")
        return await make(db, class_, day)

    monkeypatch.setattr(partitions, "_create_partition", makes)
    moments = [NOON - timedelta(days=7 * week) for week in range(1, 9)]
    days = [position(key, moment) for key, moment in enumerate(moments)]
    async with house.database.transaction() as db:
        for moment in moments:
            name = partitions.find_partition(RetentionClass.POSITION, moment).name
            await db.execute(f"drop table if exists {name}")
    async with house.database.transaction() as reader:
        await reader.fetch_value("select count(*) from device_events")
        assert await flush(house, Submission(one.own, days)) == [IngestOutcome(8, 0, [])]
    assert len(tried) == 1
    house.clock.advance(seconds=11)
    await partitions.step(house.database)
    assert await house.value("select count(*) from device_events_positions_default") == 0


async def test_a_position_moves_the_device_and_the_vehicle_it_was_on_by_then(
    acme: Firm, house: House
) -> None:
    one = await device(acme)
    vehicle = (await acme.api.post("/v1/vehicles", json={"plate_number": "P 1"})).json()
    async with house.database.transaction() as db:
        await db.execute(
            """insert into attachments (uuid, company, device, vehicle, since)
               select :device, company, :device, uuid, :since from vehicles
               where public_id = :vehicle""",
            device=one.uuid,
            since=NOON - timedelta(minutes=10),
            vehicle=vehicle["id"],
        )
    seen = "select count(*) from whereabouts where kind = :kind"
    await flush(house, Submission(one.own, [position(1, NOON - timedelta(minutes=11))]))
    assert await house.value(seen, kind="device") == 1
    assert await house.value(seen, kind="vehicle") == 0
    await flush(house, Submission(one.own, [position(2, speed=36.0)]))
    assert await house.value("select speed from whereabouts where kind = 'vehicle'") == 10.0
    late = position(3, NOON - timedelta(minutes=5), latitude=1.0)
    await flush(house, Submission(one.own, [late]))
    assert await house.value("select array_agg(latitude) from whereabouts") == [52.5, 52.5]


async def test_what_nobody_wants_any_more_leaves_and_who_keeps_less_keeps_less(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    ours, theirs = await device(acme), await device(rival)
    keeping = {"retention": {"positions": 10}}
    assert (await acme.admin.patch("/int/v1/settings", json=keeping)).status_code == 200
    moments = [NOON - timedelta(days=days) for days in (80, 20, 0)]
    readings = [position(key, moment) for key, moment in enumerate(moments)]
    await flush(house, Submission(ours.own, readings), Submission(theirs.own, readings))
    clock.advance(days=20)
    keep = Retention.from_settings(house.settings)
    while await sweep.step(house.database, keep, 1):
        pass
    kept = "select count(*) from device_events where company = :company"
    assert await house.value(kept, company=acme.uuid) == 0
    assert await house.value(kept, company=rival.uuid) == 2
    gone = partitions.find_partition(RetentionClass.POSITION, moments[0]).name
    assert await house.value("select to_regclass(:name) is null", name=gone)
    old = position(9, moments[0] + timedelta(days=20))
    await flush(house, Submission(theirs.own, [old]))
    assert await house.value("select count(*) from device_events_positions_default") == 0


async def test_rejects_are_forgotten_in_time(acme: Firm, house: House, clock: ManualClock) -> None:
    one = await device(acme)
    await flush(house, Submission(one.own, [position(1), position(2, name="nobody")]))
    clock.advance(days=91)
    while await sweep.REJECTS.delete_batch(house.database, timedelta(days=90)):
        pass
    assert await house.value("select count(*) from device_rejects") == 0


@pytest.mark.parametrize(
    ("written", "beside"),
    [
        ("select count(*) from devices where kind <> 'gateway'", {"name": "imei-{}"}),
        ("select count(*) from device_corrections", {"flags": int(Flags.CLOCK_CORRECTED)}),
    ],
)
async def test_what_was_written_before_events_stays_where_one_of_them_was_there_already(
    acme: Firm, house: House, written: str, beside: dict[str, Any]
) -> None:
    gateway = await device(acme, kind="gateway", adopts=True)
    through = gateway.own._replace(speaks_for_all=True, adopts=True)
    for turn in range(2):
        more = {**beside, "name": beside.get("name", gateway.public_id).format(turn)}
        said = [position(1), position(2 + turn, **more), position(4 + turn)]
        assert await flush(house, Submission(through, said)) == [IngestOutcome(3 - turn, turn, [])]
    assert await house.value(written) == 2
    assert await stored(house) == 5
