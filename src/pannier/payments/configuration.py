"""The gateway that the settings select, and validation of its keys."""

import re
from typing import Final
from urllib.parse import urlsplit

from pannier.kit.clock import Clock
from pannier.payments.fake import FakeGateway
from pannier.payments.gateway import BeforeRequest, Gateway, NoGateway, allow_request
from pannier.payments.return_urls import is_loopback
from pannier.payments.stripe import StripeGateway
from pannier.settings import Settings, SettingsError

SECRET_KEY: Final = re.compile(r"(?:sk|rk)_(live|test)_[0-9A-Za-z_]+")
NOTICE_SECRET: Final = re.compile(r"whsec_[0-9A-Za-z_+/=]+")
PUBLISHABLE_KEY: Final = re.compile(r"pk_(live|test)_[0-9A-Za-z_]+")


def make_gateway(
    settings: Settings, clock: Clock, *, before_request: BeforeRequest = allow_request
) -> Gateway:
    """Create the gateway that the settings select.

    `before_request` runs before each request to another system, and can refuse it.
    """
    check_settings(settings)
    match settings.payments:
        case "fake":
            return FakeGateway(
                clock, settings.base_url, test_serves_live=settings.test_payments_on_live
            )
        case "stripe":
            return StripeGateway(
                settings.stripe_secret_key or "",
                settings.stripe_publishable_key or "",
                notice_secret=settings.stripe_webhook_secret,
                default_return_url=f"{settings.base_url.rstrip('/')}/payments/done",
                url=settings.stripe_url,
                test_serves_live=settings.test_payments_on_live,
                before_request=before_request,
            )
    return NoGateway()


def is_test_gateway(settings: Settings) -> bool:
    """Return whether the settings select a gateway that moves no real money."""
    if settings.payments == "stripe":
        match = SECRET_KEY.fullmatch(settings.stripe_secret_key or "")
        return match is not None and match[1] == "test"
    return settings.payments == "fake"


def check_settings(settings: Settings) -> None:
    """Reject invalid keys and URLs. The error must not contain any part of them."""
    if settings.payments != "stripe":
        return
    secret_match = SECRET_KEY.fullmatch(settings.stripe_secret_key or "")
    public_match = PUBLISHABLE_KEY.fullmatch(settings.stripe_publishable_key or "")
    if secret_match is None:
        raise SettingsError(
            "PANNIER_STRIPE_SECRET_KEY is missing or invalid. Set it to Stripe's sk_… or rk_… key."
        )
    # A secret key in place of the publishable one would be shown to every app.
    if public_match is None:
        raise SettingsError(
            "PANNIER_STRIPE_PUBLISHABLE_KEY is missing or invalid. Set it to Stripe's pk_… key."
        )
    if secret_match[1] != public_match[1]:
        raise SettingsError(
            "PANNIER_STRIPE_PUBLISHABLE_KEY and PANNIER_STRIPE_SECRET_KEY do not match. Set both "
            "to live keys, or both to test keys."
        )
    if not NOTICE_SECRET.fullmatch(settings.stripe_webhook_secret or "whsec_none"):
        raise SettingsError(
            "PANNIER_STRIPE_WEBHOOK_SECRET is invalid. Set it to the endpoint's whsec_… secret."
        )
    if settings.stripe_url is not None and not _is_trusted(settings.stripe_url):
        raise SettingsError(
            "PANNIER_STRIPE_URL is invalid. Set it to https://host, or to http:// on this machine."
        )


def _is_trusted(url: str) -> bool:
    """Return whether keys may be sent to a URL. Over a network they need TLS."""
    try:
        parts = urlsplit(url)
        is_bare = parts.hostname and not (parts.username or parts.query or parts.fragment)
        return bool(is_bare) and (
            parts.scheme == "https"
            or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
        )
    except ValueError:
        return False
