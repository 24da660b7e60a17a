"""API keys that came before: confirmed by the words that begin a request's transaction.

A program comes with the same key again and again. What it was worth is remembered for as long as it
need not be written down that it was used; its secret's hash is compared in memory. That the key is
still as it was, the database says when the transaction begins, before anything else is done: who
revokes, narrows or replaces a key needs to tell no process of it.
"""

from datetime import datetime
from typing import Final

from pannier.accounts.queries import KeyLogin, key_unchanged
from pannier.accounts.tokens.rules import TOUCH_AFTER
from pannier.kit.credential import Presented
from pannier.kit.memory import Memory
from pannier.web import bodies
from pannier.web.exchange import Exchange

# So many are remembered by a process.
MOST: Final = 1000


class KnownKeys:
    """What keys were worth when they were looked up last; each process has one."""

    def __init__(self) -> None:
        self._known = Memory[str, KeyLogin](MOST)

    def recall(self, presented: Presented, now: datetime) -> KeyLogin | None:
        """Answer what a key was worth, if it was looked up lately and is what was presented."""
        known = self._known.recall(presented.id)
        if known is None or known.last_used_at is None or known.last_used_at <= now - TOUCH_AFTER:
            return None
        return known if known.fits(presented, "api") else None

    def keep(self, presented: Presented, found: KeyLogin) -> None:
        """Remember what a key is worth."""
        self._known.keep(presented.id, found)


async def confirmed(exchange: Exchange, key: KeyLogin) -> bool:
    """Begin the request's transaction, and tell whether the key is still what it was.

    Not where something slow comes before anything is written: no transaction waits for a body.
    """
    if not exchange.db.writes or not bodies.is_brief(exchange):
        return False
    await bodies.receive(exchange)
    return await exchange.db.begin_where(key_unchanged(key))
