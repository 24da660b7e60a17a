"""Old quotes that nobody accepted are forgotten; what was ever owed by stays with its order."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.db.retention import Sweep

# An order that is still open is priced anew at dispatch only if it had a price, so it keeps one.
# By their states apart: an index has each in the order of time, and accepted ones pile up.
_OVER: Final = """exists (
    select from orders o where o.uuid = t.order_uuid and (
        o.completed_at is not null or o.canceled_at is not null or o.deleted_at is not null))"""
REPLACED: Final = Sweep(
    "events", "service_quotes", that="t.state = 'replaced' and t.transaction is null"
)
LEFT_OPEN: Final = Sweep("events", "service_quotes", that=f"t.state = 'open' and {_OVER}")


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of quotes that are older than their company keeps events."""
    replaced = await REPLACED.step(database, keep)
    return await LEFT_OPEN.step(database, keep) or replaced
