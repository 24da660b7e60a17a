"""Background measuring of orders by road, with the routing engine."""

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
from pannier.orders.views import Aggregate
from pannier.routing.router import Answer, Router

# How long a worker leases an order. The delay doubles each time the engine is unavailable.
LEASE: Final = timedelta(minutes=1)
MOST_ATTEMPTS: Final = 8
LEASES: Final = Leases("order_routes", key="order_uuid")


class Due(msgspec.Struct):
    """An order whose route has to be measured."""

    order_uuid: UUID
    company: UUID
    attempts: int


async def step(database: Database, router: Router) -> bool:
    """Measure one order; return False if none is due."""
    due = await _claimed(database)
    if due is None:
        return False
    async with database.reading() as db:
        held = await _held(db, due)
        pace = (await company_settings.of(db, due.company)).routing
    points = [] if held is None else aggregate.way_points(held)
    await _keep(database, due, points, await router.asked(points, pace))
    return True


async def _claimed(database: Database) -> Due | None:
    async with database.transaction() as db:
        leased = await LEASES.lease(db, Due, lease=LEASE)
    return leased[0] if leased else None


async def _held(db: Db, due: Due, lock: str = "") -> Aggregate | None:
    """Load an open order with its payload; None if it was closed or deleted."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and {OPEN} and deleted_at is null {lock}""",
        company=due.company,
        uuid=due.order_uuid,
    )
    return None if order is None else await Aggregate.of(db, order)


async def _keep(database: Database, due: Due, points: list[Point | None], answer: Answer) -> None:
    """Save the route. If the stops have changed meanwhile, it is measured again."""
    lease = Lease(due.order_uuid, due.attempts)
    async with database.transaction() as db:
        held = await _held(db, due, "for no key update")
        changed = held is not None and aggregate.way_points(held) != points
        away = not answer.definite and due.attempts < MOST_ATTEMPTS
        if changed or away:
            # At once after a change, otherwise after a growing delay.
            wait = timedelta() if changed else LEASE * 2**due.attempts
            await LEASES.retry(db, lease, wait)
            return
        await LEASES.remove(db, lease)
        if held is None:
            return
        columns = {} if answer.route is None else aggregate.way_columns(answer.route)
        # A dispatched order may still wait for its price, even if the measurement failed.
        is_out = held.order.dispatched_at is not None
        await aggregate.changed(db, held, moved=is_out, **columns)
