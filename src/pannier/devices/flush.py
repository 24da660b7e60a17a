"""A flush of the writer: many submissions in one transaction, with retries and bisection."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pannier.accounts.company_settings.models import InstallationLimits
from pannier.db import Database
from pannier.db.connection_pool import Unreachable
from pannier.db.database import OutcomeUnknown, RetrySchedule, should_retry
from pannier.devices import items, store
from pannier.devices.outcomes import REASONS, UNSTORABLE, IngestOutcome, Submission
from pannier.devices.readings import ItemRefusal
from pannier.devices.store import DeferredEffects, FlushTrace
from pannier.errors import Problem
from pannier.parked import service as parking
from pannier.web.logs import log

MAX_FAILURES_PER_FLUSH: Final = 32  # after more, single readings are not the cause
# The status of a transaction. An id that is not assigned yet was lost in a crash of the server.
_TRANSACTION_STATUS: Final = """
    select case when :transaction::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        then pg_xact_status(:transaction::text::xid8) end"""
_BATCH_EXISTS: Final = """
    select exists (select from device_batches
        where batch = :batch and xid = :transaction and received_at = :received_at)"""


class _Attempt(NamedTuple):
    """A transaction that was about to commit, and its outcomes."""

    trace: FlushTrace
    outcomes: list[IngestOutcome]
    deferred: DeferredEffects | None


class Flush:
    """One flush: retried while the database is unavailable, and bisected to find bad readings."""

    def __init__(
        self, database: Database, bounds: InstallationLimits, should_defer: Callable[[int], bool]
    ) -> None:
        self._database, self._bounds, self._should_defer = database, bounds, should_defer
        self._failures = 0
        self.deferred: list[DeferredEffects] = []

    async def store(self, submissions: Sequence[Submission]) -> list[IngestOutcome | Exception]:
        """Store submissions. One that cannot be stored does not affect the others.

        After too many failures, the flush gives up a failing part without further bisection.
        """
        try:
            return [*await self._store_with_retries(submissions)]
        except Exception as failure:
            self._failures += 1
            if isinstance(failure, Problem) or not parking.is_caused_by_work(failure):
                raise
            log.error("device events not stored", puts=len(submissions), exc_info=failure)
            if self._failures > MAX_FAILURES_PER_FLUSH:
                return [failure for _ in submissions]
        if len(submissions) > 1:
            half = len(submissions) // 2
            return [*await self.store(submissions[:half]), *await self.store(submissions[half:])]
        return [await self._bisect(submissions[0])]

    async def _bisect(self, submission: Submission) -> IngestOutcome | Exception:
        """Bisect a submission to find the readings that cannot be stored; reject only those."""
        if len(submission.readings) > 1:
            first_half, second_half = submission.split()
            (first_outcome,) = await self.store([first_half])
            (second_outcome,) = await self.store([second_half])
            if isinstance(first_outcome, Exception) or isinstance(second_outcome, Exception):
                return first_outcome if isinstance(first_outcome, Exception) else second_outcome
            return first_outcome | second_outcome
        refusals = [
            ItemRefusal(
                index, UNSTORABLE, REASONS[UNSTORABLE], items.make_excerpt(reading), reading.device
            )
            for index, reading in zip(submission.indexes, submission.readings, strict=True)
        ]
        return (
            await self._store_with_retries(
                [Submission(submission.source, [], [*submission.refusals, *refusals])]
            )
        )[0]

    async def _store_with_retries(self, submissions: Sequence[Submission]) -> list[IngestOutcome]:
        """Store submissions, with retries while the database is briefly unavailable.

        If the connection is lost during the commit, the next attempt first checks whether the
        transaction committed. Storing again would be safe, but would report new events as
        duplicates.
        """
        attempt: _Attempt | None = None
        retry_schedule = RetrySchedule()
        while True:
            try:
                if attempt is None or not await self._has_committed(attempt):
                    async with self._database.transaction() as db:
                        outcomes = await store.flush(
                            db, submissions, self._bounds, self._should_defer
                        )
                        deferred_batch = db.cache.get(store.DEFERRED_KEY)
                        attempt = _Attempt(db.cache[store.TRACE_KEY], outcomes, deferred_batch)
            except Exception as failure:
                is_retryable = isinstance(failure, OutcomeUnknown) or should_retry(failure)
                if not is_retryable or (pause := retry_schedule.take_next_pause()) is None:
                    raise
            else:
                if attempt.deferred is not None:
                    self.deferred.append(attempt.deferred)
                return attempt.outcomes
            await asyncio.sleep(pause)

    async def _has_committed(self, attempt: _Attempt) -> bool:
        """Return whether a transaction committed and its batch, if any, still exists.

        Raise `Unreachable` while it is still running.
        """
        trace = attempt.trace
        async with self._database.reading() as db:
            status = await db.fetch_value(_TRANSACTION_STATUS, transaction=str(trace.transaction))
            if status == "in progress":
                raise Unreachable("An interrupted commit is still running.")
            if status != "committed" or trace.batch is None:
                return bool(status == "committed")
            return bool(await db.fetch_value(_BATCH_EXISTS, **trace._asdict()))
