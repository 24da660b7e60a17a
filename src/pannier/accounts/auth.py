"""Authentication: keys on `/v1` and `/storefront/v1`, operators on `/int/v1`."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from litestar import Request

from pannier.accounts import credentials, key_cache, permissions, queries
from pannier.accounts.models import KEY_PREFIXES, KeyKind, Role
from pannier.accounts.permissions import MONEY_ROLES, MoneyTask
from pannier.accounts.tokens.auth import (
    TokenLogin,
    TokenLookup,
    begin_lookup,
    read_bearer,
    read_cookie,
)
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.models import Kind as HolderKind
from pannier.accounts.tokens.rules import TOUCH_AFTER
from pannier.db import Actor, Database, Db
from pannier.db.database import READ_ONLY_ERROR
from pannier.errors import Forbidden
from pannier.kit import credential, crypto
from pannier.kit.cache import Cache
from pannier.kit.credential import PresentedCredential
from pannier.web import addresses, keyed_requests
from pannier.web.exchange import SAFE_METHODS, Exchange, current

SESSION_COOKIE: Final = "pannier_session"
CSRF_HEADER: Final = b"x-csrf-token"

Connection = Request[Any, Any, Any]
RequestGuard = Callable[[Connection], Awaitable[None]]
# Prefixes of credentials, such as `api`.
Prefixes = tuple[str, ...]


class CsrfFailed(Forbidden):
    """A change authenticated by a session cookie requires the session's CSRF token."""

    code = "csrf_failed"
    title = "The CSRF token is missing or belongs to another session."
    remedy = "Send the session's token as `X-CSRF-Token`, or reload the page."


class Principal(msgspec.Struct, frozen=True):
    """The authenticated caller of a request."""

    uuid: UUID
    public_id: str
    company: UUID


class FleetKey(Principal, frozen=True):
    """The API key behind a request under `/v1`."""

    name: str
    scopes: tuple[str, ...]


class AppKey(Principal, frozen=True):
    """The app key of a driver's sign-in. Anyone may have it, because it is in public apps."""

    is_public: ClassVar[bool] = True
    name: str


class StorefrontKey(Principal, frozen=True):
    """The storefront key of a request under `/storefront/v1`. It is in public apps."""

    is_public: ClassVar[bool] = True
    store: UUID


class TokenPrincipal(Principal, frozen=True):
    """A caller who has their own token."""

    kind: ClassVar[HolderKind]
    token: UUID

    @property
    def holder(self) -> Holder:
        return Holder(self.company, self.kind, self.uuid, self.public_id)


class Caller(TokenPrincipal, frozen=True):
    """The operator who sends a request under `/int/v1`."""

    kind = "operator"
    name: str
    email: str
    role: Role


class _OperatorLogin(TokenLogin, kw_only=True):
    email: str
    role: Role
    disabled_at: datetime | None

    @property
    def can_sign_in(self) -> bool:
        return self.disabled_at is None


TOKENS: Final = TokenLookup("operator", "operators", _OperatorLogin)


def _read_credential(exchange: Exchange, *prefixes: str) -> PresentedCredential:
    """Read a credential with the first prefix. A refusal names all of the prefixes."""
    credential_text = read_bearer(exchange)
    presented_credential = credential.parse(credential_text)
    if presented_credential is None or presented_credential.kind != prefixes[0]:
        raise credentials.make_refusal(credential_text, *prefixes)
    return presented_credential


async def authenticate_key(
    exchange: Exchange, kind: KeyKind, other_prefixes: Prefixes = ()
) -> queries.KeyLogin:
    """Authenticate the request's key, and count the request against the key's rate limit.

    `other_prefixes` are those of the other credentials that the route accepts.
    """
    presented_credential, now = (
        _read_credential(exchange, KEY_PREFIXES[kind], *other_prefixes),
        exchange.db.now,
    )
    keys: Cache[str, queries.KeyLogin] = exchange.edge.services["keys"]
    login = key_cache.find_cached_key(keys, presented_credential, now) if kind == "api" else None
    if login is not None:
        # The secret is correct, so a caller over the limit is refused without a query.
        _count_request(kind, presented_credential, exchange)
    if login is None or not await key_cache.confirm_key_unchanged(exchange, login):
        login = await _load_key(exchange, kind, presented_credential)
        if kind == "api":
            keys.store(presented_credential.id, login)
        _count_request(kind, presented_credential, exchange)
    if login.last_used_at is None or login.last_used_at <= now - TOUCH_AFTER:
        await record_use(exchange.db.database, login.uuid)
        login.last_used_at = now
    exchange.db.actor = Actor("key", login.public_id, login.name, exchange.id, exchange.address)
    exchange.can_continue = partial(queries.is_key_unchanged, company=login.company, key=login)
    return login


