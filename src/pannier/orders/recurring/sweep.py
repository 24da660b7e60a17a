"""The worker's step that creates the orders of recurring orders."""

from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from pannier.db import Database, Db
from pannier.errors import Problem
from pannier.jobs.leases import Leases
from pannier.orders.recurring import days
from pannier.orders.recurring.models import RecurringOrder
from pannier.parked.service import WorkAttempt
from pannier.web.logs import log

STEP: Final = "recurring orders"
LEASES: Final = Leases("recurring_orders")
MAX_REASON_LENGTH: Final = 500
INTERNAL_REASON: Final = "Something went wrong on our side. Try again."


async def step(database: Database) -> bool:
    """Create the order of one day that is due; return False if none is.

    The order, its record and the next day are written together, under a lock on the recurring
    order. So neither a second worker nor a crash at any line leads to a second order.
    """
    async with database.transaction() as db:
        row = await LEASES.lock_next(db, RecurringOrder)
        if row is None or row.next_day is None:
            return False
        zone = await days.load_zone(db, row.company)
        today = days.get_today(db, zone)
        if row.next_day < today:
            await days.record_missed_days(db, row, today)
        else:
            await _create_order(db, row, row.next_day, zone)
        # Recorded days are left out.
        next_columns = await days.find_next(db, row, zone, row.next_day)
        await db.update("recurring_orders", row.uuid, **next_columns)
    return True


async def _create_order(db: Db, row: RecurringOrder, day: date, zone: ZoneInfo) -> None:
    """Create the order of a day, or record why it is refused."""
    order_id = None
    async with WorkAttempt(db) as attempt:
        order_id = await days.create_order(db, row, day, zone)
    if attempt.failure is None:
        await days.record_day(db, row, day, "created", order_id=order_id)
        return
    if not isinstance(attempt.failure, Problem):
        log.error("recurring order failed", subject=row.public_id, exc_info=attempt.failure)
    reason = _to_reason(attempt.failure)
    await days.record_day(db, row, day, "refused", reason=reason)


def _to_reason(failure: Exception) -> str:
    """Return a sentence about a failure, for the dispatcher."""
    if not isinstance(failure, Problem):
        return INTERNAL_REASON
    fields = [f"{field.path}: {field.message}" for field in failure.fields]
    return " ".join(fields or [failure.detail])[:MAX_REASON_LENGTH]
