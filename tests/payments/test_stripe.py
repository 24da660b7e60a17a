"""Stripe's own client at a Stripe of our own: what it sends, and what becomes of its failures."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from pannier.db import Database
from pannier.errors import Problem
from pannier.kit.clock import ManualClock
from pannier.payments.stripe import StripeGateway
from payments.bank import PRIVATE, PUBLISHABLE_KEY, SECRET_KEY, Answer, Bank, told
from payments.till import INTENT, KEY, Till, equipped, granted
from probe import documented, paths, refused
from stage import House

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

CUSTOMERS, KEYS, INTENTS = "/v1/customers", "/v1/ephemeral_keys", "/v1/setup_intents"
VERSION = "2020-08-27"
REFUSALS: list[tuple[Answer, int, str]] = [
    (told(402, "card_error", code="card_declined"), 422, "payment_refused"),
    (told(400, "invalid_request_error", param="usage"), 409, "payment_gateway_refused"),
    (told(404, "invalid_request_error", code="resource_missing"), 409, "payment_gateway_refused"),
    (told(400, "idempotency_error"), 409, "payment_gateway_refused"),
    (told(401, "invalid_request_error"), 409, "payment_gateway_misconfigured"),
    (told(403, "invalid_request_error"), 409, "payment_gateway_misconfigured"),
    (told(400, "invalid_request_error", code="rate_limit"), 503, "payment_gateway_unavailable"),
    (told(429, "rate_limit_error"), 503, "payment_gateway_unavailable"),
    (told(409, "invalid_request_error", code="lock_timeout"), 503, "payment_gateway_unavailable"),
    (told(500, "api_error"), 503, "payment_gateway_unavailable"),
    ((502, b"<html>Bad Gateway</html>"), 503, "payment_gateway_unavailable"),
    ((400, b'{"error": ["text"]}'), 503, "payment_gateway_unavailable"),
    ((400, b'{"error": "text"}'), 503, "payment_gateway_unavailable"),
    ((200, b"<html>Hello</html>"), 503, "payment_gateway_unavailable"),
    ((200, b"\xff\xfe"), 503, "payment_gateway_unavailable"),
    ((200, b'{"id": '), 503, "payment_gateway_unavailable"),
    ((200, b"{}"), 503, "payment_gateway_unavailable"),
    ((200, b"[]"), 503, "payment_gateway_unavailable"),
    ((200, b"null"), 503, "payment_gateway_unavailable"),
    ((200, b""), 503, "payment_gateway_unavailable"),
    (
        (200, b'{"id": 7, "secret": null, "client_secret": []}'),
        503,
        "payment_gateway_unavailable",
    ),
]


@pytest.fixture
async def by_setting(
    database: Database, clock: ManualClock, tmp_path: Path, bank: Bank
) -> AsyncIterator[Till]:
    """A till whose gateway comes from the settings alone."""
    house = await stage.build(
        database, clock, str(tmp_path), payments="stripe", stripe_secret_key=SECRET_KEY,
        stripe_publishable_key=PUBLISHABLE_KEY, stripe_url=bank.url,
    )  # fmt: skip
    yield Till(await house.found("Acme", "test"))
    gateway = house.edge.services["gateway"]
    assert isinstance(gateway, StripeGateway)
    await gateway.close()


@pytest.mark.parametrize("door", [KEY, INTENT])
async def test_the_document_knows_every_refusal_of_the_gateways(house: House, door: str) -> None:
    assert {code for _, _, code in REFUSALS} <= await documented(house, door)


async def test_stripe_comes_by_setting(by_setting: Till, bank: Bank) -> None:
    _, client = await by_setting.visitor()
    key = await granted(await client.post(KEY, json={"api_version": VERSION}))
    assert key == {
        "ephemeralKey": "ek_test_2", "customerId": "cus_1", "publishableKey": PUBLISHABLE_KEY,
        "expires": "2026-01-15T13:00:00.000Z",
    }  # fmt: skip
    intent = await granted(await client.post(INTENT))
    assert intent == {
        "setupIntentId": "seti_3", "setupIntent": "seti_3_secret_cus_1", "customerId": "cus_1",
        "publishableKey": PUBLISHABLE_KEY,
    }  # fmt: skip
    assert [one.path for one in bank.asked] == [CUSTOMERS, KEYS, INTENTS]


async def test_a_passing_failure_is_tried_once_more_with_the_same_key(
    by_setting: Till, bank: Bank
) -> None:
    _, client = await by_setting.visitor()
    bank.fail(INTENTS, told(500, "api_error"))
    await granted(await client.post(INTENT))
    one, two = bank.named(INTENTS)
    assert one.headers["idempotency-key"] == two.headers["idempotency-key"]


async def test_it_is_sent_the_key_the_version_and_a_key_for_each_deed(
    striped: Till, bank: Bank
) -> None:
    customer, client = await striped.visitor()
    await client.post(KEY, json={"api_version": VERSION})
    await client.post(KEY, json={"api_version": "2025-03-31.basil"})
    await client.post(INTENT)
    await client.post(INTENT)
    assert {one.headers["authorization"] for one in bank.asked} == {f"Bearer {SECRET_KEY}"}
    assert len({one.headers["idempotency-key"] for one in bank.asked}) == len(bank.asked) == 5
    [made] = bank.named(CUSTOMERS)
    assert made.headers["idempotency-key"] == f"customer-{customer['uuid']}"
    assert made.form == {"metadata[pannier_customer]": customer["id"]}
    versions = [one.headers["stripe-version"] for one in bank.named(KEYS)]
    assert versions == [VERSION, "2025-03-31.basil"]
    assert [one.form for one in bank.named(INTENTS)] == [{"customer": "cus_1"}] * 2
    others = {one.headers["stripe-version"] for one in bank.asked} - set(versions)
    assert len(others) == 1
    assert "telemetry" not in str(bank.asked)


async def test_a_version_stripe_does_not_know_is_named(striped: Till) -> None:
    _, client = await striped.visitor()
    assert paths(await client.post(KEY, json={"api_version": "1999-01-01"})) == ["api_version"]


@pytest.mark.parametrize("stage_of_it", [CUSTOMERS, INTENTS])
@pytest.mark.parametrize(("answer", "status", "code"), REFUSALS)
async def test_every_failure_is_told_in_our_words(
    striped: Till, bank: Bank, stage_of_it: str, answer: Answer, status: int, code: str
) -> None:
    _, client = await striped.visitor()
    bank.fail(stage_of_it, answer)
    shown = await client.post(INTENT)
    refused(shown, status, code)
    assert ("retry-after" in shown.headers) == (status == 503)
    for secret in (PRIVATE, SECRET_KEY, "Stripe", "req_1", "card_declined"):
        assert secret not in shown.text
    await granted(await client.post(INTENT))


@pytest.mark.parametrize(("answer", "status", "code"), REFUSALS)
async def test_an_ephemeral_key_fails_in_the_same_words(
    striped: Till, bank: Bank, answer: Answer, status: int, code: str
) -> None:
    _, client = await striped.visitor()
    bank.fail(KEYS, answer)
    refused(await client.post(KEY, json={"api_version": VERSION}), status, code)


async def test_a_wrong_secret_key_is_the_operators_affair(house: House, bank: Bank) -> None:
    gateway = StripeGateway(
        "sk_test_wrong", PUBLISHABLE_KEY, url=bank.url, retries=0, test_serves_live=True
    )
    _, client = await Till(await equipped(house, gateway).found("Acme")).visitor()
    refused(await client.post(INTENT), 409, "payment_gateway_misconfigured")
    await gateway.close()


async def test_a_stripe_that_does_not_answer_is_given_up(house: House, bank: Bank) -> None:
    gateway = StripeGateway(
        SECRET_KEY,
        PUBLISHABLE_KEY,
        url=bank.url,
        retries=0,
        test_serves_live=True,
        timeout_seconds=0.2,
    )
    _, client = await Till(await equipped(house, gateway).found("Acme")).visitor()
    bank.open.clear()
    refused(await client.post(INTENT), 503, "payment_gateway_unavailable")
    await gateway.close()


async def test_a_stripe_that_is_not_there_is_away(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    gateway = StripeGateway(SECRET_KEY, PUBLISHABLE_KEY, url=url, retries=0, test_serves_live=True)
    with pytest.raises(Problem) as raised:
        await gateway.create_setup_intent("cus_1", "key")
    assert raised.value.code == "payment_gateway_unavailable"
    await gateway.close()


async def test_a_stripe_that_hangs_up_in_the_middle_is_away() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id": "seti_1"')
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    gateway = StripeGateway(SECRET_KEY, PUBLISHABLE_KEY, url=url, retries=0, test_serves_live=True)
    with pytest.raises(Problem) as raised:
        await gateway.create_setup_intent("cus_1", "key")
    assert raised.value.code == "payment_gateway_unavailable"
    await gateway.close()
    server.close()
    await server.wait_closed()


async def test_an_account_that_was_removed_at_stripe_is_made_anew(
    striped: Till, bank: Bank, house: House
) -> None:
    _, client = await striped.visitor()
    first = await granted(await client.post(INTENT))
    bank.accounts.clear()
    answers = await asyncio.gather(*(client.post(INTENT) for _ in range(5)))
    found = {(await granted(answer))["customerId"] for answer in answers}
    assert len(found) == 1
    assert found != {first["customerId"]}
    assert found == {await house.value("select account from payment_customers")}
    assert len({one.headers["idempotency-key"] for one in bank.named(CUSTOMERS)}) == 2


async def test_an_account_that_goes_again_at_once_is_refused(striped: Till, bank: Bank) -> None:
    _, client = await striped.visitor()
    gone = told(404, "invalid_request_error", code="resource_missing", param="customer")
    bank.fail(INTENTS, gone, gone)
    refused(await client.post(INTENT), 409, "payment_account_gone")


async def test_ten_first_requests_at_once_make_one_account_and_one_row(
    striped: Till, bank: Bank, house: House
) -> None:
    _, client = await striped.visitor()
    bank.open.clear()
    asking = [asyncio.create_task(client.post(INTENT)) for _ in range(10)]
    await bank.crowd(10)
    bank.open.set()
    found = {(await granted(answer))["customerId"] for answer in await asyncio.gather(*asking)}
    assert found == bank.accounts == {"cus_1"}
    assert await house.value("select count(*) from payment_customers") == 1


def test_a_plain_start_imports_no_stripe() -> None:
    code = """
import sys
from pannier import app
sys.exit("stripe" in sys.modules or "aiohttp" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
