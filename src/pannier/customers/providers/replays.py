"""One-time use of tokens.

An immediate repeat from the same client is allowed, because the first answer was probably lost.
"""

import hashlib
from datetime import timedelta
from typing import Final

from pannier.accounts.tokens.known import Origin
from pannier.customers.providers.claims import Used
from pannier.customers.providers.refusals import ProofReplayed
from pannier.db import Database, Db
from pannier.db.retention import forget
from pannier.web import addresses

GRACE: Final = timedelta(minutes=2)


async def spent(database: Database, used: Used) -> bool:
    """Return whether a token was used before."""
    async with database.reading() as db:
        found: bool = await db.value(
            "select exists(select from provider_replays where hash = :hash)", hash=used.hash
        )
    return found


async def use(db: Db, used: Used, origin: Origin) -> None:
    """Mark a token as used; within a short time the same client may repeat it."""
    again = _again(used, origin)
    # The unique hash serialises parallel requests with the same token.
    if await _remember(db, used):
        await _remember(db, Used(again, db.now + GRACE))
        return
    still: bool = await db.value(
        """select exists(select from provider_replays
               where hash = :hash and expires_at > pannier_now())""",
        hash=again,
    )
    if not still:
        raise ProofReplayed


async def _remember(db: Db, used: Used) -> bool:
    written = await db.execute(
        """insert into provider_replays (hash, expires_at) values (:hash, :until)
           on conflict do nothing""",
        hash=used.hash,
        until=used.until,
    )
    return written > 0


def _again(used: Used, origin: Origin) -> bytes:
    """Hash a token together with the client's network and user agent."""
    place = addresses.neighbourhood(origin.address)
    return hashlib.sha256(used.hash + f"{place}\n{origin.user_agent}".encode()).digest()


async def step(database: Database) -> bool:
    """Delete a batch of expired tokens and expired announcements."""
    async with database.transaction() as db:
        tokens = await forget(db, "provider_replays", "expires_at")
        links = await forget(db, "customer_pending_links", "expires_at")
    return tokens + links > 0
