"""The queue beside the log: what is written how often, and whose turn it is in a thread."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import uvloop

from pannier.db import connect
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock, SystemClock
from pannier.kit.crypto import Keyring
from pannier.settings import load
from pannier.webhooks import fanout, queue, reaping, sweep
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.queue import EndedAttempt
from pannier.webhooks.schedule import NextStep
from pannier.webhooks.sender import WebhookSender
from pannier.webhooks.webhook_client import WebhookClient
from program import PATIENCE
from stage import NOON, SECRET, Firm, House
from webhooks.office import Office, Told, answering

# Which transaction wrote each row there is.
VERSIONS = """select jsonb_object_agg(name, xmin::text) from (
    select 'event ' || uuid as name, xmin from events
    union all select 'delivery ' || uuid, xmin from webhook_deliveries
    union all select 'queued ' || delivery, xmin from webhook_queue) rows"""
WAITS = """select count(*) from pg_stat_activity
           where datname = current_database() and wait_event = 'advisory'"""


LOCKED = """select count(*) from pg_stat_activity
            where datname = current_database() and wait_event = 'transactionid'"""
DEADLOCKS = "select deadlocks from pg_stat_database where datname = current_database()"


async def waiting(house: House, many: int = 1, what: str = WAITS) -> None:
    """Wait until so many wait for their turn."""
    async with asyncio.timeout(PATIENCE):
        while await house.value(what) < many:  # noqa: ASYNC110 - the server's
            await asyncio.sleep(0.01)


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def change(office: Office, webhook: dict[str, Any], **wishes: Any) -> None:
    answer = await office.firm.admin.put(f"/int/v1/webhooks/{webhook['id']}", json=wishes)
    assert answer.status_code == 200, answer.text


async def states(office: Office) -> list[str]:
    return [row["state"] for row in await office.deliveries()]


@pytest.mark.parametrize("how", ["paused", "disabled", "deleted"])
async def test_switching_an_endpoint_touches_nothing_of_what_waits_for_it(
    office: Office, house: House, how: str
) -> None:
    webhook = await office.register()
    for number in range(20):
        await office.tell(subject=f"order_{number % 4}")
    await office.relay()
    before = await house.value(VERSIONS)
    if how == "deleted":
        await office.firm.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
    else:
        await change(office, webhook, state=how)
    assert set(await states(office)) == {"cancelled" if how == "deleted" else "held"}
    assert await house.value(VERSIONS) == before
    if how != "deleted":
        await change(office, webhook, state="enabled")
        assert set(await states(office)) == {"pending"}
        assert await house.value(VERSIONS) == before


async def test_the_logs_are_written_once_when_all_goes_well(office: Office, house: House) -> None:
    await office.register()
    await office.tell()
    written = await house.value("select xmin::text from events")
    await office.relay()
    logged = await house.value("select xmin::text from webhook_deliveries")
    await office.work()
    assert await states(office) == ["succeeded"]
    assert await house.value("select xmin::text from events") == written
    assert await house.value("select xmin::text from webhook_deliveries") == logged
    assert await house.value("select count(*) from webhook_queue") == 0
    assert await house.value("select count(*) from event_queue") == 0


async def test_the_backlog_of_a_deleted_endpoint_leaves_the_queue_in_batches(
    office: Office, house: House, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "BATCH_SIZE", 4)
    gone, other = await office.register(), await office.register()
    for number in range(10):
        await office.tell(subject=f"order_{number % 3}")
    await office.relay()
    await office.firm.admin.delete(f"/int/v1/webhooks/{gone['id']}")
    rows = await office.deliveries(webhook=gone["id"])
    clock.advance(minutes=1)
    left = []
    while await sweep.cancel_deliveries(house.database):
        left.append(await house.value("select count(*) from webhook_queue"))
    assert left == [16, 12, 10]
    # What a caller sees was so all along.
    assert await office.deliveries(webhook=gone["id"]) == rows
    assert {(row["state"], row["finished_at"], row["error"]) for row in rows} == {
        ("cancelled", "2026-01-15T12:00:00.000Z", "The webhook was deleted.")
    }
    await office.work()
    assert {row["state"] for row in await office.deliveries(webhook=other["id"])} == {"succeeded"}


async def test_who_relays_and_who_records_take_turns_so_that_no_turn_in_a_thread_is_lost(
    office: Office, house: House
) -> None:
    await office.register()
    await office.tell(number=1)
    await office.relay()
    async with house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        (first,) = await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 1, 10)], sender=1)
    await office.tell(number=2)
    async with house.database.transaction() as db:
        done = queue.EndedAttempt(first, NextStep("succeeded", 0, NOON), NOON, answering(200), {})
        await queue.record_attempts(db, [done])
        relaying = asyncio.create_task(office.relay())
        await waiting(house)
    await relaying
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]


async def test_an_endpoint_that_no_longer_wants_strict_order_lets_the_others_go_at_once(
    office: Office,
) -> None:
    webhook = await office.register(ordering="strict")
    office.receivers.answer = lambda _: answering(500)
    for number in range(3):
        await office.tell(number=number)
    await office.work()
    assert len(office.receivers.requests) == 1
    await change(office, webhook, ordering="first_attempt")
    await office.work()
    assert len(office.receivers.requests) == 3


async def test_an_endpoint_that_wants_strict_order_from_now_on_gets_it(
    office: Office, clock: ManualClock
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell(number=1)
    await office.work()
    await office.tell(number=2)
    await office.relay()
    await change(office, webhook, ordering="strict")
    await office.work()
    assert len(office.receivers.requests) == 1
    office.receivers.answer = lambda _: answering(200)
    clock.advance(minutes=5)
    await office.work()
    assert [request.headers["X-Service-Sequence"] for request in office.receivers.requests] == [
        "1", "1", "2",
    ]  # fmt: skip


async def test_what_is_on_its_way_when_order_becomes_strict_is_tried_again(
    office: Office, house: House, clock: ManualClock
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell(number=1)
    await office.work()
    await office.tell(number=2)
    await office.relay()
    async with house.database.transaction() as db:
        uuid = await db.fetch_value("select uuid from webhooks")
        (second,) = await queue.lease_deliveries(db, [queue.LaneQuota(uuid, 1, 10)], sender=1)
        changing = asyncio.create_task(change(office, webhook, ordering="strict"))
        await waiting(house, what=LOCKED)
    await changing
    async with house.database.transaction() as db:
        failed = NextStep("pending", 1, NOON + timedelta(minutes=5))
        await queue.record_attempts(
            db, [queue.EndedAttempt(second, failed, NOON, answering(500), {})]
        )
    office.receivers.answer = lambda _: answering(200)
    clock.advance(minutes=5)
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]


async def test_what_is_replayed_while_old_deliveries_are_looked_for_stays(
    office: Office, house: House, clock: ManualClock
) -> None:
    await office.register()
    await office.tell()
    await office.work()
    clock.advance(days=31)
    (old,) = await office.deliveries()
    again = f"/int/v1/webhook-deliveries/{old['id']}/replay"
    async with house.database.transaction() as db:
        await queue.lock_queues(db, [await db.fetch_value("select uuid from webhooks")])
        replaying = asyncio.create_task(office.firm.admin.post(again))
        await waiting(house)
        sweeping = asyncio.create_task(sweep.step(house.database, timedelta(days=30)))
        await waiting(house, 2)
    assert (await replaying).status_code == 202
    await sweeping
    await office.work()
    assert len(office.receivers.requests) == 2
    assert await states(office) == ["succeeded"]


async def test_replaying_what_gives_way_at_that_moment_locks_nobody_out(
    office: Office, house: House
) -> None:
    locked = await house.value(DEADLOCKS)
    await office.register()
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1", 1)
    await office.relay()
    (first,) = await office.deliveries()
    again = f"/int/v1/webhook-deliveries/{first['id']}/replay"
    async with house.database.transaction() as db:
        await queue.lock_queues(db, [await db.fetch_value("select uuid from webhooks")])
        replaying = asyncio.create_task(office.firm.admin.post(again))
        await waiting(house)
        later = await outbox.emit(
            db, office.firm.uuid, Name.DRIVER_LOCATION_CHANGED, Told("driver_1", 2),
            subject="driver_1",
        )  # fmt: skip
        await fanout.create_deliveries(db, [later])
    assert (await replaying).status_code == 202
    assert await house.value(DEADLOCKS) == locked


async def test_looking_for_what_to_replay_holds_nobody_up(office: Office, house: House) -> None:
    await office.register()
    await office.tell()
    await office.work()
    wish = {"filter": {"state": ["succeeded"]}, "limit": 1}
    async with house.database.transaction() as db:
        await db.execute("lock table webhook_attempts in access exclusive mode")
        replaying = asyncio.create_task(
            office.firm.admin.post("/int/v1/webhook-deliveries/replay", json=wish)
        )
        await waiting(house, what=LOCKED.replace("transactionid", "relation"))
        await office.tell(subject="order_2")
        async with asyncio.timeout(PATIENCE):
            await office.relay()
    assert (await replaying).json()["replayed"] == 1
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]


async def test_what_is_held_for_too_long_leaves_and_lets_the_next_of_its_thread_go(
    office: Office, house: House, clock: ManualClock
) -> None:
    webhook = await office.register(state="paused")
    await office.tell(number=1)
    await office.relay()
    clock.advance(days=29)
    await office.tell(number=2)
    await office.relay()
    clock.advance(days=2)
    assert await sweep.step(house.database, timedelta(days=30))
    assert not await sweep.step(house.database, timedelta(days=30))
    await change(office, webhook, state="enabled")
    await office.work()
    assert [row["sequence"] for row in await office.deliveries()] == [2]
    assert await states(office) == ["succeeded"]


async def test_a_place_that_gives_way_passes_its_turn_on(office: Office, house: House) -> None:
    webhook = await office.register(state="paused")
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1", 1)
    await office.tell(Name.DRIVER_ONLINE, "driver_1")
    await office.relay()
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1", 2)
    await office.relay()
    await change(office, webhook, state="enabled")
    await office.work()
    sent = [request.headers["X-Service-Event"] for request in office.receivers.requests]
    assert sent == ["driver.online", "driver.location_changed"]
    assert await house.value("select count(*) from webhook_queue") == 0


def test_an_alarm_rings_on_the_loop_that_the_worker_runs_on(database_url: str) -> None:
    """uvloop's handles do not tell when they ring: a rate and a backlog once stopped the worker."""

    async def ring_twice() -> None:
        database = await connect(database_url, clock=SystemClock(), keys=Keyring(SECRET))
        sender = WebhookSender(database, WebhookClient(load({})), SoleMember(), max_in_flight=8)
        try:
            for milliseconds in (900, 20, 500):
                now = database.clock.now()
                sender.wakeup.set_at_earliest([now + timedelta(milliseconds=milliseconds)], now)
            async with asyncio.timeout(PATIENCE):
                await sender.wakeup.wait()
        finally:
            await sender.close()
            await database.close()

    uvloop.run(ring_twice())


