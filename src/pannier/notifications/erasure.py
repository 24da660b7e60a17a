"""Erasure and export of the messages to a person."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, columns
from pannier.notifications.models import Message


async def erase(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    await db.execute(
        "delete from messages where company = :company and uuid = any(:uuids)",
        company=company,
        uuids=uuids,
    )


async def erase_about_order(
    db: Db, company: UUID, order: str, customer: UUID, recipients: Sequence[str]
) -> None:
    """Delete the messages about an order to the given customer or recipients."""
    await db.execute(
        """delete from messages where company = :company and order_id = :order
             and (customer = :customer or recipient = any(:recipients))""",
        company=company,
        order=order,
        customer=customer,
        recipients=recipients,
    )


async def export(db: Db, company: UUID, uuids: Sequence[UUID]) -> list[Message]:
    """List messages, oldest first. UUIDs sort by time."""
    return await db.many(
        Message,
        f"""select {columns(Message)} from messages
            where company = :company and uuid = any(:uuids) order by uuid""",
        company=company,
        uuids=uuids,
    )
