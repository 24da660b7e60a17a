"""The worker's steps for parked work: retries and retention."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, TypeAlias

from pannier.db import Database, Db
from pannier.db.database import is_transient
from pannier.db.retention import RetentionSweep
from pannier.jobs.leases import Lease
from pannier.parked import service
from pannier.parked.models import ParkedWork
from pannier.parked.queries import PARKED

# Parked work that is never retried is kept as long as the events it may refer to.
OLD_PARKED: Final = RetentionSweep("events", "parked")

# Delay after a failure that the work did not cause, such as a slow database.
UNRELATED_FAILURE_DELAY: Final = timedelta(minutes=1)

# The functions that repeat the work of each step, unless nothing is left to do.
Retries: TypeAlias = Mapping[str, Callable[[Db, ParkedWork], Awaitable[None]]]


async def step(database: Database, retries: Retries) -> bool:
    """Retry one piece of parked work. If it fails again, it stays parked."""
    parked_work: ParkedWork | None = None
    try:
        async with database.transaction() as db:
            # The row is locked and written only when the work is done. A process that parks the
            # same work holds a lock on its subject. If the row were written first, the two would
            # wait for each other.
            parked_work = await service.LEASES.lock_next(db, ParkedWork)
            if parked_work is not None:
                await _retry_work(db, parked_work, retries)
    except Exception as failure:
        if parked_work is not None and not is_transient(failure):
            await _postpone_retry(database, parked_work)
        raise
    return parked_work is not None


async def _retry_work(db: Db, parked_work: ParkedWork, retries: Retries) -> None:
    async with service.WorkAttempt(db) as attempt:
        await retries[parked_work.step](db, parked_work)
    if attempt.failure is None:
        await PARKED.remove(db, parked_work)
    else:
        await service.record_failed_retry(db, parked_work, attempt.failure)


async def _postpone_retry(database: Database, parked_work: ParkedWork) -> None:
    """Delay a retry that failed for an unrelated reason, without counting an attempt."""
    async with database.transaction() as db:
        await service.LEASES.retry(
            db, Lease(parked_work.uuid, parked_work.attempts), UNRELATED_FAILURE_DELAY
        )
