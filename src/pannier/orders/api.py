"""HTTP handlers for orders. Drivers reach their own orders with their token."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth as fleet
from pannier.fleet.auth import Driving
from pannier.fleet.presence import DriverInactive
from pannier.orders import (
    aggregate,
    assignment,
    moves,
    queries,
    schedule,
    service,
    tracker,
    views,
)
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
)
from pannier.orders.ahead import service as ahead
from pannier.orders.ahead.schemas import FlowOut
from pannier.orders.attempts import api as attempts
from pannier.orders.board import api as board
from pannier.orders.captures import api as captures
from pannier.orders.configs import api as configs
from pannier.orders.doors import Coming, read, taken, to_out
from pannier.orders.driver_view import present
from pannier.orders.flow import IllegalMove
from pannier.orders.gate import PodRequired
from pannier.orders.issue_photos import api as issue_photos
from pannier.orders.models import Order
from pannier.orders.next_activities import following
from pannier.orders.offers import api as offers
from pannier.orders.parts import api as parts
from pannier.orders.quotes import api as quotes
from pannier.orders.quotes.owing import Accepting
from pannier.orders.quotes.service import (
    AlreadyAccepted,
    PaymentRequired,
    PriceRequired,
    QuoteReplaced,
    QuoteStale,
)
from pannier.orders.schemas import OrderChange, OrderFilters, OrderIn, OrderOut, RouteOut
from pannier.orders.storefront import api as storefront
from pannier.orders.tracker import Tracked
from pannier.orders.tracking import api as tracking
from pannier.orders.tracking import links
from pannier.payloads.rules import PayloadBegun
from pannier.payloads.service import PayloadTaken
from pannier.payments.gateway import Gateway
from pannier.rates.quotes.signing import QuoteExpired
from pannier.routing.router import Router
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import act, change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed

ASSIGNING = [IllegalMove, DriverInactive, PreconditionFailed]
MOVING = [IllegalMove, PreconditionFailed]
HANDING_OUT = [*ASSIGNING, assignment.DriverRequired, PriceRequired, PaymentRequired]
FIRING = [*HANDING_OUT, PodRequired]


@post(
    "/orders",
    problems=[
        NotFound,
        PayloadTaken,
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
async def create_order(key: FleetKey, data: OrderIn, db: Db, gateway: Gateway) -> OrderOut:
    """Create an order. A quote that it names is accepted with it."""
    placed = await service.create(db, key.company, data, Accepting(gateway=gateway, fetched=False))
    return placed.out()


async def list_orders(
    caller: Coming, filters: OrderFilters, exchange: Exchange, db: Db
) -> Response[list[OrderOut]]:
    """List orders. A signed-in driver sees their own."""
    own = caller.uuid if isinstance(caller, Driving) else None
    page = await queries.orders(db, caller.company, filters, driver=own)
    shown = await views.shown(db, caller.company, page.rows)

    def out(order: Order) -> OrderOut:
        return present(caller, db.now, order, shown.order(order))

    return linked(exchange, page, out)


async def get_order(caller: Coming, order_id: str, db: Db) -> OrderOut:
    """Read an order."""
    return to_out(db, caller, await read(db, caller, order_id))


async def change_order(
    key: FleetKey, order_id: str, data: OrderChange, match: Match, db: Db
) -> OrderOut:
    """Update an order. Omitted fields stay; null clears a field."""
    held = await taken(db, key, order_id, match)
    return (await service.change(db, held, data)).out()


@delete("/orders/{order_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_order(key: FleetKey, order_id: str, match: Match, db: Db) -> Deleted:
    """Delete an order. An open one is canceled first."""
    held = await taken(db, key, order_id, match)
    await service.delete(db, held)
    return Deleted.of(db, "order", held.order.public_id)


async def schedule_order(
    key: FleetKey, order_id: str, data: ScheduleIn, match: Match, db: Db
) -> OrderOut:
    """Set when an order is dispatched automatically. Null removes the schedule."""
    held = await taken(db, key, order_id, match)
    due = await schedule.moment(db, key.company, data)
    return (await service.schedule(db, held, due)).out()


async def assign_driver(
    key: FleetKey, order_id: str, data: AssignIn, match: Match, db: Db
) -> OrderOut:
    """Assign a driver to an order, with the driver's vehicle or another one."""
    held = await taken(db, key, order_id, match)
    return (await assignment.assign(db, held, data.driver, data.vehicle)).out()


async def unassign_driver(key: FleetKey, order_id: str, match: Match, db: Db) -> OrderOut:
    """Unassign the driver of an order before it is dispatched."""
    held = await taken(db, key, order_id, match)
    return (await assignment.assign(db, held, None)).out()


async def dispatch_order(
    key: FleetKey, order_id: str, data: DispatchIn, match: Match, db: Db
) -> OrderOut:
    """Dispatch an order to its driver."""
    held = await taken(db, key, order_id, match)
    return (await moves.dispatch(db, held, driver=data.driver)).out()


async def start_order(
    caller: Coming, order_id: str, data: StartIn, match: Match, db: Db
) -> OrderOut:
    """Start an order."""
    held = await taken(db, caller, order_id, match)
    driver = None if isinstance(caller, Driving) else data.assign
    moved = await moves.start(
        db, held, driver=driver, skip_dispatch=data.skip_dispatch, at=data.occurred_at
    )
    return to_out(db, caller, moved)


