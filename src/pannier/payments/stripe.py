"""The Stripe gateway: its own client, with our time limits and our problems.

Of Stripe's errors, only the class, the code and Stripe's request id reach callers and logs, because
its messages may quote keys.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.errors import Field, Invalid, Problem
from pannier.payments import returning, stripe_objects
from pannier.payments.gateway import (
    AccountGone,
    CardRefused,
    CheckoutWish,
    EphemeralKey,
    GatewayAway,
    Misconfigured,
    NotConfigured,
    NoticeRefused,
    OpenCheckout,
    RefundWish,
    Refused,
    SetupIntent,
    served_modes,
)
from pannier.payments.settlement import Fact
from pannier.payments.stripe_objects import (
    OWN_CHECKOUT,
    OWN_REFUND,
    Session,
    StripeRefund,
    to_stripe,
)
from pannier.web.logs import log

if TYPE_CHECKING:
    import stripe
    from stripe import RequestOptions

Read = TypeVar("Read", bound=msgspec.Struct)

A_PAGE: Final = 100
TIME_LIMIT: Final = 8.0
# Stripe's client waits half a second before it retries, with the same idempotency key.
RETRIES: Final = 1
SIGNATURE: Final = b"stripe-signature"
TOLERANCE: Final = timedelta(minutes=5)


class StripeGateway:
    """Calls Stripe. There is one per process, because importing Stripe's client takes long."""

    def __init__(
        self,
        secret_key: str,
        publishable_key: str,
        *,
        notice_secret: str | None = None,
        home: str = "",
        url: str | None = None,
        time_limit: float = TIME_LIMIT,
        retries: int = RETRIES,
        test_serves_live: bool = False,
    ) -> None:
        self.live = "_live_" in secret_key
        self.modes = served_modes(live=self.live, test_serves_live=test_serves_live)
        self.name = "stripe-live" if self.live else "stripe-test"
        self.publishable_key = publishable_key
        self._notice_secret, self._home = notice_secret, home
        # For a call with its retry, so that a slow trickle of bytes ends too.
        self._patience = 2 * time_limit
        self._stripe = load()
        self._http = self._stripe.AIOHTTPClient(timeout=_timeout(time_limit))
        self._client = self._stripe.StripeClient(
            secret_key,
            http_client=self._http,
            base_addresses={"api": url} if url else {},
            max_network_retries=retries,
        )

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Create a customer at Stripe.

        It has our id and no personal data: a repeated key must come with the same parameters, and
        nothing needs to be erased later.
        """
        made = await self._asked(
            self._client.v1.customers.create_async(
                params={"metadata": {"pannier_customer": customer}},
                options={"idempotency_key": idempotency_key},
            )
        )
        return _text(made, "id")

    async def delete_customer(self, account: str) -> None:
        """Delete a customer at Stripe with their cards. Charges stay there."""
        with suppress(AccountGone):
            await self._asked(self._client.v1.customers.delete_async(account))

    async def ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Create a key in the API version of the app's library, which can read no other version."""
        options: RequestOptions = {} if api_version is None else {"stripe_version": api_version}
        made = await self._asked(
            self._client.v1.ephemeral_keys.create_async(
                params={"customer": account}, options=options
            ),
            api_version=api_version,
        )
        return EphemeralKey(_text(made, "secret"), _moment(made, "expires"))

    async def setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Create a setup intent for cards that may be charged later."""
        made = await self._asked(
            self._client.v1.setup_intents.create_async(
                params={"customer": account}, options={"idempotency_key": idempotency_key}
            )
        )
        return SetupIntent(_text(made, "id"), _text(made, "client_secret"))

    async def create_checkout(self, wish: CheckoutWish) -> OpenCheckout:
        """Open a checkout session for the whole amount.

        It has a single line, because Stripe does not support negative lines such as rebates.
        """
        back = wish.return_url or self._home
        own = {OWN_CHECKOUT: str(wish.checkout)}
        currency = wish.currency.lower()
        made = await self._asked(
            self._client.v1.checkout.sessions.create_async(
                params={
                    "mode": "payment",
                    # Otherwise the payer could choose a currency in which nothing is owed.
                    "adaptive_pricing": {"enabled": False},
                    "client_reference_id": str(wish.checkout),
                    "line_items": [
                        {
                            "quantity": 1,
                            "price_data": {
                                "currency": currency,
                                "unit_amount": to_stripe(wish.amount, wish.currency),
                                "product_data": {"name": wish.title},
                            },
                        }
                    ],
                    "success_url": returning.with_outcome(back, wish.transaction, "done"),
                    "cancel_url": returning.with_outcome(back, wish.transaction, "canceled"),
                    "metadata": own,
                    "payment_intent_data": {"metadata": own},
                },
                options={"idempotency_key": f"checkout-{wish.checkout}"},
            )
        )
        return OpenCheckout(_text(made, "id"), _text(made, "url"), _moment(made, "expires_at"))

    async def expire_checkout(self, session: str, checkout: UUID) -> list[Fact]:  # noqa: ARG002 - the Protocol's
        """Close a session. Stripe refuses if it was paid or has expired already."""
        with suppress(Refused):
            await self._asked(self._client.v1.checkout.sessions.expire_async(session))
        return await self.look_at_checkout(session)

    async def look_at_checkout(self, session: str) -> list[Fact]:
        """Fetch a session's outcome."""
        told = await self._asked(
            self._client.v1.checkout.sessions.retrieve_async(
                session, params={"expand": ["payment_intent"]}
            )
        )
        return stripe_objects.session_facts(_read(told, Session))

    async def refund(self, wish: RefundWish) -> Fact:
        made = await self._asked(
            self._client.v1.refunds.create_async(
                params={
                    "payment_intent": wish.payment,
                    "amount": to_stripe(wish.amount, wish.currency),
                    "metadata": {OWN_REFUND: str(wish.own_refund)},
                },
                options={"idempotency_key": f"refund-{wish.own_refund}"},
            )
        )
        for fact in stripe_objects.refund_facts(_read(made, StripeRefund)):
            return fact
        raise GatewayAway

    async def look_at_refunds(self, payment: str) -> list[Fact]:

        def ask(after: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            asked: Any = {"payment_intent": payment, "limit": A_PAGE, **after}
            return self._client.v1.refunds.list_async(params=asked)

        return [
            fact
            async for refund in self._every(ask, StripeRefund)
            for fact in stripe_objects.refund_facts(refund)
        ]

    async def facts_since(self, since: datetime) -> AsyncIterator[Fact]:
        """Yield the facts of all sessions and refunds created since then, page by page."""
        made: Any = {"created": {"gte": int(since.timestamp())}, "limit": A_PAGE}

        def sessions(after: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            asked: Any = {**made, **after, "expand": ["data.payment_intent"]}
            return self._client.v1.checkout.sessions.list_async(params=asked)

        def refunds(after: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            return self._client.v1.refunds.list_async(params={**made, **after})

        async for session in self._every(sessions, Session):
            for fact in stripe_objects.session_facts(session):
                yield fact
        async for refund in self._every(refunds, StripeRefund):
            for fact in stripe_objects.refund_facts(refund):
                yield fact

    async def _every(
        self, ask: Callable[[dict[str, str]], Awaitable[object]], into: type[Read]
    ) -> AsyncIterator[Read]:
        """Yield all objects of a Stripe list. Each page has its own time limit."""
        after: dict[str, str] = {}
        more = True
        while more:
            page = await self._asked(ask(after))
            things = getattr(page, "data", None) or []
            for thing in things:
                yield _read(thing, into)
            more = bool(getattr(page, "has_more", False)) and bool(things)
            after = {"starting_after": _text(things[-1], "id")} if things else {}

    def read_notice(self, headers: Mapping[bytes, bytes], body: bytes, now: datetime) -> list[Fact]:
        """Parse a notice that Stripe has signed."""
        if self._notice_secret is None:
            raise NotConfigured("PANNIER_STRIPE_WEBHOOK_SECRET is not set.")
        self._verify(self._notice_secret, headers, body, now)
        return stripe_objects.facts_of_notice(body, live=self.live)

    def _verify(
        self, secret: str, headers: Mapping[bytes, bytes], body: bytes, now: datetime
    ) -> None:
        """Refuse a notice that Stripe did not sign with this secret in the last five minutes.

        Stripe's client checks the signature. We check the age against the application's clock.
        """
        header = headers.get(SIGNATURE, b"").decode("latin-1")
        try:
            self._stripe.WebhookSignature.verify_header(body, header, secret)
        # Stripe's client expects an ASCII header and a UTF-8 body.
        except (self._stripe.SignatureVerificationError, TypeError, UnicodeDecodeError):
            raise NoticeRefused from None
        # The first timestamp, which Stripe's client also uses.
        signed_at = next(part for part in header.split(",") if part.startswith("t=")).split("=")[1]
        if abs(now.timestamp() - int(signed_at)) > TOLERANCE.total_seconds():
            raise NoticeRefused

    async def close(self) -> None:
        await self._http.close_async()

    async def _asked(self, call: Awaitable[object], *, api_version: str | None = None) -> object:
        """Await an answer within the time limit. Convert any failure to a problem."""
        try:
            async with asyncio.timeout(self._patience):
                return await call
        except Exception as wrong:  # noqa: BLE001 - a garbled answer breaks their client anywhere
            refusal = self._translated(wrong, api_version)
            _note(wrong, refusal)
            raise refusal from None

    def _translated(self, wrong: Exception, api_version: str | None) -> Problem:
        """Return our problem for a failure of Stripe or the network."""
        kinds = self._stripe
        match wrong:
            case kinds.CardError():
                return CardRefused()
            case kinds.AuthenticationError() | kinds.PermissionError():
                return Misconfigured()
            case kinds.InvalidRequestError():
                return _invalid(wrong, api_version)
            # The same key with other parameters. During its first call, Stripe raises APIError
            # instead.
            case kinds.IdempotencyError():
                return Refused()
        return GatewayAway()


def _invalid(wrong: "stripe.InvalidRequestError", api_version: str | None) -> Problem:
    if wrong.code == "resource_missing" and wrong.param in {"customer", "id"}:
        return AccountGone()
    # Stripe has no code for an unknown version, only a message.
    if api_version is not None and "version" in (wrong.user_message or "").lower():
        return Invalid(fields=[Field("api_version", "The gateway does not support this version.")])
    return Refused()


def _note(wrong: Exception, refusal: Problem) -> None:
    log.warning(
        "payment gateway failed",
        kind=type(wrong).__name__,
        refusal=refusal.code,
        reason=getattr(wrong, "code", None),
        status=getattr(wrong, "http_status", None),
        gateway_request=getattr(wrong, "request_id", None),
    )


def _text(answer: object, name: str) -> str:
    """Return a text that the answer must have."""
    value = getattr(answer, name, None)
    if not isinstance(value, str) or not value:
        raise GatewayAway
    return value


def _read(answer: Any, into: type[Read]) -> Read:  # noqa: ANN401 - an object of Stripe's client
    """Convert an answer to our type. An incomplete answer counts as an outage."""
    try:
        return msgspec.convert(answer.to_dict(), into)
    except (msgspec.ValidationError, AttributeError):
        raise GatewayAway from None


def _moment(answer: object, name: str) -> datetime | None:
    value = getattr(answer, name, None)
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else None


def _timeout(seconds: float) -> object:
    from aiohttp import ClientTimeout  # noqa: PLC0415 - as below

    return ClientTimeout(total=seconds)


@lru_cache(maxsize=1)
def load() -> Any:  # noqa: ANN401 - a module
    """Import Stripe's client, without its telemetry and verbose logging."""
    os.environ.pop("STRIPE_LOG", None)
    import stripe  # noqa: PLC0415 - it takes half a second, and few installations need it

    stripe.enable_telemetry = False
    logging.getLogger("stripe").setLevel(logging.WARNING)
    return stripe
