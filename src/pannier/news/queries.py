"""Queries for news."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.news.models import NewsKey
from pannier.orders.models import Order
from pannier.orders.stages import OPEN

# Time in which a phone that was offline sends all its records.
RECONNECT_WINDOW: Final = timedelta(minutes=5)


async def load_lag(db: Db, company: UUID, order: UUID, event_time: datetime) -> timedelta:
    """Return the delay with which the driver's app reported an order's latest status.

    A phone may have been offline. It then sends its records within minutes, so older statuses do
    not count.
    """
    lag: timedelta | None = await db.fetch_value(
        """select created_at - occurred_at from tracking_statuses
           where company = :company and order_uuid = :order and created_at <= :event_time
             and created_at > :event_time::timestamptz - :window::interval and deleted_at is null
           order by created_at desc, uuid desc limit 1""",
        company=company,
        order=order,
        event_time=event_time,
        window=RECONNECT_WINDOW,
    )
    return max(lag or timedelta(), timedelta())


async def find_attempt_number(db: Db, company: UUID, status: str) -> int | None:
    """Return the attempt (1, 2, …) that a failed status belongs to, or None for a manual one."""
    number: int | None = await db.fetch_value(
        """select (meta->>'number')::integer from tracking_statuses
           where company = :company and public_id = :status and not manual""",
        company=company,
        status=status,
    )
    return number


async def list_failed_stops(
    db: Db, company: UUID, order: UUID, skip_count: int
) -> set[UUID | None]:
    """List the stops of an order's failed attempts, without the first `skip_count` attempts."""
    rows = await db.fetch_tuples(
        """select waypoint from delivery_attempts
           where company = :company and order_uuid = :order and deleted_at is null
           order by created_at, uuid offset :skip_count""",
        company=company,
        order=order,
        skip_count=skip_count,
    )
    return {waypoint for (waypoint,) in rows}


async def list_notified_keys(db: Db, company: UUID, order: UUID) -> set[NewsKey]:
    """Load the keys of the news that was sent about an order."""
    rows = await db.fetch_tuples(
        """select subject, person, kind, attempt from news
           where company = :company and order_uuid = :order""",
        company=company,
        order=order,
    )
    return {(subject, person, kind, attempt) for subject, person, kind, attempt in rows}


async def list_started_orders(db: Db, company: UUID, driver: UUID) -> list[Order]:
    """List a driver's started orders, at most two of them."""
    return await db.fetch_all(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and driver = :driver and started_at is not null
              and {OPEN} and deleted_at is null limit 2""",
        company=company,
        driver=driver,
    )


async def find_device_locale(db: Db, company: UUID, customer: UUID) -> str | None:
    """Return the language of the phone that a customer used last, if it reported one."""
    locale: str | None = await db.fetch_value(
        """select details->>'locale' from customer_devices
           where company = :company and customer = :customer and details ? 'locale'
           order by last_seen_at desc limit 1""",
        company=company,
        customer=customer,
    )
    return locale
