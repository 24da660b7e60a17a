"""Test money never settles what a live company is owed, unless the installation says so."""

from dataclasses import replace

import pytest

from orders.shop import Shop
from orders.test_quotes import FLAT, accept, quotes
from pannier.payments.fake import FakeGateway
from pannier.payments.gateway import list_served_modes
from pannier.payments.stripe import StripeGateway
from payments import bank as banks
from payments.bank import Bank
from payments.purse import Purse
from payments.test_notices import session_of, tell
from payments.till import INTENT, KEY, Till, equipped, granted
from probe import refused
from rates.counter import rate
from stage import House

CODE = "payment_gateway_is_test"


@pytest.mark.parametrize(
    ("live", "allowed", "modes"),
    [
        (True, False, {"live"}),
        (True, True, {"live"}),
        (False, False, {"test"}),
        (False, True, {"test", "live"}),
    ],
)
def test_a_gateway_serves_companies_of_its_own_mode(
    *, live: bool, allowed: bool, modes: set[str]
) -> None:
    assert list_served_modes(live=live, test_serves_live=allowed) == modes


def test_stripes_test_keys_serve_test_companies_only() -> None:
    assert StripeGateway(banks.SECRET_KEY, banks.PUBLISHABLE_KEY).modes == {"test"}


async def test_a_live_company_gets_no_cards_saved_at_a_pretend_gateway(house: House) -> None:
    ready = equipped(house, FakeGateway(house.clock))
    _, client = await Till(await ready.found("Acme")).visitor()
    for door in (KEY, INTENT):
        refused(await client.post(door), 409, CODE)
    _, tester = await Till(await ready.found("Trial", "test")).visitor()
    await granted(await tester.post(INTENT))


async def test_a_live_company_gets_no_page_at_a_pretend_gateway(house: House) -> None:
    purse = Purse(await equipped(house, FakeGateway(house.clock)).found("Acme"))
    told = await purse.offered()
    assert (told["gateway"], told["checkout_url"], told["status"]) == (None, None, "unpaid")
    path = f"/v1/transactions/{told['id']}/checkout"
    refused(await purse.firm.api.post(path, json={}), 409, CODE)


async def test_a_page_from_before_settles_nothing_of_a_live_company(house: House) -> None:
    allowing = equipped(house, FakeGateway(house.clock, test_serves_live=True))
    firm = await allowing.found("Acme")
    purse = Purse(firm)
    told, paid = await purse.offered(), await purse.offered()
    await purse.pay(paid)
    strict = Purse(replace(firm, house=equipped(house, FakeGateway(house.clock))))
    page = strict.firm.house.client()
    refused(await page.post(f"{told['checkout_url']}/pay"), 409, CODE)
    refused(await page.get(told["checkout_url"]), 409, CODE)
    kept = (await strict.firm.api.get(f"/v1/transactions/{told['id']}")).json()
    assert (kept["status"], kept["amount_paid"]) == ("unpaid", 0)
    path = f"/int/v1/transactions/{paid['id']}/refund"
    refused(await strict.firm.admin.post(path, json={}), 409, CODE)


async def test_stripes_test_keys_serve_no_live_company_at_any_door(
    striped: Till, bank: Bank
) -> None:
    firm = striped.firm
    purse = Purse(firm)
    order = await purse.order()
    told = await purse.offered(order=order)
    session = await session_of(purse, told)
    gateway = StripeGateway(
        banks.SECRET_KEY, banks.PUBLISHABLE_KEY, notice_secret=banks.NOTICE_SECRET,
        default_return_url="http://127.0.0.1:8000/payments/done", url=bank.url, retries=0,
    )  # fmt: skip
    strict = Purse(replace(firm, house=equipped(firm.house, gateway)))
    asked = len(bank.asked)
    # A notice that Stripe signed, of a page that was opened when test money still counted.
    await tell(strict, bank.pay(session))
    kept = await strict.read(told["id"])
    assert (kept["status"], kept["amount_paid"]) == ("unpaid", 0)
    _, client = await Till(strict.firm).visitor()
    for door in (KEY, INTENT):
        refused(await client.post(door), 409, CODE)
    other = await strict.offered()
    assert (other["gateway"], other["checkout_url"]) == (None, None)
    path = f"/v1/transactions/{other['id']}/checkout"
    refused(await strict.firm.api.post(path, json={}), 409, CODE)
    assert len(bank.asked) == asked, "Stripe is not asked for a live company"
    await gateway.close()


async def test_a_refund_that_comes_back_is_owed_again_and_nothing_else_is_accepted(
    striped: Till, bank: Bank
) -> None:
    shop = Shop(striped.firm)
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    owed = (await accept(shop.firm, quote["id"])).json()
    purse = Purse(striped.firm)
    await tell(purse, bank.pay(await session_of(purse, owed)))
    await purse.refund(owed["id"])
    await purse.work()
    assert (await purse.read(owed["id"]))["status"] == "refunded"
    (fresh,) = (await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "priced"
    # The customer's account was closed: days later the money is ours again.
    (made,) = bank.refunds.values()
    await tell(purse, bank.event("refund.failed", made | {"status": "failed"}))
    assert (await purse.read(owed["id"]))["status"] == "paid"
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "accepted"
    refused(await accept(shop.firm, fresh["id"]), 409, "quote_already_accepted")
