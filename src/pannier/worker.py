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
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from pannier import child_process
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.accounts.company_settings.retention import Retention
from pannier.accounts.sweep import AUDIT
from pannier.accounts.tokens.sweep import TOKENS
from pannier.alerts.sweep import ALERTS
from pannier.backups import schedule
from pannier.conversations import sweep as chats
from pannier.customers.providers import replays
from pannier.customers.providers.registry import ProviderRegistry
from pannier.db import Database, heartbeats, retention
from pannier.db.clock import ClockWrong
from pannier.db.connection_pool import Overloaded
from pannier.db.database import is_transient
from pannier.db.versions import ProgramOutdated, read_version
from pannier.devices import deferred, derived, partitions, rule_evaluation, status_events
from pannier.devices import store as devices_store
from pannier.devices import sweep as devices_sweep
from pannier.devices.brokers.claimed_tasks import ClaimedTasks
from pannier.devices.events import hourly_sums
from pannier.devices.sweep import REJECTS
from pannier.devices.temperature_alerts import close_silent_alerts
from pannier.devices.trips.service import TRIPS
from pannier.events import outbox, relay
from pannier.events import sweep as events_sweep
from pannier.files import sweep as files_sweep
from pannier.files.storage import Storage
from pannier.fleet import moves
from pannier.imports import service as imports
from pannier.imports import sweep as imports_sweep
from pannier.imports.runner import ImportRunner
from pannier.invoices import erasure as invoices
from pannier.jobs import silence
from pannier.news import processor
from pannier.news import subscriber as news
from pannier.news.sweep import NEWS
from pannier.notifications import service as messages
from pannier.notifications.sender import MessageSender
from pannier.notifications.sweep import MESSAGES
from pannier.orders import aggregate, remeasure, repricing, roads, unpaid
from pannier.orders import sweep as orders_sweep
from pannier.orders.driver_days import late_alerts
from pannier.orders.driver_days import refresh as driver_days
from pannier.orders.recurring import sweep as recurring_orders
from pannier.parked import service as parking
from pannier.parked import sweep as parked_sweep
from pannier.payments import billing_identities as identities
from pannier.payments import facts
from pannier.payments import sweep as payments_sweep
from pannier.payments.configuration import make_gateway
from pannier.places import geocoding_worker
from pannier.places import queries as places
from pannier.planning import service as planning
from pannier.planning import sweep as planning_sweep
from pannier.planning.runner import PlanRunner
from pannier.privacy import departures, erasure
from pannier.rates import changed as changed_rates
from pannier.reports import refresh as reports
from pannier.reports import weekly as weekly_reports
from pannier.routing.configuration import create_geocoder, create_router
from pannier.settings import Settings
from pannier.subscribers import RETRIES, SUBSCRIBERS
from pannier.verification import sweep as verification_sweep
from pannier.web import budgets, idempotency
from pannier.web.logs import log
from pannier.webhooks import fanout
from pannier.webhooks import sweep as webhooks_sweep
from pannier.webhooks.sender import WebhookSender

HEARTBEAT: Final = "heartbeat"
HEARTBEAT_SECONDS: Final = 5.0
# After this time without success or failure, the heartbeat hangs. Outages fail sooner.
HEARTBEAT_TIMEOUT_SECONDS: Final = 90.0
EVERY_HALF_SECOND, EVERY_SECOND, EVERY_FIVE_SECONDS = 0.5, 1.0, 5.0
EVERY_MINUTE, EVERY_HOUR = 60.0, 3600.0
MAX_PAUSE_SECONDS: Final = 30.0

Step = Callable[[], Awaitable[bool]]


class Job(NamedTuple):
    """A step, and its polling interval in seconds.

    A notification on `channel` runs the step at once. A step that learns of work in this process
    passes its own event in `wakeup`.
    """

    name: str
    step: Step
    interval_seconds: float
    channel: str | None = None
    wakeup: asyncio.Event | None = None


