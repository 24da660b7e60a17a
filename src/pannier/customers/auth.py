"""Authentication of customers: a customer token, together with its store's key."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import auth, credentials
from pannier.accounts.auth import Connection, StorefrontKey
from pannier.accounts.tokens.auth import TokenLogin, TokenLookup
from pannier.accounts.tokens.device_proofs import KnownOrigin
from pannier.accounts.tokens.models import Holder
from pannier.errors import Problem
from pannier.web import keyed_requests
from pannier.web.exchange import Exchange, current

TOKEN_HEADER: Final = b"customer-token"
SIGN_IN_HINT: Final = "Send it as `Customer-Token: …`, with the storefront key."


class CustomerTokenInvalid(Problem):
    """The token is missing, wrong, revoked or expired, or belongs to another store."""

    status, code = 401, "customer_token_invalid"
    title = "The customer token is missing or not valid."
    remedy = "Sign in again, and send the token as `Customer-Token`."


class Shopper(msgspec.Struct, frozen=True):
    """The customer behind a request under `/storefront/v1`, and how they signed in."""

    company: UUID
    store: UUID
    customer: UUID
    public_id: str
    token: UUID
    method: str
    signed_in_at: datetime
    confirmed_at: datetime | None

    @property
    def holder(self) -> Holder:
        """The holder of the token."""
        return Holder(self.company, "customer", self.customer, self.public_id, self.store)

    @property
    def known_origin(self) -> KnownOrigin:
        """The known device of the session: a signed-in customer is always known."""
        return KnownOrigin(f"{self.customer}:{self.token}", proved=True)


class _CustomerLogin(TokenLogin, kw_only=True):
    closed_at: datetime | None

    @property
    def can_sign_in(self) -> bool:
        """Return whether the account is open."""
        return self.closed_at is None


TOKENS: Final = TokenLookup("customer", "customers", _CustomerLogin)


async def recognise_customer(connection: Connection) -> None:
    """Authenticate a store by its key, and a customer if there is a valid token.

    Anybody with the key may read what the store shows, so a token that has expired is ignored.
    """
    await auth.require_storefront_key(connection)
    exchange = current.get()
    if exchange.headers.get(TOKEN_HEADER) and isinstance(exchange.caller, StorefrontKey):
        exchange.caller = await _find_shopper(exchange, exchange.caller.store) or exchange.caller


async def require_customer(_: Connection) -> None:
    """Authenticate a customer: the key identifies the store, the token the customer."""
    exchange = current.get()
    key = await auth.authenticate_key(exchange, "storefront")
    shopper = await _find_shopper(exchange, key.store)
    if shopper is None:
        raise CustomerTokenInvalid(
            credentials.describe_refusal(_read_token(exchange), TOKENS.prefix, remedy=SIGN_IN_HINT)
        )
    exchange.caller = shopper
    # Idempotency keys belong to the customer: all customers share the storefront key.
    await keyed_requests.begin_request(exchange, f"customer:{shopper.customer}")


async def _find_shopper(exchange: Exchange, store: UUID | None) -> Shopper | None:
    """Find the customer whose token the request has; None if it is missing or invalid."""
    login = await TOKENS.authenticate(exchange, _read_token(exchange), store=store)
    if login is None or login.store is None:
        return None
    return Shopper(
        login.company, login.store, login.holder, login.public_id, login.token,
        login.method, login.created_at, login.confirmed_at,
    )  # fmt: skip


def _read_token(exchange: Exchange) -> str:
    return exchange.headers.get(TOKEN_HEADER, b"").decode("latin-1").strip()
