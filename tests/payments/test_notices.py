"""What Stripe says by itself: signed, in any order, twice, late, and no more than is ours."""

import itertools
from typing import Any

import httpx
import msgspec
import pytest

from pannier.payments import sweep
from payments.bank import NOTICE_SECRET, Bank, signed
from payments.purse import AMOUNT, Purse
from payments.till import Till
from probe import refused
from stage import NOON, House

DOOR = "/payments/stripe/notices"
NOW = int(NOON.timestamp())


@pytest.fixture
async def purse(striped: Till) -> Purse:
    return Purse(striped.firm)


async def tell(purse: Purse, *events: dict[str, Any]) -> None:
    """Send notices as Stripe does."""
    for event in events:
        body = msgspec.json.encode(event)
        at = int(purse.firm.house.clock.now().timestamp())
        client = purse.firm.house.client()
        answer = await client.post(DOOR, content=body, headers=signed(body, at))
        assert (answer.status_code, answer.json()) == (200, {"received": True})


async def session_of(purse: Purse, told: dict[str, Any]) -> str:
    session: str = await purse.firm.house.value(
        """select session from checkouts where transaction = :uuid
           order by created_at desc, uuid desc limit 1""",
        uuid=told["uuid"],
    )
    return session


def standing(told: dict[str, Any]) -> dict[str, Any]:
    """Take what must be the same, whatever came first."""
    names = ("status", "amount_paid", "amount_refunded", "checkout_status")
    refunds = sorted((each["amount"], each["status"]) for each in told["refunds"])
    return {**{name: told[name] for name in names}, "refunds": refunds}


def own(checkout: str) -> dict[str, str]:
    return {"pannier_checkout": checkout}


async def two_pages(purse: Purse, bank: Bank, house: House) -> tuple[dict[str, Any], str, str]:
    """Offer something on a page, and on another one when that has ended."""
    told = await purse.offered()
    first = await session_of(purse, told)
    house.clock.advance(hours=25)
    bank.created += 25 * 3600
    answer = await purse.firm.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    assert answer.json()["checkout_status"] == "open"
    return told, first, await session_of(purse, told)


async def test_who_paid_in_the_last_moment_is_offered_no_other_page(
    purse: Purse, bank: Bank, house: House
) -> None:
    told, first, second = await two_pages(purse, bank, house)
    await tell(purse, bank.pay(first))
    paid = await purse.read(told["id"])
    assert (paid["status"], paid["checkout_status"]) == ("paid", "paid")
    assert paid["checkout_url"] is None
    await purse.work()
    assert bank.sessions[second]["status"] == "expired"
    after = await purse.read(told["id"])
    assert (after["checkout_status"], after["amount_paid"]) == ("paid", AMOUNT)


async def test_who_has_a_bank_pay_in_the_last_moment_is_offered_no_other_page_meanwhile(
    purse: Purse, bank: Bank, house: House
) -> None:
    told, first, second = await two_pages(purse, bank, house)
    row = bank.sessions[first] | {"status": "complete", "payment_status": "unpaid"}
    bank.sessions[first] = row
    await tell(purse, bank.event("checkout.session.completed", row))
    waiting = await purse.read(told["id"])
    assert (waiting["checkout_status"], waiting["checkout_url"]) == ("processing", None)
    await purse.work()
    assert bank.sessions[second]["status"] == "expired"
    assert (await purse.read(told["id"]))["checkout_status"] == "processing"
    await tell(purse, bank.event("checkout.session.async_payment_failed", row))
    again = await purse.firm.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    assert again.json()["checkout_status"] == "open"


