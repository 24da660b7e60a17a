"""Payments."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.delivery import DeliverySettings


class PaymentSettings(DeliverySettings, frozen=True, kw_only=True):
    """Payments."""

    payments: Annotated[
        Literal["none", "fake", "stripe"],
        Meta(
            description="The payment gateway: `none`, `fake` (for development: no network, no "
            "money) or `stripe`."
        ),
    ] = "none"
    test_payments_on_live: Annotated[
        bool,
        Meta(
            description="Whether a test gateway (`fake`, or Stripe with test keys) serves live "
            "companies too. Their orders then count as paid although no money was taken."
        ),
    ] = False
    stripe_secret_key: Annotated[
        str | None,
        Meta(description="Stripe's secret or restricted key, `sk_…` or `rk_…`; for `stripe`."),
    ] = None
    stripe_publishable_key: Annotated[
        str | None, Meta(description="Stripe's publishable key, `pk_…`; every app is shown it.")
    ] = None
    stripe_webhook_secret: Annotated[
        str | None,
        Meta(
            description="The signing secret of Stripe's endpoint for "
            "`<base URL>/payments/stripe/notices`, `whsec_…`. Unset: what was paid is found out "
            "by asking, hours later."
        ),
    ] = None
    stripe_url: Annotated[
        str | None,
        Meta(
            description="Another address of Stripe's API, for tests: `https://…`, or `http://` on "
            "this machine. Unset: Stripe's own."
        ),
    ] = None
