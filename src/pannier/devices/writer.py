"""The writer: what comes in at the same time is stored together, and answered once it is.

Whatever waits in this process goes into one transaction. Those who came together before are waited
for, until they are there, or so many events, or for so many milliseconds. Only so much may wait:
when the database is slow, senders are told to come back, and nothing that was acknowledged is lost,
because nothing is acknowledged before the commit.

Where very much comes in, what events say of the present is put off for a moment: so it is noted
once for what many transactions stored.
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

MOST_TOGETHER: Final = 5000  # events of one transaction
ENOUGH: Final = 500  # events for which nobody waits for more
GATHERING: Final = 0.005  # seconds
MOST_WAITING: Final = 20_000  # events
MOST_PUTS: Final = 4_000
A_SHARE: Final = 4  # of which one a company may have waiting, however much waits of others
MOST_FAILURES: Final = 32  # in one flush, before it is ours and not a reading's
RETRY_AFTER: Final = 2.0
# What the database says when it has too much to do, or somebody holds what it waits for.
SLOW: Final = (asyncpg.QueryCanceledError, asyncpg.InsufficientResourcesError)
# Of so many devices at once, and so many a second, the present is noted with what they brought; of
# more, so many seconds later at the most.
MOST_NOTED: Final = 1000
NOTED_A_SECOND: Final = 200
PUTTING_OFF: Final = 3.0
MOST_PUT_OFF: Final = 100_000  # events of which the present is not noted yet


# What became of a transaction; a number that nobody has yet was forgotten by a server that died.
_STATUS: Final = """
    select case when :transaction::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        then pg_xact_status(:transaction::text::xid8) end"""
_LASTS: Final = """
    select exists (select from device_batches
        where batch = :batch and xid = :transaction and received_at = :received_at)"""


class Busy(TooManyRequests):
    """More device events wait than can be stored soon; nothing of the request was stored."""

    code = "devices_busy"
    title = "Device events come faster than they can be stored; send these again."

    def __init__(self) -> None:
        super().__init__(RETRY_AFTER, self.title)


class _Waiting(NamedTuple):
    """A put, and whoever waits for what becomes of it."""

    put: Put
    answer: asyncio.Future[Outcome]
    weight: int  # how much of a flush it is


class Allowance:
    """How many devices are noted with what they brought: some at once, and some each second.

    While more come all the time, none are: whoever is put off is noted soon, together with all.
    """

    def __init__(self, most: int, a_second: int) -> None:
        self._most, self._a_second = most, a_second
        self._came, self._at = 0.0, 0.0

    def exceeded(self, devices: int, now: float) -> bool:
        """Count so many, and tell whether they are too much by now; the first never are."""
        before = max(0.0, self._came - (now - self._at) * self._a_second)
        self._came, self._at = before + devices, now
        if before and self._came > self._most:
            self._came = max(before, self._most)
            return True
        return False


class Writer:
    """Stores what is put, many puts at once; one for each process."""

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
        self._of = Counter[UUID]()  # what waits of each company
        self._enough = asyncio.Event()
        self._flushing: asyncio.Task[None] | None = None
        # For how many puts to wait: where several were stored together, as many as had come by the
        # time they were. Who was alone waits for nobody.
        self._expected = 0
        self._closed = False
        self._allowance = Allowance(most_noted, noted_a_second)
        self._put_off: list[PutOff] = []
        self._behind = 0  # how many events those have, and those that are being noted
        self._noting: asyncio.Task[None] | None = None
        # Whether it is to be noted now: it is much already, or we are about to leave.
        self._pressing = asyncio.Event()

    async def put(
        self,
        source: Source,
        readings: Sequence[Reading],
        refusals: Sequence[Refusal] = (),
        stood: Sequence[int] | None = None,
    ) -> Outcome:
        """Store what was sent, and tell what became of it, after the commit.

        Where it is a part of what was sent, `stood` has the readings' indexes in the whole.
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
            raise Unauthenticated("This credential was revoked or has expired.")
        return outcome

    def _has_room(self, one: _Waiting) -> bool:
        """Tell whether this may wait too; a single put always may.

        Where much of one company waits, another that has little waiting is not sent away for it.
        """
        if not self._queue:
            return True
        weight, most, puts = self.waiting + one.weight, self._most_waiting, len(self._queue)
        little = self._of[one.put.source.company] + one.weight <= most // A_SHARE
        if little and weight <= 2 * most and puts < 2 * MOST_PUTS:
            return True
        return weight <= most and puts < MOST_PUTS

    def _count(self, one: _Waiting, weight: int) -> None:
        """Count what waits, in all and of its company."""
        company = one.put.source.company
        self.waiting += weight
        self._of[company] += weight
        if not self._of[company]:
            del self._of[company]

    async def close(self) -> None:
        """Take nothing more, and store what waits."""
        self._closed = True
        self._enough.set()
        if self._flushing is not None:
            await self._flushing
        self._pressing.set()
        if self._noting is not None:
            await self._noting

    async def _work(self) -> None:
        """Store until nothing waits."""
        try:
            while self._queue:
                await self._gather()
                together = list(self._taken())
                await self._flush(together)
                self._expected = len(together) + len(self._queue) if len(together) > 1 else 0
        finally:
            self._flushing = None

    def _is_much(self, devices: int) -> bool:
        """Tell whether to put off what so many devices say of the present.

        Where noting is slow, whoever stores notes again, and so waits for it as everybody does:
        what was put off is not without number.
        """
        exceeded = self._allowance.exceeded(devices, time.monotonic())
        return exceeded and self._behind < self._most_put_off

    def _put_it_off(self, put_off: Sequence[PutOff]) -> None:
        """Have something noted in a moment."""
        self._put_off += put_off
        self._behind += _events(put_off)
        if self._behind >= self._most_put_off // 2:
            self._pressing.set()
        if self._put_off and self._noting is None:
            self._noting = asyncio.create_task(self._note())

    async def _note(self) -> None:
        """Note what was put off, until nothing is."""
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
        """Note what was put off; where that fails, a worker does so (`puttingoff`)."""
        try:
            async with self._database.transaction() as db:
                await store.note(db, put_off, self._bounds)
        except Exception as failure:  # noqa: BLE001 - nobody waits for it, and nothing is lost
            shown = None if passing(failure) else failure
            log.warning("device events not noted yet", reason=str(failure), exc_info=shown)

    async def _gather(self) -> None:
        """Wait a moment for others, if more are to be expected."""
        if not self._is_enough() and not self._closed:
            self._enough.clear()
            timer = asyncio.get_running_loop().call_later(GATHERING, self._enough.set)
            await self._enough.wait()
            timer.cancel()

    def _is_enough(self) -> bool:
        return len(self._queue) >= self._expected or self.waiting >= ENOUGH

    def _taken(self) -> Iterator[_Waiting]:
        """Take what goes together: at least one put, and not more events than are good."""
        weight = 0
        while self._queue and (not weight or weight + self._queue[0].weight <= MOST_TOGETHER):
            one = self._queue.popleft()
            weight += one.weight
            yield one

    async def _flush(self, together: Sequence[_Waiting]) -> None:
        flush = _Flush(self._database, self._bounds, self._is_much)
        try:
            outcomes = await flush.store([one.put for one in together])
        except Exception as failure:  # noqa: BLE001 - whoever waits is told, whatever it is
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
    """Tell whoever waits what became of it, or why nothing is known to have."""
    if isinstance(outcome, Exception):
        one.answer.set_exception(outcome)
    else:
        one.answer.set_result(outcome)


