"""Erasure and export of personal data in orders and their history."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus

# The history of the person's stops and items, and of anything at their places: a delivery location
# may be a home address.
_ERASE_STATUSES: Final = """
    update tracking_statuses
    set details = case when manual or code = 'canceled' then '' else details end,
        meta = '{}', latitude = null, longitude = null,
        actor_name = case when actor_id = :actor then :pseudonym else actor_name end,
        updated_at = :now, version = version + 1
    where company = :company and uuid in (
        select s.uuid from tracking_statuses s join tracking_numbers n on n.uuid = s.tracking_number
        where n.order_uuid = :order and (n.subject = any(:subjects) or s.place = any(:places)))
    returning public_id"""
_ATTEMPTS_AT_STOPS: Final = """company = :company and order_uuid = :order
    and (waypoint = any(:stops) or (waypoint is null and :whole))"""


async def lock_order(db: Db, company: UUID, uuid: UUID) -> Order:
    """Lock an order until the transaction ends, even a deleted one."""
    return await db.get(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid for no key update""",
        company=company,
        uuid=uuid,
    )


async def erase_order(db: Db, order: Order) -> None:
    """Erase the personal data of the customer from an order."""
    await db.execute(
        """update orders set notes = null, cancel_reason = null, meta = '{}', customer_name = null,
               delivery_instructions = null, rating = null,
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
    """Erase the statuses of the given subjects and places; return their public ids.

    Statuses set by `actor` keep a pseudonym.
    """
    rows = await db.fetch_tuples(
        _ERASE_STATUSES,
        company=order.company,
        order=order.uuid,
        subjects=subjects,
        places=places,
        actor=actor,
        pseudonym=pseudonym,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def erase_attempts(
    db: Db, order: Order, stops: Sequence[UUID], *, is_whole_order: bool
) -> list[str]:
    """Erase personal data from failed attempts at the stops; return their public ids.

    `is_whole_order` includes attempts of an order without stops.
    """
    rows = await db.fetch_tuples(
        f"""update delivery_attempts
            set remarks = null, latitude = null, longitude = null,
                updated_at = :now, version = version + 1
            where {_ATTEMPTS_AT_STOPS} returning public_id""",
        company=order.company,
        order=order.uuid,
        stops=stops,
        whole=is_whole_order,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def export_statuses(db: Db, order: Order, subjects: Sequence[UUID]) -> list[TrackingStatus]:
    """Return the statuses of the given subjects for a data export, oldest first."""
    return await db.fetch_all(
        TrackingStatus,
        f"""select {columns(TrackingStatus)} from tracking_statuses
            where company = :company and tracking_number in (
                select uuid from tracking_numbers where subject = any(:subjects))
            order by created_at, uuid""",
        company=order.company,
        subjects=subjects,
    )


async def export_attempts(
    db: Db, order: Order, stops: Sequence[UUID], *, is_whole_order: bool
) -> list[DeliveryAttempt]:
    """Return the failed attempts at the given stops for a data export.

    `is_whole_order` includes attempts of an order without stops.
    """
    return await db.fetch_all(
        DeliveryAttempt,
        f"""select {columns(DeliveryAttempt)} from delivery_attempts
            where {_ATTEMPTS_AT_STOPS} order by created_at, uuid""",
        company=order.company,
        order=order.uuid,
        stops=stops,
        whole=is_whole_order,
    )
