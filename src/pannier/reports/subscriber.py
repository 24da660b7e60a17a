"""The subscriber that queues the days whose figures an event changes.

An order counts on several days, of which an earlier one may lose it again, as when it is reopened.
So all days are queued on which it was created, or on which one of its activities was recorded.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from pannier.accounts.company_settings.models import DEFAULT_ZONE, local_time_to_utc
from pannier.db import Db
from pannier.devices.events import hourly_sums
from pannier.devices.trips import service as trips
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.orders import queries as order_queries
from pannier.reports import days

ORDER_NAMES: Final = frozenset(
    {
        Name.ORDER_CREATED,
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_COMPLETED,
        Name.ORDER_CANCELLED,
        Name.ORDER_UPDATED,
    }
)
MONEY_NAMES: Final = frozenset(
    {
        Name.TRANSACTION_CREATED,
        Name.TRANSACTION_PAID,
        Name.TRANSACTION_REFUNDED,
        Name.TRANSACTION_VOIDED,
    }
)
# The day of the event itself.
SAME_DAY_NAMES: Final = frozenset(
    {*ORDER_NAMES, *MONEY_NAMES, Name.PROOF_OF_DELIVERY_CREATED, Name.TRACKING_STATUS_CREATED}
)
# A past day is computed this long after a change, so that several changes cause one computation.
CHANGE_DELAY: Final = timedelta(seconds=20)
# Reports compute the current day when they are read. It is stored after its end.
END_DELAY: Final = timedelta(minutes=5)
_ORDER_TIMES: Final = """
    select o.company, moment from orders o cross join lateral (
        select o.created_at as moment
        union all select o.completed_at union all select o.canceled_at
        union all select s.created_at from tracking_statuses s
            where s.order_uuid = o.uuid and s.deleted_at is null) times
    where o.public_id = any(:orders) and moment is not null"""
_MONEY_TIMES: Final = """
    select company, created_at from transactions where public_id = any(:transactions)
    union all
    select t.company, t.created_at from charges c join transactions t on t.uuid = c.transaction
    where c.public_id = any(:charges)"""


async def queue_touched_days(db: Db, events: Sequence[Event]) -> None:
    """Queue the days whose figures the events change."""
    touched = [
        (event.company, event.created_at) for event in events if event.name in SAME_DAY_NAMES
    ]
    orders = [event.subject for event in events if event.name in ORDER_NAMES]
    transactions = [event.subject for event in events if event.name in MONEY_NAMES]
    charges = [event.subject for event in events if event.name is Name.CHARGE_CREATED]
    if orders:
        touched += await db.fetch_tuples(_ORDER_TIMES, orders=orders)
    if transactions or charges:
        touched += await db.fetch_tuples(_MONEY_TIMES, transactions=transactions, charges=charges)
    await _touch_moments(db, touched)


@order_queries.after_delete.register
async def queue_deleted_order(db: Db, public_id: str) -> None:
    """Queue the days on which a deleted order counted."""
    await _touch_moments(db, await db.fetch_tuples(_ORDER_TIMES, orders=[public_id]))


@hourly_sums.after_late_readings.register
@trips.after_trips.register
async def queue_past_days(db: Db, touched: Sequence[tuple[UUID, datetime]]) -> None:
    """Queue the past days of moments at which devices moved or reported.

    The present day is queued anyway, and these changes are many.
    """
    await _touch_moments(db, touched, past_only=True)


async def _touch_moments(
    db: Db, touched: Sequence[tuple[UUID, datetime]], *, past_only: bool = False
) -> None:
    """Touch the days of moments, in the time zones of their companies."""
    if not touched:
        return
    zones = await _load_zones(db, {company for company, _ in touched})
    local_days = {
        (company, moment.astimezone(zones[company]).date()) for company, moment in touched
    }
    if past_only:
        local_days = {
            (company, day)
            for company, day in local_days
            if day < db.now.astimezone(zones[company]).date()
        }
    await days.touch_days(
        db,
        [
            (company, day, compute_due_time(day, zones[company], db.now))
            for company, day in local_days
        ],
    )


def compute_due_time(day: date, zone: ZoneInfo, now: datetime) -> datetime:
    """Return when to compute a day after a change: a past one soon, the others after their end."""
    end = local_time_to_utc(day, datetime.min.time(), zone, days_later=1)
    return max(end + END_DELAY, now + CHANGE_DELAY)


async def _load_zones(db: Db, companies: set[UUID]) -> Mapping[UUID, ZoneInfo]:
    rows = await db.fetch_tuples(
        "select uuid, time_zone from companies where uuid = any(:companies)",
        companies=list(companies),
    )
    return {company: ZoneInfo(time_zone or DEFAULT_ZONE) for company, time_zone in rows}
