"""A gateway for development, without network or money. It is deterministic."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.kit.clock import Clock
from pannier.payments.gateway import (
    CheckoutRequest,
    EphemeralKey,
    GatewayNotConfigured,
    NoticeRefused,
    OpenCheckout,
    RefundRequest,
    SetupIntent,
    list_served_modes,
)
from pannier.payments.settlement import GatewayFact

KEY_LIFETIME: Final = timedelta(hours=1)
PAGE_LIFETIME: Final = timedelta(hours=24)


class FakeGateway:
    """A stateless imitation of Stripe's test mode."""

    name, publishable_key, live = "fake", "pk_test_fake", False

    def __init__(
        self,
        clock: Clock,
        base_url: str = "http://127.0.0.1:8000",
        *,
        test_serves_live: bool = False,
    ) -> None:
        self._clock, self._base_url = clock, base_url.rstrip("/")
        self.modes = list_served_modes(live=self.live, test_serves_live=test_serves_live)

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        return f"cus_fake{_compute_digest(customer, idempotency_key)[:14]}"

    async def delete_customer(self, account: str) -> None:
        """Do nothing, because no accounts are stored."""

    async def create_ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        now = self._clock.now()
        secret = _compute_digest(account, api_version or "", now.isoformat())
        return EphemeralKey(f"ek_test_fake{secret[:40]}", now + KEY_LIFETIME)

    async def create_setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Create an intent. The same key creates the same one."""
        digest = _compute_digest(account, idempotency_key)
        name = f"seti_fake{digest[:20]}"
        return SetupIntent(name, f"{name}_secret_fake{digest[20:40]}")

    async def create_checkout(self, request: CheckoutRequest) -> OpenCheckout:
        """Create a page, which `pages.py` shows. Anybody who knows its URL can pay."""
        session = f"cs_fake{_compute_digest(str(request.checkout))[:40]}"
        url = f"{self._base_url}/payments/fake/{session}"
        return OpenCheckout(session, url, self._clock.now() + PAGE_LIFETIME)

    async def expire_checkout(self, session: str, checkout: UUID) -> list[GatewayFact]:  # noqa: ARG002 - the Protocol's
        """Close a page. If it was paid, the payment was recorded at that time."""
        return [GatewayFact(kind="expired", checkout=checkout)]

    async def fetch_checkout(self, session: str) -> list[GatewayFact]:  # noqa: ARG002 - the Protocol's
        """Return nothing: the outcome of a page was recorded at that time."""
        return []

    async def refund(self, request: RefundRequest) -> GatewayFact:
        """Refund immediately."""
        return GatewayFact(
            kind="refund",
            payment=request.payment,
            amount=request.amount,
            currency=request.currency,
            refund=f"re_fake{_compute_digest(str(request.own_refund))[:20]}",
            own_refund=request.own_refund,
            refund_state="succeeded",
        )

    async def fetch_refunds(self, payment: str) -> list[GatewayFact]:  # noqa: ARG002 - the Protocol's
        """Return nothing: refunds are recorded at once."""
        return []

    def list_facts(self, since: datetime) -> AsyncIterator[GatewayFact]:  # noqa: ARG002 - the Protocol's
        """Raise, because the fake gateway has no records."""
        raise GatewayNotConfigured("The fake gateway has no records to compare with.")

    def parse_notice(
        self,
        headers: Mapping[bytes, bytes],  # noqa: ARG002 - the Protocol's
        body: bytes,  # noqa: ARG002 - the Protocol's
        now: datetime,  # noqa: ARG002 - the Protocol's
    ) -> list[GatewayFact]:
        """Refuse every notice, because the fake gateway sends none."""
        raise NoticeRefused

    async def close(self) -> None:
        """Do nothing, because there is no connection."""


def make_payment(checkout: UUID, amount: int, currency: str) -> GatewayFact:
    """Return the fact that a page was paid."""
    payment = f"pi_fake{_compute_digest(str(checkout))[:20]}"
    return GatewayFact(
        kind="paid", checkout=checkout, payment=payment, amount=amount, currency=currency
    )


def _compute_digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
