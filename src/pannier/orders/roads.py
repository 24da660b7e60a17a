"""Background measurement of orders by road, with the routing engine."""

from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db, columns
from pannier.jobs.leases import Lease, Leases
from pannier.kit.geo import Point
from pannier.orders import aggregate
from pannier.orders.models import Order
from pannier.orders.stages import OPEN
from pannier.orders.views import OrderAggregate
from pannier.routing.router import Router, RouteResult

# The lease of an order by a worker. The delay doubles each time the engine is unavailable.
LEASE_DURATION: Final = timedelta(minutes=1)
MAX_ATTEMPTS: Final = 8
LEASES: Final = Leases("order_routes", key="order_uuid")


class DueRoute(msgspec.Struct):
    """An order whose route has to be measured."""

    order_uuid: UUID
    company: UUID
    attempts: int


async def step(database: Database, router: Router) -> bool:
    """Measure one order; return False if none is due."""
    due_route = await _lease_next_route(database)
    if due_route is None:
        return False
    async with database.reading() as db:
        order = await _load_open_order(db, due_route)
        pace = (await company_settings.load(db, due_route.company)).routing
    points = [] if order is None else aggregate.route_points(order)
    await _save_route(
        database, due_route, points, await router.measure_with_certainty(points, pace)
    )
    return True


async def _lease_next_route(database: Database) -> DueRoute | None:
    async with database.transaction() as db:
        routes = await LEASES.lease(db, DueRoute, lease=LEASE_DURATION)
    return routes[0] if routes else None


async def _load_open_order(
    db: Db, due_route: DueRoute, lock_clause: str = ""
) -> OrderAggregate | None:
    """Load an open order with its payload; None if it was closed or deleted."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and {OPEN} and deleted_at is null
            {lock_clause}""",
        company=due_route.company,
        uuid=due_route.order_uuid,
    )
    return None if order is None else await OrderAggregate.load(db, order)


async def _save_route(
    database: Database, due_route: DueRoute, points: list[Point | None], result: RouteResult
) -> None:
    """Save the route. If the stops have changed meanwhile, it is measured again."""
    lease = Lease(due_route.order_uuid, due_route.attempts)
    async with database.transaction() as db:
        order = await _load_open_order(db, due_route, "for no key update")
        has_changed = order is not None and aggregate.route_points(order) != points
        should_retry = not result.is_definite and due_route.attempts < MAX_ATTEMPTS
        if has_changed or should_retry:
            # At once after a change, otherwise after a growing delay.
            delay = timedelta() if has_changed else LEASE_DURATION * 2**due_route.attempts
            await LEASES.retry(db, lease, delay)
            return
        await LEASES.delete(db, lease)
        if order is None:
            return
        columns = {} if result.route is None else aggregate.route_columns(result.route)
        # A dispatched order may still wait for its price, and an accepted price for its
        # adjustment, even if the measurement failed.
        row = order.row
        is_waiting = row.dispatched_at is not None or row.price_status == "accepted"
        await aggregate.finish_change(db, order, has_moved=is_waiting, **columns)
