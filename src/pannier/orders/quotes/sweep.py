"""Deletion of old quotes that were never accepted. Quotes with a transaction stay."""

from datetime import timedelta
from typing import Final

from pannier.db import Database
from pannier.db.retention import RetentionSweep

# An open order keeps its quotes, because dispatch reprices only orders that had a price. The two
# states are swept apart, so that each uses its own index.
_ORDER_ENDED: Final = """exists (
    select from orders o where o.uuid = t.order_uuid and (
        o.completed_at is not null or o.canceled_at is not null or o.deleted_at is not null))"""
REPLACED: Final = RetentionSweep(
    "events",
    "service_quotes",
    condition="t.state = 'replaced' and t.transaction is null",
    name="service_quotes.replaced",
)
LEFT_OPEN: Final = RetentionSweep(
    "events",
    "service_quotes",
    condition=f"t.state = 'open' and {_ORDER_ENDED}",
    name="service_quotes.open",
)


async def step(database: Database, retention: timedelta) -> bool:
    """Delete a batch of quotes that are older than the company's event retention."""
    has_deleted = await REPLACED.delete_batch(database, retention)
    return await LEFT_OPEN.delete_batch(database, retention) or has_deleted
