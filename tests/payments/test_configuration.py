"""Settings of payments: keys that cannot be right end the start, and no sentence shows them."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from pannier.payments.configuration import check_settings, make_gateway
from pannier.payments.fake import FakeGateway
from pannier.payments.gateway import NoGateway
from pannier.settings import SettingsError, load
from payments.bank import PUBLISHABLE_KEY, SECRET_KEY
from stage import NOON

RIGHT = {
    "payments": "stripe",
    "stripe_secret_key": SECRET_KEY,
    "stripe_publishable_key": PUBLISHABLE_KEY,
}
LIVE = {"stripe_secret_key": "sk_live_abc", "stripe_publishable_key": "pk_live_abc"}


def test_there_is_no_gateway_unless_one_is_named() -> None:
    assert isinstance(make_gateway(load({}), ManualClock(NOON)), NoGateway)
    assert isinstance(make_gateway(load({}, payments="fake"), ManualClock(NOON)), FakeGateway)


def test_test_and_live_keys_are_two_gateways() -> None:
    test = make_gateway(load({}, **RIGHT), ManualClock(NOON))
    live = make_gateway(load({}, **{**RIGHT, **LIVE}), ManualClock(NOON))
    assert (test.name, test.live) == ("stripe-test", False)
    assert (live.name, live.live) == ("stripe-live", True)


@pytest.mark.parametrize(
    ("changed", "variable"),
    [
        ({"stripe_secret_key": ""}, "SECRET_KEY"),
        ({"stripe_secret_key": PUBLISHABLE_KEY}, "SECRET_KEY"),
        ({"stripe_secret_key": "sk_live_a\r\nX-Evil: 1"}, "SECRET_KEY"),
        ({"stripe_publishable_key": ""}, "PUBLISHABLE_KEY"),
        ({"stripe_publishable_key": SECRET_KEY}, "PUBLISHABLE_KEY"),
        ({"stripe_publishable_key": "pk_live_abc"}, "PUBLISHABLE_KEY"),
        ({"stripe_url": "http://stripe.example.com"}, "URL"),
        ({"stripe_url": "http://10.0.0.1"}, "URL"),
        ({"stripe_url": "https://key@stripe.example.com"}, "URL"),
        ({"stripe_url": "stripe.example.com"}, "URL"),
        ({"stripe_url": "https://[::1"}, "URL"),
    ],
)
def test_what_cannot_be_right_ends_the_start(changed: dict[str, Any], variable: str) -> None:
    with pytest.raises(SettingsError) as raised:
        check_settings(load({}, **{**RIGHT, **changed}))
    assert f"PANNIER_STRIPE_{variable}" in str(raised.value)
    assert SECRET_KEY not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["https://stripe.example.com", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost"],
)
def test_an_address_that_keeps_the_key_safe_is_taken(url: str) -> None:
    check_settings(load({}, **RIGHT, stripe_url=url))


def test_an_unknown_gateway_is_named() -> None:
    with pytest.raises(SettingsError, match="PANNIER_PAYMENTS"):
        load({}, payments="paypal")
