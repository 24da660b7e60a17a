"""The worker: runs the background jobs, each in its own loop, until it is stopped.

A job's step does a bounded amount of work and returns whether there was any. An idle job waits for
a database notification or for its interval. A failed step is logged and retried after a pause.
"""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import timedelta
from typing import Final, NamedTuple

from pannier import lifeline
from pannier.accounts.company_settings.models import Bounds
from pannier.accounts.company_settings.retention import Retention
from pannier.accounts.sweep import AUDIT
from pannier.accounts.tokens.sweep import TOKENS
from pannier.customers.providers import replays
from pannier.customers.providers.registry import Providers
from pannier.db import Database, heartbeats, retention
from pannier.db.clock import ClockWrong
from pannier.db.connections import CONFUSED, Overloaded
from pannier.db.pool import TRANSIENT, passing
from pannier.devices import derived, deriving, partitions, puttingoff, silent
from pannier.devices import store as devices_store
from pannier.devices import sweep as devices_sweep
from pannier.devices.events import tally
from pannier.devices.streams.shares import Shares
from pannier.devices.trips.service import TRIPS
from pannier.events import outbox, relay
from pannier.events import sweep as events_sweep
from pannier.files import sweep as files_sweep
from pannier.files.storage import Storage
from pannier.news import subscriber as news
from pannier.news import teller
from pannier.news.sweep import NEWS
from pannier.news.teller import Teller
from pannier.notifications import service as messages
from pannier.notifications.sender import Sender as MessageSender
from pannier.notifications.sweep import MESSAGES
from pannier.orders import aggregate, remeasure, roads
from pannier.orders import sweep as orders_sweep
from pannier.orders.quotes import sweep as quotes_sweep
from pannier.parked import service as parking
from pannier.parked import sweep as parked_sweep
from pannier.parked.sweep import Retries
from pannier.payments import facts
from pannier.payments import sweep as payments_sweep
from pannier.payments.configuration import gateway_of
from pannier.places import locating
from pannier.places import queries as places
from pannier.places.locating import Locator
from pannier.privacy import departures, erasure
from pannier.routing.configuration import geocoder_of, router_of
from pannier.settings import Settings
from pannier.verification import sweep as verification_sweep
from pannier.web import budgets, idempotency
from pannier.web.logs import log
from pannier.webhooks import fanout
from pannier.webhooks import sweep as webhooks_sweep
from pannier.webhooks.sender import Sender

HEARTBEAT: Final = "heartbeat"
BEAT_EVERY: Final = 5.0
# A heartbeat that neither succeeds nor fails within this time hangs. Outages fail sooner.
HANGS_AFTER: Final = 90.0
# Polling intervals in seconds.
SOONER, SOON, FEW_SECONDS, EACH_MINUTE, HOURLY = 0.5, 1.0, 5.0, 60.0, 3600.0
LONGEST_PAUSE: Final = 30.0

# Receive events in this order, in the relay's transaction.
SUBSCRIBERS: Final[Sequence[relay.Subscriber]] = (news.subscriber, fanout.subscriber)
# By step: the function that retries its parked work.
RETRIES: Final[Retries] = {
    **relay.retries(SUBSCRIBERS),
    teller.STEP: teller.again,
    orders_sweep.STEP: orders_sweep.again,
    remeasure.STEP: remeasure.again,
    deriving.STEP: deriving.again,
}

Step = Callable[[], Awaitable[bool]]


class Job(NamedTuple):
    """A step, and its polling interval in seconds.

    A notification on `channel` runs the step at once. A step that learns of work in this process
    passes its own event in `wakeup`.
    """

    name: str
    step: Step
    every: float
    hears: str | None = None
    bell: asyncio.Event | None = None