def _events(put_off: Sequence[PutOff]) -> int:
    """Count the events of what was put off, and as one each that only gave a sign of life."""
    return sum(max(len(each.entries), len(each.heard)) for each in put_off)


def _told(failure: Exception) -> Exception:
    """Choose what those who wait are told: a database that is away or busy is no defect."""
    if isinstance(failure, (Overloaded, *SLOW)):
        return Busy()
    return DatabaseAway() if is_away(failure) else failure


class _Attempt(NamedTuple):
    """A transaction that was about to commit, and what would then be told."""

    trace: Trace
    outcomes: list[Outcome]
    put_off: PutOff | None


class _Flush:
    """One flush, tried again while the database is away, and halved where something is wrong."""

    def __init__(self, database: Database, bounds: Bounds, much: Callable[[int], bool]) -> None:
        self._database, self._bounds, self._much = database, bounds, much
        self._failures = 0
        self.put_off: list[PutOff] = []

    async def store(self, puts: Sequence[Put]) -> list[Outcome | Exception]:
        """Store puts; one that cannot be stored costs the others nothing.

        Where too much has failed already, what fails next is left as it is, and only that.
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
        """Find out which readings cannot be stored; those are refused, the others are not."""
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
        """Store puts, again and again while the database is away for a moment.

        When the connection is lost in the middle of the commit, the database is asked later what
        became of it. Storing again would do no harm, but call what is new a duplicate.
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
        """Ask what became of a transaction; one that has not ended yet is asked about again."""
        trace = attempt.trace
        async with self._database.reading() as db:
            status = await db.value(_STATUS, transaction=str(trace.transaction))
            if status == "in progress":
                raise Unreachable("A commit that was interrupted has not come to its end.")
            if status != "committed" or trace.batch is None:
                return bool(status == "committed")
            return bool(await db.value(_LASTS, **trace._asdict()))
