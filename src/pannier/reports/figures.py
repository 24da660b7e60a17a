"""Figures of a day, computed from its records. All reports add up these."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.reports.models import DayFigures, DriverFigures, MoneyFigures

Bounds = tuple[datetime, datetime]

# Each part reads the day's rows by an index. An order counts on the days on which it was created,
# completed and canceled; an attempt or a proof, on the day on which it was received.
_DAY: Final = """
    select :now::timestamptz as computed_at,
        created, completed, canceled, failed_attempts, with_window, on_time,
        completed + given_up as attempted, first_attempt, proofs_scan, proofs_signature,
        proofs_photo, proofs_sms, proofs_override
    from (
        select count(*) as created from orders
        where company = :company and deleted_at is null
            and created_at >= :start and created_at < :end) created,
    (
        select count(*) as completed, count(time_window_end) as with_window,
            count(*) filter (where completed_at <= time_window_end) as on_time,
            count(*) filter (where attempts = 0) as first_attempt
        from orders
        where company = :company and deleted_at is null
            and completed_at >= :start and completed_at < :end) completed,
    (
        select count(*) as canceled, count(*) filter (where attempts > 0) as given_up
        from orders
        where company = :company and deleted_at is null
            and canceled_at >= :start and canceled_at < :end) canceled,
    (
        select count(*) as failed_attempts from delivery_attempts
        where company = :company and deleted_at is null
            and created_at >= :start and created_at < :end) failed,
    (
        select count(*) filter (where method = 'scan') as proofs_scan,
            count(*) filter (where method = 'signature') as proofs_signature,
            count(*) filter (where method = 'photo') as proofs_photo,
            count(*) filter (where method = 'sms') as proofs_sms,
            count(*) filter (where method = 'override') as proofs_override
        from proofs
        where company = :company and received_at >= :start and received_at < :end) proofs"""
# A transaction counts on the day on which it was opened, with what it brings in as of now; see
# `compute_revenue` of invoices. So a later refund reduces that day's revenue.
_MONEY: Final = """
    select currency, count(*) as transactions,
        sum(greatest(0, least(amount, amount_paid - amount_refunded + balance)))::bigint
            as revenue,
        sum(amount_refunded)::bigint as refunded
    from transactions
    where company = :company and voided_at is null
        and created_at >= :start and created_at < :end
    group by currency order by currency"""

# Orders count for the driver whom they have now.
_DRIVERS: Final = """
    select driver, sum(completed)::bigint as completed,
        sum(failed_attempts)::bigint as failed_attempts, sum(with_window)::bigint as with_window,
        sum(on_time)::bigint as on_time, sum(completed + given_up)::bigint as attempted,
        sum(first_attempt)::bigint as first_attempt
    from (
        select driver, 1 as completed, 0 as failed_attempts,
            (time_window_end is not null)::int as with_window,
            coalesce(completed_at <= time_window_end, false)::int as on_time, 0 as given_up,
            (attempts = 0)::int as first_attempt
        from orders
        where company = :company and deleted_at is null and driver is not null
            and completed_at >= :start and completed_at < :end
        union all
        select driver, 0, 0, 0, 0, 1, 0 from orders
        where company = :company and deleted_at is null and driver is not null and attempts > 0
            and canceled_at >= :start and canceled_at < :end
        union all
        select o.driver, 0, 1, 0, 0, 0, 0
        from delivery_attempts a join orders o on o.uuid = a.order_uuid
        where a.company = :company and a.deleted_at is null and o.driver is not null
            and o.deleted_at is null and a.created_at >= :start and a.created_at < :end) facts
    group by driver order by driver"""


async def compute_day(db: Db, company: UUID, bounds: Bounds) -> DayFigures:
    """Compute the figures of a day from its start to its end."""
    start, end = bounds
    return await db.get(
        DayFigures, _DAY, of_tables=None, company=company, start=start, end=end, now=db.now
    )


async def list_day(db: Db, company: UUID, bounds: Bounds) -> list[DayFigures]:
    """Compute the figures of a day, as a list."""
    return [await compute_day(db, company, bounds)]


async def compute_money(db: Db, company: UUID, bounds: Bounds) -> list[MoneyFigures]:
    """Compute the money of a day for each currency."""
    start, end = bounds
    return await db.fetch_all(
        MoneyFigures, _MONEY, of_tables=None, company=company, start=start, end=end
    )


async def compute_drivers(db: Db, company: UUID, bounds: Bounds) -> list[DriverFigures]:
    """Compute the orders of a day for each driver."""
    start, end = bounds
    return await db.fetch_all(
        DriverFigures, _DRIVERS, of_tables=None, company=company, start=start, end=end
    )
