"""Database reads of failed delivery attempts."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Table
from pannier.fleet.schemas import Spot
from pannier.orders.attempts.schemas import AttemptFilters, DeliveryAttemptOut
from pannier.orders.models import DeliveryAttempt, Order
from pannier.orders.views import Aggregate
from pannier.web.actors import ActorOut
from pannier.web.spelling import spelled

ATTEMPTS: Final = Table("delivery_attempts", DeliveryAttempt, prefix="attempt")


async def page(db: Db, order: Order, filters: AttemptFilters) -> Page[DeliveryAttempt]:
    """List the failed attempts of an order, newest first."""
    where = ATTEMPTS.where(order.company).equal(order_uuid=order.uuid)
    return await ATTEMPTS.page(db, where, filters)


async def last(db: Db, order: Order, waypoint: UUID | None) -> DeliveryAttempt | None:
    """Find the last failed attempt at a stop, or of an order without stops."""
    where = ATTEMPTS.where(order.company).equal(order_uuid=order.uuid)
    where.that("waypoint is not distinct from :waypoint", waypoint=waypoint)
    return await db.find(
        DeliveryAttempt,
        f"""select {ATTEMPTS.columns} from delivery_attempts {where}
            order by created_at desc, uuid desc limit 1""",
        **where.values,
    )


async def latest(db: Db, order: Order) -> Mapping[UUID | None, DeliveryAttempt]:
    """Load the last failed attempt at each stop. Without stops, the key is None."""
    if not order.attempts:
        return {}
    where = ATTEMPTS.where(order.company).equal(order_uuid=order.uuid)
    rows = await db.many(
        DeliveryAttempt,
        f"""select distinct on (waypoint) {ATTEMPTS.columns} from delivery_attempts {where}
            order by waypoint, created_at desc, uuid desc""",
        **where.values,
    )
    return {row.waypoint: row for row in rows}


def spelling(read: Aggregate) -> Callable[[DeliveryAttempt], DeliveryAttemptOut]:
    """Return a function that builds the output of an order's attempts."""

    def out(row: DeliveryAttempt) -> DeliveryAttemptOut:
        return spelled(
            row,
            DeliveryAttemptOut,
            order=read.order.public_id,
            waypoint=read.shown.stop_name(row.waypoint),
            then=row.outcome,
            location=Spot.of(row.location),
            actor=ActorOut.of(row),
        )

    return out
