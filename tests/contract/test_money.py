"""Money that follows the order: charges, payments, balances, and the settings that decide."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stage
from orders.shop import CHANGI, Shop
from orders.test_price_status import configure, owed_by, pay, settle
from orders.test_quotes import FLAT, accept, problem, quotes
from pannier.db import Database
from pannier.kit.clock import ManualClock
from rates.counter import BY_KILOMETRE, rate

WAITING = {"kind": "waiting", "description": "Waited 25 minutes at the dock", "amount": 850}


@pytest.fixture
async def shop(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A test company with a rate of 9.00 in a house with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    shop = Shop(await house.found("Acme", mode="test"))
    await rate(shop.firm, **FLAT)
    return shop


async def accepted(shop: Shop, **more: Any) -> dict[str, Any]:
    """Place an order with a driver, and accept its quote."""
    order = await shop.ready(**more)
    (quote, *_) = await quotes(shop, order)
    assert (await accept(shop.firm, quote["id"])).status_code == 201
    found: dict[str, Any] = await shop.get(f"orders/{order['id']}")
    return found


async def account(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await shop.get(f"orders/{order['id']}/charges")
    assert found["total"] == sum(line["amount"] for line in found["lines"])
    return found


async def standing(shop: Shop, order: dict[str, Any]) -> tuple[str, int]:
    found = await shop.get(f"orders/{order['id']}")
    return found["payment_status"], found["balance"]


async def record(shop: Shop, order: dict[str, Any], **body: Any) -> dict[str, Any]:
    name = (await owed_by(shop, order))["id"]
    answer = await shop.firm.api.post(
        f"/v1/transactions/{name}/payments", json={"method": "transfer", **body}
    )
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def charge(shop: Shop, order: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=WAITING | body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_an_order_has_a_payment_status_and_a_balance(shop: Shop) -> None:
    free = await shop.order()
    assert (free["payment_status"], free["balance"], free["currency"]) == ("none", 0, None)
    order = await accepted(shop)
    assert (order["payment_status"], order["balance"], order["currency"]) == ("unpaid", 900, "SGD")
    await record(shop, order, amount=400)
    assert await standing(shop, order) == ("partially_paid", 500)
    await record(shop, order)
    assert await standing(shop, order) == ("paid", 0)
    await record(shop, order, amount=100)
    assert await standing(shop, order) == ("overpaid", -100)
    name = (await owed_by(shop, order))["id"]
    answer = await shop.firm.api.post(f"/v1/transactions/{name}/refund", json={"amount": 100})
    assert answer.status_code == 200, answer.text
    assert await standing(shop, order) == ("paid", 0)
    await shop.firm.api.post(f"/v1/transactions/{name}/refund", json={"reason": "Broken."})
    assert await standing(shop, order) == ("refunded", 0)


async def test_orders_are_listed_by_payment_status_and_balance(shop: Shop) -> None:
    free, owing, paid = await shop.order(), await accepted(shop), await accepted(shop)
    await record(shop, paid, amount=1000)

    async def listed(query: str) -> set[str]:
        return {each["id"] for each in await shop.get(f"orders?{query}")}

    assert await listed("payment_status=none") == {free["id"]}
    assert await listed("payment_status=unpaid&payment_status=overpaid") == {
        owing["id"],
        paid["id"],
    }
    assert await listed("balance=900") == {owing["id"]}
    assert await listed("balance_min=1") == {owing["id"]}
    assert await listed("balance_max=-1") == {paid["id"]}
    assert await listed("balance_max=0") == {paid["id"], free["id"]}


async def test_the_account_of_an_order_lists_every_line_with_its_actor(shop: Shop) -> None:
    order = await accepted(shop)
    await charge(shop, order, reason="The ramp was blocked.")
    found = await account(shop, order)
    assert (found["currency"], found["total"], found["balance"]) == ("SGD", 1750, 1750)
    price, waiting = found["lines"]
    assert (price["kind"], price["amount"]) == ("quote", 900)
    assert (waiting["kind"], waiting["description"]) == ("waiting", WAITING["description"])
    assert waiting["reason"] == "The ramp was blocked."
    assert waiting["actor"]["kind"] == "key"
    assert waiting["transaction"] == order["transaction"]
    assert (await owed_by(shop, order))["amount"] == 1750
    seen = await shop.firm.admin.get(f"/int/v1/orders/{order['id']}/charges")
    assert seen.json() == found


async def test_a_charge_after_payment_opens_another_transaction(shop: Shop) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    found = await charge(shop, order)
    assert (found["total"], found["paid"], found["balance"]) == (1750, 900, 850)
    assert await standing(shop, order) == ("partially_paid", 850)
    second, first = await shop.get(f"transactions?order={order['id']}")
    assert (first["status"], first["amount"]) == ("paid", 900)
    assert (second["status"], second["amount"], second["balance"]) == ("unpaid", 850, 850)
    await pay(shop, order)
    assert await standing(shop, order) == ("paid", 0)


async def test_a_credit_reduces_what_is_owed_and_then_goes_back(shop: Shop) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    await charge(shop, order)
    found = await charge(shop, order, kind="goodwill", description="Sorry.", amount=-1000)
    assert (found["total"], found["balance"]) == (750, 0)
    await settle(shop)
    found = await account(shop, order)
    assert (found["paid"] - found["refunded"], found["balance"]) == (750, 0)
    answer = await shop.firm.api.post(
        f"/v1/orders/{order['id']}/charges", json=WAITING | {"amount": -751}
    )
    assert problem(answer) == (422, "validation_failed")
    assert (await account(shop, order))["total"] == 750


@pytest.mark.parametrize("kind", ["quote", "adjustment", "cancellation", "tip"])
async def test_kinds_that_follow_from_operations_are_not_added_by_hand(
    shop: Shop, kind: str
) -> None:
    order = await accepted(shop)
    answer = await shop.firm.api.post(
        f"/v1/orders/{order['id']}/charges", json=WAITING | {"kind": kind}
    )
    assert answer.status_code == 422
    assert (await account(shop, order))["total"] == 900


async def test_charges_contain_their_tax_or_add_it(shop: Shop) -> None:
    order = await accepted(shop)
    await configure(shop, tax_rate=25.5)
    found = await charge(shop, order, amount=1255)
    assert (found["lines"][1]["tax_amount"], found["lines"][1]["tax_rate"]) == (255, 25.5)
    await configure(shop, prices_include_tax=False)
    found = await charge(shop, order, amount=1000, tax_rate=10)
    assert (found["lines"][2]["amount"], found["lines"][2]["tax_amount"]) == (1100, 100)
    assert found["lines"][2]["net_amount"] == 1000
    assert [item["net_amount"] for item in (await owed_by(shop, order))["items"]] == [
        line["net_amount"] for line in found["lines"]
    ]
    assert found["tax"] == 355


async def test_an_order_without_a_price_can_be_charged_and_still_be_priced(shop: Shop) -> None:
    await configure(shop, currency="SGD")
    order = await shop.ready()
    found = await charge(shop, order)
    assert (found["total"], found["balance"]) == (850, 850)
    shown = await shop.get(f"orders/{order['id']}")
    assert (shown["price_status"], shown["payment_status"]) == ("priced", "unpaid")
    await record(shop, order)
    shown = await shop.act(order, "dispatch")
    assert (shown["price_status"], shown["balance"]) == ("accepted", 900)
    assert (await account(shop, order))["total"] == 1750


async def test_a_payment_is_recorded_with_method_reference_time_and_actor(shop: Shop) -> None:
    order = await accepted(shop)
    found = await record(
        shop, order, method="check", reference="No. 17", received_at="2026-01-14T09:00:00+08:00"
    )
    (payment,) = found["payments"]
    assert (payment["amount"], payment["method"], payment["reference"]) == (900, "check", "No. 17")
    assert payment["received_at"] == "2026-01-14T01:00:00.000Z"
    assert payment["recorded_by"]["kind"] == "key"
    assert (found["status"], found["balance"]) == ("paid", 0)
    path = f"/v1/transactions/{found['id']}/payments"
    answer = await shop.firm.api.post(path, json={"method": "cash"})
    assert problem(answer) == (409, "transaction_paid")
    late = {"method": "cash", "amount": 1, "received_at": "2026-01-15T13:00:00Z"}
    assert (await shop.firm.api.post(path, json=late)).status_code == 422
    assert (await owed_by(shop, order))["amount_paid"] == 900


async def test_a_payment_sent_twice_is_recorded_once(shop: Shop) -> None:
    order = await accepted(shop)
    path = f"/v1/transactions/{order['transaction']}/payments"
    body, headers = {"method": "cash", "amount": 300}, {"Idempotency-Key": "till-17"}
    for _ in range(2):
        answer = await shop.firm.api.post(path, json=body, headers=headers)
        assert answer.status_code == 201
    assert await standing(shop, order) == ("partially_paid", 600)


async def test_the_page_asks_for_what_is_still_owed(shop: Shop) -> None:
    order = await accepted(shop)
    await record(shop, order, amount=400)
    await pay(shop, order)
    found = await account(shop, order)
    assert (found["paid"], found["balance"]) == (900, 0)


async def test_what_a_gateway_received_too_much_goes_back_and_recorded_money_stays(
    shop: Shop,
) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    await record(shop, order, amount=900)
    await settle(shop)
    found = await account(shop, order)
    # A wrong entry does not send money out.
    assert (found["paid"], found["refunded"], found["balance"]) == (1800, 0, -900)
    assert await standing(shop, order) == ("overpaid", -900)


@pytest.mark.parametrize("paid", [False, True])
async def test_a_longer_way_after_acceptance_is_charged_and_a_shorter_one_credited(
    shop: Shop, *, paid: bool
) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.ready()
    offered = await quotes(shop, order)
    chosen = next(each for each in offered if each["service_rate_name"] != FLAT["service_name"])
    await accept(shop.firm, chosen["id"])
    if paid:
        await pay(shop, order)
    before = await account(shop, order)
    longer = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert longer.status_code == 200, longer.text
    after = await account(shop, order)
    (line,) = [each for each in after["lines"] if each["kind"] == "adjustment"]
    assert "km instead of" in line["description"]
    assert line["amount"] == after["total"] - before["total"] != 0
    fresh = await shop.order(dropoff=CHANGI)
    now = {each["service_rate_name"]: each["amount"] for each in await quotes(shop, fresh)}
    assert after["total"] == now[chosen["service_rate_name"]]
    back = await shop.firm.api.patch(
        f"/v1/orders/{order['id']}", json={"dropoff": order["payload"]["dropoff"]["id"]}
    )
    assert back.status_code == 200, back.text
    await settle(shop)
    end = await account(shop, order)
    assert end["total"] == before["total"]
    assert end["balance"] == before["balance"]


async def test_a_company_refuses_changes_that_move_the_price(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    await configure(shop, price_changes="refuse")
    order = await shop.ready()
    offered = await quotes(shop, order)
    chosen = next(each for each in offered if each["service_rate_name"] != FLAT["service_name"])
    await accept(shop.firm, chosen["id"])
    before = await account(shop, order)
    answer = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert problem(answer) == (409, "price_fixed")
    shown = await shop.get(f"orders/{order['id']}")
    assert shown["payload"]["dropoff"]["id"] == order["payload"]["dropoff"]["id"]
    assert await account(shop, order) == before
    answer = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"notes": "Ring twice."})
    assert answer.status_code == 200


async def test_a_company_keeps_its_prices(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    await configure(shop, price_changes="keep")
    order = await shop.ready()
    for each in await quotes(shop, order):
        if each["service_rate_name"] != FLAT["service_name"]:
            await accept(shop.firm, each["id"])
    before = await account(shop, order)
    await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert await account(shop, order) == before


async def test_another_customer_owes_what_is_open(shop: Shop) -> None:
    order = await accepted(shop, customer={"name": "Ada", "phone": "+6591234567"})
    await record(shop, order, amount=200)
    first = await owed_by(shop, order)
    changed = await shop.firm.api.patch(
        f"/v1/orders/{order['id']}", json={"customer": {"name": "Bert", "phone": "+6598765432"}}
    )
    assert changed.status_code == 200, changed.text
    moved = await owed_by(shop, order)
    assert moved["customer"] == changed.json()["customer"]["id"] != first["customer"]


async def created(_: Shop, order: dict[str, Any]) -> dict[str, Any]:
    return order


async def dispatched(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    return await shop.act(order, "dispatch")


async def started(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    return await shop.act(order, "start", skip_dispatch=True)


@pytest.mark.parametrize("paid", [False, True])
@pytest.mark.parametrize(("stage_of", "fee"), [(created, 0), (dispatched, 200), (started, 450)])
async def test_cancelling_costs_a_fee_by_stage(
    shop: Shop, stage_of: Callable[..., Any], fee: int, *, paid: bool
) -> None:
    await configure(
        shop,
        cancellation_fees={"dispatched": 200, "started": "50%"},
        cancellation_refund="automatic",
    )
    order = await accepted(shop)
    if paid:
        await pay(shop, order)
    await stage_of(shop, order)
    await shop.act(order, "cancel", reason="Changed plans.")
    await settle(shop)
    found = await account(shop, order)
    assert found["total"] == fee
    if paid and fee:
        assert found["paid"] - found["refunded"] == fee
        assert await standing(shop, order) == ("paid", 0)
    elif fee:
        assert await standing(shop, order) == ("unpaid", fee)
    else:
        assert await standing(shop, order) == ("none" if not paid else "refunded", 0)
    if fee:
        assert found["lines"][-1]["kind"] == "cancellation"


async def test_a_paid_order_that_is_canceled_waits_for_a_person_by_default(shop: Shop) -> None:
    order = await accepted(shop)
    await pay(shop, order)
    await shop.act(order, "cancel")
    await settle(shop)
    assert await standing(shop, order) == ("paid", 0)
    found = await shop.get("orders?status=canceled&payment_status=paid")
    assert [each["id"] for each in found] == [order["id"]]


async def test_dispatch_requires_the_whole_payment(shop: Shop) -> None:
    await configure(shop, dispatch_requires="payment")
    order = await accepted(shop)
    await record(shop, order, amount=899)
    assert problem(await shop.attempt(order, "dispatch")) == (409, "payment_required")
    await record(shop, order)
    assert (await shop.act(order, "dispatch"))["status"] == "dispatched"
