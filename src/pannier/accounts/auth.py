"""Authentication: keys on `/v1` and `/storefront/v1`, operators on `/int/v1`."""

import hashlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from litestar import Request

from pannier.accounts import credentials, known_keys, permissions, queries
from pannier.accounts.models import KEY_PREFIXES, KeyKind, Role
from pannier.accounts.tokens.auth import Entry, LookUp, bearer, cookie, looking
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.models import Kind as HolderKind
from pannier.accounts.tokens.rules import TOUCH_AFTER
from pannier.db import Actor, Database, Db
from pannier.db.pool import READ_ONLY
from pannier.errors import Forbidden
from pannier.kit import credential, crypto
from pannier.kit.cache import Cache
from pannier.kit.credential import Presented
from pannier.web import addresses, keyed_requests
from pannier.web.exchange import SAFE_METHODS, Exchange, current

COOKIE: Final = "pannier_session"
CSRF_HEADER: Final = b"x-csrf-token"

Connection = Request[Any, Any, Any]
Door = Callable[[Connection], Awaitable[None]]
# Prefixes of credentials, such as `api`.
Kinds = tuple[str, ...]


class CsrfFailed(Forbidden):
    """A change by session cookie needs the session's CSRF token."""

    code = "csrf_failed"
    title = "The CSRF token is missing or belongs to another session."
    remedy = "Send the session's token as `X-CSRF-Token`, or load the page again."


class Entrant(msgspec.Struct, frozen=True):
    """The authenticated caller of a request."""

    uuid: UUID
    public_id: str
    company: UUID


class FleetKey(Entrant, frozen=True):
    """The API key behind a request under `/v1`."""

    name: str
    scopes: tuple[str, ...]


class AppKey(Entrant, frozen=True):
    """The app key of a driver's sign-in. Anyone may have it, because it is in public apps."""

    is_public: ClassVar[bool] = True
    name: str


class StorefrontKey(Entrant, frozen=True):
    """The storefront key of a request under `/storefront/v1`. It is in public apps."""

    is_public: ClassVar[bool] = True
    store: UUID


class Bearer(Entrant, frozen=True):
    """A caller who has their own token."""

    kind: ClassVar[HolderKind]
    token: UUID

    @property
    def holder(self) -> Holder:
        return Holder(self.company, self.kind, self.uuid, self.public_id)


class Caller(Bearer, frozen=True):
    """The operator who sends a request under `/int/v1`."""

    kind = "operator"
    name: str
    email: str
    role: Role


class _Entry(Entry, kw_only=True):
    email: str
    role: Role
    disabled_at: datetime | None

    @property
    def welcome(self) -> bool:
        return self.disabled_at is None


TOKENS: Final = LookUp("operator", "operators", _Entry)


def _presented(exchange: Exchange, *accepted: str) -> Presented:
    """Read a credential of the first kind; the route has handled the other kinds already."""
    sent = bearer(exchange)
    presented = credential.read(sent)
    if presented is None or presented.kind != accepted[0]:
        raise credentials.refuse(sent, *accepted)
    return presented


async def checked_key(exchange: Exchange, kind: KeyKind, also: Kinds = ()) -> queries.KeyLogin:
    """Authenticate the request's key, and count the request against the key's rate limit.

    `also_accepted` are the other credentials that the route takes. A refusal names them.
    """
    presented, now = _presented(exchange, KEY_PREFIXES[kind], *also), exchange.db.now
    keys: Cache[str, queries.KeyLogin] = exchange.edge.services["keys"]
    found = known_keys.recall(keys, presented, now) if kind == "api" else None
    if found is not None:
        # The secret is right, so a caller over the limit is refused without a query.
        _count(kind, presented, exchange)
    if found is None or not await known_keys.confirmed(exchange, found):
        found = await _looked_up(exchange, kind, presented)
        if kind == "api":
            keys.store(presented.id, found)
        _count(kind, presented, exchange)
    if found.last_used_at is None or found.last_used_at <= now - TOUCH_AFTER:
        await touch(exchange.db.database, found.uuid)
        found.last_used_at = now
    exchange.db.actor = Actor("key", found.public_id, found.name, exchange.id, exchange.address)
    return found


