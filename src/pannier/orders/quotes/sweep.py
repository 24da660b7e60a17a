"""Deletion of old quotes that were never accepted. Quotes with a transaction stay."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.db.retention import Sweep

# An open order keeps its quotes, because dispatch reprices only orders that had a price. The two
# states are swept apart, so that each uses its own index.
_OVER: Final = """exists (
    select from orders o where o.uuid = t.order_uuid and (
        o.completed_at is not null or o.canceled_at is not null or o.deleted_at is not null))"""
REPLACED: Final = Sweep(
    "events", "service_quotes", that="t.state = 'replaced' and t.transaction is null"
)
LEFT_OPEN: Final = Sweep("events", "service_quotes", that=f"t.state = 'open' and {_OVER}")


async def step(database: Database, keep: timedelta) -> bool:
    """Delete a batch of quotes that are older than the company's event retention."""
    replaced = await REPLACED.step(database, keep)
    return await LEFT_OPEN.step(database, keep) or replaced
