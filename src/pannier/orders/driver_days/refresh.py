"""The worker's part: keeps the ETAs of drivers up to date, companies in turn.

Each driver with a dispatched order has a run, which is due again half a minute after the last one.
While the driver's position is unknown or old, the run sleeps until the driver reports or an order
changes. It is deleted with the driver's last order.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Pace
from pannier.db import Database, Db, columns
from pannier.fleet import whereabouts
from pannier.fleet.models import Whereabouts
from pannier.jobs.leases import Leases
from pannier.orders.driver_days import queries
from pannier.orders.driver_days.queries import DriverEtas
from pannier.orders.driver_days.stops import DayStop, compute_etas, is_fresh, list_points
from pannier.orders.stages import OPEN
from pannier.routing.router import Router
from pannier.web.logs import log

LEASE_DURATION: Final = timedelta(minutes=1)
REFRESH_INTERVAL: Final = timedelta(seconds=30)
# How long a run sleeps if nothing wakes it.
SLEEP_DURATION: Final = timedelta(minutes=10)
# Drivers per step, all of one company.
BATCH_SIZE: Final = 50
# Per worker. More drivers are refreshed less often.
MAX_DRIVERS_PER_MINUTE: Final = 1_500
# Routes measured at a time: other callers use the engine too.
ROUTE_CONCURRENCY: Final = 2
LEASES: Final = Leases("eta_runs", key="driver")
LOWEST_UUID: Final = UUID(int=0)
# Steps from company to company by the index, so one company's queue adds no cost.
NEXT_COMPANY: Final = """
    with recursive waiting as (
        (select company from eta_runs where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from eta_runs where company > waiting.company
            order by company limit 1) next)
    select company from waiting w where exists (
        select from eta_runs r where r.company = w.company and r.due_at <= pannier_now())
    limit 1"""


class EtaRun(msgspec.Struct):
    """A driver whose ETAs a worker has leased."""

    driver: UUID
    company: UUID
    attempts: int


class _DriverData(NamedTuple):
    """The input for the ETAs of a driver."""

    stops: Sequence[DayStop]
    position: Whereabouts | None


class EtaRefresher:
    """Refreshes the ETAs of some drivers per step."""

    def __init__(self, database: Database, router: Router) -> None:
        self._database, self._router = database, router
        self._last_company = LOWEST_UUID
        self._minute: datetime | None = None
        self._refreshed_count = 0
        self._route_slots = asyncio.Semaphore(ROUTE_CONCURRENCY)

    async def step(self) -> bool:
        """Refresh the ETAs of some drivers of the next company; return False if none is due."""
        limit = min(BATCH_SIZE, self._count_remaining_drivers())
        runs = await self._lease_next(limit) if limit > 0 else []
        if not runs:
            return False
        self._refreshed_count += len(runs)
        company = runs[0].company
        async with self._database.reading() as db:
            now, data = db.now, await _load_data(db, company, [run.driver for run in runs])
            pace = (await company_settings.load(db, company)).routing
        results = await asyncio.gather(
            *(self._compute_etas(company, run.driver, data[run.driver], pace, now) for run in runs)
        )
        etas = {row.driver: row for row in results if row is not None}
        async with self._database.transaction() as db:
            await _save_etas(db, company, runs, data, etas)
        return True

    def _count_remaining_drivers(self) -> int:
        """Return how many drivers may still be refreshed in this minute."""
        minute = self._database.clock.now().replace(second=0, microsecond=0)
        if minute != self._minute:
            self._minute, self._refreshed_count = minute, 0
        return MAX_DRIVERS_PER_MINUTE - self._refreshed_count

    async def _lease_next(self, limit: int) -> Sequence[EtaRun]:
        """Lease the drivers of the next company that have been due longest."""
        async with self._database.transaction() as db:
            for last_company in dict.fromkeys((self._last_company, LOWEST_UUID)):
                company = await db.fetch_value(NEXT_COMPANY, last=last_company)
                if company is not None:
                    self._last_company = company
                    return await _lease_runs(db, company, limit)
        return []

    async def _compute_etas(
        self, company: UUID, driver: UUID, data: _DriverData, pace: Pace, now: datetime
    ) -> DriverEtas | None:
        """Compute the ETAs of a driver; None without a recent position or any stop."""
        position, stops = data.position, data.stops
        if position is None or not stops or not is_fresh(position.located_at, now):
            return None
        try:
            async with self._route_slots:
                points = list_points(position.location, stops)
                route = await self._router.measure(points, pace, stops[0].profile)
            etas = compute_etas(now, stops, () if route is None else route.legs)
        except Exception:  # noqa: BLE001 - a failure must not stop the other drivers' ETAs
            log.error("ETA computation failed", driver=str(driver), exc_info=True)
            return None
        return DriverEtas.from_stops(company, driver, position.located_at, now, etas)


async def add_missing_runs(database: Database) -> bool:
    """Add the missing runs of drivers, such as after an upgrade."""
    async with database.transaction() as db:
        added_count = await db.execute(
            f"""insert into eta_runs (driver, company, due_at)
                select distinct driver, company, pannier_now() from orders
                where driver is not null and {OPEN} and deleted_at is null
                  and dispatched_at is not null
                order by driver on conflict (driver) do nothing"""
        )
    return added_count > 0


async def _lease_runs(db: Db, company: UUID, limit: int) -> Sequence[EtaRun]:
    return await LEASES.lease_by_statement(
        db,
        EtaRun,
        f"""with due as materialized (
                select driver from eta_runs
                where company = :company and {LEASES.due_condition()}
                order by due_at, driver limit :limit for update skip locked)
            update eta_runs set {LEASES.lease_assignments}
            from due where eta_runs.driver = due.driver
            returning {columns(EtaRun, "eta_runs")}""",
        lease=LEASE_DURATION,
        company=company,
        limit=limit,
    )


async def _load_data(db: Db, company: UUID, drivers: list[UUID]) -> dict[UUID, _DriverData]:
    days = await queries.load_days(db, company, drivers)
    positions = await whereabouts.load(db, company, days)
    return {driver: _DriverData(days.get(driver, ()), positions.get(driver)) for driver in drivers}


async def _save_etas(
    db: Db,
    company: UUID,
    runs: Sequence[EtaRun],
    data: dict[UUID, _DriverData],
    etas: dict[UUID, DriverEtas],
) -> None:
    """Save the ETAs of drivers that are still leased, and schedule their next runs."""
    leased_drivers = await _lock_leased_drivers(db, company, runs)
    idle_drivers = [driver for driver in leased_drivers if not data[driver].stops]
    await queries.save_etas(db, [etas[driver] for driver in leased_drivers if driver in etas])
    await queries.delete_etas(
        db, company, [driver for driver in leased_drivers if driver not in etas]
    )
    await db.execute(
        "delete from eta_runs where company = :company and driver = any(:drivers)",
        company=company,
        drivers=idle_drivers,
    )
    for wait, drivers in (
        (REFRESH_INTERVAL, [driver for driver in leased_drivers if driver in etas]),
        (SLEEP_DURATION, [driver for driver in leased_drivers if driver not in etas]),
    ):
        await db.execute(
            """update eta_runs set due_at = pannier_now() + :wait::interval
               where company = :company and driver = any(:drivers)""",
            wait=wait,
            company=company,
            drivers=drivers,
        )


async def _lock_leased_drivers(db: Db, company: UUID, runs: Sequence[EtaRun]) -> list[UUID]:
    """Lock and list the drivers that are still leased, sorted to avoid deadlocks."""
    rows = await db.fetch_tuples(
        """select r.driver from eta_runs r
           join unnest(:drivers::uuid[], :attempts::integer[]) lease (driver, attempt)
               on lease.driver = r.driver and lease.attempt = r.attempts
           where r.company = :company order by r.driver for update of r""",
        company=company,
        drivers=[run.driver for run in runs],
        attempts=[run.attempts for run in runs],
    )
    return [driver for (driver,) in rows]
