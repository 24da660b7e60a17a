"""Keys of orders in batches: an order that is sent again is not created again."""

import hashlib
from datetime import timedelta
from typing import Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.db.retention import purge
from pannier.errors import Conflict, FieldError, Invalid
from pannier.orders.batches.schemas import MAX_KEY_LENGTH, BatchOrderIn
from pannier.web.idempotency import LOCK_TIMEOUT, LONG_RETENTION, InProgress
from pannier.web.keyed_requests import to_canonical_json

FINGERPRINT_PURPOSE: Final = "batch order"
KEY_RETENTION: Final[timedelta] = LONG_RETENTION
KEY_MISSING: Final = "Send an `idempotency_key` or an `internal_id` with each order of a batch."
KEY_FIELD: Final = "idempotency_key"


class BatchKeyReused(Conflict):
    """The key was sent before with a different order."""

    code = "batch_key_reused"
    title = "This key was used for a different order."
    remedy = "Use another key for each order, and the same key for its repeats."


class OrderKey(msgspec.Struct, frozen=True):
    """The key of an order in a batch, and a fingerprint of what was sent with it."""

    text: str
    id: bytes
    fingerprint: bytes


class _SentKeys(msgspec.Struct):
    """The keys of an order as they were sent, of any type."""

    idempotency_key: object = None
    internal_id: object = None


class _KeyRow(msgspec.Struct):
    fingerprint: bytes
    order_id: str


def make_key(company: UUID, data: BatchOrderIn, body: bytes) -> OrderKey:
    """Make the key of an order from its body. The two kinds of keys never collide."""
    kind, text = (
        ("internal_id", data.internal_id)
        if data.idempotency_key is None
        else (KEY_FIELD, data.idempotency_key)
    )
    if not text:
        raise Invalid(fields=[FieldError(KEY_FIELD, KEY_MISSING)])
    digest = hashlib.sha256(f"{company}\n{kind}\n{text}".encode("utf-8", "surrogatepass")).digest()
    return OrderKey(text, digest, hashlib.sha256(to_canonical_json(body)).digest())


def read_key_text(body: bytes) -> str | None:
    """Return the key that an order was sent with, even if the rest of it is invalid."""
    try:
        sent_keys = msgspec.json.decode(body, type=_SentKeys)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    own_key = sent_keys.idempotency_key
    text = sent_keys.internal_id if own_key is None else own_key
    return text if isinstance(text, str) and 0 < len(text) <= MAX_KEY_LENGTH else None


async def claim_key(db: Db, company: UUID, key: OrderKey) -> str | None:
    """Claim a key, or return the order that an earlier request created with it.

    A concurrent request with the same key waits here until the first one ends.
    """
    await db.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
    try:
        await db.execute(
            """delete from order_batch_keys
               where company = :company and id = :id and expires_at <= pannier_now()""",
            company=company,
            id=key.id,
        )
        # Signed: otherwise a copy of the table would permit guessing what an order contained.
        inserted_count = await db.execute(
            """insert into order_batch_keys (company, id, fingerprint, expires_at)
               values (:company, :id, :fingerprint, pannier_now() + :retention::interval)
               on conflict do nothing""",
            company=company,
            id=key.id,
            fingerprint=db.database.keys.sign(FINGERPRINT_PURPOSE, key.fingerprint),
            retention=KEY_RETENTION,
        )
    except asyncpg.LockNotAvailableError:
        raise InProgress from None
    await db.execute("set local lock_timeout = default")
    return None if inserted_count == 1 else await _load_order_id(db, company, key)


async def _load_order_id(db: Db, company: UUID, key: OrderKey) -> str:
    row = await db.get(
        _KeyRow,
        """select fingerprint, order_id from order_batch_keys
           where company = :company and id = :id""",
        company=company,
        id=key.id,
    )
    if not db.database.keys.is_valid(FINGERPRINT_PURPOSE, key.fingerprint, row.fingerprint):
        raise BatchKeyReused
    return row.order_id


async def save_order(db: Db, company: UUID, key: OrderKey, order_id: str) -> None:
    """Store the order of a key, in the transaction that claimed the key."""
    await db.execute(
        "update order_batch_keys set order_id = :order_id where company = :company and id = :id",
        company=company,
        id=key.id,
        order_id=order_id,
    )


async def sweep(database: Database) -> bool:
    """Delete a batch of expired keys, and return whether there were any."""
    async with database.transaction() as db:
        return await purge(db, "order_batch_keys", "expires_at") > 0
