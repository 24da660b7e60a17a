"""A process whose clock is wrong harms nobody, whichever process it is.

The database's clock is the test's; the wrong machine has connections of its own to it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from structlog.testing import capture_logs

from devices.gear import device, flush, position
from invoices.desk import Desk
from pannier import worker as background
from pannier.accounts.company_settings.retention import Retention
from pannier.db import Database, connect
from pannier.db.clock import ClockWrong
from pannier.devices import partitions
from pannier.devices import sweep as devices_sweep
from pannier.devices.event_types import RetentionClass
from pannier.devices.outcomes import Submission
from pannier.files.storage import make_storage
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.notifications import service as notifications
from pannier.notifications.sender import MessageSender
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from stage import NOON, SECRET, Firm, House
from webhooks.office import Office, Receivers, answering

MONTHS, SECONDS = timedelta(days=120), timedelta(seconds=50)
# What no moment decides: it is told, counted or made once, whatever the time is.
TIMELESS = {
    "relay", "news", "scheduled orders", "moved places", "unpriced orders", "unpaid orders",
    "rules", "silent devices", "deferred device effects", "device counts",
    "restored device batches", "canceled deliveries", "partitions of device events",
    "points", "ETAs", "missed drivers", "late orders", "moves", "backups", "silent sensors",
}  # fmt: skip


class Machine:
    """The clock of a machine that is ahead of the database."""

    def __init__(self, clock: ManualClock, ahead: timedelta) -> None:
        self._clock, self._ahead = clock, ahead

    def now(self) -> datetime:
        return self._clock.now() + self._ahead


class Beside(SoleMember):
    """A worker beside another one that is alive."""

    def list_dead_senders(self, senders: Collection[int]) -> list[int]:  # noqa: ARG002 - as the protocol has it
        return []


Opening = Callable[[timedelta], Awaitable[Database]]


@pytest.fixture
async def wrong(database_url: str, house: House) -> AsyncIterator[Opening]:
    """Open the database as it is now, from a machine whose clock is ahead."""
    opened: list[Database] = []
    mark = "&" if "?" in database_url else "?"

    async def opening(ahead: timedelta) -> Database:
        now = urlencode({"pannier.now": house.clock.now().isoformat()})
        clock: Any = Machine(house.clock, ahead)
        url = f"{database_url}{mark}{now}"
        opened.append(await connect(url, clock=clock, keys=Keyring(SECRET), size=2))
        return opened[-1]

    yield opening
    for database in opened:
        await database.close()


def jobs(house: House, database: Database) -> list[background.Job]:
    sender = WebhookSender(database, Receivers(house), SoleMember(), max_in_flight=1)
    outgoing = [MessageSender(database, "sms", Phone())]
    storage = make_storage(house.settings)
    return list(background.list_jobs(database, house.settings, outgoing, storage, sender))


class Phone:
    """An SMS provider that takes its time."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.arrived, self.answers = asyncio.Event(), asyncio.Event()

    async def deliver(self, to: str, subject: str, text: str, *_: object) -> None:  # noqa: ARG002 - as the protocol has it
        self.received.append(text)
        self.arrived.set()
        await self.answers.wait()


async def test_the_first_transaction_of_a_process_has_the_databases_time(
    wrong: Opening,
) -> None:
    async with (await wrong(MONTHS)).transaction() as db:
        assert abs(db.now - NOON) < timedelta(seconds=30)


async def test_a_process_months_ahead_neither_leases_nor_deletes_whatever_it_runs(
    house: House, wrong: Opening
) -> None:
    refused, done = set(), set()
    for job in jobs(house, await wrong(MONTHS)):
        try:
            await job.step()
        except ClockWrong:
            refused.add(job.name)
        else:
            done.add(job.name)
    assert done == TIMELESS
    assert {"webhooks", "sms messages", "parked work", "old device events"} <= refused


async def test_a_worker_months_ahead_stops_at_the_first_step_that_says_so(
    house: House, wrong: Opening
) -> None:
    database = await wrong(MONTHS)
    worker = background.Worker(database, jobs(house, database))
    with capture_logs() as logs:
        await asyncio.wait_for(worker.run(), 30)
    said = [entry["event"] for entry in logs]
    assert said.count("worker stops until the clock is set") == 1
    assert "step failed" not in said


async def test_a_ping_is_refused_where_the_clock_is_months_ahead(
    acme: Firm, house: House, wrong: Opening
) -> None:
    made = await Office.of(acme).register()
    house.edge.database, right = await wrong(MONTHS), house.edge.database
    try:
        answer = await acme.admin.post(f"/int/v1/webhooks/{made['id']}/ping")
    finally:
        house.edge.database = right
    assert (answer.status_code, answer.json()["code"]) == (503, "clock_wrong")


