"""Authentication of senders: a device or gateway by its token, a company's program by its API key.

A process caches the credentials that it has looked up and compares secret hashes in memory. The
statement that finds the devices of a batch also confirms that the credential is still valid
(`lookup`). A revoked credential therefore stores nothing from the next transaction on.
"""

import asyncio
import base64
import binascii
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts import auth as accounts
from pannier.accounts import credentials, permissions, queries
from pannier.accounts.auth import Connection, RequestGuard
from pannier.accounts.models import KEY_PREFIXES
from pannier.accounts.tokens import rules
from pannier.accounts.tokens.auth import TokenLogin, TokenLookup, read_bearer, record_use
from pannier.db import Actor, Database
from pannier.devices import limits
from pannier.devices.limits import UnknownCaller
from pannier.devices.models import Kind
from pannier.devices.sources import RESOURCE, SCOPE, Source
from pannier.errors import Forbidden
from pannier.kit import credential, crypto
from pannier.kit.cache import Cache
from pannier.kit.credential import PresentedCredential
from pannier.web import keyed_requests
from pannier.web.exchange import Exchange, current

# Lifetime and size of the credential cache. A device's own token may stay longer: only its end can
# change, and the store checks that itself.
CACHE_LIFETIME: Final = timedelta(minutes=1)
DEVICE_CACHE_LIFETIME: Final = timedelta(minutes=15)
MAX_CREDENTIALS: Final = 16_384
# Concurrent lookups: after a start all credentials are unknown, and others need connections too.
MAX_CONCURRENT_LOOKUPS: Final = 4
# Minimum time between two updates of a token's last use. Thousands of devices report each minute.
TOUCH_AFTER: Final = timedelta(minutes=15)
CREDENTIAL_HINT: Final = (
    "Send it as `Authorization: Bearer …`, or as the password of `Authorization: Basic`."
)


class _TokenRow(TokenLogin, kw_only=True):
    kind: Kind
    adopts: bool
    deleted_at: datetime | None

    @property
    def can_sign_in(self) -> bool:
        """Whether the device still exists."""
        return self.deleted_at is None


TOKENS: Final = TokenLookup("device", "devices", _TokenRow)


class CachedCredential(msgspec.Struct, frozen=True, kw_only=True):
    """A credential as it was when it was looked up."""

    source: Source
    actor: Actor
    kind: str
    secret_hash: bytes
    mode: str
    may_send: bool
    ends_at: datetime | None
    fresh_until: datetime

    def matches(self, presented_credential: PresentedCredential, now: datetime) -> bool:
        """Return whether a presented credential matches and has not expired."""
        return (
            crypto.is_equal(self.secret_hash, presented_credential.hash)
            and self.kind == presented_credential.kind
            and self.mode == presented_credential.mode
            and (self.ends_at is None or now < self.ends_at)
        )