def list_jobs(
    database: Database,
    settings: Settings,
    message_senders: Sequence[MessageSender],
    storage: Storage,
    webhooks: WebhookSender,
    streams: Sequence[ClaimedTasks] = (),
    *,
    stop: asyncio.Event | None = None,
) -> Sequence[Job]:
    """List all background jobs. Long-running ones end when `stop` is set."""
    import_retention = timedelta(days=settings.import_retention_days)
    import_step = ImportRunner(database, storage, stop=stop).step
    plan_retention = timedelta(days=settings.plan_retention_days)
    event_retention = timedelta(days=settings.retention_days)
    webhook_retention = min(timedelta(days=settings.webhook_retention_days), event_retention)
    billing_retention = timedelta(days=settings.billing_retention_days)
    audit_retention = timedelta(days=settings.audit_retention_days)
    position_retention = timedelta(days=settings.position_retention_days)
    device_retention = Retention.from_settings(settings)
    reject_retention = timedelta(days=settings.other_reading_retention_days)
    token_retention = timedelta(days=settings.token_retention_days)
    bounds = InstallationLimits.from_settings(settings)
    gateway, providers = make_gateway(settings, database.clock), ProviderRegistry(settings)
    return (
        Job("relay", relay.Relay(database, SUBSCRIBERS).step, EVERY_SECOND, outbox.CHANNEL),
        Job(processor.STEP, processor.NewsProcessor(database).step, EVERY_SECOND, news.CHANNEL),
        Job("webhooks", webhooks.step, EVERY_HALF_SECOND, fanout.CHANNEL, webhooks.wakeup),
        Job(orders_sweep.STEP, lambda: orders_sweep.step(database), EVERY_SECOND),
        Job("late orders", late_alerts.LateOrderWatcher(database).step, EVERY_MINUTE),
        Job(recurring_orders.STEP, lambda: recurring_orders.step(database), EVERY_FIVE_SECONDS),
        Job(unpaid.STEP, lambda: unpaid.step(database), EVERY_MINUTE),
        Job(remeasure.STEP, lambda: remeasure.step(database), EVERY_MINUTE, places.MOVED_CHANNEL),
        Job(repricing.STEP, lambda: repricing.step(database), EVERY_MINUTE, changed_rates.CHANNEL),
        Job(
            rule_evaluation.STEP_NAME,
            lambda: rule_evaluation.step(database),
            EVERY_SECOND,
            devices_store.CHANNEL,
        ),
        Job("deferred device effects", lambda: deferred.step(database, bounds), EVERY_FIVE_SECONDS),
        Job("silent devices", lambda: status_events.step(database), EVERY_SECOND),
        Job("moves", lambda: moves.step(database, bounds.locations), EVERY_SECOND),
        Job("silent sensors", lambda: close_silent_alerts(database), EVERY_MINUTE),
        *_list_routing_jobs(database, settings),
        *_list_planning_jobs(database, settings, stop),
        *(Job(stream.name, stream.step, EVERY_SECOND) for stream in streams),
        *(
            Job(f"{each.name} messages", each.step, EVERY_SECOND, messages.CHANNEL, each.wakeup)
            for each in message_senders
        ),
        Job(
            "parked work",
            lambda: parked_sweep.step(database, RETRIES),
            EVERY_MINUTE,
            parking.CHANNEL,
        ),
        Job("device counts", lambda: hourly_sums.step(database), EVERY_FIVE_SECONDS),
        Job("old device batches", lambda: hourly_sums.purge(database), EVERY_HOUR),
        Job(
            "restored device batches",
            lambda: hourly_sums.renumber_restored_batches(database),
            EVERY_HOUR,
        ),
        Job(
            "canceled deliveries", lambda: webhooks_sweep.cancel_deliveries(database), EVERY_MINUTE
        ),
        Job(
            "old events",
            lambda: events_sweep.step(database, event_retention, webhooks_sweep.NEEDS_EVENT),
            EVERY_HOUR,
        ),
        Job("imports", import_step, EVERY_SECOND, imports.CHANNEL),
        Job("old imports", lambda: imports_sweep.step(database, import_retention), EVERY_HOUR),
        Job("reports", reports.ReportRefresher(database).step, EVERY_FIVE_SECONDS),
        Job("weekly reports", lambda: weekly_reports.step(database), EVERY_MINUTE),
        Job("old plans", lambda: planning_sweep.step(database, plan_retention), EVERY_HOUR),
        Job("old quotes", lambda: orders_sweep.purge(database, event_retention), EVERY_HOUR),
        Job(
            "old parked work",
            lambda: parked_sweep.OLD_PARKED.delete_batch(database, event_retention),
            EVERY_HOUR,
        ),
        Job("old deliveries", lambda: webhooks_sweep.step(database, webhook_retention), EVERY_HOUR),
        Job("old chats", lambda: chats.delete_batch(database, event_retention), EVERY_HOUR),
        Job("old messages", lambda: MESSAGES.delete_batch(database, event_retention), EVERY_HOUR),
        Job("old alerts", lambda: ALERTS.delete_batch(database, event_retention), EVERY_HOUR),
        Job("old news", lambda: NEWS.delete_batch(database, event_retention), EVERY_HOUR),
        Job("billing identities", lambda: identities.step(database, billing_retention), EVERY_HOUR),
        Job("erased buyers", lambda: invoices.step(database, billing_retention), EVERY_HOUR),
        Job("old audit entries", lambda: AUDIT.delete_batch(database, audit_retention), EVERY_HOUR),
        Job("old trips", lambda: TRIPS.delete_batch(database, position_retention), EVERY_HOUR),
        Job(
            "old decision times",
            lambda: derived.purge_decisions(database, position_retention),
            EVERY_HOUR,
        ),
        Job("partitions of device events", lambda: partitions.step(database), EVERY_MINUTE),
        Job(
            "old device events", lambda: devices_sweep.step(database, device_retention), EVERY_HOUR
        ),
        Job("old clock corrections", lambda: devices_sweep.purge_corrections(database), EVERY_HOUR),
        Job("old rejects", lambda: REJECTS.delete_batch(database, reject_retention), EVERY_HOUR),
        Job("closed accounts", lambda: erasure.step(database), EVERY_MINUTE),
        Job(
            "payments", lambda: payments_sweep.step(database, gateway), EVERY_SECOND, facts.CHANNEL
        ),
        Job(
            "unmatched refunds",
            lambda: payments_sweep.purge_unmatched_refunds(database),
            EVERY_HOUR,
        ),
        Job("departures", lambda: departures.step(database, gateway, providers), EVERY_MINUTE),
        Job("expired tokens", lambda: TOKENS.delete_batch(database, token_retention), EVERY_HOUR),
        Job("used provider tokens", lambda: replays.sweep(database), EVERY_HOUR),
        Job("old codes", lambda: verification_sweep.step(database), EVERY_HOUR),
        Job("expired responses", lambda: idempotency.sweep(database), EVERY_HOUR),
        Job("old budgets", lambda: budgets.sweep(database), EVERY_HOUR),
        Job(schedule.STEP, schedule.BackupSchedule(database, settings, stop).step, EVERY_MINUTE),
        Job("orphaned files", lambda: files_sweep.step(database, storage), EVERY_HOUR),
    )


