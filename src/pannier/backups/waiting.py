"""The work that a silent installation will do once it is resumed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

from pannier.db import Database
from pannier.news import metrics as news
from pannier.news import sweep as news_sweep
from pannier.notifications import status as notifications
from pannier.notifications import sweep as notifications_sweep
from pannier.orders import sweep as orders_sweep
from pannier.web.metrics import MAX_COUNTED
from pannier.webhooks import status as webhooks
from pannier.webhooks import sweep as webhooks_sweep


class WaitingWork(msgspec.Struct):
    """Work of one kind: how much, counted up to 10,000, and how old."""

    waiting: int
    since: datetime | None


def _count_due(table: str) -> str:
    return f"""
        select count(*) as waiting, min(due_at) as since
        from (select due_at from {table} where due_at <= pannier_now() limit {MAX_COUNTED}) due"""


QUERIES: Final[Mapping[str, str]] = {
    "webhook deliveries": webhooks.OLDEST,
    "messages": notifications.BACKLOG,
    "events that recipients may be notified about": news.BACKLOG,
    "scheduled orders to dispatch": orders_sweep.BACKLOG,
    "recurring orders to create": _count_due("recurring_orders"),
    "weekly reports to send": _count_due("report_emails"),
    "checkouts to open or close": _count_due("checkouts"),
    "refunds to request": _count_due("refunds"),
    "accounts to delete at gateways and providers": _count_due("departures"),
}


async def count_waiting(database: Database) -> dict[str, WaitingWork]:
    """Count the waiting work by kind."""
    async with database.reading() as db:
        return {name: await db.get(WaitingWork, query) for name, query in QUERIES.items()}


async def drop_older(database: Database, before: datetime) -> dict[str, int]:
    """Drop what was to be sent or dispatched before a time. Payments are never dropped."""
    return {
        "webhook deliveries": await webhooks_sweep.cancel_older(database, before),
        "messages": await notifications_sweep.drop_older(database, before),
        "events that recipients may be notified about": await news_sweep.drop_older(
            database, before
        ),
        "scheduled orders to dispatch": await orders_sweep.hold_older(database, before),
    }
