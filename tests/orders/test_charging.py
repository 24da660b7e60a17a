"""Charges, credits and refunds of an order: who may send money back, and in which currency."""

from typing import Any

import pytest

from contract.test_money import WAITING, accepted, account, charge, record, shop, standing
from orders.shop import CHANGI, Shop
from orders.test_adjustments import lines
from orders.test_price_status import configure, owed_by, pay, settle
from orders.test_quotes import accept, asked, problem, quotes
from pannier.kit.money import MAX_AMOUNT
from pannier.payments import facts
from rates.counter import BY_KILOMETRE, rate

__all__ = ["shop"]

GOODWILL = {"kind": "goodwill", "description": "Sorry."}


async def choose(shop: Shop, order: dict[str, Any], name: str) -> Any:
    """Accept the open quote of a rate."""
    found = await quotes(shop, order)
    (chosen,) = [
        each for each in found if (each["service_rate_name"], each["status"]) == (name, "open")
    ]
    return await accept(shop.firm, chosen["id"])


async def test_a_dispatcher_credits_what_is_owed_and_only_who_may_refund_credits_more(
    shop: Shop,
) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    await charge(shop, order)
    path = f"/int/v1/orders/{order['id']}/charges"
    dispatcher, billing = [await shop.firm.operator(role) for role in ("dispatcher", "billing")]
    answer = await dispatcher.post(path, json={**GOODWILL, "amount": -850})
    assert answer.status_code == 201, answer.text
    before = await account(shop, order)
    answer = await dispatcher.post(path, json={**GOODWILL, "amount": -1})
    assert problem(answer) == (403, "forbidden")
    assert await account(shop, order) == before
    answer = await billing.post(path, json={**GOODWILL, "amount": -100})
    assert answer.status_code == 201, answer.text
    await settle(shop)
    found = await account(shop, order)
    assert (found["total"], found["paid"] - found["refunded"]) == (800, 800)


async def test_money_that_a_gateway_refuses_to_send_back_is_a_credit(shop: Shop) -> None:
    await configure(shop, cancellation_refund="automatic")
    order = await accepted(shop)
    await pay(shop, order)
    await shop.act(order, "cancel")
    assert await standing(shop, order) == ("none", 0)
    house = shop.firm.house
    async with house.database.transaction() as db:
        refund = await db.fetch_value("select uuid from refunds")
        await facts.mark_refund_failed(db, shop.firm.uuid, refund, "payment_gateway_refused")
    assert await standing(shop, order) == ("overpaid", -900)
    assert (await owed_by(shop, order))["balance"] == -900
    # A person has sent it back elsewhere, or tries again.
    name = (await owed_by(shop, order))["id"]
    answer = await shop.firm.api.post(f"/v1/transactions/{name}/refund", json={})
    assert answer.status_code == 200, answer.text
    await settle(shop)
    assert await standing(shop, order) == ("refunded", 0)


async def test_a_refunded_transaction_takes_no_more_money(shop: Shop) -> None:
    order = await accepted(shop)
    await record(shop, order)
    name = (await owed_by(shop, order))["id"]
    await shop.firm.api.post(f"/v1/transactions/{name}/refund", json={})
    before = await shop.get(f"orders/{order['id']}")
    for amount in ({}, {"amount": 300}):
        answer = await shop.firm.api.post(
            f"/v1/transactions/{name}/payments", json={"method": "cash", **amount}
        )
        assert problem(answer) == (409, "transaction_paid")
    assert await shop.get(f"orders/{order['id']}") == before


