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
        where.add("recipient = any(:to)", to=_list_number_variants(filters.to))
    where.add_time_range("created_at", filters.since, filters.until)
    return await load_page(db, MessageRow, SELECT_MESSAGES, where, filters)


async def get_message(db: Db, company: UUID, identifier: str) -> MessageRow:
    """Load a message, or raise NotFound."""
    where = Where(company).add_identifier(identifier)
    return await db.get(MessageRow, f"{SELECT_MESSAGES} {where}", **where.values)


async def list_latest_messages(db: Db, recipient: str | None, limit: int) -> list[MessageRow]:
    """List the newest messages of all companies for the command line.

    It takes no company, because everyone with shell access can read all messages anyway.
    """
    condition = "" if recipient is None else "where recipient = any(:to)"
    return await db.fetch_all(
        MessageRow,
        f"{SELECT_MESSAGES} {condition} order by created_at desc, uuid desc limit :limit",
        to=_list_number_variants(recipient or ""),
        limit=limit,
    )


def _list_number_variants(recipient: str) -> list[str]:
    """List a phone number with and without a plus sign, which means a space in a query string."""
    number = recipient.strip()
    return [number, f"+{number}"]
