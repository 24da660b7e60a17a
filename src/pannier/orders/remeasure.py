"""Orders through a place that has moved are measured again."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, columns
from pannier.orders import aggregate
from pannier.orders.aggregate import Aggregate
from pannier.orders.models import Order
from pannier.orders.queries import OPEN
from pannier.parked import service as parking
from pannier.parked.models import Parked, Work

STEP: Final = "moved places"

# Open orders after the last one that was measured, along their index.
NEXT: Final = f"""
    select {columns(Order, "o")} from orders o
    where o.company = :company and o.deleted_at is null
      and o.completed_at is null and o.canceled_at is null
      and (:after::uuid is null or (o.created_at, o.uuid) > (:after_at, :after))
      and exists (
        select from payloads p where p.uuid = o.payload and (
          :place in (p.pickup, p.dropoff) or exists (
            select from waypoints w
            where w.payload = p.uuid and w.place = :place and w.deleted_at is null)))
    order by o.created_at, o.uuid limit 1 for no key update of o"""


class Moved(msgspec.Struct):
    """A place that moved, and the last order through it that was measured since."""

    place: UUID
    company: UUID
    after_at: datetime | None
    after: UUID | None


async def step(database: Database) -> bool:
    """Measure one order through a place that has moved; the place is done when none is left.

    One at a time and each in its own transaction: a warehouse stands in thousands of orders, and
    nobody is to wait for all of them.
    """
    async with database.transaction() as db:
        moved = await db.find(
            Moved,
            f"""select {columns(Moved)} from moved_places
                order by place limit 1 for update skip locked""",
        )
        if moved is None:
            return False
        order = await db.find(Order, NEXT, **msgspec.structs.asdict(moved))
        if order is None:
            await db.execute("delete from moved_places where place = :place", place=moved.place)
            return True
        await db.execute(
            """update moved_places set after_at = :at, after = :order where place = :place""",
            at=order.created_at,
            order=order.uuid,
            place=moved.place,
        )
        await db.mark()
        try:
            await _measure(db, order)
        except Exception as failure:
            if not parking.blames_the_work(failure):
                raise
            await db.undo_to_mark()
            await parking.park(db, Work(order.company, STEP, order.public_id, order.uuid), failure)
    return True


async def again(db: Db, parked: Parked) -> None:
    """Measure an order that was parked, if it is still open."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and {OPEN} for no key update""",
        company=parked.company,
        uuid=parked.subject_uuid,
    )
    if order is not None:
        await _measure(db, order)


async def _measure(db: Db, order: Order) -> None:
    held = await Aggregate.of(db, order)
    way = await aggregate.measured(db, order.company, held.whole, held.shown.payloads)
    await aggregate.changed(db, held, **way)
