"""The metric of sweeps that stopped."""

from pannier.db import Db, sweep_guard
from pannier.web.metrics import make_gauge

_stopped = make_gauge(
    "pannier_sweeps_stopped",
    "Sweeps that stopped, because they would delete most of a table, and wait for an operator.",
)


async def count_stopped_sweeps(db: Db) -> None:
    """Update the gauge of stopped sweeps."""
    stopped_sweeps = await sweep_guard.list_stopped_sweeps(db)
    _stopped.set(sum(not stopped.allowed for stopped in stopped_sweeps))
