"""Queries for messages."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Where, columns, page
from pannier.notifications.models import Message
from pannier.notifications.schemas import MessageFilters

SELECT: Final = f"select {columns(Message)} from messages"
RARE: Final = frozenset({"due", "drawer", "failed"})


async def messages(db: Db, company: UUID, filters: MessageFilters) -> Page[Message]:
    """List messages, newest first."""
    where = Where(company).equal(
        channel=filters.channel, state=filters.state, order_id=filters.order
    )
    if filters.state in RARE:
        # This condition lets the planner use the partial index of rare states.
        where.that("state in ('due', 'drawer', 'failed')")
    if filters.to is not None:
        where.that("recipient = any(:to)", to=_spellings(filters.to))
    where.within("created_at", filters.since, filters.until)
    return await page(db, Message, SELECT, where, filters)


async def message(db: Db, company: UUID, identifier: str) -> Message:
    """Load a message, or raise NotFound."""
    where = Where(company).named(identifier)
    return await db.one(Message, f"{SELECT} {where}", **where.values)


async def latest(db: Db, to: str | None, limit: int) -> list[Message]:
    """List the newest messages of all companies for the command line.

    It takes no company because a person with a shell on the machine can read all messages anyway.
    """
    condition = "" if to is None else "where recipient = any(:to)"
    return await db.many(
        Message,
        f"{SELECT} {condition} order by created_at desc, uuid desc limit :limit",
        to=_spellings(to or ""),
        limit=limit,
    )


def _spellings(to: str) -> list[str]:
    """Return a phone number with and without its plus, which means a space in a query string."""
    plain = to.strip()
    return [plain, f"+{plain}"]
