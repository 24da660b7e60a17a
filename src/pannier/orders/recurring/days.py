"""Days of recurring orders: which comes next, and what happened to each."""

from datetime import date, datetime, timedelta
from itertools import islice, takewhile
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, columns
from pannier.errors import NotFound
from pannier.kit import local_time
from pannier.orders import service as orders
from pannier.orders.duplicates import copying
from pannier.orders.recurring import rules
from pannier.orders.recurring.models import DayState, RecurringDay, RecurringOrder
from pannier.orders.templates.models import OrderTemplate

# Missed days that are recorded in one transaction: those of more than two years.
MAX_MISSED_DAYS: Final = 1000


async def load_zone(db: Db, company: UUID) -> ZoneInfo:
    return (await company_settings.load(db, company)).zone


def get_today(db: Db, zone: ZoneInfo) -> date:
    return db.now.astimezone(zone).date()


async def find_day(db: Db, row: RecurringOrder, day: date) -> RecurringDay | None:
    return await db.find(
        RecurringDay,
        f"""select {columns(RecurringDay)} from recurring_days
            where company = :company and recurring_order = :row and day = :day""",
        company=row.company,
        row=row.uuid,
        day=day,
    )


async def list_recorded_days(db: Db, row: RecurringOrder, earliest: date) -> set[date]:
    """List the days with a record, from the earliest on. `MAX_FUTURE` bounds their number."""
    found = await db.fetch_tuples(
        """select day from recurring_days
           where company = :company and recurring_order = :row and day >= :earliest""",
        company=row.company,
        row=row.uuid,
        earliest=earliest,
    )
    return {day for (day,) in found}


async def record_day(
    db: Db,
    row: RecurringOrder,
    day: date,
    state: DayState,
    *,
    order_id: str | None = None,
    reason: str | None = None,
) -> None:
    """Record what happened to a day. A second record of the same day fails."""
    recorded_day = _make_day(db, row, day, state)
    recorded_day.order_id, recorded_day.reason = order_id, reason
    await db.insert("recurring_days", recorded_day)


def _make_day(db: Db, row: RecurringOrder, day: date, state: DayState) -> RecurringDay:
    return RecurringDay(
        **db.new_row_fields(row.company), recurring_order=row.uuid, day=day, state=state
    )


async def record_missed_days(db: Db, row: RecurringOrder, today: date) -> None:
    """Record the days that were over before the worker could create their orders."""
    if row.next_day is None or row.next_day >= today:
        return
    recorded_days = await list_recorded_days(db, row, row.next_day)
    days = rules.iterate_days(rules.parse_rule(row.rule), row.starts_on, row.next_day)
    missed_days = (
        _make_day(db, row, day, "missed")
        for day in takewhile(lambda day: day < today, days)
        if day not in recorded_days
    )
    db.queue_inserts("recurring_days", *islice(missed_days, MAX_MISSED_DAYS))


async def create_order(db: Db, row: RecurringOrder, day: date, zone: ZoneInfo) -> str:
    """Create the order of a day; return its id."""
    # The shared lock waits for an erasure, so that nobody is erased from the template meanwhile.
    template = await db.find(
        OrderTemplate,
        f"""select {columns(OrderTemplate)} from order_templates
            where company = :company and uuid = :template for share""",
        company=row.company,
        template=row.template,
    )
    if template is None:
        raise NotFound("The template was deleted.")
    order_in = copying.make_request(template.body, day, zone)
    return (await orders.create(db, row.company, order_in)).row.public_id


async def find_next(db: Db, row: RecurringOrder, zone: ZoneInfo, earliest: date) -> dict[str, Any]:
    """Return the columns of the next day without a record."""
    recorded_days = await list_recorded_days(db, row, earliest)
    days = rules.iterate_days(rules.parse_rule(row.rule), row.starts_on, earliest)
    next_day = next((day for day in days if day not in recorded_days), None)
    return {
        "next_day": next_day,
        "due_at": None if next_day is None else to_due_time(next_day, row.lead_days, zone),
    }


def to_due_time(day: date, lead_days: int, zone: ZoneInfo) -> datetime:
    """Return when the order of a day is created: at midnight, by the company's clocks."""
    return local_time.to_utc(day - timedelta(days=lead_days), 0, zone)
