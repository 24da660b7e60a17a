"""Prometheus metrics of backups."""

from typing import Final

from pannier.backups import records
from pannier.db import Db
from pannier.web.metrics import make_gauge

_last_good: Final = make_gauge(
    "pannier_backup_last_success_timestamp_seconds",
    "Unix time at which the last complete backup ended; 0 if there is none.",
)
_is_failing: Final = make_gauge(
    "pannier_backup_failing", "1 if the latest scheduled backup failed, otherwise 0."
)


async def update_gauges(db: Db) -> None:
    """Update the time of the last complete backup, and whether the latest one failed."""
    state = await db.get(records.BackupState, records.SELECT_STATE)
    _last_good.set(0 if state.last_good_at is None else state.last_good_at.timestamp())
    _is_failing.set(state.is_failing)
