"""HTTP handlers for orders. Drivers reach their own orders with their token."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth as fleet
from pannier.fleet.auth import DriverCaller
from pannier.fleet.presence import DriverInactive
from pannier.orders import (
    aggregate,
    assignment,
    measurement,
    moves,
    queries,
    schedule,
    service,
    suitability,
    tracker,
    views,
)
from pannier.orders.access import OrderCaller, load_order, lock_order, to_order_out
from pannier.orders.action_schemas import (
    ActivityIn,
    AssignIn,
    CancelIn,
    CompleteIn,
    DispatchIn,
    NextActivity,
    NextFilters,
    ScheduleIn,
    StartIn,
    WarningFilters,
)
from pannier.orders.attempts import api as attempts
from pannier.orders.batches import api as batches
from pannier.orders.board import api as board
from pannier.orders.candidates import api as candidates
from pannier.orders.captures import api as captures
from pannier.orders.charges import api as charges
from pannier.orders.configs import api as configs
from pannier.orders.driver_days import api as driver_days
from pannier.orders.driver_view import check_filters, redact_for_caller
from pannier.orders.duplicates import api as duplicates
from pannier.orders.flow import IllegalMove
from pannier.orders.gate import PodRequired
from pannier.orders.internal_ids import CLAIM_PROBLEMS
from pannier.orders.issue_photos import api as issue_photos
from pannier.orders.labels import api as labels
from pannier.orders.models import Order
from pannier.orders.next_activities import list_next_activities
from pannier.orders.offers import api as offers
from pannier.orders.parts import api as parts
from pannier.orders.quotes import api as quotes
from pannier.orders.quotes.adjusting import PriceFixed
from pannier.orders.quotes.checks import QuoteStale
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.quotes.pricing import QuoteReplaced
from pannier.orders.quotes.service import (
    AlreadyAccepted,
    PaymentRequired,
    PriceRequired,
)
from pannier.orders.recurring import api as recurring
from pannier.orders.remaining_flow import service as ahead
from pannier.orders.remaining_flow.schemas import FlowOut
from pannier.orders.reopening import api as reopening
from pannier.orders.representation import OrderListFilters, OrderReadFilters, Representation
from pannier.orders.returns import api as returns
from pannier.orders.returns.pieces import ReturnItemsFixed
from pannier.orders.route_lines import api as route_lines
from pannier.orders.schemas import OrderChange, OrderIn, OrderOut, RouteOut
from pannier.orders.storefront import api as storefront
from pannier.orders.suitability import AssignedOrderOut, AssignmentWarning
from pannier.orders.templates import api as templates
from pannier.orders.tracker import Tracked
from pannier.orders.tracking import api as tracking
from pannier.orders.tracking import links
from pannier.payloads.rules import PayloadBegun, WaypointBegun
from pannier.payloads.service import PayloadTaken
from pannier.payments import checkouts
from pannier.payments.gateway import Gateway
from pannier.rates.quotes.signing import QuoteExpired
from pannier.routing.router import Router
from pannier.web.deletions import RecordDeleted
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import act, change, delete, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

ASSIGN_PROBLEMS = [IllegalMove, DriverInactive, PreconditionFailed]
CHANGE_PROBLEMS = [
    *ASSIGN_PROBLEMS,
    *CLAIM_PROBLEMS,
    aggregate.OrderClosed,
    PayloadBegun,
    WaypointBegun,
    PriceFixed,
    ReturnItemsFixed,
]
MOVE_PROBLEMS = [IllegalMove, PreconditionFailed]
DISPATCH_PROBLEMS = [*ASSIGN_PROBLEMS, assignment.DriverRequired, PriceRequired, PaymentRequired]
ACTIVITY_PROBLEMS = [*DISPATCH_PROBLEMS, PodRequired]


@post(
    "/orders",
    problems=[
        NotFound,
        PayloadTaken,
        *CLAIM_PROBLEMS,
        DriverInactive,
        assignment.DriverRequired,
        PriceRequired,
        PaymentRequired,
        QuoteExpired,
        QuoteReplaced,
        QuoteStale,
        AlreadyAccepted,
    ],
)
async def create_order(
    key: FleetKey, data: OrderIn, exchange: Exchange, db: Db, gateway: Gateway, router: Router
) -> OrderOut:
    """Create an order. If the request contains a quote, the quote is accepted."""
    return_url = await checkouts.parse_return_url(db, key.company, data.return_url)
    measured_route = await measurement.measure_new_order(exchange, db, router, key.company, data)
    terms = AcceptanceTerms(gateway=gateway, return_url=return_url, fetched=False)
    order = await service.create(db, key.company, data, terms, measured_route=measured_route)
    return order.to_order_out()


async def list_orders(
    caller: OrderCaller, filters: OrderListFilters, exchange: Exchange, db: Db
) -> Response[list[OrderOut]]:
    """List orders. Signed-in drivers see only their own."""
    representation = Representation.parse(exchange, filters)
    own_driver = caller.uuid if isinstance(caller, DriverCaller) else None
    check_filters(caller, filters)
    page = await queries.list_orders(db, caller.company, filters, driver=own_driver)
    related = await views.load_related(db, caller.company, page.rows)
    await representation.load(db, caller.company, related, page.rows)

    def to_row_out(order: Order) -> OrderOut:
        order_out = redact_for_caller(caller, db.now, order, related.order_out(order))
        return representation.render(order, order_out)

    return to_array_response(exchange, page, to_row_out)


async def get_order(
    caller: OrderCaller, order_id: str, filters: OrderReadFilters, exchange: Exchange, db: Db
) -> OrderOut:
    """Retrieve an order."""
    representation = Representation.parse(exchange, filters)
    order = await load_order(db, caller, order_id)
    await representation.load(db, caller.company, order.related, [order.row])
    return representation.respond(order.row, to_order_out(db, caller, order))


async def change_order(
    key: FleetKey, order_id: str, data: OrderChange, match: IfMatch, db: Db
) -> OrderOut:
    """Update an order. Omitted fields stay; null clears a field."""
    order = await lock_order(db, key, order_id, match)
    return (await service.change(db, order, data)).to_order_out()


@delete("/orders/{order_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_order(key: FleetKey, order_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Delete an order. An open order is canceled first."""
    order = await lock_order(db, key, order_id, match)
    await service.delete(db, order)
    return RecordDeleted.from_id(db, "order", order.row.public_id)


