"""Remeasuring of orders after their places have moved."""

from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.orders import aggregate
from pannier.orders.models import Order
from pannier.orders.stages import OPEN
from pannier.orders.views import OrderAggregate
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.places import moved as places
from pannier.places.moved import MovedPlace

STEP: Final = "moved places"

# The number of payloads per step. Most payloads of a warehouse belong to closed orders.
BATCH_SIZE: Final = 200

# The next payloads through a place. Each part sorts by its own index, because the primary key alone
# would scan all payloads.
NEXT_PAYLOADS: Final = f"""
    (select uuid from payloads
     where (pickup, uuid) > (:place, :after) and pickup <= :place
     order by pickup, uuid limit {BATCH_SIZE})
    union all
    (select uuid from payloads
     where (dropoff, uuid) > (:place, :after) and dropoff <= :place
     order by dropoff, uuid limit {BATCH_SIZE})
    union all
    (select payload from waypoints
     where (place, payload) > (:place, :after) and place <= :place and deleted_at is null
     order by place, payload limit {BATCH_SIZE})
    order by 1 limit {BATCH_SIZE}"""


async def step(database: Database) -> bool:
    """Remeasure one order through a moved place; return False if no place has moved.

    Each order gets its own transaction, because a warehouse may be part of thousands of orders.
    """
    async with database.transaction() as db:
        moved_place = await places.lock_next_place(db)
        if moved_place is None:
            return False
        payloads = await _list_payloads(db, moved_place)
        if not payloads:
            await places.remove_place(db, moved_place)
            return True
        order = await _lock_first_open_order(db, moved_place.company, payloads)
        last_payload = payloads[-1] if order is None else order.payload
        await places.record_progress(db, moved_place, last_payload)
        if order is not None:
            await _remeasure_or_park(db, order)
    return True


async def _list_payloads(db: Db, moved_place: MovedPlace) -> list[UUID]:
    """List the next payloads through a place, regardless of the state of their orders."""
    rows = await db.fetch_tuples(NEXT_PAYLOADS, place=moved_place.place, after=moved_place.after)
    return [uuid for (uuid,) in rows]


async def _lock_first_open_order(db: Db, company: UUID, payloads: list[UUID]) -> Order | None:
    return await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and payload = any(:payloads)
              and {OPEN} and deleted_at is null
            order by payload limit 1 for no key update""",
        company=company,
        payloads=payloads,
    )


async def _remeasure_or_park(db: Db, order: Order) -> None:
    async with parking.WorkAttempt(db) as attempt:
        await _remeasure(db, order)
    if attempt.failure is not None:
        work = WorkKey(order.company, STEP, order.public_id, order.uuid)
        await parking.park(db, work, attempt.failure)


async def retry(db: Db, parked_work: ParkedWork) -> None:
    """Remeasure a parked order, if it is still open."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and {OPEN} for no key update""",
        company=parked_work.company,
        uuid=parked_work.subject_uuid,
    )
    if order is not None:
        await _remeasure(db, order)


async def _remeasure(db: Db, order: Order) -> None:
    await aggregate.remeasure(db, await OrderAggregate.load(db, order))
