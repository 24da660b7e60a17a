"""While a gateway takes its time no connection waits with it, and keyed requests stay one deed."""

import asyncio

import httpx
import pytest

from payments.bank import Bank, told
from payments.till import HERE, INTENT, KEY, Till, granted
from probe import hang_up, refused
from stage import House

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

CROWD = 30  # more than there are connections


def keyed(client: httpx.AsyncClient, path: str, key: str) -> "asyncio.Task[httpx.Response]":
    body = {"api_version": "2020-08-27"} if path == KEY else {}
    return asyncio.create_task(client.post(path, json=body, headers={"Idempotency-Key": key}))


async def test_a_slow_gateway_holds_no_transaction_and_no_connection(
    striped: Till, bank: Bank, house: House
) -> None:
    _, client = await striped.visitor()
    bank.open.clear()
    asking = [keyed(client, INTENT, f"key {number}") for number in range(CROWD)]
    await bank.crowd(CROWD)
    waiting = await house.value(
        """select count(*) from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%'"""
    )
    assert waiting == 0
    assert (await client.get(f"{HERE}/me")).status_code == 200
    bank.open.set()
    answers = await asyncio.gather(*asking)
    assert len({(await granted(answer))["setupIntentId"] for answer in answers}) == CROWD


async def test_twins_at_once_get_one_answer(striped: Till, bank: Bank) -> None:
    _, client = await striped.visitor()
    for path in (INTENT, KEY):
        before = len(bank.asked)
        bank.open.clear()
        twins = [keyed(client, path, f"twin {path}") for _ in range(3)]
        await bank.crowd(before + 3)
        bank.open.set()
        answers = await asyncio.gather(*twins)
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        replayed = [answer for answer in answers if "idempotent-replayed" in answer.headers]
        assert len(replayed) == 2


async def test_twins_ask_stripe_for_one_intent(striped: Till, bank: Bank) -> None:
    _, client = await striped.visitor()
    await client.post(KEY)
    before = len(bank.asked)
    bank.open.clear()
    twins = [keyed(client, INTENT, "twin") for _ in range(2)]
    await bank.crowd(before + 2)
    bank.open.set()
    await asyncio.gather(*twins)
    one, two = bank.named("/v1/setup_intents")
    assert one.headers["idempotency-key"] == two.headers["idempotency-key"]
    assert "twin" not in one.headers["idempotency-key"]


async def test_the_same_key_of_two_customers_is_two_deeds(striped: Till) -> None:
    _, ada = await striped.visitor()
    _, eve = await striped.visitor()
    one, two = await keyed(ada, INTENT, "same"), await keyed(eve, INTENT, "same")
    assert (await granted(one))["setupIntentId"] != (await granted(two))["setupIntentId"]


async def test_a_key_used_meanwhile_for_something_else_is_refused(
    striped: Till, bank: Bank
) -> None:
    _, client = await striped.visitor()
    bank.open.clear()
    asking = [keyed(client, path, "same") for path in (INTENT, KEY)]
    await bank.crowd(2)
    bank.open.set()
    answers = sorted(await asyncio.gather(*asking), key=lambda answer: answer.status_code)
    assert answers[0].status_code == 200
    refused(answers[1], 409, "idempotency_key_reused")


async def test_a_lasting_refusal_is_kept_with_its_key_and_a_passing_one_is_not(
    striped: Till, bank: Bank
) -> None:
    _, client = await striped.visitor()
    bank.fail("/v1/setup_intents", told(402, "card_error"))
    first = await keyed(client, INTENT, "lasting")
    refused(first, 422, "payment_refused")
    again = await keyed(client, INTENT, "lasting")
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    bank.fail("/v1/setup_intents", told(500, "api_error"))
    refused(await keyed(client, INTENT, "passing"), 503, "payment_gateway_unavailable")
    await granted(await keyed(client, INTENT, "passing"))


async def test_a_database_that_restarts_meanwhile_is_not_noticed(
    striped: Till, bank: Bank, database_url: str
) -> None:
    _, client = await striped.visitor()
    await client.post(KEY)
    before = len(bank.asked)
    bank.open.clear()
    asking = keyed(client, INTENT, "restarted")
    await bank.crowd(before + 1)
    await hang_up(database_url)
    bank.open.set()
    first = await asking
    await granted(first)
    assert (await keyed(client, INTENT, "restarted")).content == first.content
    assert len({one.headers["idempotency-key"] for one in bank.named("/v1/setup_intents")}) == 1
