"""What an order and its history say about a person."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus

# What happened to the person's stops and items, and what happened to anything at their places:
# where something was handed over is where somebody lives.
_STATUSES: Final = """
    update tracking_statuses
    set details = case when manual or code = 'canceled' then '' else details end,
        meta = '{}', latitude = null, longitude = null,
        actor_name = case when actor_id = :actor then :pseudonym else actor_name end,
        updated_at = :now, version = version + 1
    where company = :company and uuid in (
        select s.uuid from tracking_statuses s join tracking_numbers n on n.uuid = s.tracking_number
        where n.order_uuid = :order and (n.subject = any(:subjects) or s.place = any(:places)))
    returning public_id"""
_THEIR_ATTEMPTS: Final = """company = :company and order_uuid = :order
    and (waypoint = any(:stops) or (waypoint is null and :whole))"""


async def take(db: Db, company: UUID, uuid: UUID) -> Order:
    """Read an order and hold it until the transaction ends; also a deleted one."""
    return await db.one(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid for no key update""",
        company=company,
        uuid=uuid,
    )


async def erase(db: Db, order: Order) -> None:
    """Erase what an order says about the customer it is for."""
    await db.execute(
        """update orders set notes = null, cancel_reason = null, meta = '{}',
               updated_at = :now, version = version + 1
           where company = :company and uuid = :order""",
        company=order.company,
        order=order.uuid,
        now=db.now,
    )


async def erase_statuses(
    db: Db,
    order: Order,
    subjects: Sequence[UUID],
    places: Sequence[UUID],
    *,
    actor: str,
    pseudonym: str,
) -> list[str]:
    """Erase the statuses of some subjects and places; return their public ids.

    Those that `actor` set are shown under a pseudonym.
    """
    rows = await db.tuples(
        _STATUSES,
        company=order.company,
        order=order.uuid,
        subjects=subjects,
        places=places,
        actor=actor,
        pseudonym=pseudonym,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def erase_attempts(db: Db, order: Order, stops: Sequence[UUID], *, whole: bool) -> list[str]:
    """Erase what failed attempts at some stops say; return their public ids.

    `whole` includes those of an order without stops.
    """
    rows = await db.tuples(
        f"""update delivery_attempts
            set remarks = null, latitude = null, longitude = null,
                updated_at = :now, version = version + 1
            where {_THEIR_ATTEMPTS} returning public_id""",
        company=order.company,
        order=order.uuid,
        stops=stops,
        whole=whole,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def export_statuses(db: Db, order: Order, subjects: Sequence[UUID]) -> list[TrackingStatus]:
    """List what happened to some subjects of an order, the oldest first."""
    return await db.many(
        TrackingStatus,
        f"""select {columns(TrackingStatus)} from tracking_statuses
            where company = :company and tracking_number in (
                select uuid from tracking_numbers where subject = any(:subjects))
            order by created_at, uuid""",
        company=order.company,
        subjects=subjects,
    )


async def export_attempts(
    db: Db, order: Order, stops: Sequence[UUID], *, whole: bool
) -> list[DeliveryAttempt]:
    """List failed attempts at some stops; `whole` includes those of an order without stops."""
    return await db.many(
        DeliveryAttempt,
        f"""select {columns(DeliveryAttempt)} from delivery_attempts
            where {_THEIR_ATTEMPTS} order by created_at, uuid""",
        company=order.company,
        order=order.uuid,
        stops=stops,
        whole=whole,
    )
