"""Reading messages."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Where, columns, page
from pannier.notifications.models import Message
from pannier.notifications.schemas import MessageFilters

SELECT: Final = f"select {columns(Message)} from messages"
RARE: Final = frozenset({"due", "drawer", "failed"})


async def messages(db: Db, company: UUID, filters: MessageFilters) -> Page[Message]:
    """List messages, the newest first."""
    where = Where(company).equal(
        channel=filters.channel, state=filters.state, order_id=filters.order
    )
    if filters.state in RARE:
        # Said, so that the index of rare states is found.
        where.that("state in ('due', 'drawer', 'failed')")
    if filters.to is not None:
        where.that("recipient = any(:to)", to=_spellings(filters.to))
    where.within("created_at", filters.since, filters.until)
    return await page(db, Message, SELECT, where, filters)


async def message(db: Db, company: UUID, identifier: str) -> Message:
    """Read a message."""
    where = Where(company).named(identifier)
    return await db.one(Message, f"{SELECT} {where}", **where.values)


async def latest(db: Db, to: str | None, limit: int) -> list[Message]:
    """Read the newest messages of the whole installation, for the command line.

    It names no company because whoever has a shell on the machine can read all of them anyway.
    """
    condition = "" if to is None else "where recipient = any(:to)"
    return await db.many(
        Message,
        f"{SELECT} {condition} order by created_at desc, uuid desc limit :limit",
        to=_spellings(to or ""),
        limit=limit,
    )


def _spellings(to: str) -> list[str]:
    """Find a number without its plus too: in a query string, a bare plus means a space."""
    plain = to.strip()
    return [plain, f"+{plain}"]
