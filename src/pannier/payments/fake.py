"""A gateway for development: no network and no money, and the same answer to the same question."""

import hashlib
from datetime import timedelta
from typing import Final

from pannier.kit.clock import Clock
from pannier.payments.gateway import EphemeralKey, SetupIntent

KEY_LIFE: Final = timedelta(hours=1)


class FakeGateway:
    """Makes up what Stripe's test mode would answer, and remembers nothing."""

    name, publishable_key, live = "fake", "pk_test_fake", False

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def create_customer(self, customer: str, idempotency_key: str) -> str:
        """Derive an account from who it is for."""
        return f"cus_fake{_digest(customer, idempotency_key)[:14]}"

    async def delete_customer(self, account: str) -> None:
        """Forget an account, which it never remembered."""

    async def ephemeral_key(self, account: str, api_version: str | None) -> EphemeralKey:
        """Make up a key that looks like one."""
        now = self._clock.now()
        secret = _digest(account, api_version or "", now.isoformat())
        return EphemeralKey(f"ek_test_fake{secret[:40]}", now + KEY_LIFE)

    async def setup_intent(self, account: str, idempotency_key: str) -> SetupIntent:
        """Make up an intent; the same key makes the same one."""
        digest = _digest(account, idempotency_key)
        name = f"seti_fake{digest[:20]}"
        return SetupIntent(name, f"{name}_secret_fake{digest[20:40]}")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
