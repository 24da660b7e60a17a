"""Idempotency keys: a repeated request gets the first response again, byte for byte."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.db.retention import purge
from pannier.errors import Conflict, Invalid, Problem

HEADER: Final = b"idempotency-key"
# Requests that would be done twice, or be refused when repeated because the first one succeeded.
KEYED_METHODS: Final = frozenset({"POST", "DELETE"})
CONDITIONAL_METHODS: Final = frozenset({"PUT", "PATCH"})
REPLAYED_HEADER: Final = (b"idempotent-replayed", b"true")
RETENTION: Final = timedelta(hours=24)
LONG_RETENTION: Final = timedelta(days=30)
LOCK_TIMEOUT: Final = "5s"
SEAL_PURPOSE: Final = "idempotency"
FINGERPRINT_PURPOSE: Final = "idempotency fingerprint"
FIRST_ERROR_STATUS: Final = 400
FIRST_SERVER_ERROR_STATUS: Final = 500
# Problems are stored too, except those that can go away: missing access, rate limits. A caller
# answers 412 with another `If-Match`, which is not a part of the fingerprint.
UNSTORED_STATUSES: Final = frozenset({401, 403, 408, 412, 413, 429})

# Problems of a malformed request, which the caller corrects and sends with the same key.
MALFORMED_STATUSES: Final = frozenset({400, 415})
CORRECTABLE_CODES: Final = (Invalid.code, "unknown_")

Headers = list[tuple[bytes, bytes]]


def accepts_key(method: str, *, has_condition: bool) -> bool:
    """Tell whether a request can have a key. Changes need one only with `If-Match`."""
    return method in KEYED_METHODS or (has_condition and method in CONDITIONAL_METHODS)


def is_permanent(status: int) -> bool:
    """Tell whether the same request would get this status again."""
    return status < FIRST_SERVER_ERROR_STATUS and status not in UNSTORED_STATUSES


def keeps_changes(failure: BaseException | None) -> bool:
    """Tell whether to commit the request's changes: it succeeded, or its problem requires it."""
    return failure is None or (isinstance(failure, Problem) and failure.keeps_changes)


def find_outcome_status(failure: BaseException | None, status: int) -> int:
    """Return the status of the outcome. A problem has its own, even if the response redirects."""
    if isinstance(failure, Problem):
        return failure.status
    return (
        FIRST_SERVER_ERROR_STATUS if failure is not None and status < FIRST_ERROR_STATUS else status
    )


def should_store(failure: BaseException | None, status: int) -> bool:
    """Tell whether to store a response with its key. A malformed request releases the key.

    A problem that keeps changes is stored, whatever its code.
    """
    if isinstance(failure, Problem) and not failure.keeps_changes and _is_malformed(failure):
        return False
    return is_permanent(find_outcome_status(failure, status))


def _is_malformed(problem: Problem) -> bool:
    return problem.status in MALFORMED_STATUSES or problem.code.startswith(CORRECTABLE_CODES)


def should_commit(failure: BaseException | None, status: int) -> bool:
    """Tell whether anything of a request with a key must be committed."""
    return keeps_changes(failure) or should_store(failure, status)


class KeyReused(Conflict):
    """The key was sent before with a different body or path."""

    code = "idempotency_key_reused"
    title = "This `Idempotency-Key` was used for a different request."
    remedy = "Use a new key for each operation, and the same key for its retries."


class InProgress(Conflict):
    """A repeated request waits up to five seconds for the first one to finish."""

    code = "idempotency_in_progress"
    title = "A request with this `Idempotency-Key` is in progress."
    remedy = "Wait for its response, then retry."


class Replay(Exception):  # noqa: N818 - it ends the request, but is not an error
    """The response is already stored."""

    def __init__(self, response: "StoredResponse") -> None:
        self.response = response


class StoredResponse(msgspec.Struct, array_like=True):
    """A response as it was sent."""

    status: int
    headers: Headers
    body: bytes


class TimedResponse(NamedTuple):
    """A key's stored response and its time."""

    response: StoredResponse
    responded_at: datetime


class PendingRequest(msgspec.Struct, frozen=True):
    """A request with a key that is in progress."""

    id: bytes
    key: bytes
    fingerprint: bytes


class _Row(msgspec.Struct):
    fingerprint: bytes
    answer: bytes
    expires_at: datetime


async def claim_key(
    db: Db, pending_request: PendingRequest, retention: timedelta
) -> TimedResponse | None:
    """Claim a key until the transaction ends, or return its stored response."""
    if not await _insert_key(db, pending_request, retention):
        response, expires_at = await _load_response(db, pending_request)
        return TimedResponse(response, expires_at - retention)
    # A problem rolls back to this savepoint. The key stays claimed until the problem is stored.
    await db.set_savepoint()
    return None


async def _insert_key(db: Db, pending_request: PendingRequest, retention: timedelta) -> bool:
    """Insert the key. A concurrent request with the same key waits here until the first commits."""
    await db.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
    try:
        await db.execute(
            "delete from idempotency_answers where id = :id and expires_at <= pannier_now()",
            id=pending_request.id,
        )
        inserted_count = await db.execute(
            """insert into idempotency_answers (id, fingerprint, expires_at)
               values (:id, :fingerprint, pannier_now() + :retention::interval)
               on conflict do nothing""",
            id=pending_request.id,
            # Signed: otherwise a copy of the table would permit guessing passwords from a sign-in.
            fingerprint=db.database.keys.sign(FINGERPRINT_PURPOSE, pending_request.fingerprint),
            retention=retention,
        )
    except asyncpg.LockNotAvailableError:
        raise InProgress from None
    await db.execute("set local lock_timeout = default")
    return inserted_count == 1


async def _load_response(
    db: Db, pending_request: PendingRequest
) -> tuple[StoredResponse, datetime]:
    """Load the stored response and its expiry."""
    row = await db.get(
        _Row,
        "select fingerprint, answer, expires_at from idempotency_answers where id = :id",
        id=pending_request.id,
    )
    keys = db.database.keys
    if not keys.is_valid(FINGERPRINT_PURPOSE, pending_request.fingerprint, row.fingerprint):
        raise KeyReused
    plaintext = keys.unseal(SEAL_PURPOSE, row.answer, context=pending_request.key)
    if plaintext is None:
        raise KeyReused
    return msgspec.msgpack.decode(plaintext, type=StoredResponse), row.expires_at


def _seal_response(db: Db, pending_request: PendingRequest, response: StoredResponse) -> bytes:
    # Encrypted, because a response can contain a secret that is shown only once.
    return db.database.keys.seal(
        SEAL_PURPOSE, msgspec.msgpack.encode(response), context=pending_request.key
    )


async def finish_request(
    db: Db, pending_request: PendingRequest, response: StoredResponse, failure: BaseException | None
) -> None:
    """Store the response in the transaction of its changes, or release the key."""
    if not keeps_changes(failure):
        await db.roll_back_to_savepoint()
    if failure is None or should_store(failure, response.status):
        await _store_response(db, pending_request, response)
    else:
        await db.execute("delete from idempotency_answers where id = :id", id=pending_request.id)


async def _store_response(
    db: Db, pending_request: PendingRequest, response: StoredResponse
) -> None:
    await db.execute(
        "update idempotency_answers set status = :status, answer = :answer where id = :id",
        id=pending_request.id,
        status=response.status,
        answer=_seal_response(db, pending_request, response),
    )


async def sweep(database: Database) -> bool:
    """Purge a batch of expired responses; return whether there were any."""
    async with database.transaction() as db:
        return await purge(db, "idempotency_answers", "expires_at") > 0
