"""What a payment gateway does for us, and how it refuses."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import NoReturn, Protocol
from uuid import UUID

import msgspec

from pannier.errors import Conflict, Invalid, Problem, Unavailable
from pannier.kit.credential import Mode
from pannier.payments.settlement import Fact


class NotConfigured(Conflict):
    """There is no gateway for a company of this mode."""

    code = "payment_gateway_not_configured"
    title = "No payment gateway is configured."
    remedy = "The installation's operator can set one up."


class GatewayIsTest(Conflict):
    """A fake or test gateway takes no real money."""

    code = "payment_gateway_is_test"
    title = "A test gateway cannot serve a live company."
    remedy = "Configure live keys for the gateway."


class Misconfigured(Conflict):
    """The gateway did not accept the configured key."""

    code = "payment_gateway_misconfigured"
    title = "The payment gateway rejects this installation's keys."
    remedy = "The installation's operator must correct its settings."


class Refused(Conflict):
    """The gateway understood the request and declined it."""

    code = "payment_gateway_refused"
    title = "The payment gateway refused the request."
    remedy = "See the payment's status."


class AccountGone(Conflict):
    """The customer's account at the gateway was deleted."""

    code = "payment_account_gone"
    title = "The gateway no longer knows this customer."
    remedy = "Start the payment again."


class CardRefused(Invalid):
    """The gateway declined the card."""

    code = "payment_refused"
    title = "The card was declined."
    remedy = "Use another card."


class GatewayAway(Unavailable):
    """The gateway did not answer, or its answer was not usable."""

    code = "payment_gateway_unavailable"
    title = "The payment gateway is unavailable."
    remedy = "Try again soon."


class NoticeRefused(Problem):
    """The notice was not signed by the gateway, or too long ago."""

    status, code = 400, "payment_notice_refused"
    title = "The gateway's signature is missing, wrong or expired."
    remedy = "Check the webhook secret in the settings."


class EphemeralKey(msgspec.Struct, frozen=True):
    """Opens one account to its owner's app, for a short time."""

    secret: str
    expires_at: datetime | None


class SetupIntent(msgspec.Struct, frozen=True):
    """Lets an app save a card."""

    id: str
    secret: str


class CheckoutWish(msgspec.Struct, frozen=True, kw_only=True):
    """What a page is wanted for; the same wish is the same page, whoever asks for it again."""

    checkout: UUID
    transaction: str
    # What is paid for, in a few words that name nobody.
    title: str
    amount: int
    currency: str
    # Where the payer comes back to; without one, to a page of ours.
    return_url: str | None


class OpenCheckout(msgspec.Struct, frozen=True):
    """A page where somebody may pay until it expires."""

    session: str
    url: str
    expires_at: datetime | None


class RefundWish(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be given back of a payment."""

    own_refund: UUID
    payment: str
    amount: int
    currency: str


class Gateway(Protocol):
    """Keeps customers' cards, and takes and gives back their money.

    A call with an idempotency key that came before answers what it answered then.
    """

    name: str
    publishable_key: str
    # Whether it moves real money.
    live: bool
    # The companies that it serves.
    modes: frozenset[Mode]

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Make an account for a customer, and answer its id."""

    async def delete_customer(self, account: str) -> None:
        """Delete an account with all that is kept there; one that is gone already is gone."""

    async def ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Let an app see one account, in the version of the interface that the app speaks."""

    async def setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Prepare to save a card."""

    async def create_checkout(self, wish: CheckoutWish) -> OpenCheckout:
        """Open a page; asked again for the same checkout, it is the same page."""

    async def expire_checkout(self, session: str, checkout: UUID) -> list[Fact]:
        """Close a page if it is still open, and tell what came of it."""

    async def look_at_checkout(self, session: str) -> list[Fact]:
        """Tell what came of a page, if anything did."""

    async def refund(self, wish: RefundWish) -> Fact:
        """Give money back; asked again for the same refund, it is given back once."""

    async def look_at_refunds(self, payment: str) -> list[Fact]:
        """Tell what was given back of a payment, by whomever."""

    def facts_since(self, since: datetime) -> AsyncIterator[Fact]:
        """Tell what came of all pages and refunds that were made since then."""

    def read_notice(self, headers: Mapping[bytes, bytes], body: bytes, now: datetime) -> list[Fact]:
        """Read what the gateway sends by itself; what is not signed by it is refused."""

    async def close(self) -> None:
        """Hang up."""


def served_modes(*, live: bool, test_serves_live: bool) -> frozenset[Mode]:
    """Tell which companies a gateway serves: real money and test money never mix.

    `test_serves_live` is the installation's word that they may.
    """
    if live:
        return frozenset({"live"})
    return frozenset({"test", "live"} if test_serves_live else {"test"})


def check_mode(gateway: Gateway, mode: Mode) -> None:
    """Refuse a gateway that does not serve companies of a mode."""
    if mode in gateway.modes:
        return
    if gateway.name == "none":
        raise NotConfigured
    if gateway.live:
        raise NotConfigured("The payment gateway is live, but this is a test company.")
    raise GatewayIsTest


class NoGateway:
    """Stands where no gateway is configured, and says so."""

    name, publishable_key, live = "none", "", False
    modes: frozenset[Mode] = frozenset()

    async def create_customer(self, customer: str, idempotency_key: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def delete_customer(self, account: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def ephemeral_key(self, account: str, api_version: str | None) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def setup_intent(self, account: str, idempotency_key: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def create_checkout(self, wish: CheckoutWish) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def expire_checkout(self, session: str, checkout: UUID) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def look_at_checkout(self, session: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def refund(self, wish: RefundWish) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def look_at_refunds(self, payment: str) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    def facts_since(self, since: datetime) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    def read_notice(self, headers: Mapping[bytes, bytes], body: bytes, now: datetime) -> NoReturn:  # noqa: ARG002 - the Protocol's
        """Refuse."""
        raise NotConfigured

    async def close(self) -> None:
        """Have nothing to hang up."""