class CredentialCache:
    """The cache of recently used credentials; one per process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache = Cache[str, CachedCredential](MAX_CREDENTIALS)
        self._lookup_slots = asyncio.Semaphore(MAX_CONCURRENT_LOOKUPS)

    async def authenticate(
        self, text: str, unknown_caller: UnknownCaller | None = None
    ) -> CachedCredential:
        """Authenticate a credential, or raise an error.

        A credential that was valid before is looked up again even if its address is over the limit.
        A wrong credential counts against its address (`unknown_caller`).
        """
        presented_credential, now = credential.parse(text), self._database.clock.now()
        cached_credential = (
            None
            if presented_credential is None
            else self._find_cached_credential(presented_credential, now)
        )
        if cached_credential is None and unknown_caller is not None:
            unknown_caller.check()
        if presented_credential is not None and (
            cached_credential is None or cached_credential.fresh_until <= now
        ):
            cached_credential = self._update_cache(
                presented_credential,
                cached_credential,
                await self._look_up_credential(presented_credential),
            )
        if cached_credential is None:
            if unknown_caller is not None:
                unknown_caller.count()
            raise credentials.make_refusal(
                text, TOKENS.prefix, KEY_PREFIXES["api"], remedy=CREDENTIAL_HINT
            )
        if not cached_credential.may_send:
            raise Forbidden(f"This API key lacks the scope `{SCOPE}`.")
        return cached_credential

    def _find_cached_credential(
        self, presented_credential: PresentedCredential, now: datetime
    ) -> CachedCredential | None:
        cached_credential = self._cache.find(presented_credential.id)
        return (
            cached_credential
            if cached_credential is not None
            and cached_credential.matches(presented_credential, now)
            else None
        )

    def _update_cache(
        self,
        presented_credential: PresentedCredential,
        cached_credential: CachedCredential | None,
        loaded_credential: CachedCredential | None,
    ) -> CachedCredential | None:
        """Cache a valid credential, or drop one that is no longer valid."""
        if loaded_credential is not None:
            self._cache.store(presented_credential.id, loaded_credential)
        elif cached_credential is not None:
            self._cache.drop(presented_credential.id)
        return loaded_credential

    async def _look_up_credential(
        self, presented_credential: PresentedCredential
    ) -> CachedCredential | None:
        use_credential = {TOKENS.prefix: self._use_token, KEY_PREFIXES["api"]: self._use_key}.get(
            presented_credential.kind
        )
        if use_credential is None:
            return None
        async with self._lookup_slots:
            return await use_credential(presented_credential)

    async def _use_token(
        self, presented_credential: PresentedCredential
    ) -> CachedCredential | None:
        """Look up a token, and record its use."""
        async with self._database.reading() as db:
            login = await TOKENS.find(db, presented_credential)
        if login is None or not login.matches(presented_credential, None):
            return None
        if login.last_used_at <= db.now - TOUCH_AFTER:
            await record_use(self._database, login)
        is_gateway = login.kind == "gateway"
        return CachedCredential(
            source=Source(
                company=login.company,
                device=login.holder,
                token=login.token,
                speaks_for_all=is_gateway,
                adopts=is_gateway and login.adopts,
            ),
            actor=Actor("device", login.public_id, login.name),
            kind=presented_credential.kind,
            secret_hash=login.secret_hash,
            mode=login.mode,
            may_send=True,
            ends_at=login.ends_at,
            fresh_until=db.now + (CACHE_LIFETIME if is_gateway else DEVICE_CACHE_LIFETIME),
        )

    async def _use_key(self, presented_credential: PresentedCredential) -> CachedCredential | None:
        """Look up an API key, and record its use."""
        async with self._database.reading() as db:
            login = await queries.find_key_login(db, f"key_{presented_credential.id}")
        if login is None or not login.matches(presented_credential, "api"):
            return None
        if login.last_used_at is None or login.last_used_at <= db.now - rules.TOUCH_AFTER:
            await accounts.record_use(self._database, login.uuid)
        return CachedCredential(
            source=Source(
                company=login.company,
                device=None,
                token=None,
                speaks_for_all=True,
                adopts=False,
                key=login.uuid,
            ),
            actor=Actor("key", login.public_id, login.name),
            kind=presented_credential.kind,
            secret_hash=login.secret_hash,
            mode=login.mode,
            may_send=permissions.has_scope(login.scopes, RESOURCE, "write"),
            ends_at=None,
            fresh_until=db.now + CACHE_LIFETIME,
        )


def read_header_credential(exchange: Exchange) -> str:
    """Return the credential in the header: a bearer token, or the Basic password."""
    header = exchange.headers.get(b"authorization", b"")
    scheme, _, text = header.partition(b" ")
    if scheme.lower() != b"basic":
        return read_bearer(exchange)
    try:
        pair = base64.b64decode(text.strip(), validate=True).decode("latin-1")
    except (binascii.Error, ValueError):
        return ""
    return pair.partition(":")[2]


def make_device_or_key_guard(resource: str = RESOURCE) -> RequestGuard:
    """Build a guard that admits a device or gateway by token, or an API key by its scope."""

    async def guard(_: Connection) -> None:
        exchange = current.get()
        cached_credential = await _authenticate(exchange)
        exchange.caller = source = cached_credential.source
        exchange.db.actor = msgspec.structs.replace(
            cached_credential.actor, request_id=exchange.id, address=exchange.address
        )
        await keyed_requests.begin_request(exchange, f"{resource}:{source.token or source.key}")

    return guard


async def authenticate(exchange: Exchange, path_credential: str = "") -> Source:
    """Authenticate the sender by the credential in the path or header, and count the request.

    The request's transaction has no actor, because the writer stores the readings in another one.
    """
    exchange.caller = source = (await _authenticate(exchange, path_credential)).source
    return source


async def _authenticate(exchange: Exchange, path_credential: str = "") -> CachedCredential:
    edge = exchange.edge
    unknown_caller = UnknownCaller(
        edge.limiter, exchange.address, edge.address_rate, exchange.moment
    )
    credential_cache: CredentialCache = edge.services["sources"]
    text = path_credential or read_header_credential(exchange)
    cached_credential = await credential_cache.authenticate(text, unknown_caller)
    limits.count_request(edge.limiter, cached_credential.source, exchange.moment)
    return cached_credential
