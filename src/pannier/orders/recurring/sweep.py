"""The worker's step that creates the orders of recurring orders."""

from datetime import date
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from pannier.db import Database, Db
from pannier.errors import Problem
from pannier.jobs.leases import Leases
from pannier.orders.recurring import days, rules
from pannier.orders.recurring.models import RecurringOrder
from pannier.parked.service import WorkAttempt
from pannier.web.logs import log

STEP: Final = "recurring orders"
LEASES: Final = Leases("recurring_orders")
MAX_REASON_LENGTH: Final = 500
# Missed days that are recorded in one transaction.
BATCH_SIZE: Final = 100
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
            await _record_missed_days(db, row, row.next_day, today)
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


async def _record_missed_days(db: Db, row: RecurringOrder, first: date, today: date) -> None:
    """Record days that were over before the worker could create their orders."""
    recorded_days = await days.list_recorded_days(db, row, first)
    rule = rules.parse_rule(row.rule)
    for day in islice(rules.iterate_days(rule, row.starts_on, first), BATCH_SIZE):
        if day < today and day not in recorded_days:
            await days.record_day(db, row, day, "missed")


def _to_reason(failure: Exception) -> str:
    """Return a sentence about a failure, for the dispatcher."""
    if not isinstance(failure, Problem):
        return INTERNAL_REASON
    fields = [f"{field.path}: {field.message}" for field in failure.fields]
    return " ".join(fields or [failure.detail])[:MAX_REASON_LENGTH]