async def schedule_order(
    key: FleetKey, order_id: str, data: ScheduleIn, match: IfMatch, db: Db
) -> OrderOut:
    """Set the auto-dispatch time of an order. Null removes the schedule."""
    order = await lock_order(db, key, order_id, match)
    scheduled_at = await schedule.parse_schedule(db, key.company, data)
    return (await service.schedule(db, order, scheduled_at)).to_order_out()


async def assign_driver(
    key: FleetKey, order_id: str, data: AssignIn, match: IfMatch, db: Db
) -> AssignedOrderOut:
    """Assign a driver to an order, with the driver's vehicle or another one.

    A driver who is off shift or lacks a skill, or a vehicle that is too small, is assigned with
    warnings.
    """
    order = await lock_order(db, key, order_id, match)
    order = await assignment.assign(db, order, data.driver, data.vehicle)
    return await suitability.to_assigned_out(db, order)


async def list_assignment_warnings(
    key: FleetKey, order_id: str, filters: WarningFilters, db: Db
) -> list[AssignmentWarning]:
    """List warnings about the assigned driver and vehicle, or about the given ones."""
    order = await load_order(db, key, order_id)
    preview = await assignment.preview_assignment(db, order, filters.driver, filters.vehicle)
    return await suitability.list_warnings(db, preview)


