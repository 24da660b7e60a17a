"""Payers who ask their bank for the money, and money in a currency that nobody owes."""

import itertools
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from pannier.payments import sweep
from payments.bank import Bank
from payments.purse import AMOUNT, Purse
from payments.test_notices import session_of, tell
from payments.till import Till
from probe import refused
from stage import House


@pytest.fixture
async def purse(striped: Till) -> Purse:
    return Purse(striped.firm)


async def paid(purse: Purse, bank: Bank) -> tuple[str, str]:
    """Have something paid, and name the transaction and the payment."""
    told = await purse.offered()
    session = await session_of(purse, told)
    await tell(purse, bank.pay(session))
    return told["id"], f"pi_{session}"


def sums(told: dict[str, Any]) -> tuple[str, int, int, int]:
    return told["status"], told["amount_paid"], told["amount_refunded"], told["amount_disputed"]


async def test_a_dispute_is_shown_with_what_there_is_to_do(purse: Purse, bank: Bank) -> None:
    name, payment = await paid(purse, bank)
    assert (await purse.read(name))["disputes"] == []
    with capture_logs() as logged:
        await tell(purse, bank.dispute(payment, news="created"))
    assert [each["dispute"] for each in logged if each["event"] == "payment disputed"] == [
        f"dp_{payment}"
    ]
    told = await purse.read(name)
    (dispute,) = told["disputes"]
    assert dispute.pop("due_by").endswith("Z")
    assert dispute == {
        "id": f"dp_{payment}", "amount": AMOUNT, "currency": "SGD", "status": "needs_response",
        "reason": "product_not_received", "funds_withdrawn": False,
    }  # fmt: skip
    assert sums(told) == ("paid", AMOUNT, 0, 0), "nothing is lost yet"


async def test_what_the_bank_took_is_owed_again_and_can_be_paid_again(
    purse: Purse, bank: Bank
) -> None:
    name, payment = await paid(purse, bank)
    await tell(
        purse,
        bank.dispute(payment, news="created"),
        bank.dispute(payment, news="funds_withdrawn"),
        bank.dispute(payment, "lost", news="closed"),
    )
    told = await purse.read(name)
    assert sums(told) == ("unpaid", 0, 0, AMOUNT)
    (dispute,) = told["disputes"]
    assert (dispute["status"], dispute["funds_withdrawn"]) == ("lost", True)
    again = (await purse.firm.api.post(f"/v1/transactions/{name}/checkout", json={})).json()
    assert (again["checkout_status"], again["checkout_url"] is None) == ("open", False)
    await tell(purse, bank.pay(await session_of(purse, again)))
    await purse.work()
    assert sums(await purse.read(name)) == ("paid", AMOUNT, 0, AMOUNT)


async def test_a_dispute_that_is_won_changes_nothing(purse: Purse, bank: Bank) -> None:
    name, payment = await paid(purse, bank)
    await tell(
        purse,
        bank.dispute(payment, news="funds_withdrawn"),
        bank.dispute(payment, "under_review", news="updated"),
        bank.dispute(payment, "won", news="closed"),
        bank.dispute(payment, "won", news="funds_reinstated"),
    )
    told = await purse.read(name)
    assert sums(told) == ("paid", AMOUNT, 0, 0)
    (dispute,) = told["disputes"]
    assert (dispute["status"], dispute["funds_withdrawn"]) == ("won", False)
    assert (await purse.refund(name)).status_code == 200


async def test_an_inquiry_takes_nothing(purse: Purse, bank: Bank) -> None:
    name, payment = await paid(purse, bank)
    await tell(purse, bank.dispute(payment, "warning_needs_response"))
    assert (await purse.read(name))["disputes"][0]["status"] == "inquiry"
    assert (await purse.refund(name, amount=100)).status_code == 200
    await tell(purse, bank.dispute(payment, "warning_closed", news="closed"))
    told = await purse.read(name)
    assert (told["disputes"][0]["status"], told["amount_paid"]) == ("closed", AMOUNT)