async def _load_key(
    exchange: Exchange, kind: KeyKind, presented_credential: PresentedCredential
) -> queries.KeyLogin:
    async with begin_lookup(exchange) as db:
        login = await queries.find_key_login(db, f"key_{presented_credential.id}")
    if login is None or not login.matches(presented_credential, kind):
        raise credentials.make_refusal(read_bearer(exchange), presented_credential.kind)
    return login


def _count_request(
    kind: KeyKind, presented_credential: PresentedCredential, exchange: Exchange
) -> None:
    """Count a request against its key's limit, only once if the request is retried."""
    if not exchange.counted:
        limit_key = _make_rate_limit_key(kind, presented_credential, exchange)
        exchange.edge.count_credential_hit("key", limit_key, exchange)
        exchange.counted = True


def _make_rate_limit_key(
    kind: KeyKind, presented_credential: PresentedCredential, exchange: Exchange
) -> str:
    """Make the name of a key's rate limit. A public key has one limit for each network."""
    network = "" if kind == "api" else addresses.get_rate_limit_network(exchange.address)
    return f"key:{presented_credential.id}{network}"


def _make_anonymous_scope(exchange: Exchange, key: UUID | None = None) -> str:
    """Make the scope of idempotency keys for callers who share one API key or have none."""
    return f"key:{key}:{addresses.get_rate_limit_network(exchange.address)}"


async def record_use(database: Database, key: UUID) -> None:
    """Record when a key was last used. A read-only database still serves reads."""
    with suppress(READ_ONLY_ERROR):
        async with database.side_transaction() as db:
            await db.update("keys", key, last_used_at=db.now)


def require_api_key(
    resource: str | None, other_prefixes: Prefixes = (), also_reads: Sequence[str] = ()
) -> RequestGuard:
    """Require an API key whose scopes cover the resource; without a resource, any API key.

    `also_reads` are other resources that the response shows: the key must be able to read them.
    """

    async def guard(_: Connection) -> None:
        exchange = current.get()
        login = await authenticate_key(exchange, "api", other_prefixes)
        verb = "read" if exchange.method in SAFE_METHODS else "write"
        if resource is not None and not permissions.has_scope(login.scopes, resource, verb):
            raise Forbidden(f"This API key lacks the scope `{resource}:{verb}`.")
        for name in also_reads:
            if not permissions.has_scope(login.scopes, name, "read"):
                raise Forbidden(f"This API key lacks the scope `{name}:read`.")
        exchange.caller = FleetKey(
            login.uuid, login.public_id, login.company, login.name, tuple(login.scopes)
        )
        # This comes last, so that a caller without access gets no stored response.
        await keyed_requests.begin_request(exchange, f"key:{login.uuid}")

    return guard


def can_read(exchange: Exchange, resource: str) -> bool:
    """Tell whether the caller may also read another resource. Only keys are limited by scopes."""
    caller = exchange.caller
    return not isinstance(caller, FleetKey) or permissions.has_scope(
        caller.scopes, resource, "read"
    )


def require_api_or_app_key(resource: str) -> RequestGuard:
    """Require an app key, or an API key whose scopes cover the resource."""
    guard_api_key = require_api_key(resource, (KEY_PREFIXES["app"],))

    async def guard(connection: Connection) -> None:
        exchange = current.get()
        if credential.kind(read_bearer(exchange)) == KEY_PREFIXES["app"]:
            login = await authenticate_key(exchange, "app")
            exchange.caller = AppKey(login.uuid, login.public_id, login.company, login.name)
            await keyed_requests.begin_request(
                exchange, _make_anonymous_scope(exchange, login.uuid)
            )
        else:
            await guard_api_key(connection)

    return guard


async def require_storefront_key(_: Connection) -> None:
    """Require a storefront key."""
    exchange = current.get()
    login = await authenticate_key(exchange, "storefront")
    if login.store is None:
        raise credentials.make_refusal(read_bearer(exchange), KEY_PREFIXES["storefront"])
    exchange.caller = StorefrontKey(login.uuid, login.public_id, login.company, login.store)
    await keyed_requests.begin_request(exchange, _make_anonymous_scope(exchange, login.uuid))


def require_operator(*min_roles: Role, other_prefixes: Prefixes = ()) -> RequestGuard:
    """Require an operator with at least one of these roles."""

    async def guard(_: Connection) -> None:
        exchange = current.get()
        caller = await _authenticate_operator(exchange, other_prefixes)
        if not permissions.has_role(caller.role, *min_roles):
            needed_roles = " or ".join(min_roles)
            raise Forbidden(f"This needs the role {needed_roles}. Your role is {caller.role}.")
        set_caller(exchange, caller)
        await keyed_requests.begin_request(exchange, f"operator:{caller.uuid}")

    return guard