def jobs(
    database: Database,
    settings: Settings,
    outgoing: Sequence[MessageSender],
    storage: Storage,
    webhooks: Sender,
    streams: Sequence[Shares] = (),
) -> Sequence[Job]:
    """List all background jobs."""
    keep = timedelta(days=settings.retention_days)
    keep_webhooks = min(timedelta(days=settings.webhook_retention_days), keep)
    keep_audit = timedelta(days=settings.audit_retention_days)
    keep_positions = timedelta(days=settings.position_retention_days)
    keep_devices = Retention.longest(settings)
    keep_rejects = timedelta(days=settings.other_reading_retention_days)
    keep_tokens = timedelta(days=settings.token_retention_days)
    bounds = Bounds.of(settings)
    gateway, providers = gateway_of(settings, database.clock), Providers(settings)
    return (
        Job("relay", relay.Relay(database, SUBSCRIBERS).step, SOON, outbox.CHANNEL),
        Job(teller.STEP, Teller(database).step, SOON, news.CHANNEL),
        Job("webhooks", webhooks.step, SOONER, fanout.CHANNEL, webhooks.bell),
        Job(orders_sweep.STEP, lambda: orders_sweep.step(database), SOON),
        Job(remeasure.STEP, lambda: remeasure.step(database), EACH_MINUTE, places.MOVED),
        Job(deriving.STEP, lambda: deriving.step(database), SOON, devices_store.CHANNEL),
        Job("what devices said last", lambda: puttingoff.step(database, bounds), FEW_SECONDS),
        Job("silent devices", lambda: silent.step(database), SOON),
        *_asking(database, settings),
        *(Job(stream.name, stream.step, SOON) for stream in streams),
        *(
            Job(f"{sender.name} messages", sender.step, SOON, messages.CHANNEL, sender.bell)
            for sender in outgoing
        ),
        Job(
            "parked work",
            lambda: parked_sweep.step(database, RETRIES),
            EACH_MINUTE,
            parking.CHANNEL,
        ),
        Job("device counts", lambda: tally.step(database), FEW_SECONDS),
        Job("old device batches", lambda: tally.forget(database), HOURLY),
        Job("restored device batches", lambda: tally.renumber(database), HOURLY),
        Job("cancelled deliveries", lambda: webhooks_sweep.cancel(database), EACH_MINUTE),
        Job(
            "old events",
            lambda: events_sweep.step(database, keep, webhooks_sweep.NEEDS_EVENT),
            HOURLY,
        ),
        Job("old quotes", lambda: quotes_sweep.step(database, keep), HOURLY),
        Job("old parked work", lambda: parked_sweep.OLD.step(database, keep), HOURLY),
        Job("old deliveries", lambda: webhooks_sweep.step(database, keep_webhooks), HOURLY),
        Job("old messages", lambda: MESSAGES.step(database, keep), HOURLY),
        Job("old news", lambda: NEWS.step(database, keep), HOURLY),
        Job("old audit entries", lambda: AUDIT.step(database, keep_audit), HOURLY),
        Job("old trips", lambda: TRIPS.step(database, keep_positions), HOURLY),
        Job("old derivations", lambda: derived.forget(database, keep_positions), HOURLY),
        Job("partitions of device events", lambda: partitions.step(database), EACH_MINUTE),
        Job("old device events", lambda: devices_sweep.step(database, keep_devices), HOURLY),
        Job("corrected clocks", lambda: devices_sweep.forget_corrections(database), HOURLY),
        Job("old rejects", lambda: devices_sweep.REJECTS.step(database, keep_rejects), HOURLY),
        Job("closed accounts", lambda: erasure.step(database), EACH_MINUTE),
        Job("payments", lambda: payments_sweep.step(database, gateway), SOON, facts.CHANNEL),
        Job("strangers' refunds", lambda: payments_sweep.forget(database), HOURLY),
        Job("departures", lambda: departures.step(database, gateway, providers), EACH_MINUTE),
        Job("ended tokens", lambda: TOKENS.step(database, keep_tokens), HOURLY),
        Job("used proofs", lambda: replays.step(database), HOURLY),
        Job("old codes", lambda: verification_sweep.step(database), HOURLY),
        Job("old answers", lambda: idempotency.sweep(database), HOURLY),
        Job("old budgets", lambda: budgets.sweep(database), HOURLY),
        Job("orphaned files", lambda: files_sweep.step(database, storage), HOURLY),
    )


def _asking(database: Database, settings: Settings) -> Iterator[Job]:
    """List the jobs that call a routing engine or a geocoder, if one is configured."""
    router, geocoder = router_of(settings, database.clock), geocoder_of(settings, database.clock)
    if "router" in database.engines:
        yield Job("roads", lambda: roads.step(database, router), EACH_MINUTE, aggregate.MEASURED)
    if geocoder is not None:
        locator = Locator(database, geocoder)
        yield Job("points", locator.step, EACH_MINUTE, locating.CHANNEL)


