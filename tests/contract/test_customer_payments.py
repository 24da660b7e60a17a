"""The interface's lines on payments, with the fake gateway."""

from pathlib import Path

import httpx
import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from payments.till import HERE, Till, granted
from probe import refused
from stage import Firm, House

KEY = ["payment-ephemeral-key", "stripe-ephemeral-key"]
INTENT = ["payment-setup-intent", "stripe-setup-intent"]


@pytest.fixture
async def faking(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    return await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )


@pytest.fixture
async def customer(faking: House) -> httpx.AsyncClient:
    return (await Till(await faking.found("Acme")).visitor())[1]


@pytest.mark.parametrize("name", KEY)
async def test_post_storefront_v1_customers_payment_ephemeral_key(
    customer: httpx.AsyncClient, name: str
) -> None:
    """`payment-ephemeral-key` `{api_version?}` → `{ephemeralKey, customerId, publishableKey}`."""
    for body in ({}, {"api_version": "2020-08-27"}, {"api_version": None}):
        answer = await granted(await customer.post(f"{HERE}/{name}", json=body))
        assert answer.keys() == {"ephemeralKey", "customerId", "publishableKey", "expires"}
        assert all(isinstance(value, str) and value for value in answer.values())


@pytest.mark.parametrize("name", INTENT)
async def test_post_storefront_v1_customers_payment_setup_intent(
    customer: httpx.AsyncClient, name: str
) -> None:
    """`payment-setup-intent` → `{setupIntentId, setupIntent, customerId, publishableKey}`."""
    for given in ({"json": {}}, {}):
        answer = await granted(await customer.post(f"{HERE}/{name}", **given))
        assert answer.keys() == {"setupIntentId", "setupIntent", "customerId", "publishableKey"}
        assert all(isinstance(value, str) and value for value in answer.values())


@pytest.mark.parametrize("name", [*KEY, *INTENT])
async def test_no_gateway_configured_is_409(acme: Firm, name: str) -> None:
    """`no gateway configured → 409 payment_gateway_not_configured`."""
    _, client = await Till(acme).visitor()
    refused(await client.post(f"{HERE}/{name}", json={}), 409, "payment_gateway_not_configured")


@pytest.mark.parametrize("name", [*KEY, *INTENT])
async def test_requests_as_a_customer_carry_their_token(acme: Firm, name: str) -> None:
    """`Requests made as a logged-in customer also carry Customer-Token`."""
    answer = await acme.storefront.post(f"{HERE}/{name}", json={})
    refused(answer, 401, "customer_token_invalid")
