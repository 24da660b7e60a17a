"""What a payment gateway does for us, and how it refuses."""

from datetime import datetime
from typing import NoReturn, Protocol

import msgspec

from pannier.errors import Conflict, Invalid, Unavailable


class NotConfigured(Conflict):
    """There is no payment gateway, or none for a company of this mode."""

    code = "payment_gateway_not_configured"
    title = "No payment gateway is configured."


class Misconfigured(Conflict):
    """The gateway does not take the key it is given; its operator must look at the settings."""

    code = "payment_gateway_misconfigured"
    title = "The payment gateway does not accept this installation's keys."


class Refused(Conflict):
    """The gateway understood, and does not do this."""

    code = "payment_gateway_refused"
    title = "The payment gateway refused the request."


class AccountGone(Conflict):
    """The gateway does not know the customer's account any more."""

    code = "payment_account_gone"
    title = "The payment gateway does not know this customer any more."


class CardRefused(Invalid):
    """The gateway does not take the card."""

    code = "payment_refused"
    title = "The card was refused."


class GatewayAway(Unavailable):
    """The gateway did not answer, answered nonsense, or is too busy."""

    status, code = 503, "payment_gateway_unavailable"
    title = "The payment gateway is away for the moment; try again soon."


class EphemeralKey(msgspec.Struct, frozen=True):
    """Opens one account to its owner's app, for a short time."""

    secret: str
    expires_at: datetime | None


class SetupIntent(msgspec.Struct, frozen=True):
    """Lets an app save a card."""

    id: str
    secret: str


class Gateway(Protocol):
    """Keeps customers' cards.

    A call with an idempotency key that came before answers what it answered then.
    """

    name: str
    publishable_key: str
    # Whether it moves real money.
    live: bool

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Make an account for a customer, and answer its id."""

    async def delete_customer(self, account: str) -> None:
        """Delete an account with all that is kept there; one that is gone already is gone."""

    async def ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Let an app see one account, in the version of the interface that the app speaks."""

    async def setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Prepare to save a card."""


class NoGateway:
    """Stands where no gateway is configured, and says so."""

    name, publishable_key, live = "none", "", False

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
