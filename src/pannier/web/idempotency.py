"""Idempotency keys: the first answer again, byte for byte, instead of the work twice."""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.db.retention import forget
from pannier.errors import Conflict, Invalid, Problem
from pannier.errors import Field as Offender
from pannier.web import bodies
from pannier.web.exchange import Exchange

HEADER: Final = b"idempotency-key"
_BOUNDARY: Final = re.compile(rb'^multipart/.*?boundary="?([^";,\s]+)', re.IGNORECASE)
REPLAYED: Final = (b"idempotent-replayed", b"true")
LONGEST: Final = 255
KEPT: Final = timedelta(hours=24)
LONG_KEPT: Final = timedelta(days=30)
WAIT: Final = "5s"
PURPOSE: Final = "idempotency"
FINGERPRINTS: Final = "idempotency fingerprint"
REFUSED: Final = 400
SERVER_ERRORS: Final = 500
# A refusal is an answer too, but not one that says "not now" or "not you".
FORGOTTEN: Final = frozenset({401, 403, 408, 413, 429})

# Refusals of the request as it was written: the caller mends it and sends it with the same key.
MALFORMED: Final = frozenset({400, 415})
CORRECTABLE: Final = (Invalid.code, "unknown_")

Headers = list[tuple[bytes, bytes]]
# Turns a kept answer into what its caller may see now; given when it was first answered.
PresentReplay = Callable[[Exchange, "Answered", datetime], "Answered"]


def lasting(status: int) -> bool:
    """Tell whether a refusal would be the same the next time."""
    return status < SERVER_ERRORS and status not in FORGOTTEN


def remembered(failure: BaseException | None) -> bool:
    """Tell whether what the request did stays done: it succeeded, or its refusal says so."""
    return failure is None or (isinstance(failure, Problem) and failure.remembered)


def outcome(failure: BaseException | None, status: int) -> int:
    """Tell how a request came out: a refusal is one, though its answer leads on to a page."""
    if isinstance(failure, Problem):
        return failure.status
    return SERVER_ERRORS if failure is not None and status < REFUSED else status


def is_kept(failure: BaseException | None, status: int) -> bool:
    """Tell whether an answer stays with its key; a request that was wrong in itself frees it.

    A refusal that counted something is kept, whatever its code.
    """
    if isinstance(failure, Problem) and not failure.remembered and _is_malformed(failure):
        return False
    return lasting(outcome(failure, status))


def _is_malformed(problem: Problem) -> bool:
    return problem.status in MALFORMED or problem.code.startswith(CORRECTABLE)


def concerns(failure: BaseException | None, status: int) -> bool:
    """Tell whether anything of a keyed request is to be committed."""
    return remembered(failure) or is_kept(failure, status)


class KeyReused(Conflict):
    """The idempotency key came before with another request."""

    code = "idempotency_key_reused"
    title = "This Idempotency-Key was used for a different request."


class InProgress(Conflict):
    """A request with the same idempotency key is still being worked on."""

    code = "idempotency_in_progress"
    title = "A request with this Idempotency-Key is still in progress."


class Replay(Exception):  # noqa: N818 - a way out of the request, not an error
    """The answer is known already."""

    def __init__(self, answer: "Answered") -> None:
        self.answer = answer


class Answered(msgspec.Struct, array_like=True):
    """An answer as it went out."""

    status: int
    headers: Headers
    body: bytes


def replay_unchanged(_: Exchange, answer: Answered, __: datetime) -> Answered:
    """Return a kept answer as it was."""
    return answer


class Pending(msgspec.Struct, frozen=True):
    """A keyed request that is being worked on."""

    id: bytes
    key: bytes
    fingerprint: bytes


class _Row(msgspec.Struct):
    fingerprint: bytes
    answer: bytes
    expires_at: datetime


async def begin(exchange: Exchange, scope: str) -> None:
    """Receive the body and claim the request's key, or leave with the answer it had before."""
    await bodies.load(exchange)
    key = exchange.headers.get(HEADER)
    if key is None or exchange.method != "POST":
        return
    if not 0 < len(key) <= LONGEST:
        message = f"must have 1 to {LONGEST} characters."
        raise Invalid(fields=[Offender("Idempotency-Key", message)])
    pending = Pending(
        id=hashlib.sha256(f"{scope}\n".encode() + key).digest(),
        key=key,
        fingerprint=await bodies.aside(exchange, lambda: _fingerprint(exchange)),
    )
    await claim(exchange, pending)


async def claim(exchange: Exchange, pending: Pending) -> None:
    """Claim a key until the transaction ends, or leave with the answer it had before."""
    if not await _claimed(exchange.db, pending, _kept(exchange)):
        answer, expires_at = await _answer(exchange.db, pending)
        answered_at = expires_at - _kept(exchange)
        exchange.replay = exchange.edge.present_replay(exchange, answer, answered_at)
        raise Replay(exchange.replay)
    # A refusal undoes what follows, but holds the key until its own answer is kept.
    await exchange.db.mark()
    exchange.pending = pending


def _fingerprint(exchange: Exchange) -> bytes:
    """Sum up the request, to tell the same one from another."""
    return hashlib.sha256(exchange.target + b"\n" + _content(exchange)).digest()


def _content(exchange: Exchange) -> bytes:
    """Answer the body as far as it means something: a form gets another boundary at every retry."""
    if exchange.is_json:
        return _canonical(exchange.body)
    found = _BOUNDARY.search(exchange.headers.get(b"content-type", b""))
    return exchange.body if found is None else exchange.body.replace(b"--" + found[1], b"--")


def _canonical(body: bytes) -> bytes:
    """Spell JSON so that the order of keys, spaces and spellings of a number do not matter."""
    try:
        return msgspec.json.encode(_plain_json.decode(body), order="deterministic")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < EXACT_INTEGERS else value


EXACT_INTEGERS: Final = 2**53
_plain_json: Final = msgspec.json.Decoder(float_hook=_number)


def _kept(exchange: Exchange) -> timedelta:
    """Tell how long an answer is kept: longer where callers may be without reception."""
    long = any(pattern.match(exchange.path) for pattern in exchange.edge.long_kept)
    return LONG_KEPT if long else KEPT


async def _claimed(db: Db, pending: Pending, kept: timedelta) -> bool:
    """Insert the key; a racing twin waits here until the first one has committed."""
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
            # Signed: whoever has the table could else try passwords on what a sign-in left there.
            fingerprint=db.database.keys.sign(FINGERPRINTS, pending.fingerprint),
            kept=kept,
        )
    except asyncpg.LockNotAvailableError:
        raise InProgress from None
    await db.execute("set local lock_timeout = default")
    return claimed == 1


async def _answer(db: Db, pending: Pending) -> tuple[Answered, datetime]:
    """Read the kept answer, and when it expires."""
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
    # An answer may carry a secret that is shown once, so it is not kept in clear.
    return db.database.keys.seal(PURPOSE, msgspec.msgpack.encode(answer), context=pending.key)


async def conclude(
    db: Db, pending: Pending, answer: Answered, failure: BaseException | None
) -> None:
    """Keep the answer in the same transaction as the change, or as what is left of it."""
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
    """Forget a batch of answers whose time is over."""
    async with database.transaction() as db:
        return await forget(db, "idempotency_answers", "expires_at") > 0