async def test_a_page_of_stripes_is_paid_by_its_notice(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    (asked,) = bank.named("/v1/checkout/sessions")
    assert asked.form["line_items[0][price_data][unit_amount]"] == "1200"
    assert asked.form["line_items[0][price_data][currency]"] == "sgd"
    assert asked.form["line_items[0][price_data][product_data][name]"] == f"Delivery {told['id']}"
    assert asked.form["success_url"].endswith(f"&transaction={told['id']}&checkout=done")
    assert told["checkout_url"] == "https://checkout.stripe.example.com/1"
    await tell(purse, bank.pay("cs_test_1"))
    paid = await purse.read(told["id"])
    assert (paid["status"], paid["amount_paid"], paid["gateway"]) == ("paid", AMOUNT, "stripe-test")
    assert await purse.firm.house.value("select return_url from checkouts") is None


@pytest.mark.slow
async def test_every_order_of_notices_lost_or_doubled_ends_the_same(
    purse: Purse, bank: Bank
) -> None:
    """Paid, given back in part here and there, one of them failing later: told in each order."""
    found = []
    for order in itertools.permutations(range(4)):
        told = await purse.offered()
        session = await session_of(purse, told)
        paid = bank.pay(session)
        payment = f"pi_{session}"
        refund = bank.give_back(payment, 300)["data"]["object"]
        done = bank.event("refund.updated", {**refund, "status": "succeeded"})
        broken = bank.event("refund.failed", {**refund, "status": "failed"})
        other = bank.give_back(payment, 100)
        events = [paid, done, broken, other]
        await tell(purse, *(events[number] for number in order), events[order[0]])
        found.append(standing(await purse.read(told["id"])))
    assert {msgspec.json.encode(each) for each in found} == {msgspec.json.encode(found[0])}
    assert found[0] == {
        "status": "partially_refunded", "amount_paid": AMOUNT, "amount_refunded": 100,
        "checkout_status": "paid", "refunds": [(100, "succeeded"), (300, "failed")],
    }  # fmt: skip


async def test_a_refund_is_told_before_its_payment(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    paid = bank.pay("cs_test_1")
    back = bank.give_back("pi_cs_test_1", 200)
    await tell(purse, back)
    assert (await purse.read(told["id"]))["status"] == "unpaid"
    await tell(purse, paid)
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_refunded"]) == ("partially_refunded", 200)


@pytest.mark.parametrize("amount", [-200, 0, 10**30])
async def test_a_refund_of_an_impossible_amount_is_ignored(
    purse: Purse, bank: Bank, amount: int
) -> None:
    told = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    notice = bank.give_back("pi_cs_test_1", 200)
    notice["data"]["object"]["amount"] = amount
    await tell(purse, notice)
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_refunded"]) == ("paid", 0)


@pytest.mark.parametrize("amount", [-1, 10**30])
async def test_a_payment_of_an_impossible_amount_is_ignored(
    purse: Purse, bank: Bank, amount: int
) -> None:
    told = await purse.offered()
    notice = bank.pay("cs_test_1")
    notice["data"]["object"]["amount_total"] = amount
    await tell(purse, notice)
    assert (await purse.read(told["id"]))["status"] == "unpaid"


async def test_a_delayed_payment_is_awaited_and_may_fail(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    row = bank.sessions["cs_test_1"]
    row |= {"status": "complete", "payment_intent": "pi_1"}
    await tell(purse, bank.event("checkout.session.completed", row))
    assert (await purse.read(told["id"]))["checkout_status"] == "processing"
    path = f"/v1/transactions/{told['id']}/checkout"
    same = (await purse.firm.api.post(path, json={})).json()
    assert (same["checkout_status"], same["checkout_url"]) == ("processing", None)
    await tell(purse, bank.event("checkout.session.async_payment_failed", row))
    failed = await purse.read(told["id"])
    assert (failed["status"], failed["checkout_status"]) == ("unpaid", "declined")
    another = (await purse.firm.api.post(path, json={})).json()
    assert another["checkout_status"] == "open"


async def test_a_page_that_the_gateway_has_forgotten_is_asked_about_for_a_month(
    purse: Purse, bank: Bank
) -> None:
    told = await purse.offered()
    row = bank.sessions["cs_test_1"]
    row |= {"status": "complete", "payment_intent": "pi_1"}
    await tell(purse, bank.event("checkout.session.completed", row))
    forgotten = bank.sessions.pop("cs_test_1")
    clock = purse.firm.house.clock
    clock.advance(days=29)
    await purse.work()
    assert (await purse.read(told["id"]))["checkout_status"] == "processing"
    clock.advance(days=2)
    await purse.work()
    assert (await purse.read(told["id"]))["checkout_status"] == "expired"
    asked = len(bank.asked)
    clock.advance(days=300)
    await purse.work()
    assert len(bank.asked) == asked, "nobody asks for ever"
    paid = forgotten | {"payment_status": "paid"}
    await tell(purse, bank.event("checkout.session.async_payment_succeeded", paid))
    assert (await purse.read(told["id"]))["status"] == "paid", "money that comes is taken"


async def test_who_pays_what_was_called_off_meanwhile_gets_it_back(
    purse: Purse, bank: Bank
) -> None:
    told = await purse.offered()
    late = bank.pay("cs_test_1")
    await purse.void(told["id"])
    await tell(purse, late)
    await purse.work()
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_paid"], after["amount_refunded"]) == (
        "voided", AMOUNT, AMOUNT,
    )  # fmt: skip
    assert [row["amount"] for row in bank.refunds.values()] == [AMOUNT]


async def test_a_page_that_was_called_off_is_closed_at_stripe_too(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    await purse.void(told["id"])
    await purse.work()
    assert bank.sessions["cs_test_1"]["status"] == "expired"
    assert await purse.firm.house.value("select state from checkouts") == "expired"


async def test_who_pays_on_two_pages_gets_one_of_them_back(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    purse.firm.house.clock.advance(hours=25)
    await purse.firm.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    pays = [bank.pay("cs_test_1"), bank.pay("cs_test_2")]
    await tell(purse, *pays, *pays)
    await purse.work()
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_paid"]) == ("paid", 2 * AMOUNT)
    assert after["amount_refunded"] == AMOUNT
    assert [each["reason"] for each in after["refunds"]] == ["More was paid than is owed."]


async def test_who_pays_twice_on_one_page_gets_one_of_them_back(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    first = bank.pay("cs_test_1")
    again = {**bank.sessions["cs_test_1"], "payment_intent": "pi_again"}
    await tell(purse, first, bank.event("checkout.session.completed", again))
    await purse.work()
    after = await purse.read(told["id"])
    assert (after["amount_paid"], after["amount_refunded"]) == (2 * AMOUNT, AMOUNT)
    assert [each["status"] for each in after["refunds"]] == ["succeeded"]


async def test_what_is_none_of_ours_is_taken_and_let_go(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    row = {**bank.sessions["cs_test_1"], "payment_status": "paid", "payment_intent": "pi_x"}
    await tell(
        purse,
        bank.event("customer.created", {"id": "cus_1"}),
        bank.event("invoice.paid", {"id": "in_1", "lines": []}),
        # A payment link of the same account: whoever pays there writes the reference.
        bank.event("checkout.session.completed", {**row, "metadata": {}}),
        bank.event("checkout.session.completed", {**row, "metadata": own("basket 7")}),
        bank.event(
            "checkout.session.completed",
            {**row, "metadata": own("0194fe2c-0000-7000-8000-000000000000")},
        ),
        bank.event("checkout.session.completed", row, livemode=True),
        bank.event("checkout.session.completed", {"id": 7}),
        bank.event("refund.created", {"id": "re_x"}),
        bank.give_back("pi_x", 5, currency="hrk"),
        {"anything": ["else"]},
    )
    assert (await purse.read(told["id"]))["status"] == "unpaid"
    assert await purse.firm.house.value("select count(*) from payment_facts") == 0


async def test_a_long_notice_is_taken(purse: Purse) -> None:
    long = {"id": "evt_1", "type": "charge.updated", "data": {"object": {"note": "x" * 200_000}}}
    await tell(purse, long)


async def test_strangers_refunds_are_forgotten(purse: Purse, bank: Bank, house: House) -> None:
    await tell(purse, bank.give_back("pi_of_somebody_else", 5))
    assert not await sweep.purge_unmatched_refunds(house.database)
    house.clock.advance(days=31)
    assert await sweep.purge_unmatched_refunds(house.database)
    assert await house.value("select count(*) from payment_facts") == 0


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Stripe-Signature": ""},
        {"Stripe-Signature": f"t={NOW}"},
        {"Stripe-Signature": f"t={NOW},v1="},
        {"Stripe-Signature": "t=,v1=00"},
        {"Stripe-Signature": f"t={NOW},t={NOW},v1=00"},
        signed(b"{}", NOW, "whsec_another"),
        signed(b"{} ", NOW),
        signed(b"{}", NOW - 301),
        signed(b"{}", NOW + 301),
        {"Stripe-Signature": signed(b"{}", NOW)["Stripe-Signature"].replace("v1=", "v0=")},
        {"Stripe-Signature": f"t={NOW}," + signed(b"{}", NOW - 301)["Stripe-Signature"]},
        {"Stripe-Signature": signed(b"{}", NOW - 301)["Stripe-Signature"] + f",t={NOW}"},
        {"Stripe-Signature": f"t={NOW},v1=\u00e9".encode("latin-1")},
    ],
)
async def test_a_notice_that_stripe_did_not_sign_now_is_refused(
    striped: Till, headers: dict[str, Any]
) -> None:
    answer = await striped.firm.house.client().post(DOOR, content=b"{}", headers=headers)
    refused(answer, 400, "payment_notice_refused")
    assert NOTICE_SECRET not in answer.text


async def test_a_notice_that_is_no_text_is_refused(striped: Till) -> None:
    answer = await striped.firm.house.client().post(
        DOOR, content=b"\xff", headers=signed(b"\xff", NOW)
    )
    refused(answer, 400, "payment_notice_refused")


async def test_one_of_several_signatures_is_enough(striped: Till) -> None:
    mark = signed(b"{}", NOW)["Stripe-Signature"].replace("v1=", f"v1={'0' * 64},v1=")
    answer = await striped.firm.house.client().post(
        DOOR, content=b"{}", headers={"Stripe-Signature": mark}
    )
    assert answer.status_code == 200


async def test_without_stripe_nobody_is_believed(till: Till, house: House) -> None:
    body, headers = b"{}", signed(b"{}", NOW)

    async def asked(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(DOOR, content=body, headers=headers)

    refused(await asked(till.firm.house.client()), 400, "payment_notice_refused")
    refused(await asked(house.client()), 409, "payment_gateway_not_configured")
