"""The writer: stores concurrent submissions together, and responds after the commit.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from pannier.accounts.company_settings.models import Bounds
from pannier.db import Database, DatabaseAway
from pannier.db.connections import Overloaded, Unreachable
from pannier.db.pool import OutcomeUnknown, Retries, is_away, passing, worth_another_try
from pannier.devices import items, store
from pannier.devices.outcomes import REASONS, UNSTORABLE, Outcome, Put
from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source
from pannier.devices.store import PutOff, Trace
from pannier.errors import Problem, TooManyRequests, Unauthenticated
from pannier.parked import service as parking
from pannier.settings import Settings
from pannier.web.logs import log

MOST_TOGETHER: Final = 5000  # events per transaction
ENOUGH: Final = 500  # events after which the flush waits for no more
GATHERING: Final = 0.005  # seconds
MOST_WAITING: Final = 20_000  # events
MOST_PUTS: Final = 4_000
A_SHARE: Final = 4  # each company may always have this fraction of the queue (one in four)
MOST_FAILURES: Final = 32  # per flush; after more, single readings are not the cause
RETRY_AFTER: Final = 2.0
# The database is overloaded, or another transaction holds a lock.
SLOW: Final = (asyncpg.QueryCanceledError, asyncpg.InsufficientResourcesError)
# Effects are applied at once for up to this many devices at a time and per second. For more, they
# are deferred by at most this many seconds.
MOST_NOTED: Final = 1000
NOTED_A_SECOND: Final = 200
PUTTING_OFF: Final = 3.0
MOST_PUT_OFF: Final = 100_000  # events with deferred effects


# The status of a transaction. An id that is not assigned yet was lost in a crash of the server.
_STATUS: Final = """
    select case when :transaction::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        then pg_xact_status(:transaction::text::xid8) end"""
_LASTS: Final = """
    select exists (select from device_batches
        where batch = :batch and xid = :transaction and received_at = :received_at)"""


class Busy(TooManyRequests):
    """Too many device events are waiting to be stored. Nothing of this request was stored."""

    code = "devices_busy"
    title = "Device events arrive faster than they can be stored."
    remedy = "Retry after the time in `Retry-After`."

    def __init__(self) -> None:
        super().__init__(RETRY_AFTER, self.explain())


class _Waiting(NamedTuple):
    """A submission in the queue, and the future of its outcome."""

    put: Put
    answer: asyncio.Future[Outcome]
    weight: int  # its share of a flush


class Allowance:
    """A token bucket for devices whose effects are applied at once.

    While it stays exceeded, all effects are deferred and applied together soon after.
    """

    def __init__(self, most: int, a_second: int) -> None:
        self._most, self._a_second = most, a_second
        self._came, self._at = 0.0, 0.0

    def exceeded(self, devices: int, now: float) -> bool:
        """Count devices, and return whether they exceed the limit. An empty bucket never does."""
        before = max(0.0, self._came - (now - self._at) * self._a_second)
        self._came, self._at = before + devices, now
        if before and self._came > self._most:
            self._came = max(before, self._most)
            return True
        return False


class Writer:
    """A queue of submissions that stores many in one transaction; one per process."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        most_waiting: int = MOST_WAITING,
        most_noted: int = MOST_NOTED,
        noted_a_second: int = NOTED_A_SECOND,
        most_put_off: int = MOST_PUT_OFF,
    ) -> None:
        self._database, self._bounds = database, Bounds.of(settings)
        self._most_waiting, self._most_put_off = most_waiting, most_put_off
        self._queue: deque[_Waiting] = deque()
        self.waiting = 0
        self._of = Counter[UUID]()  # waiting events per company
        self._enough = asyncio.Event()
        self._flushing: asyncio.Task[None] | None = None
        # Number of submissions to wait for. After a flush of several it is the number that had
        # arrived by its end. A sender that was alone does not wait.
        self._expected = 0
        self._closed = False
        self._allowance = Allowance(most_noted, noted_a_second)
        self._put_off: list[PutOff] = []
        self._behind = 0  # events with deferred effects, including those being applied
        self._noting: asyncio.Task[None] | None = None
        # Set when deferred effects must be applied now: there are many, or we are shutting down.
        self._pressing = asyncio.Event()

    async def put(
        self,
        source: Source,
        readings: Sequence[Reading],
        refusals: Sequence[Refusal] = (),
        stood: Sequence[int] | None = None,
    ) -> Outcome:
        """Store readings, and return the outcome after the commit.

        For a part of a request, `indexes` has the position of each reading in the whole.
        """
        weight = len(readings) + len(refusals)
        one = _Waiting(Put(source, readings, refusals, stood), asyncio.Future(), weight)
        if self._closed or not self._has_room(one):
            raise Busy
        self._queue.append(one)
        self._count(one, one.weight)
        if self._is_enough():
            self._enough.set()
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._work())
        outcome = await one.answer
        if outcome.revoked:
            raise Unauthenticated(
                "The credential was revoked or has expired while this request was running."
            )
        return outcome

    def _has_room(self, one: _Waiting) -> bool:
        """Return whether a submission may wait. A single one always may.

        A company with few waiting events is not rejected because of another company's many.
        """
        if not self._queue:
            return True
        weight, most, puts = self.waiting + one.weight, self._most_waiting, len(self._queue)
        little = self._of[one.put.source.company] + one.weight <= most // A_SHARE
        if little and weight <= 2 * most and puts < 2 * MOST_PUTS:
            return True
        return weight <= most and puts < MOST_PUTS

    def _count(self, one: _Waiting, weight: int) -> None:
        """Update the number of waiting events, in total and per company."""
        company = one.put.source.company
        self.waiting += weight
        self._of[company] += weight
        if not self._of[company]:
            del self._of[company]

    async def close(self) -> None:
        """Accept nothing more, and store the queue."""
        self._closed = True
        self._enough.set()
        if self._flushing is not None:
            await self._flushing
        self._pressing.set()
        if self._noting is not None:
            await self._noting

    async def _work(self) -> None:
        try:
            while self._queue:
                await self._gather()
                together = list(self._taken())
                await self._flush(together)
                self._expected = len(together) + len(self._queue) if len(together) > 1 else 0
        finally:
            self._flushing = None

    def _is_much(self, devices: int) -> bool:
        """Return whether to defer the effects for this number of devices.

        If too many effects are deferred already, they are applied at once, so that senders slow
        down and the backlog stays bounded.
        """
        exceeded = self._allowance.exceeded(devices, time.monotonic())
        return exceeded and self._behind < self._most_put_off

    def _put_it_off(self, put_off: Sequence[PutOff]) -> None:
        self._put_off += put_off
        self._behind += _events(put_off)
        if self._behind >= self._most_put_off // 2:
            self._pressing.set()
        if self._put_off and self._noting is None:
            self._noting = asyncio.create_task(self._note())

    async def _note(self) -> None:
        """Apply deferred effects until none are left."""
        try:
            while self._put_off:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._pressing.wait(), PUTTING_OFF)
                put_off, self._put_off = self._put_off, []
                if not self._closed:
                    self._pressing.clear()
                try:
                    await self._note_some(put_off)
                finally:
                    self._behind -= _events(put_off)
        finally:
            self._noting = None

    async def _note_some(self, put_off: Sequence[PutOff]) -> None:
        """Apply deferred effects. If that fails, the worker does it (`deferred`)."""
        try:
            async with self._database.transaction() as db:
                await store.note(db, put_off, self._bounds)
        except Exception as failure:  # noqa: BLE001 - no caller waits, and the worker retries
            shown = None if passing(failure) else failure
            log.warning(
                "effects of device events not applied yet", reason=str(failure), exc_info=shown
            )

    async def _gather(self) -> None:
        """Wait a moment for other submissions, if more are expected."""
        if not self._is_enough() and not self._closed:
            self._enough.clear()
            timer = asyncio.get_running_loop().call_later(GATHERING, self._enough.set)
            await self._enough.wait()
            timer.cancel()

    def _is_enough(self) -> bool:
        return len(self._queue) >= self._expected or self.waiting >= ENOUGH

    def _taken(self) -> Iterator[_Waiting]:
        """Take the submissions of the next flush: at least one, and up to the limit of events."""
        weight = 0
        while self._queue and (not weight or weight + self._queue[0].weight <= MOST_TOGETHER):
            one = self._queue.popleft()
            weight += one.weight
            yield one

    async def _flush(self, together: Sequence[_Waiting]) -> None:
        flush = _Flush(self._database, self._bounds, self._is_much)
        try:
            outcomes = await flush.store([one.put for one in together])
        except Exception as failure:  # noqa: BLE001 - every waiting caller gets the failure
            if isinstance(failure, SLOW):
                log.warning("device events not stored yet", reason=str(failure))
            for one in together:
                if not one.answer.done():
                    one.answer.set_exception(_told(failure))
        else:
            for one, outcome in zip(together, outcomes, strict=True):
                if not one.answer.done():
                    _answer(one, outcome)
        finally:
            self._put_it_off(flush.put_off)
            for one in together:
                self._count(one, -one.weight)


