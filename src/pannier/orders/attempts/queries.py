"""Database reads of failed delivery attempts."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Table
from pannier.fleet.schemas import PointOut
from pannier.orders.attempts.schemas import AttemptFilters, DeliveryAttemptOut
from pannier.orders.models import DeliveryAttempt, Order
from pannier.orders.views import OrderAggregate
from pannier.web.actors import ActorOut
from pannier.web.serialization import to_schema

ATTEMPTS: Final = Table("delivery_attempts", DeliveryAttempt, prefix="attempt")


async def list_attempts(db: Db, order: Order, filters: AttemptFilters) -> Page[DeliveryAttempt]:
    """List the failed attempts of an order, newest first."""
    where = ATTEMPTS.where(order.company).add_equal(order_uuid=order.uuid)
    return await ATTEMPTS.load_page(db, where, filters)


async def find_last_attempt(db: Db, order: Order, waypoint: UUID | None) -> DeliveryAttempt | None:
    """Find the last failed attempt at a stop, or of an order without stops."""
    where = ATTEMPTS.where(order.company).add_equal(order_uuid=order.uuid)
    where.add("waypoint is not distinct from :waypoint", waypoint=waypoint)
    return await db.find(
        DeliveryAttempt,
        f"""select {ATTEMPTS.columns} from delivery_attempts {where}
            order by created_at desc, uuid desc limit 1""",
        **where.values,
    )


async def load_latest_attempts(db: Db, order: Order) -> Mapping[UUID | None, DeliveryAttempt]:
    """Load the last failed attempt at each stop. The key is None for an order without stops."""
    if not order.attempts:
        return {}
    where = ATTEMPTS.where(order.company).add_equal(order_uuid=order.uuid)
    rows = await db.fetch_all(
        DeliveryAttempt,
        f"""select distinct on (waypoint) {ATTEMPTS.columns} from delivery_attempts {where}
            order by waypoint, created_at desc, uuid desc""",
        **where.values,
    )
    return {row.waypoint: row for row in rows}


def make_renderer(order: OrderAggregate) -> Callable[[DeliveryAttempt], DeliveryAttemptOut]:
    """Return a function that builds the output of an order's attempts."""

    def to_attempt_out(row: DeliveryAttempt) -> DeliveryAttemptOut:
        return to_schema(
            row,
            DeliveryAttemptOut,
            order=order.row.public_id,
            waypoint=order.related.stop_id(row.waypoint),
            then=row.outcome,
            location=PointOut.from_point(row.location),
            actor=ActorOut.from_row(row),
        )

    return to_attempt_out
