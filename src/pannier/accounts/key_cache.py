"""API keys that this process looked up before.

Programs use the same key for many requests. The process caches the key's row until its last use
must be recorded again, and compares the secret's hash in memory. The statement that begins the
request's transaction confirms the row's version, so a revoked, narrowed or replaced key is refused
at once.
"""

from datetime import datetime
from typing import Final

from pannier.accounts.queries import KeyLogin, make_unchanged_key_sql
from pannier.accounts.tokens.rules import TOUCH_AFTER
from pannier.kit.cache import Cache
from pannier.kit.credential import PresentedCredential
from pannier.web import bodies
from pannier.web.exchange import Exchange

MAX_CACHED_KEYS: Final = 1000


def find_cached_key(
    cache: Cache[str, KeyLogin], presented_credential: PresentedCredential, now: datetime
) -> KeyLogin | None:
    """Find the cached key of a credential if its row is recent. Its version is not confirmed."""
    login = cache.find(presented_credential.id)
    if login is None or login.last_used_at is None or login.last_used_at <= now - TOUCH_AFTER:
        return None
    return login if login.matches(presented_credential, "api") else None


async def confirm_key_unchanged(exchange: Exchange, key: KeyLogin) -> bool:
    """Begin the request's transaction, and tell whether the key is unchanged.

    Return False if the body is slow to receive, because no transaction may wait for it.
    """
    if not exchange.db.writes or not bodies.is_brief(exchange):
        return False
    await bodies.receive(exchange)
    return await exchange.db.begin_and_check(make_unchanged_key_sql(key))