async def test_a_new_price_takes_the_place_of_adjustments_of_the_refunded_one(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.ready()
    await choose(shop, order, "Express")
    await pay(shop, order)
    answer = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert answer.status_code == 200, answer.text
    (adjustment, first) = await shop.get(f"transactions?order={order['id']}")
    assert adjustment["balance"] > 0
    await shop.firm.api.post(f"/v1/transactions/{first['id']}/refund", json={})
    await settle(shop)
    await shop.post(f"orders/{order['id']}/service-quotes")
    accepted_again = await choose(shop, order, "Express")
    assert accepted_again.status_code == 201, accepted_again.text
    price = accepted_again.json()["amount"]
    assert (await account(shop, order))["total"] == price
    assert await standing(shop, order) == ("unpaid", price)
    assert (await lines(shop, order))[-1] == ("adjustment", -adjustment["amount"])


async def test_an_order_is_charged_in_one_currency(shop: Shop) -> None:
    await configure(shop, currency="SGD")
    await rate(shop.firm, service_name="Abroad", base_fee=1000, currency="USD")
    order = await shop.ready()
    await charge(shop, order)
    answer = await choose(shop, order, "Abroad")
    assert problem(answer) == (409, "order_currency_differs")
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "priced"
    assert (await choose(shop, order, "Flat")).status_code == 201
    assert (await account(shop, order))["total"] == WAITING["amount"] + 900


async def test_a_charge_before_the_price_is_in_the_currency_of_the_quotes(shop: Shop) -> None:
    for each in await shop.get("service-rates"):
        assert (await shop.firm.api.delete(f"/v1/service-rates/{each['id']}")).is_success
    await configure(shop, currency="SGD")
    await rate(shop.firm, service_name="Abroad", base_fee=1000, currency="USD")
    order = await shop.ready()
    assert (await charge(shop, order))["currency"] == "USD"
    order = await shop.act(order, "dispatch")
    assert (order["price_status"], order["balance"]) == ("accepted", 1850)


@pytest.mark.parametrize("paid", [False, True])
async def test_the_total_of_an_order_stays_a_number_that_can_be_stored(
    shop: Shop, *, paid: bool
) -> None:
    order = await accepted(shop)
    if paid:
        await pay(shop, order)
    await configure(shop, prices_include_tax=False)
    before = await account(shop, order)
    for body in ({"amount": MAX_AMOUNT, "tax_rate": 10}, {"amount": MAX_AMOUNT}):
        answer = await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=WAITING | body)
        assert problem(answer) == (422, "validation_failed"), answer.text
    assert await account(shop, order) == before


async def test_the_customer_of_an_order_owes_a_quote_that_was_accepted_before_it(
    shop: Shop,
) -> None:
    quote = (await asked(shop))["id"]
    assert (await accept(shop.firm, quote)).json()["customer"] is None
    order = await shop.order(service_quote=quote, customer={"name": "Ada", "phone": "+6591234567"})
    customer = order["customer"]["id"]
    (owed,) = await shop.get(f"transactions?customer={customer}")
    assert (owed["order"], owed["balance"]) == (order["id"], 900)


async def test_a_payer_who_accepted_a_quote_before_its_order_stays(shop: Shop) -> None:
    payer = await shop.post("contacts", name="Grace", phone="+6598765432")
    quote = (await asked(shop))["id"]
    await accept(shop.firm, quote, customer=payer["id"])
    order = await shop.order(service_quote=quote, customer={"name": "Ada", "phone": "+6591234567"})
    (owed,) = await shop.get(f"transactions?customer={payer['id']}")
    assert owed["order"] == order["id"]


async def test_an_acceptance_answers_with_numbers_as_every_other_request_does(shop: Shop) -> None:
    await configure(shop, tax_rate=25.5)
    order = await shop.ready()
    (quote, *_) = await quotes(shop, order)
    answer = (await accept(shop.firm, quote["id"])).json()
    assert answer == await shop.get(f"transactions/{answer['id']}")
    assert answer["items"][0]["tax_rate"] == 25.5


async def test_an_order_has_500_charges_and_a_transaction_500_payments_at_most(
    shop: Shop,
) -> None:
    order = await accepted(shop)
    await record(shop, order, amount=1)
    author = "actor_kind, actor_id, actor_name, created_at"
    line = f"company, transaction, kind, code, details, amount, {author}"
    payment = f"company, transaction, method, amount, received_at, {author}"
    house = shop.firm.house
    await house.value(
        f"""insert into charges (uuid, public_id, position, {line})
            select gen_random_uuid(), gen_random_uuid()::text, number, {line}
            from charges, generate_series(1, 499) number returning 1"""
    )
    await house.value(
        f"""insert into payments (uuid, public_id, {payment})
            select gen_random_uuid(), gen_random_uuid()::text, {payment}
            from payments, generate_series(1, 499) returning 1"""
    )
    before = await account(shop, order)
    answer = await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=WAITING)
    assert problem(answer) == (409, "too_many_entries")
    path = f"/v1/transactions/{order['transaction']}/payments"
    answer = await shop.firm.api.post(path, json={"method": "cash", "amount": 1})
    assert problem(answer) == (409, "too_many_entries")
    assert await account(shop, order) == before
