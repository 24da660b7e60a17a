"""Erasure of recipients who opted out of news."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db


async def erase(db: Db, company: UUID, recipients: Sequence[str]) -> None:
    """Erase the opt-outs of recipients."""
    await db.execute(
        "delete from news_quiet where company = :company and recipient = any(:recipients)",
        company=company,
        recipients=recipients,
    )


async def erase_about_order(db: Db, company: UUID, order: UUID, people: Sequence[UUID]) -> None:
    """Erase people's opt-outs from news of one order."""
    await db.execute(
        """delete from news_muted
           where company = :company and order_uuid = :order and person = any(:people)""",
        company=company,
        order=order,
        people=people,
    )