async def test_no_invoice_is_dated_where_the_clock_is_months_ahead(
    acme: Firm, house: House, wrong: Opening
) -> None:
    desk = Desk(acme)
    await desk.configure(currency="EUR")
    customer = await desk.customer()
    await desk.charged(customer)
    draft = await desk.draft(customer)
    house.edge.database, right = await wrong(MONTHS), house.edge.database
    try:
        answer = await acme.api.post(f"/v1/invoices/{draft['id']}/issue")
    finally:
        house.edge.database = right
    assert (answer.status_code, answer.json()["code"]) == (503, "clock_wrong")
    assert (await desk.issue(draft))["number"] == "INV-2026-00001"


async def keep_positions(firm: Firm, days: int) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json={"retention": {"positions": days}})
    assert answer.status_code == 200, answer.text


async def stored(house: House) -> tuple[int, int, int, int]:
    """Count device events, their partitions, corrections and rejects."""
    counted = await house.value(
        """select array[(select count(*) from device_events), (select count(*) from pg_inherits),
                        (select count(*) from device_corrections),
                        (select count(*) from device_rejects)]"""
    )
    events, tables, corrections, rejects = counted
    return events, tables, corrections, rejects


async def test_a_process_months_ahead_drops_no_partition_and_deletes_no_device_event(
    acme: Firm, rival: Firm, house: House, wrong: Opening
) -> None:
    await keep_positions(rival, 30)
    ours, theirs = await device(acme), await device(rival)
    moments = [NOON - timedelta(days=days) for days in (80, 20, 0)]
    readings = [position(key, moment) for key, moment in enumerate(moments)]
    nobodys = position(9, name="nobody")
    await flush(
        house, Submission(ours.own, [*readings, nobodys]), Submission(theirs.own, readings[1:])
    )
    before, database = await stored(house), await wrong(MONTHS)
    keep = Retention.from_settings(house.settings)
    for sweep in (
        lambda: devices_sweep.step(database, keep),
        lambda: devices_sweep.purge_corrections(database),
        lambda: devices_sweep.REJECTS.delete_batch(database, timedelta(days=90)),
    ):
        with suppress(ClockWrong):
            await sweep()
    assert await stored(house) == before


async def test_a_process_seconds_ahead_drops_partitions_by_the_databases_time(
    acme: Firm, house: House, wrong: Opening
) -> None:
    one, keep = await device(acme), Retention.from_settings(house.settings)
    await flush(house, Submission(one.own, [position(1)]))
    full = partitions.find_partition(RetentionClass.POSITION, NOON)
    there = "select to_regclass(:name) is not null"
    over = full.until + timedelta(days=keep.positions)
    house.clock.advance(seconds=(over - NOON).total_seconds() - 30)
    await devices_sweep.step(await wrong(SECONDS), keep)
    assert await house.value(there, name=full.name)
    house.clock.advance(seconds=30)
    await devices_sweep.step(house.database, keep)
    assert not await house.value(there, name=full.name), "else it had not been the moment"


@pytest.mark.usefixtures("rival")  # who keeps events longer, so that the partition stays
async def test_a_process_seconds_ahead_deletes_device_events_by_the_databases_time(
    acme: Firm, house: House, wrong: Opening
) -> None:
    one, keep = await device(acme), Retention.from_settings(house.settings)
    await keep_positions(acme, 7)
    await flush(house, Submission(one.own, [position(1)]))
    house.clock.advance(days=7, seconds=-30)
    assert not await devices_sweep.step(await wrong(SECONDS), keep)
    house.clock.advance(seconds=31)
    assert await devices_sweep.step(house.database, keep), "else it had not been the moment"


async def test_a_worker_seconds_ahead_sends_no_message_that_another_one_has(
    acme: Firm, house: House, wrong: Opening
) -> None:
    phone = Phone()
    async with house.database.transaction() as db:
        await notifications.queue_message(db, acme.uuid, "sms", "+6591234567", "On its way.")
    right = MessageSender(house.database, "sms", phone)
    await right.step()
    await phone.arrived.wait()
    # By the wrong clock, the lease of two minutes has lapsed.
    house.clock.advance(seconds=90)
    other = MessageSender(await wrong(SECONDS), "sms", phone)
    assert not await other.step()
    phone.answers.set()
    await right.wait_until_idle()
    await other.wait_until_idle()
    assert phone.received == ["On its way."]
    assert await house.value("select state from messages") == "sent"


async def test_a_worker_seconds_ahead_sends_no_delivery_that_another_one_has(
    acme: Firm, house: House, wrong: Opening
) -> None:
    arrived, answers = asyncio.Event(), asyncio.Event()

    async def slowly(_: object) -> Any:
        arrived.set()
        await answers.wait()
        return answering(200)

    office = Office.of(acme)
    office.receivers.answer = slowly
    await office.register(timeout=30)
    await office.tell()
    await office.relay()
    await office.sender.step()
    await arrived.wait()
    # By the wrong clock, the lease of 45 seconds has lapsed.
    house.clock.advance(seconds=20)
    other = WebhookSender(await wrong(SECONDS), office.receivers, Beside(2), max_in_flight=64)
    assert not await other.step()
    answers.set()
    await office.sender.wait_until_idle()
    assert len(office.receivers.requests) == 1
    assert await house.value("select array_agg(outcome) from webhook_attempts") == ["succeeded"]
