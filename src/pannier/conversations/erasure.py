"""Erasure and export of the messages about a person's orders."""

from uuid import UUID

from pannier.conversations import photos
from pannier.conversations.models import DriverMessage
from pannier.db import Db, columns
from pannier.orders.models import Order


async def erase_messages(db: Db, company: UUID, order: UUID) -> None:
    """Delete the messages about an order: they may name its people."""
    messages = await export_messages(db, company, order)
    await photos.delete_photos(db, company, [message.uuid for message in messages])
    await db.execute(
        "delete from driver_messages where company = :company and order_uuid = :order",
        company=company,
        order=order,
    )


async def await_erasure(db: Db, order: Order) -> None:
    """Wait for an erasure of the order in progress, and hold back others until the commit.

    A message that is written meanwhile would outlive the erasure.
    """
    await db.execute(
        "select from orders where company = :company and uuid = :order for share",
        company=order.company,
        order=order.uuid,
    )


async def is_anybody_erased(db: Db, order: Order) -> bool:
    """Return whether the data of a person of the order was erased."""
    has_erased_contact: bool = await db.fetch_value(
        """select exists (select from contacts
               where company = :company and erased_at is not null and uuid = any(array(
                   select customer from orders where company = :company and uuid = :order
                   union all select contact from waypoints
                   where company = :company and payload = :payload
                   union all select customer from entities
                   where company = :company and payload = :payload)))""",
        company=order.company,
        order=order.uuid,
        payload=order.payload,
    )
    return has_erased_contact


async def export_messages(db: Db, company: UUID, order: UUID) -> list[DriverMessage]:
    """Load the messages about an order for an export, oldest first."""
    return await db.fetch_all(
        DriverMessage,
        f"""select {columns(DriverMessage)} from driver_messages
            where company = :company and order_uuid = :order order by created_at, uuid""",
        company=company,
        order=order,
    )


async def export_photos(db: Db, company: UUID, order: UUID) -> dict[str, UUID]:
    """Load the photos of the messages about an order: their names, and their files."""
    messages = await export_messages(db, company, order)
    names = {message.uuid: message.public_id for message in messages}
    rows = await photos.list_photos(db, company, list(names)) if names else []
    return {f"{names[row.message]}-{number}.jpg": row.file for number, row in enumerate(rows, 1)}
