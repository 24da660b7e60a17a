"""Editing a finished plan: locking orders, and moving them between drivers."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from msgspec import UnsetType

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.fleet.queries import DRIVERS
from pannier.kit import ids
from pannier.maps.folder import Profile
from pannier.orders.internal_ids import resolve_internal_ids
from pannier.orders.queries import ORDERS
from pannier.planning import figures, material, queries, roads_store, selection
from pannier.planning.acceptance import PlanNotDone
from pannier.planning.figures import PromisedTimes
from pannier.planning.material import OrderMaterial, PlanMaterial, PlanResult
from pannier.planning.models import PlanFigures, PlanRow
from pannier.planning.plan import Plan, PlannedRoute
from pannier.planning.plan_out import (
    PlanFiguresOut,
    PlanPreviewOut,
    RouteChangeOut,
    RoutePreviewOut,
)
from pannier.planning.problem import Roads
from pannier.planning.queries import PLANS
from pannier.planning.rendering import PlanNames, load_names
from pannier.planning.schemas import OrderMoveIn, PlanEditIn
from pannier.web.serialization import to_schema

if TYPE_CHECKING:
    from pannier.planning.editing import JobMove, PartialProblem


class PlanNotEditable(Conflict):
    """Editing needs a plan's roads, which are stored only for the company's newest plans."""

    code = "plan_not_editable"
    title = "The plan is too old to be edited."
    remedy = "Request a new plan. Its `based_on` keeps the orders that you locked."


class EditedPlan(msgspec.Struct):
    """A plan before and after an edit."""

    material: PlanMaterial
    old_result: PlanResult
    new_result: PlanResult
    locked: list[str]


async def preview(db: Db, plan: PlanRow, data: PlanEditIn) -> PlanPreviewOut:
    """Return a plan's figures and routes before and after an edit. Nothing is saved."""
    edited_plan = await _apply_edit(db, plan, data)
    names = await load_names(db, plan.company, edited_plan.material)
    old_plan, new_plan = edited_plan.old_result.plan, edited_plan.new_result.plan
    return PlanPreviewOut(
        before=_to_figures(figures.compute_figures(edited_plan.material, old_plan)),
        after=_to_figures(figures.compute_figures(edited_plan.material, new_plan)),
        routes=_list_route_previews(names, old_plan, new_plan),
        unassigned=names.to_unassigned(new_plan.left_out),
    )


async def save(db: Db, plan: PlanRow, data: PlanEditIn) -> PlanRow:
    """Apply an edit to a plan and save it."""
    edited_plan = await _apply_edit(db, plan, data)
    await db.execute(
        "update plans set result = :result where company = :company and uuid = :plan",
        result=material.encode(edited_plan.new_result),
        company=plan.company,
        plan=plan.uuid,
    )
    summary = figures.compute_figures(edited_plan.material, edited_plan.new_result.plan)
    changed_plan, fields = await PLANS.change(db, plan, summary=summary, locked=edited_plan.locked)
    return changed_plan if fields or not data.moves else await PLANS.touch(db, changed_plan)


async def _apply_edit(db: Db, plan: PlanRow, data: PlanEditIn) -> EditedPlan:
    data = await _resolve_internal_ids(db, plan.company, data)
    await _check_references(db, plan.company, data)
    if plan.state != "done":
        raise PlanNotDone
    contents = await queries.load_contents(db, plan.company, plan.uuid)
    stored_material, old_result = contents.material, contents.solution
    if stored_material is None or old_result is None:
        raise PlanNotDone
    locked_keys = plan.locked
    if not isinstance(data.locked, UnsetType):
        orders = _OrderIndex(stored_material)
        locked_keys = [
            orders.find(order_id, f"locked[{number}]").key
            for number, order_id in enumerate(data.locked)
        ]
    new_plan = old_result.plan
    if data.moves:
        new_plan = await _apply_moves(db, plan, stored_material, old_result.plan, data.moves)
    new_result = msgspec.structs.replace(old_result, plan=new_plan)
    return EditedPlan(stored_material, old_result, new_result, list(dict.fromkeys(locked_keys)))


async def _resolve_internal_ids(db: Db, company: UUID, data: PlanEditIn) -> PlanEditIn:
    """Replace the internal ids of orders in an edit by public ids."""
    orders = await resolve_internal_ids(db, company, [move.order for move in data.moves])
    moves = [
        msgspec.structs.replace(move, order=order)
        for move, order in zip(data.moves, orders, strict=True)
    ]
    locked = data.locked
    if not isinstance(locked, UnsetType):
        locked = await resolve_internal_ids(db, company, locked)
    return msgspec.structs.replace(data, moves=moves, locked=locked)


async def _check_references(db: Db, company: UUID, data: PlanEditIn) -> None:
    """Refuse orders and drivers that do not exist."""
    moved_orders = [move.order for move in data.moves]
    await selection.check_references(db, company, ORDERS, moved_orders, "moves[{}].order")
    for number, move in enumerate(data.moves):
        drivers = [] if move.driver is None else [move.driver]
        path = f"moves[{number}].driver"
        await selection.check_references(db, company, DRIVERS, drivers, path)
    locked_ids = [] if isinstance(data.locked, UnsetType) else data.locked
    await selection.check_references(db, company, ORDERS, locked_ids, "locked[{}]")


