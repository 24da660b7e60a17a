"""API keys that a process has looked up before.

A program comes with the same key again and again. Its row is cached until its last use is to be
written down again, and its secret's hash is compared in memory. The statement that begins the
request's transaction confirms the version: a key that was revoked, narrowed or replaced is refused
before anything else is done.
"""

from datetime import datetime
from typing import Final

from pannier.accounts.queries import KeyLogin, key_unchanged
from pannier.accounts.tokens.rules import TOUCH_AFTER
from pannier.kit.cache import Cache
from pannier.kit.credential import Presented
from pannier.web import bodies
from pannier.web.exchange import Exchange

MAX_KEYS: Final = 1000  # that a process caches


def recall(cache: Cache[str, KeyLogin], presented: Presented, now: datetime) -> KeyLogin | None:
    """Return the key that was presented, if it was looked up lately; it is to be confirmed."""
    known = cache.find(presented.id)
    if known is None or known.last_used_at is None or known.last_used_at <= now - TOUCH_AFTER:
        return None
    return known if known.fits(presented, "api") else None


async def confirmed(exchange: Exchange, key: KeyLogin) -> bool:
    """Begin the request's transaction, and tell whether the key is still what it was.

    Not where something slow comes before anything is written: no transaction waits for a body.
    """
    if not exchange.db.writes or not bodies.is_brief(exchange):
        return False
    await bodies.receive(exchange)
    return await exchange.db.begin_where(key_unchanged(key))
