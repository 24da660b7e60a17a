"""Reading what news rest on."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.news.models import Once
from pannier.orders.models import Order
from pannier.orders.stages import OPEN

# In which a phone that has reception again tells all that it had to keep to itself.
TOGETHER: Final = timedelta(minutes=5)


async def lag(db: Db, company: UUID, order: UUID, at: datetime) -> timedelta:
    """Tell how late we heard what moved an order: a phone may have had no reception.

    What it tells at once when it has comes within minutes; what happens later happens now.
    """
    found: timedelta | None = await db.value(
        """select created_at - occurred_at from tracking_statuses
           where company = :company and order_uuid = :order and created_at <= :at
             and created_at > :at::timestamptz - :together::interval and deleted_at is null
           order by created_at desc, uuid desc limit 1""",
        company=company,
        order=order,
        at=at,
        together=TOGETHER,
    )
    return max(found or timedelta(), timedelta())


async def attempt(db: Db, company: UUID, status: str) -> int | None:
    """Tell the how manieth attempt failed of which a status tells; None of one written by hand."""
    found: int | None = await db.value(
        """select (meta->>'number')::integer from tracking_statuses
           where company = :company and public_id = :status and not manual""",
        company=company,
        status=status,
    )
    return found


async def failed_since(db: Db, company: UUID, order: UUID, before: int) -> set[UUID | None]:
    """Name the stops where attempts failed after the first so many of an order."""
    rows = await db.tuples(
        """select waypoint from delivery_attempts
           where company = :company and order_uuid = :order and deleted_at is null
           order by created_at, uuid offset :before""",
        company=company,
        order=order,
        before=before,
    )
    return {waypoint for (waypoint,) in rows}


async def told(db: Db, company: UUID, order: UUID) -> set[Once]:
    """Read what the people who wait for an order have heard of it."""
    rows = await db.tuples(
        """select subject, person, kind, attempt from news
           where company = :company and order_uuid = :order""",
        company=company,
        order=order,
    )
    return {(subject, person, kind, attempt) for subject, person, kind, attempt in rows}


async def under_way(db: Db, company: UUID, driver: UUID) -> list[Order]:
    """Find orders with which a driver is under way; two of them stand for many."""
    return await db.many(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and driver = :driver and started_at is not null
              and {OPEN} and deleted_at is null limit 2""",
        company=company,
        driver=driver,
    )


async def device_locale(db: Db, company: UUID, customer: UUID) -> str | None:
    """Tell in which language a customer's phone speaks, if it said so."""
    found: str | None = await db.value(
        """select details->>'locale' from customer_devices
           where company = :company and customer = :customer and details ? 'locale'
           order by last_seen_at desc limit 1""",
        company=company,
        customer=customer,
    )
    return found