async def next_activities(
    caller: Coming, order_id: str, filters: NextFilters, db: Db
) -> list[NextActivity]:
    """List the activities that may fire now, and the proofs they still need."""
    return await following(db, await read(db, caller, order_id), filters.waypoint)


async def get_flow(caller: Coming, order_id: str, db: Db) -> FlowOut:
    """Read the flow of an order and of its stops, with the proofs they need."""
    return await ahead.told(db, await read(db, caller, order_id))


async def update_activity(
    caller: Coming, order_id: str, data: ActivityIn, match: Match, db: Db
) -> OrderOut:
    """Fire the next activity. Of an activity object, only the code is read."""
    held = await taken(db, caller, order_id, match)
    moved = await moves.advance(
        db,
        held,
        data.code,
        waypoint=data.waypoint,
        location=data.location,
        skip_dispatch=data.skip_dispatch,
        at=data.occurred_at,
    )
    return to_out(db, caller, moved)


async def complete_order(
    caller: Coming, order_id: str, data: CompleteIn, match: Match, db: Db
) -> OrderOut:
    """Complete an order whose completing activity is next."""
    held = await taken(db, caller, order_id, match)
    return to_out(db, caller, await moves.complete(db, held, at=data.occurred_at))


async def cancel_order(
    key: FleetKey, order_id: str, data: CancelIn, match: Match, db: Db
) -> OrderOut:
    """Cancel an open order."""
    held = await taken(db, key, order_id, match)
    return (await moves.cancel(db, held, reason=data.reason)).out()


async def call_off_order(key: FleetKey, order_id: str, match: Match, db: Db) -> OrderOut:
    """Cancel an open order. For clients that cancel with DELETE."""
    held = await taken(db, key, order_id, match)
    return (await moves.cancel(db, held)).out()


async def set_destination(
    caller: Coming, order_id: str, stop_id: str, match: Match, db: Db
) -> OrderOut:
    """Choose the next stop, by the waypoint or by its place."""
    held = await taken(db, caller, order_id, match)
    return to_out(db, caller, await moves.head_for(db, held, stop_id))


async def distance_and_time(
    caller: Coming, order_id: str, db: Db, exchange: Exchange, router: Router
) -> RouteOut:
    """Measure the route through every stop as it is now."""
    points = aggregate.way_points(await read(db, caller, order_id))
    pace = (await company_settings.of(db, caller.company)).routing
    async with exchange.edge.outside(exchange):
        return RouteOut.of(await router.along(points, pace))


async def track_order(
    caller: Coming, order_id: str, db: Db, exchange: Exchange, router: Router
) -> Tracked:
    """Read the position, progress and ETA of an order."""
    sight = await tracker.look(db, await read(db, caller, order_id))
    pace = (await company_settings.of(db, caller.company)).routing
    # The link is for the recipient. A driver could use it to follow the next driver.
    link = None if isinstance(caller, Driving) else links.url(db, sight.number)
    async with exchange.edge.outside(exchange):
        return tracker.tracked(db.now, sight, await router.along(sight.points, pace), link)


_ONE = "/orders/{order_id:str}"
# Options of routes that accept a driver's token too. Litestar wants all methods of a path in one
# router.
_OWN: Mapping[str, Any] = {
    "before_request": fleet.driver_or_key("orders"),
    "security": [{"driverToken": []}],
}
_TO = f"{_ONE}/set-destination/{{stop_id:str}}"
routes = doors.for_keys(
    "Orders",
    "orders",
    [
        create_order,
        get("/orders", problems=[NotFound], **_OWN)(list_orders),
        get(_ONE, **_OWN)(get_order),
        change(_ONE, problems=[*ASSIGNING, aggregate.OrderClosed, PayloadBegun])(change_order),
        delete_order,
        act(f"{_ONE}/schedule", status_code=200, problems=[*MOVING, aggregate.OrderClosed])(
            schedule_order
        ),
        act(f"{_ONE}/assign-driver", status_code=200, problems=ASSIGNING)(assign_driver),
        delete(f"{_ONE}/assign-driver", status_code=200, problems=ASSIGNING)(unassign_driver),
        act(f"{_ONE}/dispatch", status_code=200, problems=HANDING_OUT)(dispatch_order),
        act(f"{_ONE}/start", status_code=200, problems=HANDING_OUT, **_OWN)(start_order),
        get(f"{_ONE}/next-activity", **_OWN)(next_activities),
        get(f"{_ONE}/flow", **_OWN)(get_flow),
        act(f"{_ONE}/update-activity", status_code=200, problems=FIRING, **_OWN)(update_activity),
        act(f"{_ONE}/complete", status_code=200, problems=FIRING, **_OWN)(complete_order),
        act(f"{_ONE}/cancel", status_code=200, problems=MOVING)(cancel_order),
        delete(f"{_ONE}/cancel", status_code=200, problems=MOVING)(call_off_order),
        act(_TO, status_code=200, problems=MOVING, **_OWN)(set_destination),
        get(f"{_ONE}/distance-and-time", **_OWN)(distance_and_time),
        get(f"{_ONE}/tracker", **_OWN)(track_order),
        *attempts.handlers(_ONE, _OWN),
    ],
)
routers = (
    *board.routers,
    *parts.routers,
    *quotes.routers,
    routes,
    offers.routes,
    issue_photos.routes,
    storefront.routes,
    *captures.routers,
    *configs.routers,
    *tracking.routers,
)