class Worker:
    """Runs jobs concurrently."""

    def __init__(self, database: Database, work: Sequence[Job]) -> None:
        self._database, self._work = database, work
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._started = database.clock.now()
        self._stopping = asyncio.Event()
        self._turned_at = self._stopped_at = time.monotonic()
        self._bells = {job.name: job.bell or asyncio.Event() for job in work}

    def stop(self) -> None:
        """Finish the running steps and return."""
        self._stopped_at = time.monotonic()
        self._stopping.set()
        for bell in self._bells.values():
            bell.set()

    def seconds_since_stop(self) -> float:
        """Return the seconds since the stop was requested."""
        return time.monotonic() - self._stopped_at

    def is_alive(self) -> bool:
        """Return whether the heartbeat still runs, even if the database is unavailable."""
        return time.monotonic() - self._turned_at < HANGS_AFTER

    async def run(self) -> None:
        beat = Job(HEARTBEAT, self.beat, BEAT_EVERY)
        self._bells[beat.name] = asyncio.Event()
        with ExitStack() as hearing:
            for job in self._work:
                if job.hears is not None:
                    bell = self._bells[job.name]
                    hearing.enter_context(self._database.ear.hearing(job.hears, bell))
            async with asyncio.TaskGroup() as group:
                for job in (beat, *self._work):
                    group.create_task(self._repeat(job), name=job.name)

    async def beat(self) -> bool:
        """Record a heartbeat. Raise ClockWrong if this machine's clock is too far off."""
        await self._database.measure_clock()
        async with self._database.transaction() as db:
            await db.require_safe_clock()
            await db.execute(
                heartbeats.BEAT,
                worker=self._name,
                started_at=self._started,
                secret=self._database.keys.fingerprint(),
            )
            await retention.delete(db, heartbeats.FORGET)
        return False

    async def _repeat(self, job: Job) -> None:
        bell, failures = self._bells[job.name], 0
        while not self._stopping.is_set():
            pause = job.every
            try:
                if await job.step():
                    pause = 0
                failures = 0
            except ClockWrong:
                self._stop_for_clock()
            except Exception as failure:  # noqa: BLE001 - a step must not end the worker
                failures += 1
                pause = min(0.5 * 2**failures, LONGEST_PAUSE)
                # Other code logs an unavailable database. Only a defect gets a traceback.
                away = isinstance(failure, ConnectionError)
                shown = None if passing(failure) or away else failure
                reason = {"reason": str(failure)} if away else {}
                # A full connection pool is not an error.
                say = log.warning if isinstance(failure, Overloaded) else log.error
                say("step failed", step=job.name, exc_info=shown, **reason)
            if pause and not self._stopping.is_set():
                await _first(bell, pause)
            if job.name == HEARTBEAT:
                self._turned_at = time.monotonic()
            bell.clear()

    def _stop_for_clock(self) -> None:
        """Finish the running steps: with a wrong clock the worker must not lease or delete."""
        if not self._stopping.is_set():
            log.error("worker stops until the clock is set")
            self.stop()


async def _first(bell: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(bell.wait(), seconds)


def stopping() -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set.

    The kernel kills a process that has not ended some seconds after the signal.
    """
    event, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop() -> None:
        lifeline.end_soon()
        event.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    return event


async def run(worker: Worker, stop: asyncio.Event) -> None:
    """Run the worker until `stop` is set, or until this machine's clock is too far off."""
    told = asyncio.create_task(stop.wait())
    told.add_done_callback(lambda _: worker.stop())
    try:
        await worker.run()
    finally:
        told.cancel()


async def await_clock(database: Database, stop: asyncio.Event) -> None:
    """Wait until this machine's clock agrees with the database's, or until `stop` is set."""
    await _measure(database)
    while not (database.clock.is_safe() or stop.is_set()):
        log.error("worker waits until the clock is set")
        await _first(stop, BEAT_EVERY)
        await _measure(database)


async def _measure(database: Database) -> None:
    """Compare the clocks. If the database is unavailable, keep the last measurement."""
    with suppress(*TRANSIENT, *CONFUSED, OSError):
        await database.measure_clock()
