"""The worker's second try: parked work whose time has come."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from pannier.db import Database, Db
from pannier.db.retention import Sweep
from pannier.parked import service
from pannier.parked.models import Parked
from pannier.parked.queries import PARKED

# What nobody took up is kept as long as the events that it may be about.
OLD: Final = Sweep("events", "parked")

# What does a step's work once more, or finds that there is none left to do.
Retries: TypeAlias = Mapping[str, Callable[[Db, Parked], Awaitable[None]]]


async def step(database: Database, retries: Retries) -> bool:
    """Try one piece of parked work again; what fails once more stays parked."""
    async with database.transaction() as db:
        due = await db.find(
            Parked,
            f"""select {PARKED.columns} from parked where retry_at <= :now
                order by retry_at, uuid limit 1 for no key update skip locked""",
            now=db.now,
        )
        if due is None:
            return False
        async with service.Trial(db) as trial:
            await retries[due.step](db, due)
        if trial.failure is None:
            await PARKED.remove(db, due)
        else:
            await service.park_again(db, due, trial.failure)
    return True
