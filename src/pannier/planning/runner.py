"""Making plans in the worker, one after the other, for one company after the other.

A worker leases a plan. Twice a second it renews the lease and saves the progress. Canceling a plan
deletes its lease, and the worker then kills the planner. If a worker dies, its lease expires and
another worker makes the plan.
"""

import asyncio
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.jobs.leases import Lease, Leases
from pannier.planning import figures, material, roads_store
from pannier.planning.making import CompletePlan, PlanFailed, PlanMaker
from pannier.planning.models import PlanFailure, PlanRow, PlanRun
from pannier.planning.queries import PLANS
from pannier.planning.service import WAITING_STATES
from pannier.routing.router import Router

LEASE_DURATION: Final = timedelta(seconds=30)
RENEWAL_SECONDS: Final = 0.5
MAX_ATTEMPTS: Final = 3
INTERRUPTED: Final = PlanFailure(
    "interrupted", f"The planner was interrupted {MAX_ATTEMPTS} times."
)
LEASES: Final = Leases("plan_runs", key="plan")
LOWEST_UUID: Final = UUID(int=0)
MAX_COMPANIES_TRIED: Final = 50
# Reads one index entry per company, so that a long queue of one company adds no cost.
DUE_COMPANIES: Final = """
    with recursive waiting as (
        (select company from plan_runs where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from plan_runs where company > waiting.company
            order by company limit 1) next)
    select company from waiting w where exists (
        select from plan_runs r where r.company = w.company and r.due_at <= pannier_now())
    limit :limit"""


class PlanRunner:
    """Makes plans, one after the other, for one company after the other."""

    def __init__(
        self,
        database: Database,
        router: Router,
        *,
        memory_mebibytes: int,
        stop: asyncio.Event | None = None,
    ) -> None:
        self._database, self._router, self._memory = database, router, memory_mebibytes
        self._stop = stop or asyncio.Event()
        self._last_company = LOWEST_UUID

    async def step(self) -> bool:
        """Make one plan. Return False if none is due."""
        run = None if self._stop.is_set() else await self.lease_next()
        if run is None:
            return False
        lease = Lease(run.plan, run.attempts)
        if run.attempts > MAX_ATTEMPTS:
            await self._record_failure(run, lease, INTERRUPTED)
            return True
        if not await self._mark_as_running(run, lease):
            return True
        maker = PlanMaker(self._database, self._router, memory_mebibytes=self._memory)
        try:
            complete_plan = await self._make_while_leased(run, lease, maker)
        except PlanFailed as error:
            await self._record_failure(run, lease, error.failure)
            return True
        if complete_plan is not None:
            await self._save_plan(run, lease, complete_plan)
        return True

    async def lease_next(self) -> PlanRun | None:
        """Lease a plan of the next company that has one due."""
        async with self._database.transaction() as db:
            await db.require_safe_clock()
            for last_company in dict.fromkeys((self._last_company, LOWEST_UUID)):
                rows = await db.fetch_tuples(
                    DUE_COMPANIES, last=last_company, limit=MAX_COMPANIES_TRIED
                )
                for (company,) in rows:
                    run = await _lease_oldest_plan(db, company)
                    if run is not None:
                        self._last_company = company
                        return run
        return None

    async def _make_while_leased(
        self, run: PlanRun, lease: Lease, maker: PlanMaker
    ) -> CompletePlan | None:
        """Make a plan while the lease lasts. Return None if it is lost or the worker stops."""
        work = asyncio.create_task(maker.make(run))
        stop_wait = asyncio.create_task(self._stop.wait())
        try:
            while not work.done():
                if self._stop.is_set():
                    await self._return_to_queue(run, lease)
                    return None
                if not await self._save_progress_and_renew(run, lease, maker.percent):
                    return None
                await asyncio.wait(
                    [work, stop_wait], timeout=RENEWAL_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
            return work.result()
        finally:
            stop_wait.cancel()
            work.cancel()
            # The canceled task kills its planner process.
            await asyncio.gather(work, stop_wait, return_exceptions=True)

    async def _mark_as_running(self, run: PlanRun, lease: Lease) -> bool:
        """Mark a plan as running. Return False if it was canceled."""
        async with self._database.transaction() as db:
            row = await PLANS.lock(db, run.company, run.plan)
            if row.state not in WAITING_STATES:
                return False
            started_at = row.started_at or db.now
            await PLANS.change(db, row, state="running", started_at=started_at)
            return await LEASES.extend(db, lease, LEASE_DURATION)

    async def _save_progress_and_renew(self, run: PlanRun, lease: Lease, percent: int) -> bool:
        """Save the progress and renew the lease. Return False if the plan was canceled.

        The plan is locked before its lease, as everywhere else, to avoid deadlocks.
        """
        async with self._database.transaction() as db:
            await db.execute(
                """update plans set progress = :percent
                   where company = :company and uuid = :plan and state = 'running'
                     and progress < :percent""",
                percent=percent,
                company=run.company,
                plan=run.plan,
            )
            return await LEASES.extend(db, lease, LEASE_DURATION)

    async def _return_to_queue(self, run: PlanRun, lease: Lease) -> None:
        """Return a plan to the queue when the worker stops. This does not count as an attempt."""
        async with self._database.transaction() as db:
            await LEASES.retry(db, lease, timedelta(), attempts=run.attempts - 1)

    async def _record_failure(self, run: PlanRun, lease: Lease, failure: PlanFailure) -> None:
        async with self._database.transaction() as db:
            row = await _lock_plan_and_end_lease(db, run, lease)
            if row is not None:
                await PLANS.change(db, row, state="failed", failure=failure, finished_at=db.now)

    async def _save_plan(self, run: PlanRun, lease: Lease, complete_plan: CompletePlan) -> None:
        """Save a plan, unless it was canceled."""
        stored_material, result = complete_plan.material, complete_plan.result
        async with self._database.transaction() as db:
            row = await _lock_plan_and_end_lease(db, run, lease)
            if row is None:
                return
            await PLANS.change(
                db,
                row,
                state="done",
                progress=100,
                summary=figures.compute_figures(stored_material, result.plan),
                present=figures.compute_figures(stored_material, result.present),
                read_at=stored_material.read_at,
                finished_at=db.now,
            )
            await db.execute(
                """update plans set problem = :problem, result = :result
                   where company = :company and uuid = :plan""",
                problem=material.encode(stored_material),
                result=material.encode(result),
                company=run.company,
                plan=run.plan,
            )
            await roads_store.save(db, run.company, run.plan, complete_plan.roads)


async def _lease_oldest_plan(db: Db, company: UUID) -> PlanRun | None:
    """Lease a company's oldest plan that is due."""
    runs = await LEASES.lease_by_statement(
        db,
        PlanRun,
        f"""with due as materialized (
                select plan from plan_runs
                where company = :company and {LEASES.due_condition()}
                order by due_at, plan limit 1 for update skip locked)
            update plan_runs set {LEASES.lease_assignments}
            from due where plan_runs.plan = due.plan
            returning {columns(PlanRun, "plan_runs")}""",
        lease=LEASE_DURATION,
        company=company,
    )
    return runs[0] if runs else None


async def _lock_plan_and_end_lease(db: Db, run: PlanRun, lease: Lease) -> PlanRow | None:
    """Lock a plan and end its lease. Return None if the lease was lost or the plan canceled."""
    row = await PLANS.lock(db, run.company, run.plan)
    if row.state not in WAITING_STATES or not await LEASES.delete(db, lease):
        return None
    return row
