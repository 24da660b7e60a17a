"""The interface of payment gateways, and their problems."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from typing import NoReturn, Protocol
from uuid import UUID

import msgspec

from pannier.errors import Conflict, Invalid, Problem, Unavailable
from pannier.kit.credential import Mode
from pannier.payments.settlement import GatewayFact

BeforeRequest = Callable[[], Awaitable[None]]


async def allow_request() -> None:
    """Allow every request to a gateway."""


class GatewayNotConfigured(Conflict):
    """The installation has no gateway for companies in this mode."""

    code = "payment_gateway_not_configured"
    title = "No payment gateway is configured."
    remedy = "The installation's administrator can set one up."


class GatewayIsTest(Conflict):
    """A fake or test gateway takes no real money."""

    code = "payment_gateway_is_test"
    title = "A test gateway cannot serve a live company."
    remedy = "Configure live keys for the gateway."


class GatewayMisconfigured(Conflict):
    """The keys are wrong, revoked or restricted."""

    code = "payment_gateway_misconfigured"
    title = "The payment gateway rejects this installation's keys."
    remedy = "The installation's administrator must correct the settings."


class GatewayRefused(Conflict):
    """The gateway understood the request and declined it."""

    code = "payment_gateway_refused"
    title = "The payment gateway rejected the request."
    remedy = "See the payment's status."


class AccountGone(Conflict):
    """The customer's account at the gateway was deleted."""

    code = "payment_account_gone"
    title = "The gateway no longer has this customer."
    remedy = "Start the payment again."


class CardRefused(Invalid):
    """The gateway did not accept a payment with this card."""

    code = "payment_refused"
    title = "The card was declined."
    remedy = "Use another card."


class GatewayUnavailable(Unavailable):
    """The gateway did not respond, or its response was invalid."""

    code = "payment_gateway_unavailable"
    title = "The payment gateway is unavailable."
    remedy = "Try again soon."


class NoticeRefused(Problem):
    """The notification was not signed by the gateway, or its signature is too old."""

    status, code = 400, "payment_notice_refused"
    title = "The gateway's signature is missing, wrong or expired."
    remedy = "Check the webhook secret in the settings."


class EphemeralKey(msgspec.Struct, frozen=True):
    """A key that gives an app access to its customer's account for a short time."""

    secret: str
    expires_at: datetime | None


class SetupIntent(msgspec.Struct, frozen=True):
    """An intent with which an app can save a card."""

    id: str
    secret: str


class CheckoutRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a checkout page. Equal requests return the same page."""

    checkout: UUID
    transaction: str
    # A short description of the purchase, without personal data.
    title: str
    amount: int
    currency: str
    # The payer's return URL. Defaults to a page of Pannier.
    return_url: str | None


class OpenCheckout(msgspec.Struct, frozen=True):
    """A page on which a payer can pay until it expires."""

    session: str
    url: str
    expires_at: datetime | None


class RefundRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to refund a part of a payment."""

    own_refund: UUID
    payment: str
    amount: int
    currency: str


class Gateway(Protocol):
    """A payment gateway, which keeps customers' cards, takes payments and makes refunds.

    A repeated idempotency key returns the first call's response.
    """

    name: str
    publishable_key: str
    # Whether it moves real money.
    live: bool
    # The company modes that it serves.
    modes: frozenset[Mode]

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Create an account for a customer, and return its id."""

    async def delete_customer(self, account: str) -> None:
        """Delete an account with everything stored in it. Succeed if it is already deleted."""

    async def create_ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Give an app access to one account, in the API version that the app uses."""

    async def create_setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Prepare to save a card."""

    async def create_checkout(self, request: CheckoutRequest) -> OpenCheckout:
        """Open a page. A repeated request for the same checkout returns the same page."""

    async def expire_checkout(self, session: str, checkout: UUID) -> list[GatewayFact]:
        """Close a page if it is still open, and return its outcome."""

    async def fetch_checkout(self, session: str) -> list[GatewayFact]:
        """Return the outcome of a page, if any."""

    async def refund(self, request: RefundRequest) -> GatewayFact:
        """Refund money. A repeated request for the same refund is executed once."""

    async def fetch_refunds(self, payment: str) -> list[GatewayFact]:
        """Return all refunds of a payment, including those made outside Pannier."""

    def list_facts(self, since: datetime) -> AsyncIterator[GatewayFact]:
        """Yield the facts of all pages, refunds and disputes that were created since then."""

    def parse_notice(
        self, headers: Mapping[bytes, bytes], body: bytes, now: datetime
    ) -> list[GatewayFact]:
        """Parse a notice. Refuse one that the gateway did not sign."""

    async def close(self) -> None:
        """Close the gateway's connections."""


def list_served_modes(*, live: bool, test_serves_live: bool) -> frozenset[Mode]:
    """List the company modes that a gateway serves: real and test money never mix.

    `test_serves_live` overrides that for an installation.
    """
    if live:
        return frozenset({"live"})
    return frozenset({"test", "live"} if test_serves_live else {"test"})


def check_mode(gateway: Gateway, mode: Mode) -> None:
    """Refuse a gateway that does not serve companies of this mode."""
    if mode in gateway.modes:
        return
    if gateway.name == "none":
        raise GatewayNotConfigured
    if gateway.live:
        raise GatewayNotConfigured("The payment gateway is live, but this is a test company.")
    raise GatewayIsTest


class NoGateway:
    """The gateway if none is configured. Every operation raises GatewayNotConfigured."""

    name, publishable_key, live = "none", "", False
    modes: frozenset[Mode] = frozenset()

    async def create_customer(self, customer: str, idempotency_key: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def delete_customer(self, account: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def create_ephemeral_key(self, account: str, api_version: str | None) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def create_setup_intent(self, account: str, idempotency_key: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def create_checkout(self, request: CheckoutRequest) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def expire_checkout(self, session: str, checkout: UUID) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def fetch_checkout(self, session: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def refund(self, request: RefundRequest) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def fetch_refunds(self, payment: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    def list_facts(self, since: datetime) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    def parse_notice(self, headers: Mapping[bytes, bytes], body: bytes, now: datetime) -> NoReturn:  # noqa: ARG002 - the Protocol's
        raise GatewayNotConfigured

    async def close(self) -> None:
        """Do nothing, because there is no connection."""
