"""HTTP handlers for plans."""

from typing import Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db, Page
from pannier.errors import NotFound
from pannier.orders.access import load_order, lock_order
from pannier.orders.aggregate import OrderClosed
from pannier.orders.flow import IllegalMove
from pannier.orders.schemas import OrderOut
from pannier.payloads.rules import PayloadBegun
from pannier.planning import (
    acceptance,
    best_drivers,
    edits,
    lines,
    optimizing,
    queries,
    service,
    showing,
)
from pannier.planning.outdated import PlanOutdated
from pannier.planning.plan_out import (
    BestDriverOut,
    PlanDetailOut,
    PlanLineOut,
    PlanOut,
    PlanPreviewOut,
)
from pannier.planning.queries import PLANS
from pannier.planning.schemas import BestDriversIn, PlanEditIn, PlanFilters, PlanIn, RevertIn
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import change, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

_PLAN: Final = "/plans/{plan_id:str}"
_ORDER: Final = "/orders/{order_id:str}"
OPTIMIZE_PROBLEMS: Final = [PayloadBegun, OrderClosed, optimizing.OrderChanged, PreconditionFailed]
EDIT_PROBLEMS: Final = [acceptance.PlanNotDone, edits.PlanNotEditable, PreconditionFailed]
ACCEPT_PROBLEMS: Final = [acceptance.PlanNotDone, PlanOutdated, PreconditionFailed]
REVERT_PROBLEMS: Final = [acceptance.PlanNotAccepted, PlanOutdated, PreconditionFailed]


@post("/plans", problems=[NotFound, service.TooManyPlans])
async def create_plan(key: FleetKey, data: PlanIn, db: Db) -> PlanDetailOut:
    """Request a plan. A worker makes it: `GET` it until its state is `done` or `failed`."""
    return await showing.load_plan_detail(db, await service.create(db, key.company, data))


@get("/plans")
async def list_plans(
    key: FleetKey, filters: PlanFilters, exchange: Exchange, db: Db
) -> Response[list[PlanOut]]:
    """List plans without their routes, sorted by `created_at`."""
    page = await queries.list_plans(db, key.company, filters)
    rows = await showing.load_plan_outs(db, key.company, page.rows)
    return to_array_response(exchange, Page(rows, page.limit, page.next_cursor), _keep_plan)


def _keep_plan(plan: PlanOut) -> PlanOut:
    return plan


@get(_PLAN)
async def get_plan(key: FleetKey, plan_id: str, db: Db) -> PlanDetailOut:
    """Retrieve a plan with its routes."""
    return await showing.load_plan_detail(db, await PLANS.get(db, key.company, plan_id))


@get(f"{_PLAN}/lines")
async def draw_plan(
    key: FleetKey, plan_id: str, db: Db, exchange: Exchange, router: Router
) -> list[PlanLineOut]:
    """Draw the routes of a plan along streets, or as straight lines without a routing engine."""
    routes = await lines.load_points(db, await PLANS.get(db, key.company, plan_id))
    async with exchange.edge.suspend_transaction(exchange):
        return await lines.draw_routes(router, routes)


@change(_PLAN, problems=EDIT_PROBLEMS)
async def edit_plan(
    key: FleetKey, plan_id: str, data: PlanEditIn, match: IfMatch, db: Db
) -> PlanDetailOut:
    """Edit a plan that is done: move orders between drivers, and lock orders."""
    plan = await PLANS.lock(db, key.company, plan_id)
    match(plan.version)
    return await showing.load_plan_detail(db, await edits.save(db, plan, data))


@post(
    f"{_PLAN}/preview",
    status_code=200,
    problems=[acceptance.PlanNotDone, edits.PlanNotEditable],
)
async def preview_plan(key: FleetKey, plan_id: str, data: PlanEditIn, db: Db) -> PlanPreviewOut:
    """Preview an edit of a plan. Nothing is saved."""
    return await edits.preview(db, await PLANS.get(db, key.company, plan_id), data)


@post(f"{_PLAN}/cancel", status_code=200, problems=[service.PlanFinished, PreconditionFailed])
async def cancel_plan(key: FleetKey, plan_id: str, match: IfMatch, db: Db) -> PlanDetailOut:
    """Cancel a queued or running plan."""
    plan = await PLANS.lock(db, key.company, plan_id)
    match(plan.version)
    return await showing.load_plan_detail(db, await service.cancel(db, plan))


@post(f"{_PLAN}/accept", status_code=200, problems=ACCEPT_PROBLEMS)
async def accept_plan(key: FleetKey, plan_id: str, match: IfMatch, db: Db) -> PlanDetailOut:
    """Assign the orders of a plan to its drivers, all of them or none."""
    plan = await PLANS.lock(db, key.company, plan_id)
    match(plan.version)
    return await showing.load_plan_detail(db, await acceptance.accept(db, plan))


@post(f"{_PLAN}/revert", status_code=200, problems=REVERT_PROBLEMS)
async def revert_plan(
    key: FleetKey, plan_id: str, data: RevertIn, match: IfMatch, db: Db
) -> PlanDetailOut:
    """Give the orders of an accepted plan back to the drivers who had them before."""
    plan = await PLANS.lock(db, key.company, plan_id)
    match(plan.version)
    reverted_plan = await acceptance.revert(db, plan, skip_changed=data.skip_changed)
    return await showing.load_plan_detail(db, reverted_plan)


@post(f"{_ORDER}/best-drivers", status_code=200, problems=[NotFound, OrderClosed, IllegalMove])
async def find_best_drivers(
    key: FleetKey, order_id: str, data: BestDriversIn, db: Db, exchange: Exchange, router: Router
) -> list[BestDriverOut]:
    """Find the drivers whose routes an order fits best. Nothing is assigned.

    Drivers with more than 500 stops on the day are left out.
    """
    search = await best_drivers.load_search(db, key.company, order_id, data)
    async with exchange.edge.suspend_transaction(exchange):
        insertions = await best_drivers.find_drivers(router, search)
    return best_drivers.to_outs(search, insertions)


@post(f"{_ORDER}/optimize", status_code=200, problems=OPTIMIZE_PROBLEMS)
async def optimize_order(
    key: FleetKey, order_id: str, match: IfMatch, db: Db, exchange: Exchange, router: Router
) -> OrderOut:
    """Sort the stops of an order that has not started, to save time."""
    order = await load_order(db, key, order_id)
    match(order.row.version)
    problem = await optimizing.load_problem(db, order)
    async with exchange.edge.suspend_transaction(exchange):
        stop_uuids = await optimizing.sort_stops(router, problem)
    order = await lock_order(db, key, order_id, match)
    return (await optimizing.save(db, order, problem, stop_uuids)).to_order_out()


routers: Final = (
    api_routers.api_router("Plans", "orders", [find_best_drivers, optimize_order]),
    api_routers.api_router(
        "Plans",
        "plans",
        [
            create_plan,
            list_plans,
            get_plan,
            draw_plan,
            edit_plan,
            preview_plan,
            cancel_plan,
            accept_plan,
            revert_plan,
        ],
    ),
)
