"""Payments."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.delivery import DeliverySettings


class PaymentSettings(DeliverySettings, frozen=True, kw_only=True):
    """Payments."""

    payments: Annotated[
        Literal["none", "fake", "stripe"],
        Meta(
            description="Payment gateway: `none`, `fake` (for development, without network "
            "or money) or `stripe`."
        ),
    ] = "none"
    test_payments_on_live: Annotated[
        bool,
        Meta(
            description="Whether live companies can use a test gateway (`fake`, or Stripe "
            "with test keys). Their orders are then marked paid without a real "
            "payment."
        ),
    ] = False
    stripe_secret_key: Annotated[
        str | None,
        Meta(
            description="Stripe secret or restricted key, `sk_…` or `rk_…`. Required for `stripe`."
        ),
    ] = None
    stripe_publishable_key: Annotated[
        str | None, Meta(description="Stripe publishable key, `pk_…`. Visible to all apps.")
    ] = None
    stripe_webhook_secret: Annotated[
        str | None,
        Meta(
            description="Signing secret of the Stripe webhook for `<base "
            "URL>/payments/stripe/notices`, `whsec_…`. Unset: payments are "
            "detected by polling, hours later."
        ),
    ] = None
    stripe_url: Annotated[
        str | None,
        Meta(
            description="URL of the Stripe API for tests: `https://…`, or `http://` on this "
            "machine. Unset: Stripe's production API."
        ),
    ] = None