@pytest.mark.parametrize("status", ["needs_response", "under_review", "lost"])
async def test_nobody_gives_back_what_the_bank_holds_or_took(
    purse: Purse, bank: Bank, status: str
) -> None:
    name, payment = await paid(purse, bank)
    await tell(purse, bank.dispute(payment, status, amount=1000))
    refused(await purse.refund(name, amount=201), 422, "validation_failed")
    assert (await purse.refund(name, amount=200)).status_code == 200
    refused(await purse.refund(name), 409, "nothing_to_refund")


async def test_what_was_lost_in_part_is_owed_in_part(purse: Purse, bank: Bank) -> None:
    name, payment = await paid(purse, bank)
    await tell(purse, bank.give_back(payment, 300))
    await tell(purse, bank.dispute(payment, "lost", news="closed", amount=900))
    assert sums(await purse.read(name)) == ("partially_refunded", 300, 300, 900)


@pytest.mark.slow
async def test_every_order_of_notices_lost_or_doubled_ends_the_same(
    purse: Purse, bank: Bank
) -> None:
    found = []
    for order in itertools.permutations(range(4)):
        told = await purse.offered()
        session = await session_of(purse, told)
        events = [
            bank.pay(session),
            bank.dispute(f"pi_{session}", news="created"),
            bank.dispute(f"pi_{session}", news="funds_withdrawn"),
            bank.dispute(f"pi_{session}", "lost", news="closed"),
        ]
        await tell(purse, *(events[number] for number in order), events[order[0]])
        after = await purse.read(told["id"])
        (dispute,) = after["disputes"]
        found.append((*sums(after), dispute["status"], dispute["funds_withdrawn"]))
    assert set(found) == {("unpaid", 0, 0, AMOUNT, "lost", True)}


async def test_an_order_whose_payment_was_lost_is_owed_again(purse: Purse, bank: Bank) -> None:
    order = await purse.order()
    told = await purse.offered(order=order)
    session = await session_of(purse, told)
    await tell(purse, bank.pay(session), bank.dispute(f"pi_{session}", "lost", news="closed"))
    listed = (await purse.firm.api.get(f"/v1/transactions?order={order.public_id}")).json()
    assert [sums(each) for each in listed] == [("unpaid", 0, 0, AMOUNT)]


@pytest.mark.parametrize(
    "more",
    [
        {"amount": 0},
        {"amount": 10**30},
        {"currency": "hrk"},
        {"status": "something_new"},
        {"payment_intent": None},
        {"payment_intent": "pi_of_somebody_else"},
        {"evidence_details": {"due_by": 10**15}},
        {"id": 7},
    ],
)
async def test_a_dispute_that_is_none_of_ours_or_makes_no_sense_is_let_go(
    purse: Purse, bank: Bank, more: dict[str, Any]
) -> None:
    name, payment = await paid(purse, bank)
    await tell(purse, bank.dispute(payment, **more))
    assert (await purse.read(name))["disputes"] == []


async def test_strangers_disputes_are_forgotten(purse: Purse, bank: Bank, house: House) -> None:
    await tell(purse, bank.dispute("pi_of_somebody_else"))
    house.clock.advance(days=31)
    assert await sweep.purge_unmatched_refunds(house.database)
    assert await house.value("select count(*) from payment_facts") == 0


async def test_money_in_another_currency_is_shown_and_settles_nothing(
    purse: Purse, bank: Bank
) -> None:
    told = await purse.offered()
    assert told["unmatched_payments"] == []
    session = await session_of(purse, told)
    bank.sessions[session]["currency"] = "usd"
    await tell(purse, bank.pay(session))
    after = await purse.read(told["id"])
    (stray,) = after["unmatched_payments"]
    assert stray.pop("received_at").endswith("Z")
    assert stray == {"reference": f"pi_{session}", "amount": AMOUNT, "currency": "USD"}
    assert sums(after) == ("unpaid", 0, 0, 0)
    listed = msgspec.json.encode((await purse.firm.api.get("/v1/transactions")).json())
    assert b"unmatched_payments" in listed
