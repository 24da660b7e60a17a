"""Who is calling: a customer by their token, beside the key of the store it belongs to."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import auth
from pannier.accounts.auth import Connection
from pannier.db import Db
from pannier.errors import Problem
from pannier.kit import credential, crypto
from pannier.kit.credential import Mode, Presented
from pannier.web import idempotency
from pannier.web.exchange import Exchange, current

KIND: Final = "cst"
HEADER: Final = b"customer-token"
IDLE: Final = timedelta(days=60)
TOUCH_AFTER: Final = timedelta(minutes=5)


class CustomerTokenInvalid(Problem):
    """The customer's token is missing, wrong, revoked, expired, or another store's."""

    status, code = 401, "customer_token_invalid"
    title = "Sign in again: send a valid Customer-Token."


class Shopper(msgspec.Struct, frozen=True):
    """The customer behind a request under `/storefront/v1`."""

    company: UUID
    store: UUID
    customer: UUID
    public_id: str
    token: UUID


class _Login(msgspec.Struct):
    """What must be known to let a customer in."""

    token: UUID
    store: UUID
    secret_hash: bytes
    last_used_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    mode: Mode
    customer: UUID
    public_id: str
    company: UUID
    closed_at: datetime | None


async def customer(_: Connection) -> None:
    """Let a signed-in customer in: the key names the store, the token the customer."""
    exchange = current.get()
    key = await auth.checked_key(exchange, "storefront", "store")
    presented = _presented(exchange)
    # Looked up apart: while a slow sender's body arrives, no transaction of theirs is open.
    async with auth.looking(exchange) as db:
        found = await _login(db, presented.id)
    if found is None or not _fits(found, presented, key.store, db.now):
        raise CustomerTokenInvalid
    exchange.edge.limit(f"customer:{presented.id}", exchange.edge.credential_rate, exchange)
    if found.last_used_at <= db.now - TOUCH_AFTER:
        await auth.touch(db.database, "customer_tokens", found.token)
    exchange.caller = Shopper(
        found.company, found.store, found.customer, found.public_id, found.token
    )
    # By customer, not by key: everybody's app has the same key.
    await idempotency.begin(exchange, f"customer:{found.customer}")


def _presented(exchange: Exchange) -> Presented:
    sent = exchange.headers.get(HEADER, b"").decode("latin-1").strip()
    presented = credential.read(sent)
    if presented is None or presented.kind != KIND:
        raise CustomerTokenInvalid
    return presented


def _fits(found: _Login, presented: Presented, store: UUID | None, now: datetime) -> bool:
    return (
        crypto.same(found.secret_hash, presented.hash)
        and found.mode == presented.mode
        and found.store == store
        and found.revoked_at is None
        and found.closed_at is None
        and now < found.expires_at
        and now < found.last_used_at + IDLE
    )


async def _login(db: Db, token_id: str) -> _Login | None:
    """Find a sign-in by the id its token carries, before its customer is known."""
    return await db.find(
        _Login,
        """select t.uuid as token, t.store, t.secret_hash, t.last_used_at, t.expires_at,
                  t.revoked_at, m.mode, c.uuid as customer, c.public_id, c.company, c.closed_at
           from customer_tokens t join customers c on c.uuid = t.customer
           join companies m on m.uuid = t.company where t.public_id = :public_id""",
        public_id=f"session_{token_id}",
    )
