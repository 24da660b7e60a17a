"""Prometheus metrics of parked work."""

from typing import Final

from pannier.db import Db
from pannier.web.metrics import MAX_COUNTED, make_gauge

# The number of pieces of parked work, up to a limit, and the time of the oldest.
BACKLOG: Final = f"""
    select count(*) as waiting, min(created_at) as since
    from (select created_at from parked limit {MAX_COUNTED}) waiting"""

_parked = make_gauge("pannier_parked", "Pieces of background work that failed and were set aside.")


async def update_gauge(db: Db) -> None:
    """Update the gauge of parked work."""
    _parked.set(await db.fetch_value("select count(*) from parked"))