async def _apply_moves(
    db: Db,
    plan: PlanRow,
    stored_material: PlanMaterial,
    old_plan: Plan,
    requested_moves: Sequence[OrderMoveIn],
) -> Plan:
    """Move orders in a thread, because the search would block the event loop."""
    from pannier.planning import editing  # noqa: PLC0415 - loads numpy

    moves = _parse_moves(stored_material, requested_moves)
    partial = editing.extract_routes(stored_material.problem, old_plan, moves)
    problem = partial.add_roads(await _load_roads(db, plan, partial))
    try:
        return await asyncio.to_thread(
            editing.apply_moves, stored_material.problem, problem, old_plan, moves
        )
    except (editing.NoRoadLeads, editing.RouteTooLong) as failure:
        number = next(number for number, move in enumerate(moves) if move.job == failure.job)
        message = "No road leads there."
        if isinstance(failure, editing.RouteTooLong):
            message = f"The route would have more than {editing.MAX_ROUTE_STOPS} stops."
        raise Invalid(fields=[FieldError(f"moves[{number}].order", message)]) from None


async def _load_roads(db: Db, plan: PlanRow, partial: "PartialProblem") -> dict[Profile, Roads]:
    roads = dict[Profile, Roads]()
    for profile in sorted({shift.profile for shift in partial.problem.shifts}):
        profile_roads = await roads_store.load(db, plan.company, plan.uuid, profile, partial.points)
        if profile_roads is None:
            raise PlanNotEditable
        roads[profile] = profile_roads
    return roads


class _OrderIndex:
    """The orders of a plan by public id and by UUID."""

    def __init__(self, stored_material: PlanMaterial) -> None:
        self._by_key = {order.key: order for order in stored_material.orders}
        self._by_uuid = {order.uuid: order for order in stored_material.orders}

    def find(self, order_id: str, path: str) -> OrderMaterial:
        """Find an order, or raise NotFound for the field."""
        uuid = ids.parse_uuid(order_id)
        order = self._by_key.get(order_id) if uuid is None else self._by_uuid.get(uuid)
        if order is None:
            raise NotFound(fields=[FieldError(path, "The plan has no such order.")])
        return order


def _parse_moves(
    stored_material: PlanMaterial, requested_moves: Sequence[OrderMoveIn]
) -> "list[JobMove]":
    from pannier.planning.editing import JobMove  # noqa: PLC0415 - loads numpy

    orders, moves = _OrderIndex(stored_material), list[JobMove]()
    for number, move in enumerate(requested_moves):
        order = orders.find(move.order, f"moves[{number}].order")
        shifts = _find_shifts(stored_material, move, f"moves[{number}].driver")
        drivers = {shift.driver for shift in stored_material.shifts if shift.key in shifts}
        if order.is_started and drivers != {order.driver}:
            message = "has started, so it stays with its driver."
            raise Invalid(fields=[FieldError(f"moves[{number}].order", message)])
        moves.append(JobMove(order.key, shifts, move.position))
    return moves


def _find_shifts(stored_material: PlanMaterial, move: OrderMoveIn, path: str) -> tuple[str, ...]:
    """Find the shifts of a move's driver. A move without a driver has no shifts."""
    if move.driver is None:
        return ()
    driver_ids = {move.driver, move.driver.lower()}
    shifts = [
        shift.key
        for shift in stored_material.shifts
        if shift.driver_id in driver_ids or str(shift.driver) in driver_ids
    ]
    if not shifts:
        raise NotFound(fields=[FieldError(path, "The plan has no such driver.")])
    return tuple(shifts)


def _to_figures(row: PlanFigures) -> PlanFiguresOut:
    return to_schema(row, PlanFiguresOut)


def _list_route_previews(names: PlanNames, old_plan: Plan, new_plan: Plan) -> list[RoutePreviewOut]:
    """List the routes that differ between two plans."""
    old_routes = {route.shift: route for route in old_plan.routes}
    new_routes = {route.shift: route for route in new_plan.routes}
    drivers = {shift.key: shift.driver for shift in names.material.shifts}
    return [
        RoutePreviewOut(
            driver=names.to_driver(driver),
            before=names.to_route(old_routes[shift]) if shift in old_routes else None,
            after=names.to_route(new_routes[shift]) if shift in new_routes else None,
            change=_compare_routes(
                PromisedTimes(names.material), old_routes.get(shift), new_routes.get(shift)
            ),
        )
        for shift, driver in drivers.items()
        if old_routes.get(shift) != new_routes.get(shift)
    ]


def _compare_routes(
    promises: PromisedTimes, old_route: PlannedRoute | None, new_route: PlannedRoute | None
) -> RouteChangeOut:
    """Compute the differences between two versions of a route."""

    def compute_difference(name: str) -> int:
        return int(getattr(new_route, name, 0)) - int(getattr(old_route, name, 0))

    new_lateness, old_lateness = (
        [] if route is None else promises.list_lateness(route) for route in (new_route, old_route)
    )
    return RouteChangeOut(
        distance=compute_difference("distance"),
        drive_time=compute_difference("drive"),
        time=compute_difference("duration"),
        cost=compute_difference("cost"),
        late_stops=len(new_lateness) - len(old_lateness),
        lateness=sum(new_lateness) - sum(old_lateness),
    )
