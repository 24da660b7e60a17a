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

# Delay after a failure that is not the work's own, such as a slow database.
UNRELATED_FAILURE_DELAY: Final = timedelta(minutes=1)

# By step: repeats the work, or finds that nothing is left to do.
Retries: TypeAlias = Mapping[str, Callable[[Db, ParkedWork], Awaitable[None]]]


async def step(database: Database, retries: Retries) -> bool:
    """Retry one piece of parked work. If it fails again, it stays parked."""
    due: ParkedWork | None = None
    try:
        async with database.transaction() as db:
            # The row is locked and written only when the work is done. A process that parks the
            # same work holds a lock on its subject. If the row were written first, the two would
            # wait for each other.
            due = await service.LEASES.lock_next(db, ParkedWork)
            if due is not None:
                await _retry(db, due, retries)
    except Exception as failure:
        if due is not None and not is_transient(failure):
            await _postpone(database, due)
        raise
    return due is not None


async def _retry(db: Db, due: ParkedWork, retries: Retries) -> None:
    async with service.WorkAttempt(db) as trial:
        await retries[due.step](db, due)
    if trial.failure is None:
        await PARKED.remove(db, due)
    else:
        await service.park_again(db, due, trial.failure)


async def _postpone(database: Database, due: ParkedWork) -> None:
    """Delay a retry that failed for an unrelated reason, without counting an attempt."""
    async with database.transaction() as db:
        await service.LEASES.retry(db, Lease(due.uuid, due.attempts), UNRELATED_FAILURE_DELAY)