CLAIMS = "select count(*) from webhook_claims"


async def test_a_claim_leaves_with_the_next_one_when_all_of_it_has_been_recorded(
    office: Office, house: House
) -> None:
    await office.register()
    for number in range(3):
        await office.tell(subject=f"order_{number}")
        await office.work()
    assert await house.value(CLAIMS) == 1
    assert await house.value("select deliveries from webhook_claims") == [
        await house.value("select uuid from webhook_deliveries where subject = 'order_2'")
    ]


async def test_what_was_taken_is_found_by_its_claim_which_leaves_after_it(
    office: Office, house: House, clock: ManualClock
) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    async with house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        (taken,) = await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 1, 10)], sender=7)
    clock.advance(seconds=10)
    async with house.database.transaction() as db:
        assert await reaping.list_senders(db) == [7]
        assert await reaping.recover_deliveries(db, []) == 0
    async with house.database.transaction() as db:
        recording = await db.fetch_value("select delivery from webhook_queue for update")
        async with house.database.transaction() as other:
            assert await reaping.recover_deliveries(other, [7]) == 0, "somebody may be recording it"
    assert recording == taken.uuid
    assert await house.value(CLAIMS) == 1
    for lost in (1, 0):
        async with house.database.transaction() as db:
            assert await reaping.recover_deliveries(db, [7]) == lost
        assert await house.value(CLAIMS) == 0
    assert await states(office) == ["pending"]


