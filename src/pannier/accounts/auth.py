"""Who is calling: a key on `/v1` and `/storefront/v1`, an operator on `/int/v1`."""

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request

from pannier.accounts import permissions, queries
from pannier.accounts.models import KeyKind, Role
from pannier.db import Database, Db
from pannier.errors import Forbidden, Unauthenticated
from pannier.kit import credential, crypto
from pannier.web import idempotency
from pannier.web.exchange import SAFE_METHODS, Exchange, current

COOKIE: Final = "pannier_session"
CSRF_HEADER: Final = b"x-csrf-token"
# `last used` is good to a minute, so that a busy key does not write at every request.
TOUCH_AFTER: Final = timedelta(minutes=1)

Connection = Request[Any, Any, Any]
Door = Callable[[Connection], Awaitable[None]]


class CsrfFailed(Forbidden):
    """A change by session cookie came without the session's CSRF token."""

    code = "csrf_failed"
    title = "The X-CSRF-Token header is missing or does not belong to this session."


class FleetKey(msgspec.Struct, frozen=True):
    """The API key behind a request under `/v1`."""

    uuid: UUID
    public_id: str
    company: UUID
    name: str
    scopes: tuple[str, ...]


class StorefrontKey(msgspec.Struct, frozen=True):
    """The storefront key behind a request under `/storefront/v1`."""

    uuid: UUID
    public_id: str
    company: UUID
    store: UUID


class Caller(msgspec.Struct, frozen=True):
    """The operator behind a request under `/int/v1`."""

    uuid: UUID
    public_id: str
    company: UUID
    name: str
    email: str
    role: Role
    token: UUID
    request_id: str
    address: str


def _bearer(exchange: Exchange, kind: str) -> credential.Presented:
    scheme, _, text = exchange.headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    presented = credential.read(text.strip()) if scheme.lower() == "bearer" else None
    if presented is None or presented.kind != kind:
        raise Unauthenticated(f"Send `Authorization: Bearer {kind}_…` with a valid credential.")
    return presented


async def checked_key(exchange: Exchange, kind: KeyKind, prefix: str) -> queries.KeyLogin:
    """Check the key that was presented, and count the request against its limit."""
    presented = _bearer(exchange, prefix)
    async with looking(exchange) as db:
        found = await queries.key_login(db, f"key_{presented.id}")
    if (
        found is None
        or not crypto.same(found.secret_hash, presented.hash)
        or found.kind != kind
        or found.mode != presented.mode
        or found.ended
    ):
        raise Unauthenticated("This key is unknown, revoked or expired.")
    exchange.edge.limit(f"key:{presented.id}", exchange.edge.credential_rate, exchange)
    if found.last_used_at is None or found.last_used_at <= db.now - TOUCH_AFTER:
        await touch(db.database, "keys", found.uuid)
    return found


async def _key(exchange: Exchange, kind: KeyKind, prefix: str) -> queries.KeyLogin:
    """Check the key, then receive what comes with it."""
    found = await checked_key(exchange, kind, prefix)
    await idempotency.begin(exchange, f"key:{found.uuid}")
    return found


def looking(exchange: Exchange) -> AbstractAsyncContextManager[Db]:
    """Look a credential up; apart when a body follows, so that no transaction waits for it."""
    return exchange.db.database.reading() if exchange.unread else nullcontext(exchange.db)


async def touch(database: Database, table: str, uuid: UUID) -> None:
    """Write down when a credential was last used."""
    async with database.apart() as db:
        await db.update(table, uuid, last_used_at=db.now)


def fleet(resource: str | None) -> Door:
    """Let an API key in whose scopes cover the resource (any key, when there is none)."""

    async def door(_: Connection) -> None:
        exchange = current.get()
        found = await _key(exchange, "api", "api")
        verb = "read" if exchange.method in SAFE_METHODS else "write"
        if resource is not None and not permissions.covers(found.scopes, resource, verb):
            raise Forbidden(f"This key lacks the scope {resource}:{verb}.")
        exchange.caller = FleetKey(
            found.uuid, found.public_id, found.company, found.name, tuple(found.scopes)
        )

    return door


async def storefront(_: Connection) -> None:
    """Let a storefront key in."""
    exchange = current.get()
    found = await _key(exchange, "storefront", "store")
    if found.store is None:
        raise Unauthenticated
    exchange.caller = StorefrontKey(found.uuid, found.public_id, found.company, found.store)


def operator(least: Role) -> Door:
    """Let an operator in whose role is at least this one."""

    async def door(_: Connection) -> None:
        exchange = current.get()
        caller = await _operator(exchange)
        if not permissions.may_act_as(caller.role, least):
            raise Forbidden(f"This needs the role {least}; yours is {caller.role}.")
        exchange.caller = caller
        await idempotency.begin(exchange, f"operator:{caller.uuid}")

    return door


async def anonymous(_: Connection) -> None:
    """Let anybody in; the handler itself looks at what was sent."""
    await idempotency.begin(current.get(), "anonymous")


async def _operator(exchange: Exchange) -> Caller:
    presented = _session(exchange) or _bearer(exchange, "opr")
    async with looking(exchange) as db:
        found = await queries.operator_login(db, presented.id)
    if (
        found is None
        or not crypto.same(found.secret_hash, presented.hash)
        or found.mode != presented.mode
        or found.revoked_at is not None
        or found.disabled_at is not None
        or found.expires_at <= db.now
    ):
        raise Unauthenticated("This session has ended; sign in again.")
    exchange.edge.limit(f"operator:{presented.id}", exchange.edge.credential_rate, exchange)
    if found.last_used_at <= db.now - TOUCH_AFTER:
        await touch(db.database, "operator_tokens", found.token)
    return Caller(
        found.uuid, found.public_id, found.company, found.name, found.email, found.role,
        found.token, exchange.id, exchange.address,
    )  # fmt: skip


def _session(exchange: Exchange) -> credential.Presented | None:
    """Read the console's cookie; a change by cookie must carry the session's CSRF token."""
    raw = exchange.headers.get(b"cookie")
    if raw is None or b"authorization" in exchange.headers:
        return None
    # Read by hand: the standard library drops every cookie after one it finds odd.
    pairs = (part.partition("=") for part in raw.decode("latin-1").split(";"))
    cookies = {name.strip(): value.strip() for name, _, value in pairs}
    presented = credential.read(cookies.get(COOKIE, ""))
    if presented is None or presented.kind != "opr":
        return None
    if exchange.method not in SAFE_METHODS:
        offered = exchange.headers.get(CSRF_HEADER, b"")
        if not hmac.compare_digest(
            csrf_token(exchange.db.database, presented.id).encode(), offered
        ):
            raise CsrfFailed
    return presented


def csrf_token(database: Database, token_id: str) -> str:
    """Answer the CSRF token of a session."""
    return hashlib.sha256(database.keys.sign("csrf", token_id.encode())).hexdigest()[:32]