async def _looked_up(exchange: Exchange, kind: KeyKind, presented: Presented) -> queries.KeyLogin:
    async with looking(exchange) as db:
        found = await queries.key_login(db, f"key_{presented.id}")
    if found is None or not found.fits(presented, kind):
        raise credentials.refuse(bearer(exchange), presented.kind)
    return found


def _count(kind: KeyKind, presented: Presented, exchange: Exchange) -> None:
    """Count a request against its key's limit, only once if the request is retried."""
    if not exchange.counted:
        limited, rate = _limited(kind, presented, exchange), exchange.edge.credential_rate
        exchange.edge.limit(limited, rate, exchange)
        exchange.counted = True


def _limited(kind: KeyKind, presented: Presented, exchange: Exchange) -> str:
    """Return the name of a key's rate limit. A public key has one limit for each network."""
    network = "" if kind == "api" else addresses.neighbourhood(exchange.address)
    return f"key:{presented.id}{network}"


def _strangers(exchange: Exchange, key: UUID | None = None) -> str:
    """Return the owner of idempotency records where all callers share one key or have none."""
    return f"key:{key}:{addresses.neighbourhood(exchange.address)}"


async def touch(database: Database, key: UUID) -> None:
    """Record when a key was last used. A read-only database still serves reads."""
    with suppress(READ_ONLY):
        async with database.apart() as db:
            await db.update("keys", key, last_used_at=db.now)


def fleet(resource: str | None, also: Kinds = ()) -> Door:
    """Require an API key whose scopes cover the resource; any API key if there is none."""

    async def door(_: Connection) -> None:
        exchange = current.get()
        found = await checked_key(exchange, "api", also)
        verb = "read" if exchange.method in SAFE_METHODS else "write"
        if resource is not None and not permissions.covers(found.scopes, resource, verb):
            raise Forbidden(f"This API key lacks the scope `{resource}:{verb}`.")
        exchange.caller = FleetKey(
            found.uuid, found.public_id, found.company, found.name, tuple(found.scopes)
        )
        exchange.can_continue = partial(queries.is_key_unchanged, company=found.company, key=found)
        # Last, so that a caller whose access ended gets no stored response.
        await keyed_requests.begin(exchange, f"key:{found.uuid}")

    return door


def may_read(exchange: Exchange, resource: str) -> bool:
    """Tell whether the caller may also read another resource. Only keys are limited by scopes."""
    caller = exchange.caller
    return not isinstance(caller, FleetKey) or permissions.covers(caller.scopes, resource, "read")


def fleet_or_app(resource: str) -> Door:
    """Require an app key, or an API key whose scopes cover the resource."""
    by_key = fleet(resource, (KEY_PREFIXES["app"],))

    async def door(connection: Connection) -> None:
        exchange = current.get()
        if credential.kind(bearer(exchange)) == KEY_PREFIXES["app"]:
            found = await checked_key(exchange, "app")
            exchange.caller = AppKey(found.uuid, found.public_id, found.company, found.name)
            await keyed_requests.begin(exchange, _strangers(exchange, found.uuid))
        else:
            await by_key(connection)

    return door


async def storefront(_: Connection) -> None:
    """Require a storefront key."""
    exchange = current.get()
    found = await checked_key(exchange, "storefront")
    if found.store is None:
        raise credentials.refuse(bearer(exchange), KEY_PREFIXES["storefront"])
    exchange.caller = StorefrontKey(found.uuid, found.public_id, found.company, found.store)
    await keyed_requests.begin(exchange, _strangers(exchange, found.uuid))


def operator(least: Role, also: Kinds = ()) -> Door:
    """Require an operator with at least this role."""

    async def door(_: Connection) -> None:
        exchange = current.get()
        caller = await _operator(exchange, also)
        if not permissions.may_act_as(caller.role, least):
            raise Forbidden(f"This needs the role {least}. Your role is {caller.role}.")
        admit(exchange, caller)
        await keyed_requests.begin(exchange, f"operator:{caller.uuid}")

    return door


