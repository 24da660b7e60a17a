"""The queue of simulations. It is separate so that a worker loads robots with the first one."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention
from pannier.jobs.leases import Leases

STEP: Final = "simulations"
CHANNEL: Final = "pannier_simulations"
LEASES: Final = Leases("simulations", condition="state = 'running'")
RETENTION: Final = timedelta(days=7)


async def is_any_due(database: Database) -> bool:
    """Tell whether a robot's next move or activity is due."""
    async with database.reading() as db:
        return bool(
            await db.fetch_value(
                f"""select exists (select from simulations
                    where state = 'running' and {LEASES.due_condition()})"""
            )
        )


async def purge(database: Database) -> bool:
    """Delete a batch of simulations that ended long ago; return whether there were any."""
    async with database.transaction() as db:
        return await retention.purge(db, "simulations", "finished_at", keep=RETENTION) > 0
