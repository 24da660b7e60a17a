"""One-time use of tokens.

An immediate repeat from the same client is allowed, because the first response was probably lost.
"""

import hashlib
from datetime import timedelta
from typing import Final

from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers.providers.claims import UsedToken
from pannier.customers.providers.problems import ProofReplayed
from pannier.db import Database, Db
from pannier.db.retention import purge
from pannier.web import addresses

RETRY_WINDOW: Final = timedelta(minutes=2)


async def is_used(database: Database, token: UsedToken) -> bool:
    """Tell whether a token was used before."""
    async with database.reading() as db:
        is_known: bool = await db.fetch_value(
            "select exists(select from provider_replays where hash = :hash)", hash=token.hash
        )
    return is_known


async def mark_token_used(db: Db, token: UsedToken, origin: SigninOrigin) -> None:
    """Mark a token as used. The same client may repeat it within a short time."""
    retry_hash = _hash_for_client(token, origin)
    # The unique hash serialises parallel requests with the same token.
    if await _insert_hash(db, token):
        await _insert_hash(db, UsedToken(retry_hash, db.now + RETRY_WINDOW))
        return
    is_retry: bool = await db.fetch_value(
        """select exists(select from provider_replays
               where hash = :hash and expires_at > pannier_now())""",
        hash=retry_hash,
    )
    if not is_retry:
        raise ProofReplayed


async def _insert_hash(db: Db, token: UsedToken) -> bool:
    row_count = await db.execute(
        """insert into provider_replays (hash, expires_at) values (:hash, :expires_at)
           on conflict do nothing""",
        hash=token.hash,
        expires_at=token.expires_at,
    )
    return row_count > 0


def _hash_for_client(token: UsedToken, origin: SigninOrigin) -> bytes:
    """Hash a token together with the client's network and user agent."""
    network = addresses.get_rate_limit_network(origin.address)
    return hashlib.sha256(token.hash + f"{network}\n{origin.user_agent}".encode()).digest()


async def sweep(database: Database) -> bool:
    """Delete a batch of expired token hashes and pending links; return whether there were any."""
    async with database.transaction() as db:
        token_count = await purge(db, "provider_replays", "expires_at")
        link_count = await purge(db, "customer_pending_links", "expires_at")
    return token_count + link_count > 0
