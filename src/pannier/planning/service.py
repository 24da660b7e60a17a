"""Requesting and canceling plans."""

from datetime import date
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid
from pannier.places.queries import places
from pannier.planning import queries, reading, selection
from pannier.planning.models import PlanRow, PlanState
from pannier.planning.queries import PLANS
from pannier.planning.schemas import MAX_ORDERS, PlanIn
from pannier.planning.selection import TooManyOrders

# The NOTIFY channel for new plans.
CHANNEL: Final = "pannier_plans"
# Plans of a company that are queued or running.
MAX_WAITING_PLANS: Final = 20
# Up to this number of orders, these seconds of search suffice.
SEARCH_SECONDS: Final = ((50, 5), (200, 15), (500, 30), (MAX_ORDERS, 60))
WAITING_STATES: Final[frozenset[PlanState]] = frozenset({"queued", "running"})


class TooManyPlans(Conflict):
    """The number of queued and running plans per company is limited."""

    code = "too_many_plans"
    title = f"A company can have at most {MAX_WAITING_PLANS} unfinished plans."
    remedy = "Cancel one, or wait until one is finished."


class PlanFinished(Conflict):
    """Only a queued or running plan can be canceled."""

    code = "plan_finished"
    title = "The plan is finished."
    remedy = "Request a new plan instead."


async def create(db: Db, company: UUID, data: PlanIn) -> PlanRow:
    """Request a plan. A worker makes it."""
    if data.orders is not None and data.filter is not None:
        raise Invalid(fields=[FieldError("filter", "cannot be combined with `orders`.")])
    if await queries.count_waiting_plans(db, company) >= MAX_WAITING_PLANS:
        raise TooManyPlans
    day = await selection.load_day(db, company, data.day)
    await _check_day(db, company, day.day)
    for path in ("start_place", "end_place"):
        if (place_id := getattr(data, path)) is not None:
            await places.resolve_reference(db, company, path, place_id)
    try:
        plan_selection = await reading.select_work(db, company, day, data, strict=True)
    except TooManyOrders:
        raise Invalid(fields=[FieldError("filter", selection.TOO_MANY_ORDERS)]) from None
    if not plan_selection.orders:
        raise Invalid(fields=[FieldError("filter", "No open orders are due on this day.")])
    if not plan_selection.drivers:
        raise Invalid(fields=[FieldError("drivers", "No driver works on this day.")])
    base = None
    if data.based_on is not None:
        base = await PLANS.resolve_reference(db, company, "based_on", data.based_on, label="plan")
    row = PLANS.draft(
        db,
        company,
        state="queued",
        day=day.day,
        aim=data.aim,
        max_seconds=data.max_seconds or choose_search_seconds(len(plan_selection.orders)),
        based_on=base and base.uuid,
        locked=[] if base is None else base.locked,
    )
    return await _insert_plan(db, row, data)


async def _check_day(db: Db, company: UUID, day: date) -> None:
    today = (await selection.load_day(db, company, None)).day
    if day < today:
        raise Invalid(fields=[FieldError("day", "must not be in the past.")])


def choose_search_seconds(orders: int) -> int:
    """Choose how many seconds to search, by the number of orders."""
    return next(
        (seconds for limit, seconds in SEARCH_SECONDS if orders <= limit), SEARCH_SECONDS[-1][1]
    )


async def _insert_plan(db: Db, row: PlanRow, data: PlanIn) -> PlanRow:
    """Insert a plan with its request, and queue it."""
    await PLANS.insert(db, row)
    await db.execute(
        "update plans set request = :request where company = :company and uuid = :plan",
        request=data,
        company=row.company,
        plan=row.uuid,
    )
    await db.execute(
        """insert into plan_runs (plan, company, due_at)
           values (:plan, :company, pannier_now())""",
        plan=row.uuid,
        company=row.company,
    )
    db.notify(CHANNEL)
    return row


async def cancel(db: Db, plan: PlanRow) -> PlanRow:
    """Cancel a queued or running plan. The worker stops within a second."""
    if plan.state == "canceled":
        return plan
    if plan.state not in WAITING_STATES:
        raise PlanFinished
    await db.execute(
        "delete from plan_runs where company = :company and plan = :plan",
        company=plan.company,
        plan=plan.uuid,
    )
    canceled_plan, _ = await PLANS.change(
        db, plan, state="canceled", finished_at=db.now, log_action="canceled"
    )
    return canceled_plan
