"""Who is calling: a customer by their token, beside the key of the store it belongs to."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import auth, credentials
from pannier.accounts.auth import Connection
from pannier.accounts.tokens.auth import Entry, LookUp
from pannier.accounts.tokens.known import Place
from pannier.accounts.tokens.models import Holder
from pannier.errors import Problem
from pannier.web import keyed_requests
from pannier.web.exchange import current

HEADER: Final = b"customer-token"
HOW: Final = "Send it as `Customer-Token: …`, beside the storefront key."


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
        """Whom the token speaks for."""
        return Holder(self.company, "customer", self.customer, self.public_id, self.store)

    @property
    def place(self) -> Place:
        """Where the customer is: signed in, so known."""
        return Place(f"{self.customer}:{self.token}", proved=True)


class _Entry(Entry, kw_only=True):
    closed_at: datetime | None

    @property
    def welcome(self) -> bool:
        """Whether the account is open."""
        return self.closed_at is None


TOKENS: Final = LookUp("customer", "customers", _Entry)


async def customer(_: Connection) -> None:
    """Let a signed-in customer in: the key names the store, the token the customer."""
    exchange = current.get()
    key = await auth.checked_key(exchange, "storefront")
    text = exchange.headers.get(HEADER, b"").decode("latin-1").strip()
    found = await TOKENS.enter(exchange, text, store=key.store)
    if found is None or found.store is None:
        raise CustomerTokenInvalid(credentials.describe_refusal(text, TOKENS.prefix, how=HOW))
    exchange.caller = Shopper(
        found.company, found.store, found.holder, found.public_id, found.token,
        found.method, found.created_at, found.confirmed_at,
    )  # fmt: skip
    # By customer, not by key: everybody's app has the same key.
    await keyed_requests.begin(exchange, f"customer:{found.holder}")