async def test_a_lease_that_has_run_out_is_found_whoever_has_it(
    office: Office, house: House, clock: ManualClock
) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    async with house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        assert await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 1, 10)], sender=7)
    for seconds, lost in ((24, 0), (1, 1)):
        clock.advance(seconds=seconds)
        async with house.database.transaction() as db:
            assert await reaping.recover_deliveries(db, []) == lost
    assert await states(office) == ["pending"]


async def test_what_cannot_be_recorded_at_all_keeps_its_claim(
    office: Office, house: House, clock: ManualClock
) -> None:
    await office.register()
    await office.tell(subject="order_1")
    async with house.database.transaction() as db:
        await db.execute("alter table webhook_attempts add constraint never check (number > 1)")
    try:
        await office.work()
        await office.tell(subject="order_2")
        await office.work()
        assert await house.value(CLAIMS) == 2
    finally:
        async with house.database.transaction() as db:
            await db.execute("alter table webhook_attempts drop constraint never")
    clock.advance(seconds=60)
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]


async def test_what_two_claims_of_a_dead_worker_name_is_taken_back_once(
    office: Office, house: House
) -> None:
    webhook = await office.register()
    for number in (1, 2):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    wish = [queue.LaneQuota(UUID(webhook["uuid"]), 2, 10)]
    async with house.database.transaction() as db:
        stale, slow = await queue.lease_deliveries(db, wish, sender=7)
    async with house.database.transaction() as db:
        answer = AttemptResult(outcome="disconnected", stale=True)
        await queue.record_attempts(
            db, [EndedAttempt(stale, NextStep("pending", 0, db.now), db.now, answer, {})]
        )
    async with house.database.transaction() as db:
        (again,) = await queue.lease_deliveries(db, wish, sender=7)
    assert (again.uuid, again.attempts) == (stale.uuid, 2)
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]
    log = [(await office.delivery(one.public_id))["attempt_log"] for one in (stale, slow)]
    assert [[one["outcome"] for one in attempts] for attempts in log] == [
        ["disconnected", "interrupted", "succeeded"],
        ["interrupted", "succeeded"],
    ]
