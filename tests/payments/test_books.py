"""`pannier payments reconcile`: the gateway's sums and our own agree, or it is said where not."""

import asyncio
from datetime import timedelta
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest
from structlog.testing import capture_logs

from cli import shell
from pannier import installation
from pannier.payments import reconciliation
from pannier.payments.gateway import GatewayNotConfigured
from pannier.payments.reconciliation import Reconciliation
from payments.bank import PUBLISHABLE_KEY, SECRET_KEY, Bank
from payments.bank import told as answered
from payments.purse import AMOUNT, Purse
from payments.test_notices import session_of, tell
from payments.till import Till
from probe import refused
from stage import NOON, SECRET, House


@pytest.fixture
async def purse(striped: Till) -> Purse:
    return Purse(striped.firm)


async def compared(purse: Purse) -> Reconciliation:
    return await reconciliation.reconcile(purse.database, purse.gateway, NOON - timedelta(days=1))


async def test_what_was_never_told_is_taken_from_the_gateways_books(
    purse: Purse, bank: Bank
) -> None:
    bank.page = 2
    told = [await purse.offered() for _ in range(5)]
    for each in told[:4]:
        bank.pay(await session_of(purse, each))
    await tell(purse, bank.pay(await session_of(purse, told[0])))
    bank.give_back(f"pi_{await session_of(purse, told[1])}", 200)
    bank.give_back("pi_of_somebody_else", 999)
    bank.give_back("pi_of_somebody_else", 999, currency="bgn")  # which is no money any longer
    bank.sessions["cs_other"] = {
        **bank.sessions["cs_test_1"], "id": "cs_other", "metadata": None,
    }  # fmt: skip
    found = await compared(purse)
    assert (found.agree, found.payments, found.differences) == (True, 4, [])
    (sums,) = found.sums
    assert (sums.currency, sums.gateway_paid, sums.our_paid) == ("SGD", 4 * AMOUNT, 4 * AMOUNT)
    assert (sums.gateway_refunded, sums.our_refunded) == (200, 200)
    states = [(await purse.read(each["id"]))["status"] for each in told]
    assert states == ["paid", "partially_refunded", "paid", "paid", "unpaid"]
    assert (await compared(purse)).learned == 0


async def test_a_lost_dispute_that_was_never_told_is_learned_and_books_agree(
    purse: Purse, bank: Bank
) -> None:
    told = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    bank.dispute("pi_cs_test_1", "lost")
    found = await compared(purse)
    assert (found.agree, found.learned) == (True, 1)
    assert [(each.gateway_paid, each.our_paid) for each in found.sums] == [(AMOUNT, AMOUNT)]
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_disputed"]) == ("unpaid", AMOUNT)
    assert (await compared(purse)).learned == 0


async def test_a_key_that_may_not_read_disputes_compares_the_rest(purse: Purse, bank: Bank) -> None:
    await purse.offered()
    bank.pay("cs_test_1")
    bank.fail("/v1/disputes", answered(403, "invalid_request_error"))
    found = await compared(purse)
    assert (found.agree, found.learned) == (True, 1)


async def test_books_that_differ_are_told_payment_by_payment(purse: Purse, bank: Bank) -> None:
    told = await purse.offered()
    await tell(purse, bank.pay("cs_test_1"))
    bank.sessions["cs_test_1"]["amount_total"] = AMOUNT - 1
    found = await compared(purse)
    assert not found.agree
    (difference,) = found.differences
    assert (difference.transaction, difference.payment) == (told["id"], "pi_cs_test_1")
    assert (difference.gateway_paid, difference.our_paid) == (AMOUNT - 1, AMOUNT)
    bank.sessions.clear()
    assert [each.gateway_paid for each in (await compared(purse)).differences] == [0]


async def test_money_in_another_currency_is_called_out_and_not_asked_for_again(
    purse: Purse, bank: Bank
) -> None:
    told = await purse.offered()
    (asked,) = bank.named("/v1/checkout/sessions")
    assert asked.form["adaptive_pricing[enabled]"] == "false"
    bank.sessions["cs_test_1"]["currency"] = "usd"
    with capture_logs() as logged:
        await tell(purse, bank.pay("cs_test_1"))
    (line,) = [each for each in logged if each["log_level"] == "error"]
    assert (line["transaction"], line["payment"]) == (told["id"], "pi_cs_test_1")
    again = await purse.firm.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    refused(again, 409, "transaction_paid")
    found = await compared(purse)
    assert not found.agree
    (one,) = found.differences
    assert (one.currency, one.gateway_paid, one.our_paid) == ("USD", AMOUNT, 0)


async def test_a_payment_of_a_page_that_our_books_lost_is_named(
    purse: Purse, bank: Bank, house: House
) -> None:
    await purse.offered()
    bank.pay("cs_test_1")
    async with house.database.transaction() as db:  # as a backup from before it has it
        await db.execute("delete from checkouts")
    found = await compared(purse)
    assert (found.agree, found.learned, found.differences) == (False, 0, [])
    assert [(each.payment, each.paid) for each in found.unknown] == [("pi_cs_test_1", AMOUNT)]


async def test_the_fake_gateway_keeps_no_books(till: Till) -> None:
    with pytest.raises(GatewayNotConfigured, match="has no records"):
        await compared(Purse(till.firm))


@pytest.mark.slow
async def test_the_command_shows_both_sums_and_fails_when_they_differ(
    purse: Purse, bank: Bank, house: House, database_url: str, tmp_path: Path
) -> None:
    await installation.check_secret(house.database)
    await purse.offered()
    bank.pay("cs_test_1")

    async def reconciled(*words: str, **settings: str) -> CompletedProcess[str]:
        chosen = {
            "database_url": database_url, "secret": SECRET, "payments": "stripe",
            "stripe_secret_key": SECRET_KEY, "stripe_publishable_key": PUBLISHABLE_KEY,
            "stripe_url": bank.url, "test_payments_on_live": "true", **settings,
        }  # fmt: skip
        words = ("payments", "reconcile", "--days", "3650", *words)
        return await asyncio.to_thread(shell.run, tmp_path, *words, **chosen)

    first = await reconciled()
    assert first.returncode == 0, first.stderr
    sums, *said = first.stdout.splitlines()
    assert sums.split() == ["SGD", "12.00", "12.00", "0.00", "0.00"]
    assert said == [
        "Imported 1 missing record.",
        "Payments of stripe-test and Pannier match.",
    ]
    bank.sessions["cs_test_1"]["amount_total"] = 1
    other = await reconciled("--json")
    assert other.returncode == 1
    assert msgspec.json.decode(other.stdout)["differences"][0]["gateway_paid"] == 1
    bank.sessions["cs_lost"] = {
        **bank.sessions["cs_test_1"], "id": "cs_lost", "payment_intent": "pi_lost",
        "metadata": {"pannier_checkout": "0194fe2c-0000-7000-8000-000000000000"},
    }  # fmt: skip
    lost = await reconciled()
    assert "pi_lost: gateway paid 1 (minor units of SGD), unknown to Pannier.\n" in lost.stdout
    none = await reconciled(payments="none")
    assert none.stderr == (
        "pannier: No payment gateway is configured. "
        "The installation's administrator can set one up.\n"
    )