async def unassign_driver(key: FleetKey, order_id: str, match: IfMatch, db: Db) -> OrderOut:
    """Unassign the driver of an order before it is dispatched."""
    order = await lock_order(db, key, order_id, match)
    return (await assignment.assign(db, order, None)).to_order_out()


async def dispatch_order(
    key: FleetKey, order_id: str, data: DispatchIn, match: IfMatch, db: Db
) -> OrderOut:
    """Dispatch an order to its driver."""
    order = await lock_order(db, key, order_id, match)
    return (await moves.dispatch(db, order, driver=data.driver)).to_order_out()


async def start_order(
    caller: OrderCaller, order_id: str, data: StartIn, match: IfMatch, db: Db
) -> OrderOut:
    """Start an order."""
    order = await lock_order(db, caller, order_id, match)
    driver = None if isinstance(caller, DriverCaller) else data.assign
    order = await moves.start(
        db, order, driver=driver, skip_dispatch=data.skip_dispatch, occurred_at=data.occurred_at
    )
    return to_order_out(db, caller, order)


async def get_next_activities(
    caller: OrderCaller, order_id: str, filters: NextFilters, db: Db
) -> list[NextActivity]:
    """List the activities that may fire now, and the proofs they still need."""
    return await list_next_activities(db, await load_order(db, caller, order_id), filters.waypoint)


async def get_flow(caller: OrderCaller, order_id: str, db: Db) -> FlowOut:
    """Retrieve the flow of an order and of its stops, with the proofs they need."""
    return await ahead.load_flow(db, await load_order(db, caller, order_id))


async def update_activity(
    caller: OrderCaller, order_id: str, data: ActivityIn, match: IfMatch, db: Db
) -> OrderOut:
    """Fire the next activity. If the activity is sent as an object, only its `code` is used."""
    order = await lock_order(db, caller, order_id, match)
    order = await moves.fire_activity(
        db,
        order,
        data.code,
        waypoint=data.waypoint,
        location=data.location,
        skip_dispatch=data.skip_dispatch,
        occurred_at=data.occurred_at,
    )
    return to_order_out(db, caller, order)


async def complete_order(
    caller: OrderCaller, order_id: str, data: CompleteIn, match: IfMatch, db: Db
) -> OrderOut:
    """Complete an order when its final activity is next."""
    order = await lock_order(db, caller, order_id, match)
    return to_order_out(db, caller, await moves.complete(db, order, occurred_at=data.occurred_at))


async def cancel_order(
    key: FleetKey, order_id: str, data: CancelIn, match: IfMatch, db: Db
) -> OrderOut:
    """Cancel an open order."""
    order = await lock_order(db, key, order_id, match)
    return (await moves.cancel(db, order, reason=data.reason)).to_order_out()


async def call_off_order(key: FleetKey, order_id: str, match: IfMatch, db: Db) -> OrderOut:
    """Cancel an open order. For clients that cancel with DELETE."""
    order = await lock_order(db, key, order_id, match)
    return (await moves.cancel(db, order)).to_order_out()


async def set_destination(
    caller: OrderCaller, order_id: str, stop_id: str, match: IfMatch, db: Db
) -> OrderOut:
    """Set the next stop, by waypoint or by place."""
    order = await lock_order(db, caller, order_id, match)
    return to_order_out(db, caller, await moves.set_destination(db, order, stop_id))


async def get_distance_and_time(
    caller: OrderCaller, order_id: str, db: Db, exchange: Exchange, router: Router
) -> RouteOut:
    """Calculate the distance and duration of the current route."""
    order = await load_order(db, caller, order_id)
    points, profile = aggregate.route_points(order), order.profile
    pace = (await company_settings.load(db, caller.company)).routing
    async with exchange.edge.suspend_transaction(exchange):
        return RouteOut.from_route(await router.measure(points, pace, profile))


