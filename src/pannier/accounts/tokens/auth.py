"""The only look-up of tokens, for every kind of holder."""

from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from datetime import datetime
from functools import partial
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.tokens import rules
from pannier.accounts.tokens.models import Kind
from pannier.db import Actor, Database, Db
from pannier.db.database import READ_ONLY_ERROR
from pannier.kit import credential, crypto
from pannier.kit.credential import Mode, PresentedCredential
from pannier.web.exchange import Exchange


class TokenLogin(msgspec.Struct, kw_only=True):
    """A token's row as authentication needs it; subclasses add columns of their holders."""

    token: UUID
    company: UUID
    holder: UUID
    store: UUID | None
    secret_hash: bytes
    mode: Mode
    method: str
    created_at: datetime
    confirmed_at: datetime | None
    last_used_at: datetime
    ends_at: datetime | None
    # Whether `ends_at` has passed, by the database's clock.
    ended: bool
    revoked_at: datetime | None
    public_id: str
    name: str

    @property
    def can_sign_in(self) -> bool:
        """Whether the holder may sign in at present."""
        return True

    def matches(self, presented_credential: PresentedCredential, store: UUID | None) -> bool:
        """Tell whether this is the presented token, for this store, and still valid."""
        return (
            crypto.is_equal(self.secret_hash, presented_credential.hash)
            and self.mode == presented_credential.mode
            and self.store == store
            and self.revoked_at is None
            and not self.ended
            and self.can_sign_in
        )


Login = TypeVar("Login", bound=TokenLogin)
# Columns of the token; the other columns are the holder's.
_TOKEN_COLUMNS = (
    "company", "holder", "store", "secret_hash", "method", "created_at", "confirmed_at",
    "last_used_at", "ends_at", "revoked_at",
)  # fmt: skip


class TokenLookup(Generic[Login]):
    """Finds a token, its holder and their company in one statement."""

    def __init__(self, kind: Kind, table: str, login_type: type[Login]) -> None:
        self.kind, self._login_type = kind, login_type
        self.prefix = rules.TOKEN_LIMITS[kind].prefix
        holder_columns = [
            name
            for name in login_type.__struct_fields__
            if name not in {*_TOKEN_COLUMNS, "token", "mode", "ended"}
        ]
        columns = [
            *(f"t.{name}" for name in _TOKEN_COLUMNS),
            *(f"h.{name}" for name in holder_columns),
        ]
        self._sql = f"""select t.uuid as token, c.mode, {", ".join(columns)},
                coalesce(t.ends_at <= pannier_now(), false) as ended
            from tokens t join companies c on c.uuid = t.company
            join {table} h on h.uuid = t.holder and h.company = t.company
            where t.public_id = :public_id and t.kind = :kind"""

    async def authenticate(
        self, exchange: Exchange, text: str, *, store: UUID | None = None
    ) -> Login | None:
        """Authenticate a token and count the request against its limit; None if it is invalid."""
        presented_credential = credential.parse(text)
        if presented_credential is None or presented_credential.kind != self.prefix:
            return None
        async with begin_lookup(exchange) as db:
            login = await self.find(db, presented_credential)
        if login is None or not login.matches(presented_credential, store):
            return None
        exchange.edge.count_credential_hit(
            self.kind, f"{self.kind}:{presented_credential.id}", exchange
        )
        if login.last_used_at <= db.now - rules.TOUCH_AFTER:
            await record_use(db.database, login)
        # The audit log records this actor for every change of the request.
        exchange.db.actor = Actor(
            self.kind, login.public_id, login.name, exchange.id, exchange.address
        )
        exchange.can_continue = partial(
            self.is_valid, presented_credential=presented_credential, store=store
        )
        return login

    async def is_valid(
        self, db: Db, presented_credential: PresentedCredential, store: UUID | None
    ) -> bool:
        """Tell whether a token is still valid."""
        login = await self.find(db, presented_credential)
        return login is not None and login.matches(presented_credential, store)

    async def find(self, db: Db, presented_credential: PresentedCredential) -> Login | None:
        """Find the row of a presented token by its id; its secret is not checked."""
        public_id = f"session_{presented_credential.id}"
        return await db.find(self._login_type, self._sql, public_id=public_id, kind=self.kind)


def begin_lookup(exchange: Exchange) -> AbstractAsyncContextManager[Db]:
    """Begin a look-up. While the body is unread, it uses a separate transaction."""
    return exchange.db.database.reading() if exchange.unread else nullcontext(exchange.db)


def read_bearer(exchange: Exchange) -> str:
    """Read the bearer credential; an empty text if there is none."""
    header = exchange.headers.get(b"authorization", b"").decode("latin-1")
    scheme, _, text = header.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


def read_cookie(exchange: Exchange, name: str) -> str:
    """Read a cookie; an empty text if there is none."""
    # The standard library's parser drops every cookie after a malformed one.
    raw = exchange.headers.get(b"cookie", b"").decode("latin-1")
    pairs = (part.partition("=") for part in raw.split(";"))
    return {cookie_name.strip(): value.strip() for cookie_name, _, value in pairs}.get(name, "")


async def record_use(database: Database, login: TokenLogin) -> None:
    """Record that a token was used. A token that was revoked meanwhile stays revoked.

    A read-only database still serves reads.
    """
    with suppress(READ_ONLY_ERROR):
        async with database.side_transaction() as db:
            await db.execute(
                """update tokens set last_used_at = pannier_now(),
                       ends_at = least(expires_at, pannier_now() + idle)
                   where company = :company and uuid = :token and revoked_at is null""",
                company=login.company,
                token=login.token,
            )
