"""Dying between the row and the gateway, or between the gateway and the row: done once at last."""

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import pytest

from pannier.payments import checkouts, sweep
from pannier.payments.transactions.queries import TRANSACTIONS
from payments.bank import SECRET_KEY, Bank, told
from payments.purse import AMOUNT, Purse
from payments.test_notices import session_of, tell
from payments.till import Till
from stage import SECRET, House

SESSIONS, REFUNDS = "/v1/checkout/sessions", "/v1/refunds"


@pytest.fixture
async def purse(striped: Till) -> Purse:
    return Purse(striped.firm)


async def die_asking(bank: Bank, asking: Coroutine[Any, Any, Any]) -> None:
    """Let the gateway hear of it, and be gone before it answers."""
    before = len(bank.asked)
    bank.open.clear()
    task = asyncio.create_task(asking)
    await bank.crowd(before + 1)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    bank.open.set()
    await bank.done(before + 1)


async def test_who_dies_before_the_gateway_heard_leaves_a_page_for_the_worker(
    purse: Purse, bank: Bank, house: House
) -> None:
    row = await purse.owe()
    assert not bank.asked
    assert (await purse.read(row.public_id))["checkout_status"] == "preparing"
    await purse.work()
    assert not bank.asked  # whoever wants it is given a minute
    house.clock.advance(minutes=1)
    await purse.work()
    told = await purse.read(row.public_id)
    assert (told["checkout_status"], told["checkout_url"]) == (
        "open", "https://checkout.stripe.example.com/1",
    )  # fmt: skip


async def test_who_dies_while_the_gateway_makes_a_page_leaves_the_same_page(
    purse: Purse, bank: Bank, house: House
) -> None:
    row = await purse.owe()
    await die_asking(bank, checkouts.open_requested_page(purse.database, purse.gateway, row))
    order = await purse.order()
    async with purse.database.transaction() as db:  # as an acceptance does
        await TRANSACTIONS.change(db, row, order_uuid=order.uuid)
    house.clock.advance(minutes=1)
    await purse.work()
    assert (await purse.read(row.public_id))["checkout_status"] == "open"
    assert len(bank.sessions) == 1
    assert len({one.headers["idempotency-key"] for one in bank.named(SESSIONS)}) == 1


async def test_a_page_that_was_paid_before_we_knew_it_is_settled_all_the_same(
    purse: Purse, bank: Bank, house: House
) -> None:
    row = await purse.owe()
    await die_asking(bank, checkouts.open_requested_page(purse.database, purse.gateway, row))
    await tell(purse, bank.pay("cs_test_1"))
    assert (await purse.read(row.public_id))["status"] == "paid"
    house.clock.advance(minutes=1)
    await purse.work()
    assert (await purse.read(row.public_id))["checkout_url"] is None


async def test_who_dies_while_the_gateway_gives_back_gives_back_once(
    purse: Purse, bank: Bank, house: House
) -> None:
    paid = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    await purse.refund(paid["id"], amount=200)
    await die_asking(bank, sweep.step(purse.database, purse.gateway))
    # By then the gateway may have forgotten what it was asked; it is looked for before it is asked.
    bank.remembered.clear()
    house.clock.advance(days=2)
    await purse.work()
    assert (await purse.read(paid["id"]))["amount_refunded"] == 200
    assert [row["amount"] for row in bank.refunds.values()] == [200]


async def test_a_gateway_that_is_away_is_asked_again(
    purse: Purse, bank: Bank, house: House
) -> None:
    bank.fail(SESSIONS, told(500, "api_error"))
    preparing = await purse.offered()
    assert (preparing["checkout_status"], preparing["checkout_url"]) == ("preparing", None)
    house.clock.advance(minutes=1)
    await purse.work()
    await tell(purse, bank.pay(await session_of(purse, preparing)))
    bank.fail(REFUNDS, told(500, "api_error"), told(429, "api_error"))
    await purse.refund(preparing["id"])
    for _ in range(4):
        await purse.work()
        house.clock.advance(minutes=10)
    assert (await purse.read(preparing["id"]))["status"] == "refunded"
    assert [row["amount"] for row in bank.refunds.values()] == [AMOUNT]


async def test_what_the_gateway_refuses_is_said_and_not_asked_again(
    purse: Purse, bank: Bank, house: House
) -> None:
    bank.fail(SESSIONS, told(400, "invalid_request_error"))
    refused = await purse.offered()
    assert (refused["checkout_status"], refused["checkout_url"]) == ("declined", None)
    assert refused["checkout_error"] == "payment_gateway_refused"
    house.clock.advance(days=1)
    await purse.work()
    assert len(bank.named(SESSIONS)) == 1
    paid = await purse.offered()
    await tell(purse, bank.pay(await session_of(purse, paid)))
    bank.fail(REFUNDS, told(400, "invalid_request_error"))
    await purse.refund(paid["id"], amount=200)
    await purse.work()
    (failed,) = (await purse.read(paid["id"]))["refunds"]
    assert (failed["status"], failed["error"]) == ("failed", "payment_gateway_refused")
    await purse.refund(paid["id"])
    await purse.work()
    assert (await purse.read(paid["id"]))["amount_refunded"] == AMOUNT