async def track_order(
    caller: OrderCaller, order_id: str, db: Db, exchange: Exchange, router: Router
) -> Tracked:
    """Retrieve the position, progress and ETA of an order."""
    snapshot = await tracker.load_snapshot(db, await load_order(db, caller, order_id))
    pace = (await company_settings.load(db, caller.company)).routing
    # The link is for the recipient. A driver could use it to follow the next driver.
    link = None if isinstance(caller, DriverCaller) else links.page_url(db, snapshot.number)
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(snapshot.points, pace, snapshot.order.profile)
    return tracker.to_tracking(db.now, snapshot, route, link)


_ORDER = "/orders/{order_id:str}"
# Options of routes that accept a driver's token too. Litestar wants all methods of a path in one
# router.
_DRIVER_ACCESS: Mapping[str, Any] = {
    "before_request": fleet.require_driver_or_key("orders"),
    "security": [{"driverToken": []}],
}
_DESTINATION = f"{_ORDER}/set-destination/{{stop_id:str}}"
routes = api_routers.api_router(
    "Orders",
    "orders",
    [
        create_order,
        get("/orders", problems=[NotFound], **_DRIVER_ACCESS)(list_orders),
        get(_ORDER, **_DRIVER_ACCESS)(get_order),
        change(_ORDER, problems=CHANGE_PROBLEMS)(change_order),
        delete_order,
        act(
            f"{_ORDER}/schedule",
            status_code=200,
            problems=[*MOVE_PROBLEMS, aggregate.OrderClosed, PriceFixed],
        )(schedule_order),
        act(f"{_ORDER}/assign-driver", status_code=200, problems=ASSIGN_PROBLEMS)(assign_driver),
        delete(f"{_ORDER}/assign-driver", status_code=200, problems=ASSIGN_PROBLEMS)(
            unassign_driver
        ),
        get(f"{_ORDER}/assignment-warnings", problems=[NotFound])(list_assignment_warnings),
        act(f"{_ORDER}/dispatch", status_code=200, problems=DISPATCH_PROBLEMS)(dispatch_order),
        act(f"{_ORDER}/start", status_code=200, problems=DISPATCH_PROBLEMS, **_DRIVER_ACCESS)(
            start_order
        ),
        get(f"{_ORDER}/next-activity", **_DRIVER_ACCESS)(get_next_activities),
        get(f"{_ORDER}/flow", **_DRIVER_ACCESS)(get_flow),
        act(
            f"{_ORDER}/update-activity",
            status_code=200,
            problems=ACTIVITY_PROBLEMS,
            **_DRIVER_ACCESS,
        )(update_activity),
        act(f"{_ORDER}/complete", status_code=200, problems=ACTIVITY_PROBLEMS, **_DRIVER_ACCESS)(
            complete_order
        ),
        act(f"{_ORDER}/cancel", status_code=200, problems=MOVE_PROBLEMS)(cancel_order),
        delete(f"{_ORDER}/cancel", status_code=200, problems=MOVE_PROBLEMS)(call_off_order),
        act(_DESTINATION, status_code=200, problems=MOVE_PROBLEMS, **_DRIVER_ACCESS)(
            set_destination
        ),
        get(f"{_ORDER}/distance-and-time", **_DRIVER_ACCESS)(get_distance_and_time),
        get(f"{_ORDER}/tracker", **_DRIVER_ACCESS)(track_order),
        *attempts.make_handlers(_ORDER, _DRIVER_ACCESS),
    ],
)
routers = (
    *board.routers,
    *parts.routers,
    *quotes.routers,
    batches.routes,
    labels.routes,
    routes,
    driver_days.routes,
    driver_days.operator_routes,
    route_lines.routes,
    offers.routes,
    issue_photos.routes,
    candidates.routes,
    duplicates.routes,
    templates.routes,
    recurring.routes,
    reopening.routes,
    returns.routes,
    storefront.routes,
    *captures.routers,
    *charges.routers,
    *configs.routers,
    *tracking.routers,
)
