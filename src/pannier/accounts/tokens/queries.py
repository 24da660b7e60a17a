"""Queries of tokens."""

from datetime import datetime
from typing import Final

from pannier.accounts.tokens.models import Holder, Token
from pannier.accounts.tokens.schemas import SessionFilters
from pannier.db import Db, Page, Where, columns, load_page

ALIVE: Final = "revoked_at is null and (ends_at is null or ends_at > pannier_now())"
_SELECT: Final = f"select {columns(Token)} from tokens"


def _build_holder_where(holder: Holder) -> Where:
    return Where(holder.company).add_equal(kind=holder.kind, holder=holder.uuid)


async def list_valid_tokens(db: Db, holder: Holder) -> list[Token]:
    """List a holder's valid tokens, the newest first."""
    where = _build_holder_where(holder).add(ALIVE)
    return await db.fetch_all(
        Token, f"{_SELECT} {where} order by created_at desc, uuid desc", **where.values
    )


async def list_tokens(db: Db, holder: Holder, filters: SessionFilters) -> Page[Token]:
    """List a holder's tokens, the newest first: the valid or the ended ones."""
    condition = f"not ({ALIVE})" if filters.ended else ALIVE
    return await load_page(db, Token, _SELECT, _build_holder_where(holder).add(condition), filters)


async def find_last_use(db: Db, holder: Holder) -> datetime | None:
    """Return when a holder last used any of its tokens, to the minute."""
    where = _build_holder_where(holder)
    last_use: datetime | None = await db.fetch_value(
        f"select max(last_used_at) from tokens {where}", **where.values
    )
    return last_use


async def list_all_tokens(db: Db, holder: Holder) -> list[Token]:
    """List every token of a holder, the oldest first."""
    where = _build_holder_where(holder)
    return await db.fetch_all(Token, f"{_SELECT} {where} order by created_at", **where.values)