def _list_routing_jobs(database: Database, settings: Settings) -> Iterator[Job]:
    """List the jobs that measure routes or search addresses."""
    router = create_router(settings, database.clock)
    geocoder = create_geocoder(settings, database.clock)
    yield Job("ETAs", driver_days.EtaRefresher(database, router).step, EVERY_FIVE_SECONDS)
    yield Job("missed drivers", lambda: driver_days.add_missing_runs(database), EVERY_HOUR)
    if settings.router != "none":
        yield Job(
            "roads", lambda: roads.step(database, router), EVERY_MINUTE, aggregate.ROUTES_CHANNEL
        )
    if geocoder is not None:
        locator = geocoding_worker.GeocodingWorker(database, geocoder)
        yield Job("points", locator.step, EVERY_MINUTE, geocoding_worker.CHANNEL)


def _list_planning_jobs(
    database: Database, settings: Settings, stop: asyncio.Event | None
) -> Iterator[Job]:
    """List a job for each plan that the worker can make concurrently."""
    router = create_router(settings, database.clock)
    for number in range(1, settings.planners + 1):
        runner = PlanRunner(database, router, memory_mebibytes=settings.planner_memory, stop=stop)
        yield Job(f"plans {number}", runner.step, EVERY_SECOND, planning.CHANNEL)


