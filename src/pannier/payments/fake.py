"""A gateway for development, without network or money. It is deterministic."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.kit.clock import Clock
from pannier.payments.gateway import (
    CheckoutWish,
    EphemeralKey,
    NotConfigured,
    NoticeRefused,
    OpenCheckout,
    RefundWish,
    SetupIntent,
    served_modes,
)
from pannier.payments.settlement import Fact

KEY_LIFE: Final = timedelta(hours=1)
PAGE_LIFE: Final = timedelta(hours=24)


class FakeGateway:
    """Imitates Stripe's test mode, without any state."""

    name, publishable_key, live = "fake", "pk_test_fake", False

    def __init__(
        self,
        clock: Clock,
        base_url: str = "http://127.0.0.1:8000",
        *,
        test_serves_live: bool = False,
    ) -> None:
        self._clock, self._base_url = clock, base_url.rstrip("/")
        self.modes = served_modes(live=self.live, test_serves_live=test_serves_live)

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        return f"cus_fake{_digest(customer, idempotency_key)[:14]}"

    async def delete_customer(self, account: str) -> None:
        """Do nothing, because no accounts are stored."""

    async def ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        now = self._clock.now()
        secret = _digest(account, api_version or "", now.isoformat())
        return EphemeralKey(f"ek_test_fake{secret[:40]}", now + KEY_LIFE)

    async def setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Create an intent. The same key creates the same one."""
        digest = _digest(account, idempotency_key)
        name = f"seti_fake{digest[:20]}"
        return SetupIntent(name, f"{name}_secret_fake{digest[20:40]}")

    async def create_checkout(self, wish: CheckoutWish) -> OpenCheckout:
        """Create a page, which `pages.py` shows. Anybody who knows its URL can pay."""
        session = f"cs_fake{_digest(str(wish.checkout))[:40]}"
        url = f"{self._base_url}/payments/fake/{session}"
        return OpenCheckout(session, url, self._clock.now() + PAGE_LIFE)

    async def expire_checkout(self, session: str, checkout: UUID) -> list[Fact]:  # noqa: ARG002 - the Protocol's
        """Close a page. If it was paid, the payment was recorded at that time."""
        return [Fact(kind="expired", checkout=checkout)]

    async def look_at_checkout(self, session: str) -> list[Fact]:  # noqa: ARG002 - the Protocol's
        """Return nothing: the outcome of a page was recorded at that time."""
        return []

    async def refund(self, wish: RefundWish) -> Fact:
        """Refund immediately."""
        return Fact(
            kind="refund",
            payment=wish.payment,
            amount=wish.amount,
            currency=wish.currency,
            refund=f"re_fake{_digest(str(wish.own_refund))[:20]}",
            own_refund=wish.own_refund,
            refund_state="succeeded",
        )

    async def look_at_refunds(self, payment: str) -> list[Fact]:  # noqa: ARG002 - the Protocol's
        """Return nothing: refunds are recorded at once."""
        return []

    def facts_since(self, since: datetime) -> AsyncIterator[Fact]:  # noqa: ARG002 - the Protocol's
        """Raise, because the fake gateway has no records."""
        raise NotConfigured("The fake gateway has no records to compare with.")

    def read_notice(
        self,
        headers: Mapping[bytes, bytes],  # noqa: ARG002 - the Protocol's
        body: bytes,  # noqa: ARG002 - the Protocol's
        now: datetime,  # noqa: ARG002 - the Protocol's
    ) -> list[Fact]:
        """Refuse every notice, because the fake gateway sends none."""
        raise NoticeRefused

    async def close(self) -> None:
        """Do nothing, because there is no connection."""


def paid(checkout: UUID, amount: int, currency: str) -> Fact:
    """Return the fact that a page was paid."""
    payment = f"pi_fake{_digest(str(checkout))[:20]}"
    return Fact(kind="paid", checkout=checkout, payment=payment, amount=amount, currency=currency)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
