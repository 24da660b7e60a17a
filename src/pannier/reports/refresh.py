"""The worker's part: computes queued days, companies in turn, and queues days to check again.

The figures are read before the queued day is locked, so that nobody waits for them. If the day was
touched meanwhile, they are stored and the day stays queued. If the lease was lost, another worker
has read later figures, and these are dropped.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import DEFAULT_ZONE
from pannier.db import Database, Db, columns
from pannier.jobs.leases import Lease, Leases
from pannier.reports import days, parts
from pannier.reports.models import QueuedDay
from pannier.reports.subscriber import CHANGE_DELAY, compute_due_time

LEASE_DURATION: Final = timedelta(minutes=2)
LONGEST_LEASE: Final = timedelta(hours=6)
# Days per step, all of one company.
BATCH_SIZE: Final = 20
LEASES: Final = Leases("report_queue", doubles_to=LONGEST_LEASE)
LOWEST_UUID: Final = UUID(int=0)
# Days that are checked again each day: devices report trips late, and nothing stays wrong.
CHECKED_DAYS: Final = 14
CHECK_INTERVAL: Final = timedelta(hours=20)
COMPANIES_PER_STEP: Final = 20
# Earlier days are not in the reports.
MAX_DAYS: Final = 10 * 366
# Steps from company to company by the index, so one company's queue adds no cost.
NEXT_COMPANY: Final = """
    with recursive waiting as (
        (select company from report_queue where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from report_queue where company > waiting.company
            order by company limit 1) next)
    select company from waiting w where exists (
        select from report_queue q where q.company = w.company and q.due_at <= pannier_now())
    limit 1"""


class ReportRefresher:
    """Computes some days of a company per step."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_company = LOWEST_UUID

    async def step(self) -> bool:
        """Compute some due days of the next company, or queue days; return False if none is due."""
        has_touched = await _queue_touched_days(self._database)
        leased_days = await self._lease_next()
        for queued_day in leased_days:
            await _compute_day(self._database, queued_day)
        return bool(leased_days) or has_touched or await queue_checks(self._database)

    async def _lease_next(self) -> Sequence[QueuedDay]:
        """Lease the latest due days of the next company."""
        async with self._database.transaction() as db:
            for last_company in dict.fromkeys((self._last_company, LOWEST_UUID)):
                company = await db.fetch_value(NEXT_COMPANY, last=last_company)
                if company is not None:
                    self._last_company = company
                    return await _lease_days(db, company)
        return []


async def _queue_touched_days(database: Database) -> bool:
    async with database.transaction() as db:
        return await days.queue_touched_days(db) > 0


async def _lease_days(db: Db, company: UUID) -> Sequence[QueuedDay]:
    return await LEASES.lease_by_statement(
        db,
        QueuedDay,
        f"""with due as materialized (
                select uuid from report_queue
                where company = :company and {LEASES.due_condition()}
                order by day desc limit :limit for update skip locked)
            update report_queue set {LEASES.lease_assignments}
            from due where report_queue.uuid = due.uuid
            returning {columns(QueuedDay, "report_queue")}""",
        lease=LEASE_DURATION,
        longest=LONGEST_LEASE,
        company=company,
        limit=BATCH_SIZE,
    )


async def _compute_day(database: Database, queued_day: QueuedDay) -> None:
    async with database.transaction() as db:
        company, day = queued_day.company, queued_day.day
        bounds = (await company_settings.load(db, company)).get_day_bounds(day)
        computed_parts = [
            (part, await parts.compute_rows(db, part, company, day, bounds))
            for part in parts.PARTS.values()
        ]
        touches = await db.fetch_value(
            """select touches from report_queue
               where company = :company and uuid = :uuid and attempts = :attempts for update""",
            company=company,
            uuid=queued_day.uuid,
            attempts=queued_day.attempts,
        )
        if touches is None:
            return
        for part, rows in computed_parts:
            if rows is not None:
                await parts.save_rows(db, part, company, day, rows)
        lease = Lease(queued_day.uuid, queued_day.attempts)
        if touches == queued_day.touches:
            await LEASES.delete(db, lease)
        else:
            await LEASES.retry(db, lease, CHANGE_DELAY)


