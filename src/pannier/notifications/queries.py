"""Queries for messages."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Where, columns, load_page
from pannier.notifications.models import MessageRow
from pannier.notifications.schemas import MessageFilters

SELECT_MESSAGES: Final = f"select {columns(MessageRow)} from messages"
RARE_STATES: Final = frozenset({"due", "drawer", "failed"})


async def list_messages(db: Db, company: UUID, filters: MessageFilters) -> Page[MessageRow]:
    """List messages, newest first."""
    where = Where(company).add_equal(
        channel=filters.channel, state=filters.state, order_id=filters.order
    )
    if filters.state in RARE_STATES:
        # This condition lets the planner use the partial index of rare states.
        where.add("state in ('due', 'drawer', 'failed')")
    if filters.to is not None:
        where.add("recipient = any(:to)", to=_number_variants(filters.to))
    where.add_time_range("created_at", filters.since, filters.until)
    return await load_page(db, MessageRow, SELECT_MESSAGES, where, filters)


async def get(db: Db, company: UUID, identifier: str) -> MessageRow:
    """Load a message, or raise NotFound."""
    where = Where(company).add_identifier(identifier)
    return await db.get(MessageRow, f"{SELECT_MESSAGES} {where}", **where.values)


async def list_latest_messages(db: Db, to: str | None, limit: int) -> list[MessageRow]:
    """List the newest messages of all companies for the command line.

    It takes no company because a person with a shell on the machine can read all messages anyway.
    """
    condition = "" if to is None else "where recipient = any(:to)"
    return await db.fetch_all(
        MessageRow,
        f"{SELECT_MESSAGES} {condition} order by created_at desc, uuid desc limit :limit",
        to=_number_variants(to or ""),
        limit=limit,
    )


def _number_variants(to: str) -> list[str]:
    """Return a phone number with and without its plus, which means a space in a query string."""
    stripped = to.strip()
    return [stripped, f"+{stripped}"]
