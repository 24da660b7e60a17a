"""The queue of days to compute."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db, columns
from pannier.reports.models import ReportCalendar

# Incremented when figures are added or computed otherwise: all days are then computed again.
FIGURES_VERSION: Final = 4
# Notes of touched days that are moved to the queue at once.
MAX_TOUCHES: Final = 1000


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