class Worker:
    """Runs jobs concurrently."""

    def __init__(self, database: Database, jobs: Sequence[Job]) -> None:
        self._database, self._jobs = database, jobs
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._started_at = database.clock.now()
        self._stopping = asyncio.Event()
        self._heartbeat_at = self._stop_requested_at = time.monotonic()
        self._wakeups = {job.name: job.wakeup or asyncio.Event() for job in jobs}
        # Set once a heartbeat has seen that the installation is not silent. Until then, no job
        # runs: none of them sends, dispatches, charges or deletes anything.
        self._may_work = asyncio.Event()
        self._has_reported_silence = False

    def stop(self) -> None:
        """Ask the worker to stop after its running steps."""
        self._stop_requested_at = time.monotonic()
        self._stopping.set()
        self._may_work.set()
        for wakeup in self._wakeups.values():
            wakeup.set()

    def seconds_since_stop(self) -> float:
        """Return the seconds since the stop was requested."""
        return time.monotonic() - self._stop_requested_at

    def is_alive(self) -> bool:
        """Return whether the heartbeat still runs, even if the database is unavailable."""
        return time.monotonic() - self._heartbeat_at < HEARTBEAT_TIMEOUT_SECONDS

    async def run(self) -> None:
        heartbeat = Job(HEARTBEAT, self.record_heartbeat, HEARTBEAT_SECONDS)
        self._wakeups[heartbeat.name] = asyncio.Event()
        with ExitStack() as listeners:
            for job in self._jobs:
                if job.channel is not None:
                    wakeup = self._wakeups[job.name]
                    listeners.enter_context(self._database.listener.listen(job.channel, wakeup))
            async with asyncio.TaskGroup() as group:
                for job in (heartbeat, *self._jobs):
                    group.create_task(self._repeat_job(job), name=job.name)

    async def record_heartbeat(self) -> bool:
        """Record a heartbeat.

        Raise ClockWrong if this machine's clock is too far off, and ProgramOutdated if a newer
        release has migrated the database and does not allow this one beside it.
        """
        await self._database.measure_clock()
        await self._database.check_version()
        async with self._database.transaction() as db:
            await db.require_safe_clock()
            await db.execute(
                heartbeats.BEAT,
                worker=self._name,
                started_at=self._started_at,
                secret=self._database.keys.fingerprint(),
                version=read_version(),
            )
            await retention.delete(db, heartbeats.DELETE_OLD)
            await retention.delete(db, heartbeats.DELETE_OLD_API)
            # After the beat: a restore refuses a database with heartbeats, or makes the first one
            # wait for its end. So no worker misses that a restore has made it silent.
            silent_since = await silence.find_start(db)
        self._respect_silence(silent_since)
        return False

    def _respect_silence(self, silent_since: datetime | None) -> None:
        """Let the jobs run, unless this installation was restored and not resumed yet."""
        if silent_since is None:
            self._may_work.set()
        elif not self._has_reported_silence:
            self._has_reported_silence = True
            log.warning("worker is silent until `pannier resume`", since=silent_since.isoformat())

    async def _repeat_job(self, job: Job) -> None:
        wakeup, failures = self._wakeups[job.name], 0
        if job.name != HEARTBEAT:
            await self._may_work.wait()
        while not self._stopping.is_set():
            pause = job.interval_seconds
            try:
                if await job.step():
                    pause = 0
                failures = 0
            except ClockWrong:
                self._stop_early("worker stops until the clock is set")
            except ProgramOutdated:
                self._stop_early("worker stops because a newer release needs newer workers")
            except Exception as failure:  # noqa: BLE001 - a step must not end the worker
                failures += 1
                pause = min(0.5 * 2**failures, MAX_PAUSE_SECONDS)
                # Other code logs an unavailable database. Only a defect gets a traceback.
                is_disconnect = isinstance(failure, ConnectionError)
                unexpected_failure = None if is_transient(failure) or is_disconnect else failure
                reason = {"reason": str(failure)} if is_disconnect else {}
                # A full connection pool is not an error.
                report = log.warning if isinstance(failure, Overloaded) else log.error
                report("step failed", step=job.name, exc_info=unexpected_failure, **reason)
            if pause and not self._stopping.is_set():
                await wait_for_event(wakeup, pause)
            if job.name == HEARTBEAT:
                self._heartbeat_at = time.monotonic()
            wakeup.clear()

    def _stop_early(self, reason: str) -> None:
        """Stop after the running steps, because this process must not lease or delete anything."""
        if not self._stopping.is_set():
            log.error(reason)
            self.stop()


async def wait_for_event(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, at most for the given seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def create_stop_event() -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set. Later, the kernel kills the process."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop() -> None:
        child_process.schedule_kill()
        event.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    return event


async def run(worker: Worker, stop: asyncio.Event) -> None:
    """Run the worker until `stop` is set, or until this machine's clock is too far off."""
    stop_task = asyncio.create_task(stop.wait())
    stop_task.add_done_callback(lambda _: worker.stop())
    try:
        await worker.run()
    finally:
        stop_task.cancel()
