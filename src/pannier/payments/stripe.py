"""The Stripe gateway: Stripe's client, with Pannier's time limits and errors.

Only the class, the code and the request id of Stripe's errors reach callers and logs, because the
messages may quote keys.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.errors import FieldError, Invalid, Problem
from pannier.payments import return_urls, stripe_objects
from pannier.payments.gateway import (
    AccountGone,
    BeforeRequest,
    CardRefused,
    CheckoutRequest,
    EphemeralKey,
    GatewayMisconfigured,
    GatewayNotConfigured,
    GatewayRefused,
    GatewayUnavailable,
    NoticeRefused,
    OpenCheckout,
    RefundRequest,
    SetupIntent,
    allow_request,
    list_served_modes,
)
from pannier.payments.settlement import GatewayFact
from pannier.payments.stripe_objects import (
    OWN_CHECKOUT,
    OWN_REFUND,
    StripeDispute,
    StripeRefund,
    StripeSession,
    to_stripe,
)
from pannier.web.logs import log

if TYPE_CHECKING:
    import stripe
    from stripe import RequestOptions

StripeObject = TypeVar("StripeObject", bound=msgspec.Struct)
LoadPage = Callable[[dict[str, str]], Coroutine[Any, Any, object]]

PAGE_SIZE: Final = 100
TIMEOUT_SECONDS: Final = 8.0
# Stripe's client waits half a second before it retries, with the same idempotency key.
MAX_RETRIES: Final = 1
SIGNATURE_HEADER: Final = b"stripe-signature"
MAX_NOTICE_AGE: Final = timedelta(minutes=5)


class StripeGateway:
    """The Stripe gateway. There is one per process, because importing its client takes long."""

    def __init__(
        self,
        secret_key: str,
        publishable_key: str,
        *,
        notice_secret: str | None = None,
        default_return_url: str = "",
        url: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retries: int = MAX_RETRIES,
        test_serves_live: bool = False,
        before_request: BeforeRequest = allow_request,
    ) -> None:
        self._before_request = before_request
        self.live = "_live_" in secret_key
        self.modes = list_served_modes(live=self.live, test_serves_live=test_serves_live)
        self.name = "stripe-live" if self.live else "stripe-test"
        self.publishable_key = publishable_key
        self._notice_secret, self._default_return_url = notice_secret, default_return_url
        # Limits a call with its retry, also if bytes arrive slowly.
        self._total_seconds = 2 * timeout_seconds
        self._stripe = load_client()
        self._http = self._stripe.AIOHTTPClient(timeout=_make_timeout(timeout_seconds))
        self._client = self._stripe.StripeClient(
            secret_key,
            http_client=self._http,
            base_addresses={"api": url} if url else {},
            max_network_retries=retries,
        )

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Create a customer at Stripe.

        It has Pannier's id and no personal data: a repeated key requires the same parameters, and
        nothing needs to be erased later.
        """
        customer_object = await self._await_response(
            self._client.v1.customers.create_async(
                params={"metadata": {"pannier_customer": customer}},
                options={"idempotency_key": idempotency_key},
            )
        )
        return _get_text(customer_object, "id")

    async def delete_customer(self, account: str) -> None:
        """Delete a customer at Stripe with their cards. Charges stay there."""
        with suppress(AccountGone):
            await self._await_response(self._client.v1.customers.delete_async(account))

    async def create_ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Create a key in the API version of the app's library, which can read no other version."""
        options: RequestOptions = {} if api_version is None else {"stripe_version": api_version}
        key_object = await self._await_response(
            self._client.v1.ephemeral_keys.create_async(
                params={"customer": account}, options=options
            ),
            api_version=api_version,
        )
        return EphemeralKey(_get_text(key_object, "secret"), _get_time(key_object, "expires"))

    async def create_setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Create a setup intent for cards that may be charged later."""
        intent = await self._await_response(
            self._client.v1.setup_intents.create_async(
                params={"customer": account}, options={"idempotency_key": idempotency_key}
            )
        )
        return SetupIntent(_get_text(intent, "id"), _get_text(intent, "client_secret"))

    async def create_checkout(self, request: CheckoutRequest) -> OpenCheckout:
        """Open a checkout session for the whole amount.

        It has a single line, because Stripe does not support negative lines such as rebates.
        """
        return_url = request.return_url or self._default_return_url
        metadata = {OWN_CHECKOUT: str(request.checkout)}
        currency = request.currency.lower()
        session = await self._await_response(
            self._client.v1.checkout.sessions.create_async(
                params={
                    "mode": "payment",
                    # Otherwise the payer could choose a currency in which nothing is owed.
                    "adaptive_pricing": {"enabled": False},
                    "client_reference_id": str(request.checkout),
                    "line_items": [
                        {
                            "quantity": 1,
                            "price_data": {
                                "currency": currency,
                                "unit_amount": to_stripe(request.amount, request.currency),
                                "product_data": {"name": request.title},
                            },
                        }
                    ],
                    "success_url": return_urls.add_outcome(return_url, request.transaction, "done"),
                    "cancel_url": return_urls.add_outcome(
                        return_url, request.transaction, "canceled"
                    ),
                    "metadata": metadata,
                    "payment_intent_data": {"metadata": metadata},
                },
                options={"idempotency_key": f"checkout-{request.checkout}"},
            )
        )
        return OpenCheckout(
            _get_text(session, "id"), _get_text(session, "url"), _get_time(session, "expires_at")
        )

    async def expire_checkout(self, session: str, checkout: UUID) -> list[GatewayFact]:  # noqa: ARG002 - the Protocol's
        """Close a session. Stripe refuses if it was paid or has expired already."""
        with suppress(GatewayRefused):
            await self._await_response(self._client.v1.checkout.sessions.expire_async(session))
        return await self.fetch_checkout(session)

    async def fetch_checkout(self, session: str) -> list[GatewayFact]:
        """Fetch a session's outcome."""
        session_object = await self._await_response(
            self._client.v1.checkout.sessions.retrieve_async(
                session, params={"expand": ["payment_intent"]}
            )
        )
        return stripe_objects.to_session_facts(_convert_object(session_object, StripeSession))

    async def refund(self, request: RefundRequest) -> GatewayFact:
        refund_object = await self._await_response(
            self._client.v1.refunds.create_async(
                params={
                    "payment_intent": request.payment,
                    "amount": to_stripe(request.amount, request.currency),
                    "metadata": {OWN_REFUND: str(request.own_refund)},
                },
                options={"idempotency_key": f"refund-{request.own_refund}"},
            )
        )
        for fact in stripe_objects.to_refund_facts(_convert_object(refund_object, StripeRefund)):
            return fact
        raise GatewayUnavailable

    async def fetch_refunds(self, payment: str) -> list[GatewayFact]:

        def list_page(cursor: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            params: Any = {"payment_intent": payment, "limit": PAGE_SIZE, **cursor}
            return self._client.v1.refunds.list_async(params=params)

        return [
            fact
            async for refund in self._list_all(list_page, StripeRefund)
            for fact in stripe_objects.to_refund_facts(refund)
        ]

    async def list_facts(self, since: datetime) -> AsyncIterator[GatewayFact]:
        """Yield the facts of sessions, refunds and disputes created since then, page by page."""
        created_since: Any = {"created": {"gte": int(since.timestamp())}, "limit": PAGE_SIZE}

        def list_sessions(cursor: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            params: Any = {**created_since, **cursor, "expand": ["data.payment_intent"]}
            return self._client.v1.checkout.sessions.list_async(params=params)

        def list_refunds(cursor: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            return self._client.v1.refunds.list_async(params={**created_since, **cursor})

        async for session in self._list_all(list_sessions, StripeSession):
            for fact in stripe_objects.to_session_facts(session):
                yield fact
        async for refund in self._list_all(list_refunds, StripeRefund):
            for fact in stripe_objects.to_refund_facts(refund):
                yield fact
        async for fact in self._list_disputes(created_since):
            yield fact

    async def _list_disputes(self, created_since: dict[str, Any]) -> AsyncIterator[GatewayFact]:
        """Yield the facts of disputes. A restricted key may not be allowed to read them."""

        def list_page(cursor: dict[str, str]) -> Any:  # noqa: ANN401 - of Stripe's client
            params: Any = {**created_since, **cursor}
            return self._client.v1.disputes.list_async(params=params)

        with suppress(GatewayMisconfigured):
            async for dispute in self._list_all(list_page, StripeDispute):
                for fact in stripe_objects.to_dispute_facts(dispute):
                    yield fact

    async def _list_all(
        self,
        load_page: LoadPage,
        schema: type[StripeObject],
    ) -> AsyncIterator[StripeObject]:
        """Yield all objects of a Stripe list. Each page has its own time limit."""
        cursor: dict[str, str] = {}
        has_more = True
        while has_more:
            page = await self._await_response(load_page(cursor))
            items = getattr(page, "data", None) or []
            for item in items:
                yield _convert_object(item, schema)
            has_more = bool(getattr(page, "has_more", False)) and bool(items)
            cursor = {"starting_after": _get_text(items[-1], "id")} if items else {}

    def parse_notice(
        self, headers: Mapping[bytes, bytes], body: bytes, now: datetime
    ) -> list[GatewayFact]:
        """Parse a notice that Stripe has signed."""
        if self._notice_secret is None:
            raise GatewayNotConfigured("PANNIER_STRIPE_WEBHOOK_SECRET is not set.")
        self._verify_signature(self._notice_secret, headers, body, now)
        return stripe_objects.parse_notice(body, live=self.live)

    def _verify_signature(
        self, secret: str, headers: Mapping[bytes, bytes], body: bytes, now: datetime
    ) -> None:
        """Refuse a notice that Stripe did not sign with this secret in the last five minutes.

        Stripe's client checks the signature. The age is checked here, by the application's clock.
        """
        header = headers.get(SIGNATURE_HEADER, b"").decode("latin-1")
        try:
            self._stripe.WebhookSignature.verify_header(body, header, secret)
        # Stripe's client expects an ASCII header and a UTF-8 body.
        except (self._stripe.SignatureVerificationError, TypeError, UnicodeDecodeError):
            raise NoticeRefused from None
        # The first timestamp, which Stripe's client also uses.
        signed_at = next(part for part in header.split(",") if part.startswith("t=")).split("=")[1]
        if abs(now.timestamp() - int(signed_at)) > MAX_NOTICE_AGE.total_seconds():
            raise NoticeRefused

    async def close(self) -> None:
        await self._http.close_async()

    async def _await_response(
        self, call: Coroutine[Any, Any, object], *, api_version: str | None = None
    ) -> object:
        """Await a response within the time limit. Convert any failure to a problem."""
        try:
            await self._before_request()
        except BaseException:
            call.close()
            raise
        try:
            async with asyncio.timeout(self._total_seconds):
                return await call
        except Exception as error:  # noqa: BLE001 - Stripe's client may raise anything for an invalid response
            problem = self._to_problem(error, api_version)
            _log_failure(error, problem)
            raise problem from None

    def _to_problem(self, error: Exception, api_version: str | None) -> Problem:
        """Convert a failure of Stripe or the network to a problem."""
        errors = self._stripe
        match error:
            case errors.CardError():
                return CardRefused()
            case errors.AuthenticationError() | errors.PermissionError():
                return GatewayMisconfigured()
            case errors.InvalidRequestError():
                return _to_invalid_problem(error, api_version)
            # The same key with other parameters. During its first call, Stripe raises APIError
            # instead.
            case errors.IdempotencyError():
                return GatewayRefused()
        return GatewayUnavailable()


def _to_invalid_problem(error: "stripe.InvalidRequestError", api_version: str | None) -> Problem:
    if error.code == "resource_missing" and error.param in {"customer", "id"}:
        return AccountGone()
    # Stripe has no code for an unknown version, only a message.
    if api_version is not None and "version" in (error.user_message or "").lower():
        return Invalid(
            fields=[FieldError("api_version", "The gateway does not support this version.")]
        )
    return GatewayRefused()


def _log_failure(error: Exception, problem: Problem) -> None:
    log.warning(
        "payment gateway failed",
        kind=type(error).__name__,
        refusal=problem.code,
        reason=getattr(error, "code", None),
        status=getattr(error, "http_status", None),
        gateway_request=getattr(error, "request_id", None),
    )


def _get_text(response: object, name: str) -> str:
    """Return a required text of a response."""
    value = getattr(response, name, None)
    if not isinstance(value, str) or not value:
        raise GatewayUnavailable
    return value


def _convert_object(response: Any, schema: type[StripeObject]) -> StripeObject:  # noqa: ANN401 - an object of Stripe's client
    """Convert a response to a type. An incomplete response counts as an outage."""
    try:
        return msgspec.convert(response.to_dict(), schema)
    except (msgspec.ValidationError, AttributeError):
        raise GatewayUnavailable from None


def _get_time(response: object, name: str) -> datetime | None:
    value = getattr(response, name, None)
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else None


def _make_timeout(seconds: float) -> object:
    from aiohttp import ClientTimeout  # noqa: PLC0415 - as below

    return ClientTimeout(total=seconds)


@lru_cache(maxsize=1)
def load_client() -> Any:  # noqa: ANN401 - a module
    """Import Stripe's client, without its telemetry and verbose logging."""
    os.environ.pop("STRIPE_LOG", None)
    import stripe  # noqa: PLC0415 - it takes half a second, and few installations need it

    stripe.enable_telemetry = False
    logging.getLogger("stripe").setLevel(logging.WARNING)
    return stripe
