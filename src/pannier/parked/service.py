"""Parking of work, and its retries."""

from datetime import timedelta
from types import TracebackType
from typing import Final, Self

import asyncpg
import msgspec

from pannier.db import Db
from pannier.db.database import is_transient
from pannier.errors import Unavailable
from pannier.jobs.leases import Lease, Leases, delay
from pannier.kit import ids
from pannier.parked.models import ParkedWork, WorkKey
from pannier.parked.queries import PARKED
from pannier.web.logs import log

CHANNEL: Final = "pannier_parked"
MAX_ERROR_LENGTH: Final = 500
LEASES: Final = Leases("parked", due="retry_at")
DELAYS: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(days=1),
)
# Failures that would affect any other piece of work too.
UNRELATED_FAILURES: Final = (
    Unavailable,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresSystemError,
    asyncpg.SyntaxOrAccessError,
    MemoryError,
    OSError,
)


def is_caused_by_work(failure: Exception) -> bool:
    """Return whether a failure is specific to this work, so that other work would succeed."""
    return not is_transient(failure) and not isinstance(failure, UNRELATED_FAILURES)


class WorkAttempt:
    """An attempt at a piece of work.

    A failure that is specific to the work is rolled back to a savepoint and kept in `failure`.
    """

    def __init__(self, db: Db) -> None:
        self._db = db
        self.failure: Exception | None = None

    async def __aenter__(self) -> Self:
        """Set a savepoint."""
        await self._db.set_savepoint()
        return self

    async def __aexit__(
        self,
        _: type[BaseException] | None,
        failure: BaseException | None,
        __: TracebackType | None,
    ) -> bool:
        """Roll back and keep the failure if it is specific to this piece of work."""
        if not isinstance(failure, Exception) or not is_caused_by_work(failure):
            return False
        await self._db.roll_back_to_savepoint()
        self.failure = failure
        return True


async def park(db: Db, work: WorkKey, failure: Exception) -> None:
    """Park a piece of work, or count another attempt if it is parked already.

    The caller holds a lock on the subject. A retry locks the parked row first and the subject
    second. Waiting for the row here could therefore deadlock, so a locked row is skipped: the
    process that holds it will record its own result.
    """
    log.error("work parked", step=work.step, subject=work.subject, exc_info=failure)
    parked_work = await db.find(
        ParkedWork,
        f"""select {PARKED.columns} from parked
            where step = :step and subject_uuid = :subject for no key update skip locked""",
        step=work.step,
        subject=work.subject_uuid,
    )
    if parked_work is not None:
        await record_failed_retry(db, parked_work, failure)
        return
    await db.execute(
        """insert into parked (uuid, public_id, company, created_at, updated_at, step, subject,
                               subject_uuid, error, attempts, retry_at)
           values (:uuid, :public_id, :company, :now, :now, :step, :subject,
                   :subject_uuid, :error, 1, pannier_now() + :delay::interval)
           on conflict (subject_uuid, step) do nothing""",
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("parked"),
        now=db.now,
        error=_describe_failure(failure),
        delay=delay(DELAYS, 1),
        **msgspec.structs.asdict(work),
    )


async def record_failed_retry(db: Db, parked_work: ParkedWork, failure: Exception) -> None:
    """Record another failed attempt and schedule the next retry, if any is left."""
    attempts = parked_work.attempts + 1
    lease, retry_delay = Lease(parked_work.uuid, parked_work.attempts), delay(DELAYS, attempts)
    changes = {"error": _describe_failure(failure), "attempts": attempts}
    changes |= {"updated_at": db.now, "version": parked_work.version + 1}
    if retry_delay is None:
        await LEASES.park(db, lease, **changes)
    else:
        await LEASES.retry(db, lease, retry_delay, **changes)


def _describe_failure(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}"[:MAX_ERROR_LENGTH]


async def schedule_retry(db: Db, parked_work: ParkedWork) -> ParkedWork:
    """Schedule an immediate retry of parked work by the worker."""
    scheduled_work, _ = await PARKED.change(db, parked_work, log_action="retried", retry_at=db.now)
    db.notify(CHANNEL)
    return scheduled_work


async def schedule_all_retries(db: Db) -> int:
    """Schedule an immediate retry of all parked work of the installation; return the number."""
    count = await db.execute("update parked set retry_at = pannier_now()")
    db.notify(CHANNEL)
    return count