async def test_lost_notices_are_made_up_for_by_asking(
    purse: Purse, bank: Bank, house: House
) -> None:
    one, two = await purse.offered(), await purse.offered()
    bank.pay(await session_of(purse, one))
    bank.expire(await session_of(purse, two))
    await purse.work()
    assert (await purse.read(one["id"]))["status"] == "unpaid"
    house.clock.advance(hours=25)
    await purse.work()
    assert (await purse.read(one["id"]))["status"] == "paid"
    assert await house.value("select count(*) from checkouts where due_at is not null") == 0


async def test_a_page_that_is_gone_at_the_gateway_is_given_up(
    purse: Purse, bank: Bank, house: House
) -> None:
    told = await purse.offered()
    bank.sessions.clear()
    house.clock.advance(hours=25)
    await purse.work()
    assert (await purse.read(told["id"]))["checkout_status"] == "declined"
    assert await house.value("select count(*) from checkouts where due_at is not null") == 0


async def test_a_refund_that_takes_days_is_asked_about(
    purse: Purse, bank: Bank, house: House
) -> None:
    paid = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    bank.refund_status = "pending"
    await purse.refund(paid["id"])
    await purse.work()
    assert (await purse.read(paid["id"]))["refunds"][0]["status"] == "pending"
    (refund,) = bank.refunds.values()
    refund["status"] = "succeeded"
    house.clock.advance(days=1)
    await purse.work()
    assert (await purse.read(paid["id"]))["status"] == "refunded"


class Suspended:
    """A gateway whose first look takes days: meanwhile another worker does everything."""

    def __init__(self, purse: Purse, bank: Bank, house: House) -> None:
        self._purse, self._bank, self._house = purse, bank, house

    def __getattr__(self, name: str) -> Any:
        return getattr(self._purse.gateway, name)

    async def look_at_refunds(self, payment: str) -> Any:
        seen = await self._purse.gateway.fetch_refunds(payment)
        self._house.clock.advance(days=2)
        await sweep.step(self._purse.database, self._purse.gateway)
        self._bank.remembered.clear()
        return seen


async def test_a_worker_that_was_suspended_gives_nothing_back_a_second_time(
    purse: Purse, bank: Bank, house: House
) -> None:
    paid = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    bank.fail(REFUNDS, told(500, "api_error"))
    await purse.refund(paid["id"], amount=200)
    await purse.work()
    house.clock.advance(minutes=10)
    gateway: Any = Suspended(purse, bank, house)
    await sweep.step(purse.database, gateway)
    assert [row["amount"] for row in bank.refunds.values()] == [200]
    assert (await purse.read(paid["id"]))["amount_refunded"] == 200


@pytest.mark.slow
async def test_all_at_once_nothing_is_settled_or_given_back_twice(purse: Purse, bank: Bank) -> None:
    paid = await purse.offered()
    event, back = bank.pay("cs_test_1"), bank.give_back("pi_cs_test_1", 200)
    await asyncio.gather(*(tell(purse, each) for each in [event, back] * 10))
    assert (await purse.read(paid["id"]))["amount_refunded"] == 200
    answers = await asyncio.gather(*(purse.refund(paid["id"], amount=300) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] * 3 + [422] * 7
    await asyncio.gather(*(sweep.step(purse.database, purse.gateway) for _ in range(5)))
    await purse.work()
    assert (await purse.read(paid["id"]))["amount_refunded"] == 1100
    assert sum(row["amount"] for row in bank.refunds.values()) == 1100


WORKER = """
import asyncio, sys
from datetime import datetime
from pannier.db import connect
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
import pannier.orders  # answers what the company's settings ask
from pannier.payments import sweep
from pannier.payments.stripe import StripeGateway

async def main(url, secret, now, key, bank):
    clock = ManualClock(datetime.fromisoformat(now))
    database = await connect(url, clock=clock, keys=Keyring(secret))
    gateway = StripeGateway(key, "pk_test_x", url=bank, retries=0, test_serves_live=True)
    await sweep.step(database, gateway)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
async def test_a_worker_that_is_killed_in_the_middle_is_followed_by_another(
    purse: Purse, bank: Bank, house: House, database_url: str
) -> None:
    paid = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    wanted = await purse.owe()
    house.clock.advance(minutes=1)
    await purse.refund(paid["id"], amount=200)
    before = len(bank.asked)
    bank.open.clear()
    now = house.clock.now().isoformat()
    words = (sys.executable, "-c", WORKER, database_url, SECRET, now, SECRET_KEY, bank.url)
    worker = await asyncio.create_subprocess_exec(*words)
    await bank.crowd(before + 2)
    worker.kill()
    await worker.wait()
    bank.open.set()
    await bank.done(before + 2)
    bank.remembered = {key: one for key, one in bank.remembered.items() if "refund" not in key}
    await purse.work()
    assert (await purse.read(paid["id"]))["amount_refunded"] == 0  # it is the other one's still
    house.clock.advance(minutes=2)
    await purse.work()
    assert (await purse.read(paid["id"]))["amount_refunded"] == 200
    assert (await purse.read(wanted.public_id))["checkout_status"] == "open"
    assert (len(bank.sessions), len(bank.refunds)) == (2, 1)
