"""Idempotency keys: a repeated request gets the first response again, byte for byte."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.db.retention import forget
from pannier.errors import Conflict, Invalid, Problem

HEADER: Final = b"idempotency-key"
REPLAYED: Final = (b"idempotent-replayed", b"true")
KEPT: Final = timedelta(hours=24)
LONG_KEPT: Final = timedelta(days=30)
WAIT: Final = "5s"
PURPOSE: Final = "idempotency"
FINGERPRINTS: Final = "idempotency fingerprint"
REFUSED: Final = 400
SERVER_ERRORS: Final = 500
# Problems are stored too, except those that can go away: "not now" and "not you".
FORGOTTEN: Final = frozenset({401, 403, 408, 413, 429})

# Problems of a wrong request: the caller corrects it and sends it with the same key.
MALFORMED: Final = frozenset({400, 415})
CORRECTABLE: Final = (Invalid.code, "unknown_")

Headers = list[tuple[bytes, bytes]]


def lasting(status: int) -> bool:
    """Tell whether the same request would get this status again."""
    return status < SERVER_ERRORS and status not in FORGOTTEN


def remembered(failure: BaseException | None) -> bool:
    """Tell whether to commit the request's changes: it succeeded, or its problem requires it."""
    return failure is None or (isinstance(failure, Problem) and failure.remembered)


def outcome(failure: BaseException | None, status: int) -> int:
    """Return the status of a request's outcome: for a problem its own, despite a redirect."""
    if isinstance(failure, Problem):
        return failure.status
    return SERVER_ERRORS if failure is not None and status < REFUSED else status


def is_kept(failure: BaseException | None, status: int) -> bool:
    """Tell whether to store a response with its key. A wrong request frees the key.

    A problem that keeps changes is stored, whatever its code.
    """
    if isinstance(failure, Problem) and not failure.remembered and _is_malformed(failure):
        return False
    return lasting(outcome(failure, status))


def _is_malformed(problem: Problem) -> bool:
    return problem.status in MALFORMED or problem.code.startswith(CORRECTABLE)


def concerns(failure: BaseException | None, status: int) -> bool:
    """Tell whether anything of a request with a key must be committed."""
    return remembered(failure) or is_kept(failure, status)


class KeyReused(Conflict):
    """The key was sent before with another body or path."""

    code = "idempotency_key_reused"
    title = "This `Idempotency-Key` was used for a different request."
    remedy = "Use a new key for each request."


class InProgress(Conflict):
    """The first request with this key has not finished."""

    code = "idempotency_in_progress"
    title = "A request with this `Idempotency-Key` is in progress."
    remedy = "Wait for its answer, then retry."


class Replay(Exception):  # noqa: N818 - it ends the request, but is not an error
    """The response is already stored."""

    def __init__(self, answer: "Answered") -> None:
        self.answer = answer


class Answered(msgspec.Struct, array_like=True):
    """A response as it was sent."""

    status: int
    headers: Headers
    body: bytes


class KeptAnswer(NamedTuple):
    """A key's stored response and its time."""

    answer: Answered
    answered_at: datetime


class Pending(msgspec.Struct, frozen=True):
    """A request with a key that is in progress."""

    id: bytes
    key: bytes
    fingerprint: bytes


class _Row(msgspec.Struct):
    fingerprint: bytes
    answer: bytes
    expires_at: datetime


async def claim(db: Db, pending: Pending, kept: timedelta) -> KeptAnswer | None:
    """Claim a key until the transaction ends, or return its stored response."""
    if not await _claimed(db, pending, kept):
        answer, expires_at = await _answer(db, pending)
        return KeptAnswer(answer, expires_at - kept)
    # A problem rolls back to this savepoint. The key stays claimed until the problem is stored.
    await db.mark()
    return None


async def _claimed(db: Db, pending: Pending, kept: timedelta) -> bool:
    """Insert the key. A concurrent request with the same key waits here until the first commits."""
    await db.execute(f"set local lock_timeout = '{WAIT}'")
    try:
        await db.execute(
            "delete from idempotency_answers where id = :id and expires_at <= pannier_now()",
            id=pending.id,
        )
        claimed = await db.execute(
            """insert into idempotency_answers (id, fingerprint, expires_at)
               values (:id, :fingerprint, pannier_now() + :kept::interval)
               on conflict do nothing""",
            id=pending.id,
            # Signed: otherwise a copy of the table would permit guessing passwords from a sign-in.
            fingerprint=db.database.keys.sign(FINGERPRINTS, pending.fingerprint),
            kept=kept,
        )
    except asyncpg.LockNotAvailableError:
        raise InProgress from None
    await db.execute("set local lock_timeout = default")
    return claimed == 1


async def _answer(db: Db, pending: Pending) -> tuple[Answered, datetime]:
    """Load the stored response and its expiry."""
    row = await db.one(
        _Row,
        "select fingerprint, answer, expires_at from idempotency_answers where id = :id",
        id=pending.id,
    )
    keys = db.database.keys
    if not keys.verified(FINGERPRINTS, pending.fingerprint, row.fingerprint):
        raise KeyReused
    opened = keys.unseal(PURPOSE, row.answer, context=pending.key)
    if opened is None:
        raise KeyReused
    return msgspec.msgpack.decode(opened, type=Answered), row.expires_at


def _sealed(db: Db, pending: Pending, answer: Answered) -> bytes:
    # Encrypted, because a response can contain a secret that is shown only once.
    return db.database.keys.seal(PURPOSE, msgspec.msgpack.encode(answer), context=pending.key)


async def conclude(
    db: Db, pending: Pending, answer: Answered, failure: BaseException | None
) -> None:
    """Store the response in the same transaction as the changes that are kept."""
    if not remembered(failure):
        await db.undo_to_mark()
    if failure is None or is_kept(failure, answer.status):
        await _keep(db, pending, answer)
    else:
        await db.execute("delete from idempotency_answers where id = :id", id=pending.id)


async def _keep(db: Db, pending: Pending, answer: Answered) -> None:
    await db.execute(
        "update idempotency_answers set status = :status, answer = :answer where id = :id",
        id=pending.id,
        status=answer.status,
        answer=_sealed(db, pending, answer),
    )


async def sweep(database: Database) -> bool:
    """Purge a batch of expired responses; return whether there were any."""
    async with database.transaction() as db:
        return await forget(db, "idempotency_answers", "expires_at") > 0