def operator_or_key(least: Role, resource: str) -> Door:
    """Require an operator with at least this role, or a key whose scopes cover the resource."""
    by_key = fleet(resource, (TOKENS.prefix,))
    by_operator = operator(least, (KEY_PREFIXES["api"],))

    async def door(connection: Connection) -> None:
        kind = credential.kind(bearer(current.get()))
        await (by_key if kind == KEY_PREFIXES["api"] else by_operator)(connection)

    return door


async def anonymous(_: Connection) -> None:
    """Let everyone in; the handler itself checks what was sent."""
    exchange = current.get()
    await keyed_requests.begin(exchange, _strangers(exchange))


async def _operator(exchange: Exchange, also: Kinds) -> Caller:
    found = await TOKENS.enter(exchange, _cookie(exchange) or bearer(exchange))
    if found is None:
        sent = bearer(exchange) or cookie(exchange, COOKIE)
        raise credentials.refuse(sent, TOKENS.prefix, *also)
    return entered(found)


def entered(found: _Entry) -> Caller:
    return Caller(
        found.holder, found.public_id, found.company, found.token, found.name, found.email,
        found.role,
    )  # fmt: skip


def admit(exchange: Exchange, caller: Caller) -> None:
    """Set the request's caller, and let streams ask whether the session is still valid."""
    exchange.caller = caller
    exchange.can_continue = partial(is_session_unchanged, caller=caller)


async def is_session_unchanged(db: Db, caller: Caller) -> bool:
    """Tell whether an operator's session is still valid and has the same role."""
    unchanged: bool = await db.value(
        """select exists (
               select from tokens t join operators o on o.uuid = t.holder
               where t.company = :company and o.company = :company and t.uuid = :token
                 and revoked_at is null and (ends_at is null or ends_at > pannier_now())
                 and disabled_at is null and role = :role)""",
        company=caller.company,
        token=caller.token,
        role=caller.role,
    )
    return unchanged


def _cookie(exchange: Exchange) -> str:
    """Read the console's session cookie. A change needs the session's CSRF token as well."""
    text = "" if b"authorization" in exchange.headers else cookie(exchange, COOKIE)
    presented = credential.read(text)
    if presented is None or presented.kind != TOKENS.prefix:
        return ""
    if exchange.method not in SAFE_METHODS:
        check_csrf(exchange, presented, exchange.headers.get(CSRF_HEADER, b""))
    return text


def refuse_cross_site(exchange: Exchange) -> None:
    """Refuse a sign-in that another site's page sent (login CSRF).

    A browser that sends no `Sec-Fetch-Site` still sends `Origin`; a program sends neither.
    """
    site, origin = exchange.headers.get(b"sec-fetch-site"), exchange.headers.get(b"origin")
    if site:
        foreign = site not in {b"same-origin", b"none"}
    else:
        own = {
            exchange.headers.get(b"host", b"").decode("latin-1").lower(),
            urlsplit(exchange.edge.settings.base_url).netloc.lower(),
        }
        foreign = origin is not None and _netloc(origin) not in own
    if foreign:
        raise CsrfFailed


def _netloc(origin: bytes) -> str | None:
    """Return an origin's host and port; None if it is opaque or malformed."""
    try:
        return urlsplit(origin.decode("latin-1")).netloc.lower() or None
    except ValueError:
        return None


def check_csrf(exchange: Exchange, presented: Presented, offered: bytes) -> None:
    """Refuse a CSRF token that does not belong to the session."""
    expected = _csrf_tokens(exchange.db.database, f"session_{presented.id}")
    if not crypto.among([token.encode() for token in expected], offered):
        raise CsrfFailed


def csrf_token(database: Database, session: str) -> str:
    """Return the CSRF token of a session, which is given by its public id."""
    return _csrf_tokens(database, session)[0]


def _csrf_tokens(database: Database, session: str) -> list[str]:
    signed = database.keys.signatures("csrf", session.encode())
    return [hashlib.sha256(each).hexdigest()[:32] for each in signed]