class ReportCompany(msgspec.Struct):
    """A company whose days have to be queued."""

    company: UUID
    time_zone: str
    # Whether it has days by its time zone and the present figures.
    has_days: bool


async def queue_checks(database: Database) -> bool:
    """Queue the days to check of some companies; return False if none is due.

    All days of a company are queued at first, and after a change of its time zone or the figures.
    """
    async with database.transaction() as db:
        await db.require_safe_clock()
        companies = await db.fetch_all(
            ReportCompany,
            """select c.uuid as company, coalesce(c.time_zone, :default_zone) as time_zone,
                   coalesce(r.time_zone = coalesce(c.time_zone, :default_zone)
                            and r.figures >= :figures, false) as has_days
               from companies c left join report_companies r on r.company = c.uuid
               where c.deleted_at is null and (r.company is null
                   or r.time_zone <> coalesce(c.time_zone, :default_zone)
                   or r.figures < :figures
                   or r.checked_at < pannier_now() - :interval::interval)
               order by c.uuid limit :limit for no key update of c skip locked""",
            of_tables=None,
            default_zone=DEFAULT_ZONE,
            figures=days.FIGURES_VERSION,
            interval=CHECK_INTERVAL,
            limit=COMPANIES_PER_STEP,
        )
        for company in companies:
            await _queue_company(db, company)
    return bool(companies)


async def _queue_company(db: Db, company: ReportCompany) -> None:
    zone = ZoneInfo(company.time_zone)
    today = db.now.astimezone(zone).date()
    first = today - timedelta(days=CHECKED_DAYS)
    if not company.has_days:
        oldest = today - timedelta(days=MAX_DAYS)
        first = max(await _find_first_day(db, company.company, zone), oldest)
        # Days that are queued by another time zone may be due too late. Locked in order, so that
        # two transactions cannot deadlock.
        await db.execute(
            """delete from report_queue where uuid = any(array(
                   select uuid from report_queue where company = :company
                   order by day for update))""",
            company=company.company,
        )
        await parts.delete_days_before(db, company.company, oldest)
    await days.queue_days(
        db, [(company.company, day, _get_due_time(day, today, zone, db.now))
             for day in _list_days(first, today)],
    )  # fmt: skip
    await db.execute(
        """insert into report_companies as r (company, time_zone, figures, checked_at)
           values (:company, :time_zone, :figures, pannier_now())
           on conflict (company) do update set time_zone = excluded.time_zone,
               figures = greatest(r.figures, excluded.figures), checked_at = excluded.checked_at""",
        company=company.company,
        time_zone=company.time_zone,
        figures=days.FIGURES_VERSION,
    )


def _get_due_time(day: date, today: date, zone: ZoneInfo, now: datetime) -> datetime:
    return compute_due_time(day, zone, now) if day >= today else now


def _list_days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


async def _find_first_day(db: Db, company: UUID, zone: ZoneInfo) -> date:
    """Return the day before which a company has no figures, neither stored nor to compute."""
    first_time: datetime = await db.fetch_value(
        """select least(c.created_at,
               (select min(created_at) from orders
                where company = c.uuid and deleted_at is null),
               (select min(completed_at) from orders
                where company = c.uuid and completed_at is not null and deleted_at is null),
               (select min(received_at) from proofs where company = c.uuid),
               (select min(created_at) from transactions where company = c.uuid),
               (select min(started_at) from device_trips where company = c.uuid))
           from companies c where c.uuid = :company""",
        company=company,
    )
    first_stored: date | None = await db.fetch_value(
        f"select min(min) from ({parts.FIRST_STORED_DAY}) stored", company=company
    )
    first_day = first_time.astimezone(zone).date()
    return first_day if first_stored is None else min(first_day, first_stored)
