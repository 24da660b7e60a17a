"""The stored figures of days, and the queue of days to compute."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, columns
from pannier.reports.models import (
    DayFigures,
    DriverFigures,
    MoneyFigures,
    ReportCalendar,
    StoredDay,
    StoredDriver,
    StoredMoney,
)

# Incremented when figures are added or computed otherwise: all days are then computed again.
FIGURES_VERSION: Final = 2
# Notes of touched days that are moved to the queue at once.
MAX_TOUCHES: Final = 1000
TABLES: Final = ("report_days", "report_money", "report_drivers")


async def queue_days(db: Db, days: Iterable[tuple[UUID, date, datetime]]) -> None:
    """Queue days of companies, each due at a time. A queued day only counts another change."""
    # Sorted, so that two transactions cannot deadlock.
    rows = sorted({(company, day): due_at for company, day, due_at in days}.items())
    await db.execute(
        """insert into report_queue as q (company, day, due_at)
           select company, day, due_at
           from unnest(:companies::uuid[], :days::date[], :due::timestamptz[])
               as touched (company, day, due_at)
           on conflict (company, day) do update set touches = q.touches + 1""",
        companies=[company for (company, _), _ in rows],
        days=[day for (_, day), _ in rows],
        due=[due_at for _, due_at in rows],
    )


async def touch_days(db: Db, days: Iterable[tuple[UUID, date, datetime]]) -> None:
    """Note that days of companies changed, and when to compute each.

    The notes are only added to, so transactions that touch the same day never wait for each other.
    A worker moves them to the queue.
    """
    rows = sorted(set(days))
    if rows:
        await db.execute(
            """insert into report_touches (company, day, due_at)
               select * from unnest(:companies::uuid[], :days::date[], :due::timestamptz[])""",
            companies=[company for company, _, _ in rows],
            days=[day for _, day, _ in rows],
            due=[due_at for _, _, due_at in rows],
        )


async def queue_touched_days(db: Db) -> int:
    """Move some notes of touched days to the queue. Return the number of days."""
    # A leased day keeps its lease.
    return await db.execute(
        """with moved as (
               delete from report_touches where position = any(array(
                   select position from report_touches order by position limit :limit
                   for update skip locked))
               returning company, day, due_at)
           insert into report_queue as q (company, day, touches, due_at)
           select company, day, count(*), min(due_at) from moved
           group by company, day order by company, day
           on conflict (company, day) do update set touches = q.touches + excluded.touches,
               due_at = case q.attempts when 0 then least(q.due_at, excluded.due_at)
                        else q.due_at end""",
        limit=MAX_TOUCHES,
    )


async def list_outdated_days(db: Db, company: UUID, first: date, last: date) -> list[date]:
    """List the days in a range whose stored figures are outdated, the latest first."""
    rows = await db.fetch_tuples(
        """select day from report_queue
           where company = :company and day between :first and :last
           union
           select day from report_touches
           where company = :company and day between :first and :last
           order by day desc""",
        company=company,
        first=first,
        last=last,
    )
    return [day for (day,) in rows]


async def has_current_calendar(db: Db, company: UUID, settings: CompanySettings) -> bool:
    """Return whether all days were queued by the company's present time zone."""
    calendar = await db.find(
        ReportCalendar,
        f"select {columns(ReportCalendar)} from report_companies where company = :company",
        company=company,
    )
    return (
        calendar is not None
        and calendar.time_zone == settings.time_zone
        and calendar.figures >= FIGURES_VERSION
    )


async def list_days(db: Db, company: UUID, first: date, last: date) -> list[StoredDay]:
    """List the stored figures of the days in a range."""
    return await db.fetch_all(
        StoredDay,
        f"""select {columns(StoredDay)} from report_days
            where company = :company and day between :first and :last order by day""",
        company=company,
        first=first,
        last=last,
    )


async def list_money(db: Db, company: UUID, first: date, last: date) -> list[StoredMoney]:
    """List the stored money of the days in a range, by currency."""
    return await db.fetch_all(
        StoredMoney,
        f"""select {columns(StoredMoney)} from report_money
            where company = :company and day between :first and :last
            order by currency, day""",
        company=company,
        first=first,
        last=last,
    )


async def sum_drivers(
    db: Db, company: UUID, first: date, last: date, *, without: Sequence[date]
) -> list[DriverFigures]:
    """Add up the stored figures of each driver in a range, without some days."""
    names = [name for name in DriverFigures.__struct_fields__ if name != "driver"]
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in names)
    return await db.fetch_all(
        DriverFigures,
        f"""select driver, {sums} from report_drivers
            where company = :company and day between :first and :last
                and day <> all(:without)
            group by driver""",
        company=company,
        first=first,
        last=last,
        without=list(without),
    )


async def save_day(
    db: Db,
    company: UUID,
    day: date,
    figures: DayFigures,
    money: Sequence[MoneyFigures],
    drivers: Sequence[DriverFigures],
) -> None:
    """Replace the stored figures of a day."""
    for table in TABLES:
        await db.execute(
            f"delete from {table} where company = :company and day = :day",
            company=company,
            day=day,
        )
    await db.insert("report_days", to_stored_day(company, day, figures, db.now))
    await db.insert("report_money", *(to_stored_money(company, day, row) for row in money))
    await db.insert("report_drivers", *(_to_stored_driver(company, day, row) for row in drivers))


async def delete_days_before(db: Db, company: UUID, first: date) -> None:
    """Delete the stored figures of days before the first one that a company has."""
    for table in TABLES:
        await db.execute(
            f"delete from {table} where company = :company and day < :first",
            company=company,
            first=first,
        )


def to_stored_day(company: UUID, day: date, figures: DayFigures, now: datetime) -> StoredDay:
    """Add the day to its figures."""
    values = {name: getattr(figures, name) for name in DayFigures.__struct_fields__}
    return StoredDay(company=company, day=day, computed_at=now, **values)


def to_stored_money(company: UUID, day: date, money: MoneyFigures) -> StoredMoney:
    """Add the day to its money."""
    values = {name: getattr(money, name) for name in MoneyFigures.__struct_fields__}
    return StoredMoney(company=company, day=day, **values)


def _to_stored_driver(company: UUID, day: date, figures: DriverFigures) -> StoredDriver:
    values = {name: getattr(figures, name) for name in DriverFigures.__struct_fields__}
    return StoredDriver(company=company, day=day, **values)
