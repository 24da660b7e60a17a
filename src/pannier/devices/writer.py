"""The writer: it stores concurrent submissions together and responds after the commit.

All waiting submissions go into one transaction. A flush waits briefly for as many submissions as
the last one had, or for enough events. The queue is bounded: when the database is slow, senders
get an error and retry. The writer acknowledges nothing before the commit, so no acknowledged event
is lost.

Under high load the effects of events are deferred for a moment, so that one update covers several
transactions.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database, DatabaseUnavailable
from pannier.db.connection_pool import Overloaded
from pannier.db.database import is_transient, should_repeat
from pannier.devices import store
from pannier.devices.flush import Flush
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source
from pannier.devices.store import DeferredEffects
from pannier.errors import TooManyRequests, Unauthenticated
from pannier.settings import Settings
from pannier.web.logs import log

MAX_EVENTS_PER_FLUSH: Final = 5000  # events per transaction
MIN_EVENTS_TO_FLUSH: Final = 500  # with this many events a flush waits no longer
GATHER_SECONDS: Final = 0.005
MAX_WAITING_EVENTS: Final = 20_000
MAX_WAITING_SUBMISSIONS: Final = 4_000
# Each company may always use this fraction of the queue: one in four.
COMPANY_SHARE_DIVISOR: Final = 4
RETRY_AFTER_SECONDS: Final = 2.0
# The database is overloaded, or another transaction holds a lock.
OVERLOAD_ERRORS: Final = (asyncpg.QueryCanceledError, asyncpg.InsufficientResourcesError)
# Effects are applied at once for up to this many devices at a time and per second. For more, they
# are deferred by at most this many seconds.
MAX_IMMEDIATE_DEVICES: Final = 1000
IMMEDIATE_DEVICES_PER_SECOND: Final = 200
DEFER_SECONDS: Final = 3.0
MAX_DEFERRED_EVENTS: Final = 100_000  # events with deferred effects


class Busy(TooManyRequests):
    """Too many device events are waiting to be stored. No events from this request were stored."""

    code = "devices_busy"
    title = "Device events arrive faster than they can be stored."
    remedy = "Retry after the time in `Retry-After`."

    def __init__(self) -> None:
        super().__init__(RETRY_AFTER_SECONDS, self.explain())


class _QueuedSubmission(NamedTuple):
    """A submission in the queue, and the future of its outcome."""

    submission: Submission
    outcome: asyncio.Future[IngestOutcome]
    weight: int  # number of readings and refusals


class Allowance:
    """A token bucket for devices whose effects are applied at once.

    While it stays exceeded, all effects are deferred and applied together soon after.
    """

    def __init__(self, capacity: int, per_second: int) -> None:
        self._capacity, self._per_second = capacity, per_second
        self._level, self._updated_at = 0.0, 0.0

    def count_devices(self, number: int, now: float) -> bool:
        """Count devices, and return whether they exceed the allowance.

        The first devices after a pause never exceed it.
        """
        level = max(0.0, self._level - (now - self._updated_at) * self._per_second)
        self._level, self._updated_at = level + number, now
        if level and self._level > self._capacity:
            self._level = max(level, self._capacity)
            return True
        return False


class Writer:
    """A queue of submissions that stores many in one transaction; one per process."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        max_waiting_events: int = MAX_WAITING_EVENTS,
        max_immediate_devices: int = MAX_IMMEDIATE_DEVICES,
        immediate_devices_per_second: int = IMMEDIATE_DEVICES_PER_SECOND,
        max_deferred_events: int = MAX_DEFERRED_EVENTS,
    ) -> None:
        self._database, self._bounds = database, InstallationLimits.from_settings(settings)
        self._max_waiting_events, self._max_deferred_events = (
            max_waiting_events,
            max_deferred_events,
        )
        self._queue: deque[_QueuedSubmission] = deque()
        self.waiting_events = 0
        self._waiting_by_company = Counter[UUID]()  # waiting events per company
        self._ready = asyncio.Event()
        self._flush_task: asyncio.Task[None] | None = None
        # Number of submissions to wait for. After a flush of several it is the number that had
        # arrived by its end. A sender that was alone does not wait.
        self._expected = 0
        self._closed = False
        self._allowance = Allowance(max_immediate_devices, immediate_devices_per_second)
        self._deferred: list[DeferredEffects] = []
        self._deferred_events = 0  # events with deferred effects, including those being applied
        self._apply_task: asyncio.Task[None] | None = None
        # Set when deferred effects must be applied now: there are many, or we are shutting down.
        self._apply_now = asyncio.Event()

    async def put(
        self,
        source: Source,
        readings: Sequence[Reading],
        refusals: Sequence[ItemRefusal] = (),
        indexes: Sequence[int] | None = None,
    ) -> IngestOutcome:
        """Store readings, and return the outcome after the commit.

        If a request was split, `indexes` has each reading's index in the whole request.
        """
        weight = len(readings) + len(refusals)
        entry = _QueuedSubmission(
            Submission(source, readings, refusals, indexes), asyncio.Future(), weight
        )
        if self._closed or not self._can_queue(entry):
            raise Busy
        self._queue.append(entry)
        self._adjust_waiting_events(entry, entry.weight)
        if self._is_ready():
            self._ready.set()
        if self._flush_task is None:
            self._flush_task = asyncio.create_task(self._flush_queue())
        outcome = await entry.outcome
        if outcome.is_revoked:
            raise Unauthenticated(
                "The credential was revoked or has expired while this request was running."
            )
        return outcome

    def _can_queue(self, entry: _QueuedSubmission) -> bool:
        """Return whether a submission may wait. A single one always may.

        A company with few waiting events is not rejected because another company has many.
        """
        if not self._queue:
            return True
        weight, capacity = self.waiting_events + entry.weight, self._max_waiting_events
        company_weight = self._waiting_by_company[entry.submission.source.company] + entry.weight
        is_small = company_weight <= capacity // COMPANY_SHARE_DIVISOR
        submissions = len(self._queue)
        if is_small and weight <= 2 * capacity and submissions < 2 * MAX_WAITING_SUBMISSIONS:
            return True
        return weight <= capacity and submissions < MAX_WAITING_SUBMISSIONS

    def _adjust_waiting_events(self, entry: _QueuedSubmission, change: int) -> None:
        """Change the number of waiting events, in total and per company."""
        company = entry.submission.source.company
        self.waiting_events += change
        self._waiting_by_company[company] += change
        if not self._waiting_by_company[company]:
            del self._waiting_by_company[company]

    async def close(self) -> None:
        """Reject new submissions, and store the queued ones."""
        self._closed = True
        self._ready.set()
        if self._flush_task is not None:
            await self._flush_task
        self._apply_now.set()
        if self._apply_task is not None:
            await self._apply_task

    async def _flush_queue(self) -> None:
        try:
            while self._queue:
                await self._wait_for_submissions()
                batch = list(self._take_next_submissions())
                await self._flush_batch(batch)
                self._expected = len(batch) + len(self._queue) if len(batch) > 1 else 0
        finally:
            self._flush_task = None

    def _should_defer(self, device_count: int) -> bool:
        """Return whether to defer the effects for this number of devices.

        If too many effects are deferred already, they are applied at once, so that senders slow
        down and the backlog stays bounded.
        """
        is_exceeded = self._allowance.count_devices(device_count, time.monotonic())
        return is_exceeded and self._deferred_events < self._max_deferred_events

    def _schedule_deferred_effects(self, batches: Sequence[DeferredEffects]) -> None:
        self._deferred += batches
        self._deferred_events += _count_events(batches)
        if self._deferred_events >= self._max_deferred_events // 2:
            self._apply_now.set()
        if self._deferred and self._apply_task is None:
            self._apply_task = asyncio.create_task(self._apply_deferred_effects())

    async def _apply_deferred_effects(self) -> None:
        """Apply deferred effects until none are left."""
        try:
            while self._deferred:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._apply_now.wait(), DEFER_SECONDS)
                batches, self._deferred = self._deferred, []
                if not self._closed:
                    self._apply_now.clear()
                try:
                    await self._apply_batches(batches)
                finally:
                    self._deferred_events -= _count_events(batches)
        finally:
            self._apply_task = None

    async def _apply_batches(self, batches: Sequence[DeferredEffects]) -> None:
        """Apply deferred effects in one transaction. If it fails, the worker applies them later."""
        try:
            async with self._database.transaction() as db:
                await store.apply_deferred_effects(db, batches, self._bounds)
        except Exception as failure:  # noqa: BLE001 - no caller waits, and the worker retries
            unexpected_failure = None if is_transient(failure) else failure
            log.warning(
                "effects of device events not applied yet",
                reason=str(failure),
                exc_info=unexpected_failure,
            )

    async def _wait_for_submissions(self) -> None:
        """Wait a moment for other submissions, if more are expected."""
        if not self._is_ready() and not self._closed:
            self._ready.clear()
            timer = asyncio.get_running_loop().call_later(GATHER_SECONDS, self._ready.set)
            await self._ready.wait()
            timer.cancel()

    def _is_ready(self) -> bool:
        return len(self._queue) >= self._expected or self.waiting_events >= MIN_EVENTS_TO_FLUSH

    def _take_next_submissions(self) -> Iterator[_QueuedSubmission]:
        """Take the submissions of the next flush: at least one, and up to the limit of events."""
        weight = 0
        while self._queue and (
            not weight or weight + self._queue[0].weight <= MAX_EVENTS_PER_FLUSH
        ):
            entry = self._queue.popleft()
            weight += entry.weight
            yield entry

    async def _flush_batch(self, batch: Sequence[_QueuedSubmission]) -> None:
        flush = Flush(self._database, self._bounds, self._should_defer)
        try:
            outcomes = await flush.store([entry.submission for entry in batch])
        except Exception as failure:  # noqa: BLE001 - every waiting caller gets the failure
            if isinstance(failure, OVERLOAD_ERRORS):
                log.warning("device events not stored yet", reason=str(failure))
            for entry in batch:
                if not entry.outcome.done():
                    entry.outcome.set_exception(_to_sender_error(failure))
        else:
            for entry, outcome in zip(batch, outcomes, strict=True):
                if not entry.outcome.done():
                    _resolve_future(entry, outcome)
        finally:
            self._schedule_deferred_effects(flush.deferred)
            for entry in batch:
                self._adjust_waiting_events(entry, -entry.weight)


def _resolve_future(entry: _QueuedSubmission, outcome: IngestOutcome | Exception) -> None:
    """Resolve the future of a submission with its outcome or its failure."""
    if isinstance(outcome, Exception):
        entry.outcome.set_exception(outcome)
    else:
        entry.outcome.set_result(outcome)


def _count_events(batches: Sequence[DeferredEffects]) -> int:
    """Count the events with deferred effects. A contact without events counts as one."""
    return sum(max(len(batch.entries), len(batch.devices)) for batch in batches)


def _to_sender_error(failure: Exception) -> Exception:
    """Return the error for waiting senders. An unavailable or busy database is not a defect."""
    if isinstance(failure, (Overloaded, *OVERLOAD_ERRORS)):
        return Busy()
    return DatabaseUnavailable() if should_repeat(failure) else failure
