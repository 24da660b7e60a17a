"""Erasure and export of the messages to a person."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, columns
from pannier.notifications.models import MessageRow


async def erase_messages(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    await db.execute(
        "delete from messages where company = :company and uuid = any(:uuids)",
        company=company,
        uuids=uuids,
    )


async def erase_order_messages(
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


async def export_messages(db: Db, company: UUID, uuids: Sequence[UUID]) -> list[MessageRow]:
    """List messages, oldest first. UUIDs sort by time."""
    return await db.fetch_all(
        MessageRow,
        f"""select {columns(MessageRow)} from messages
            where company = :company and uuid = any(:uuids) order by uuid""",
        company=company,
        uuids=uuids,
    )
