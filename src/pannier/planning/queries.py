"""Database reads of plans."""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort, Table, columns
from pannier.orders.driver_days import queries as driver_days
from pannier.orders.driver_days.queries import PlannedVisit
from pannier.planning import material
from pannier.planning.material import PlanMaterial, PlanResult
from pannier.planning.models import PlannedStopRow, PlanRow
from pannier.planning.schemas import PlanFilters

PLANS: Final = Table("plans", PlanRow, sort=Sort(("created_at",)))


class PlanContents(msgspec.Struct, kw_only=True):
    """The large columns of a plan."""

    request: dict[str, Any]
    problem: bytes | None
    result: bytes | None

    @property
    def material(self) -> PlanMaterial | None:
        return None if self.problem is None else material.decode_material(self.problem)

    @property
    def solution(self) -> PlanResult | None:
        return None if self.result is None else material.decode_result(self.result)


async def list_plans(db: Db, company: UUID, filters: PlanFilters) -> Page[PlanRow]:
    """List plans, newest first."""
    where = PLANS.where(company).add_equal(day=filters.day)
    if filters.state is not None:
        where.add_any_of("state", filters.state)
    return await PLANS.load_page(db, where, filters)


async def load_contents(db: Db, company: UUID, plan: UUID) -> PlanContents:
    """Load the large columns of a plan."""
    return await db.get(
        PlanContents,
        f"""select {columns(PlanContents)} from plans
            where company = :company and uuid = :plan""",
        company=company,
        plan=plan,
    )


async def load_plan_ids(db: Db, company: UUID, plans: Collection[UUID]) -> dict[UUID, str]:
    """Load the public ids of plans."""
    rows = await PLANS.load_many(db, company, list(plans))
    return {uuid: row.public_id for uuid, row in rows.items()}


async def count_waiting_plans(db: Db, company: UUID) -> int:
    """Count the plans that are queued or running."""
    count: int = await db.fetch_value(
        "select count(*) from plan_runs where company = :company", company=company
    )
    return count


async def load_sequence(db: Db, company: UUID, orders: Collection[UUID]) -> dict[UUID, int]:
    """Load the position of each order's first stop in its driver's accepted plans.

    Only open orders are read, because drivers have many planned stops of delivered ones.
    """
    rows = await db.fetch_tuples(
        """select s.order_uuid, min(s.position) from planned_stops s
           join orders o on o.uuid = s.order_uuid and o.company = :company and o.driver = s.driver
           where s.company = :company and s.order_uuid = any(:orders)
             and o.completed_at is null and o.canceled_at is null
           group by s.order_uuid""",
        company=company,
        orders=list(orders),
    )
    return dict(rows)


async def list_planned_stops(
    db: Db, company: UUID, day: date, drivers: Collection[UUID]
) -> list[PlannedStopRow]:
    """List the planned stops of drivers on a day, in their sequence."""
    return await db.fetch_all(
        PlannedStopRow,
        f"""select {columns(PlannedStopRow)} from planned_stops
            where company = :company and driver = any(:drivers) and day = :day
            order by driver, position""",
        company=company,
        day=day,
        drivers=list(drivers),
    )


@driver_days.load_planned_visits.register
async def load_planned_visits(
    db: Db, company: UUID, orders: Collection[UUID]
) -> Sequence[PlannedVisit]:
    """Load the planned stops of orders, those of the newest plan last."""
    if not orders:
        return []
    return await db.fetch_all(
        PlannedVisit,
        f"""select {columns(PlannedVisit)} from planned_stops
            where company = :company and order_uuid = any(:orders)
            order by created_at, arrives_at, uuid""",
        company=company,
        orders=sorted(orders),
    )