def require_money_role(task: MoneyTask) -> RequestGuard:
    """Require an operator whose role may do this with money."""
    return require_operator(*MONEY_ROLES[task])


def may_do_with_money(caller: object, task: MoneyTask) -> bool:
    """Tell whether a caller may do this with money. Only operators are limited by roles."""
    return not isinstance(caller, Caller) or permissions.has_role(caller.role, *MONEY_ROLES[task])


def require_operator_or_key(min_role: Role, resource: str) -> RequestGuard:
    """Require an operator with at least this role, or a key whose scopes cover the resource."""
    guard_api_key = require_api_key(resource, (TOKENS.prefix,))
    guard_operator = require_operator(min_role, other_prefixes=(KEY_PREFIXES["api"],))

    async def guard(connection: Connection) -> None:
        kind = credential.kind(read_bearer(current.get()))
        await (guard_api_key if kind == KEY_PREFIXES["api"] else guard_operator)(connection)

    return guard


async def allow_anonymous(_: Connection) -> None:
    """Accept every request. The handler checks the credential, if it needs one."""
    exchange = current.get()
    await keyed_requests.begin_request(exchange, _make_anonymous_scope(exchange))


async def _authenticate_operator(exchange: Exchange, other_prefixes: Prefixes) -> Caller:
    login = await TOKENS.authenticate(
        exchange, _read_session_cookie(exchange) or read_bearer(exchange)
    )
    if login is None:
        credential_text = read_bearer(exchange) or read_cookie(exchange, SESSION_COOKIE)
        raise credentials.make_refusal(credential_text, TOKENS.prefix, *other_prefixes)
    return to_caller(login)


def to_caller(login: _OperatorLogin) -> Caller:
    return Caller(
        login.holder, login.public_id, login.company, login.token, login.name, login.email,
        login.role,
    )  # fmt: skip


def set_caller(exchange: Exchange, caller: Caller) -> None:
    """Set the request's caller, and let streams check whether the session is still valid."""
    exchange.caller = caller
    exchange.can_continue = partial(is_session_unchanged, caller=caller)


async def is_session_unchanged(db: Db, caller: Caller) -> bool:
    """Tell whether an operator's session is still valid and has the same role."""
    is_unchanged: bool = await db.fetch_value(
        """select exists (
               select from tokens t join operators o on o.uuid = t.holder
               where t.company = :company and o.company = :company and t.uuid = :token
                 and revoked_at is null and (ends_at is null or ends_at > pannier_now())
                 and disabled_at is null and role = :role)""",
        company=caller.company,
        token=caller.token,
        role=caller.role,
    )
    return is_unchanged


def _read_session_cookie(exchange: Exchange) -> str:
    """Read the console's session cookie. A change needs the session's CSRF token as well."""
    text = "" if b"authorization" in exchange.headers else read_cookie(exchange, SESSION_COOKIE)
    presented_credential = credential.parse(text)
    if presented_credential is None or presented_credential.kind != TOKENS.prefix:
        return ""
    if exchange.method not in SAFE_METHODS:
        check_csrf(exchange, presented_credential, exchange.headers.get(CSRF_HEADER, b""))
    return text


def check_same_site(exchange: Exchange) -> None:
    """Refuse a sign-in that another site's page sent (login CSRF).

    A browser that sends no `Sec-Fetch-Site` still sends `Origin`; a program sends neither.
    """
    site, origin = exchange.headers.get(b"sec-fetch-site"), exchange.headers.get(b"origin")
    if site:
        is_foreign = site not in {b"same-origin", b"none"}
    else:
        own_hosts = {
            exchange.headers.get(b"host", b"").decode("latin-1").lower(),
            urlsplit(exchange.edge.settings.base_url).netloc.lower(),
        }
        is_foreign = origin is not None and _parse_netloc(origin) not in own_hosts
    if is_foreign:
        raise CsrfFailed


def _parse_netloc(origin: bytes) -> str | None:
    """Return an origin's host and port; None if it is opaque or malformed."""
    try:
        return urlsplit(origin.decode("latin-1")).netloc.lower() or None
    except ValueError:
        return None


def check_csrf(
    exchange: Exchange, presented_credential: PresentedCredential, sent_token: bytes
) -> None:
    """Refuse a CSRF token that does not belong to the session."""
    expected_tokens = _make_csrf_tokens(exchange.db.database, f"session_{presented_credential.id}")
    if not crypto.contains([token.encode() for token in expected_tokens], sent_token):
        raise CsrfFailed


def make_csrf_token(database: Database, session: str) -> str:
    """Make the CSRF token of the session with this public id."""
    return _make_csrf_tokens(database, session)[0]


def _make_csrf_tokens(database: Database, session: str) -> list[str]:
    signatures = database.keys.signatures("csrf", session.encode())
    return [hashlib.sha256(signature).hexdigest()[:32] for signature in signatures]
