"""The worker's second try: parked work whose time has come."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, TypeAlias

from pannier.db import Database, Db
from pannier.db.pool import passing
from pannier.db.retention import Sweep
from pannier.jobs.leases import Lease
from pannier.parked import service
from pannier.parked.models import Parked
from pannier.parked.queries import PARKED

# What nobody took up is kept as long as the events that it may be about.
OLD: Final = Sweep("events", "parked")

# When one is tried again whose failure is nobody's fault, such as a database that took too long.
LATER: Final = timedelta(minutes=1)

# What does a step's work once more, or finds that there is none left to do.
Retries: TypeAlias = Mapping[str, Callable[[Db, Parked], Awaitable[None]]]


async def step(database: Database, retries: Retries) -> bool:
    """Try one piece of parked work again; what fails once more stays parked."""
    due: Parked | None = None
    try:
        async with database.transaction() as db:
            # Held by a lock and not written before the work is done: whoever parks the same work
            # meanwhile, holding what it is about, would wait for that, and we for them.
            due = await service.LEASES.hold(db, Parked)
            if due is not None:
                await _try_again(db, due, retries)
    except Exception as failure:
        if due is not None and not passing(failure):
            await _put_off(database, due)
        raise
    return due is not None


async def _try_again(db: Db, due: Parked, retries: Retries) -> None:
    async with service.Trial(db) as trial:
        await retries[due.step](db, due)
    if trial.failure is None:
        await PARKED.remove(db, due)
    else:
        await service.park_again(db, due, trial.failure)


async def _put_off(database: Database, due: Parked) -> None:
    """Let others have their turn before one that nobody is blamed for, and count nothing."""
    async with database.transaction() as db:
        await service.LEASES.retry(db, Lease(due.uuid, due.attempts), LATER)
