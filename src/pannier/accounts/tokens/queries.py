"""Queries of tokens."""

from typing import Final

from pannier.accounts.tokens.models import Holder, Token
from pannier.accounts.tokens.schemas import SessionFilters
from pannier.db import Db, Page, Where, columns, page

ALIVE: Final = "revoked_at is null and (ends_at is null or ends_at > pannier_now())"
_SELECT: Final = f"select {columns(Token)} from tokens"


def _of(holder: Holder) -> Where:
    return Where(holder.company).equal(kind=holder.kind, holder=holder.uuid)


async def alive(db: Db, holder: Holder) -> list[Token]:
    """List a holder's valid tokens, the newest first."""
    where = _of(holder).that(ALIVE)
    return await db.many(
        Token, f"{_SELECT} {where} order by created_at desc, uuid desc", **where.values
    )


async def tokens(db: Db, holder: Holder, filters: SessionFilters) -> Page[Token]:
    """List a holder's tokens, the newest first: the valid or the ended ones."""
    wanted = f"not ({ALIVE})" if filters.ended else ALIVE
    return await page(db, Token, _SELECT, _of(holder).that(wanted), filters)


async def export(db: Db, holder: Holder) -> list[Token]:
    """List every token of a holder, the oldest first."""
    where = _of(holder)
    return await db.many(Token, f"{_SELECT} {where} order by created_at", **where.values)