def _answer(one: _Waiting, outcome: Outcome | Exception) -> None:
    """Resolve the future of a submission with its outcome or its failure."""
    if isinstance(outcome, Exception):
        one.answer.set_exception(outcome)
    else:
        one.answer.set_result(outcome)


def _events(put_off: Sequence[PutOff]) -> int:
    """Count the events with deferred effects. A contact without events counts as one."""
    return sum(max(len(each.entries), len(each.heard)) for each in put_off)


def _told(failure: Exception) -> Exception:
    """Return the error for waiting senders. An unavailable or busy database is no defect."""
    if isinstance(failure, (Overloaded, *SLOW)):
        return Busy()
    return DatabaseAway() if is_away(failure) else failure


class _Attempt(NamedTuple):
    """A transaction that was about to commit, and its outcomes."""

    trace: Trace
    outcomes: list[Outcome]
    put_off: PutOff | None


class _Flush:
    """One flush: retried while the database is unavailable, and bisected to find bad readings."""

    def __init__(self, database: Database, bounds: Bounds, much: Callable[[int], bool]) -> None:
        self._database, self._bounds, self._much = database, bounds, much
        self._failures = 0
        self.put_off: list[PutOff] = []

    async def store(self, puts: Sequence[Put]) -> list[Outcome | Exception]:
        """Store submissions. One that cannot be stored does not affect the others.

        After too many failures, the flush gives up a failing part without further bisection.
        """
        try:
            return [*await self._persistently(puts)]
        except Exception as failure:
            self._failures += 1
            if isinstance(failure, Problem) or not parking.blames_the_work(failure):
                raise
            log.error("device events not stored", puts=len(puts), exc_info=failure)
            if self._failures > MOST_FAILURES:
                return [failure for _ in puts]
        if len(puts) > 1:
            half = len(puts) // 2
            return [*await self.store(puts[:half]), *await self.store(puts[half:])]
        return [await self._halved(puts[0])]

    async def _halved(self, put: Put) -> Outcome | Exception:
        """Bisect a submission to find the readings that cannot be stored; reject only those."""
        if len(put.readings) > 1:
            first, second = put.halves()
            (outcome,), (other,) = await self.store([first]), await self.store([second])
            if isinstance(outcome, Exception) or isinstance(other, Exception):
                return outcome if isinstance(outcome, Exception) else other
            return outcome | other
        wrong = [
            Refusal(place, UNSTORABLE, REASONS[UNSTORABLE], items.kept(reading), reading.device)
            for place, reading in zip(put.places, put.readings, strict=True)
        ]
        return (await self._persistently([Put(put.source, [], [*put.refusals, *wrong])]))[0]

    async def _persistently(self, puts: Sequence[Put]) -> list[Outcome]:
        """Store submissions, with retries while the database is briefly unavailable.

        If the connection is lost during the commit, the next attempt first checks whether the
        transaction committed. Storing again would be safe, but would report new events as
        duplicates.
        """
        attempt: _Attempt | None = None
        retries = Retries()
        while True:
            try:
                if attempt is None or not await self._committed(attempt):
                    async with self._database.transaction() as db:
                        outcomes = await store.flush(db, puts, self._bounds, self._much)
                        left = db.known.get(store.PUT_OFF)
                        attempt = _Attempt(db.known[store.TRACE], outcomes, left)
            except Exception as failure:
                unsure = isinstance(failure, OutcomeUnknown) or worth_another_try(failure)
                if not unsure or (pause := retries.next_pause()) is None:
                    raise
            else:
                if attempt.put_off is not None:
                    self.put_off.append(attempt.put_off)
                return attempt.outcomes
            await asyncio.sleep(pause)

    async def _committed(self, attempt: _Attempt) -> bool:
        """Return whether a transaction committed; raise Unreachable while it is still running."""
        trace = attempt.trace
        async with self._database.reading() as db:
            status = await db.value(_STATUS, transaction=str(trace.transaction))
            if status == "in progress":
                raise Unreachable("An interrupted commit is still running.")
            if status != "committed" or trace.batch is None:
                return bool(status == "committed")
            return bool(await db.value(_LASTS, **trace._asdict()))
