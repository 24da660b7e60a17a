"""Orders that go out have a price, or say that they have none; what they owe follows their end."""

from pathlib import Path
from typing import Any

import pytest

import stage
from orders.shop import MANDAI, RAFFLES, Shop
from orders.test_quotes import FLAT, accept, asked, problem, quotes
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.orders import remeasure, repricing, sweep
from pannier.payments import sweep as payments
from rates.counter import BY_KILOMETRE, rate
from stage import House

NOWHERE = {"street1": "80 Mandai Lake Road", "city": "Singapore"}


@pytest.fixture
async def paying(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A test company in a house with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    return Shop(await house.found("Acme", mode="test"))


async def configure(shop: Shop, **settings: Any) -> None:
    answer = await shop.firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.status_code == 200, answer.text


async def owed_by(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    """Read the newest transaction of an order."""
    found: dict[str, Any] = (await shop.get(f"transactions?order={order['id']}"))[0]
    return found


async def pay(shop: Shop, order: dict[str, Any]) -> None:
    name = (await owed_by(shop, order))["id"]
    page = (await shop.firm.api.post(f"/v1/transactions/{name}/checkout", json={})).json()
    answer = await shop.firm.house.client().post(f"{page['checkout_url']}/pay")
    assert answer.status_code == 303, answer.text


async def refund(shop: Shop, order: dict[str, Any]) -> None:
    path = f"/int/v1/transactions/{(await owed_by(shop, order))['id']}/refund"
    answer = await shop.firm.admin.post(path, json={})
    assert answer.status_code == 200, answer.text
    await settle(shop)


async def settle(shop: Shop) -> None:
    house = shop.firm.house
    while await payments.step(house.database, house.edge.services["gateway"]):
        pass


async def audited(shop: Shop, order: dict[str, Any]) -> list[tuple[str, str]]:
    found = await shop.firm.admin.get("/int/v1/audit", params={"subject": order["id"]})
    assert found.status_code == 200, found.text
    return [
        (entry["action"], entry["actor_type"])
        for entry in found.json()["data"]
        if entry["action"] == "dispatched_unpriced"
    ]


async def listed(shop: Shop, status: str) -> list[str]:
    return [each["id"] for each in await shop.get(f"orders?price_status={status}")]


async def test_an_order_says_whether_it_is_unpriced_priced_or_accepted(shop: Shop) -> None:
    free = await shop.order()
    await rate(shop.firm, **FLAT)
    open_, chosen = await shop.order(), await shop.order()
    (quote,) = await quotes(shop, chosen)
    await accept(shop.firm, quote["id"])
    assert (free["price_status"], open_["price_status"]) == ("unpriced", "priced")
    assert await listed(shop, "unpriced") == [free["id"]]
    assert await listed(shop, "priced") == [open_["id"]]
    assert await listed(shop, "accepted") == [chosen["id"]]


async def test_an_order_without_a_price_goes_out_unpriced_and_the_audit_log_has_it(
    shop: Shop,
) -> None:
    order = await shop.ready()
    order = await shop.act(order, "dispatch")
    assert (order["status"], order["price_status"]) == ("dispatched", "unpriced")
    assert await audited(shop, order) == [("dispatched_unpriced", "key")]


async def test_at_dispatch_an_order_is_priced_by_a_rate_that_is_newer_than_itself(
    shop: Shop,
) -> None:
    order = await shop.ready()
    await rate(shop.firm, **FLAT)
    order = await shop.act(order, "dispatch")
    assert order["price_status"] == "accepted"
    assert (await owed_by(shop, order))["amount"] == 900
    assert await audited(shop, order) == []


async def test_a_tariff_change_between_schedule_and_dispatch_leaves_no_order_free(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    change = "2026-01-15T14:00:00Z"
    await rate(shop.firm, **FLAT, valid_until=change)
    await rate(shop.firm, service_name="New", base_fee=1100, valid_from=change)
    before = await shop.ready(scheduled_at="2026-01-15T13:59:00Z")
    after = await shop.ready(scheduled_at="2026-01-15T14:01:00Z")
    clock.advance(hours=3)
    while await sweep.step(house.database):
        pass
    assert (await owed_by(shop, before))["amount"] == 900
    assert (await owed_by(shop, after))["amount"] == 1100


async def test_a_quote_for_a_scheduled_time_is_accepted_by_the_rates_of_that_time(
    shop: Shop,
) -> None:
    await rate(shop.firm, **FLAT, valid_from="2026-02-01T00:00:00Z")
    later = "2026-02-02T10:00:00Z"
    signed = await asked(shop, scheduled_at=later)
    assert (await accept(shop.firm, signed["id"])).status_code == 201
    order = await shop.order(scheduled_at=later)
    (quote,) = await quotes(shop, order)
    assert (await accept(shop.firm, quote["id"])).status_code == 201


async def test_a_quote_expires_with_its_rate(shop: Shop) -> None:
    await rate(shop.firm, **FLAT, valid_until="2026-01-15T12:10:00Z")
    assert (await asked(shop))["expired_at"] == "2026-01-15T12:10:00.000Z"
    (quote,) = await quotes(shop, await shop.order())
    assert quote["expired_at"] == "2026-01-15T12:10:00.000Z"


async def test_an_order_that_went_out_before_its_address_was_found_gets_its_price_then(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.ready(pickup=RAFFLES, dropoff=NOWHERE)
    order = await shop.act(order, "dispatch")
    assert order["price_status"] == "unpriced"
    place = order["payload"]["dropoff"]["id"]
    point = {"latitude": MANDAI["latitude"], "longitude": MANDAI["longitude"]}
    await shop.patch(f"places/{place}", **point)
    while await remeasure.step(house.database):
        pass
    order = await shop.get(f"orders/{order['id']}")
    assert order["price_status"] == "accepted"
    assert (await owed_by(shop, order))["amount"] > 500


@pytest.mark.parametrize(("demand", "code"), [("price", "price_required"),
                                              ("payment", "price_required")])  # fmt: skip
async def test_a_company_may_refuse_to_dispatch_orders_without_a_price(
    shop: Shop, demand: str, code: str
) -> None:
    await configure(shop, dispatch_requires=demand)
    order = await shop.ready()
    assert problem(await shop.attempt(order, "dispatch")) == (409, code)
    assert problem(await shop.attempt(order, "start", skip_dispatch=True)) == (409, code)
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "driver": order["driver_assigned"]["id"]}
    placed = await shop.firm.api.post("/v1/orders", json={**body, "dispatch": True})
    assert problem(placed) == (409, code)
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "created"


async def test_a_company_may_wait_for_payment_and_a_scheduled_order_waits_with_it(
    paying: Shop, clock: ManualClock
) -> None:
    house = paying.firm.house
    await configure(paying, dispatch_requires="payment")
    await rate(paying.firm, **FLAT)
    order = await paying.ready(scheduled_at="2026-01-15T13:00:00Z")
    (quote,) = await quotes(paying, order)
    await accept(paying.firm, quote["id"])
    assert problem(await paying.attempt(order, "dispatch")) == (409, "payment_required")
    clock.advance(hours=2)
    while await sweep.step(house.database):
        pass
    assert (await paying.get(f"orders/{order['id']}"))["status"] == "created"
    assert await house.value("select count(*) from parked") == 0
    await pay(paying, order)
    while await sweep.step(house.database):
        pass
    assert (await paying.get(f"orders/{order['id']}"))["status"] == "dispatched"


async def test_the_longer_an_order_waits_for_its_price_the_seldomer_it_is_retried(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    await configure(shop, dispatch_requires="price")
    await shop.ready(scheduled_at="2026-01-15T12:01:00Z")
    clock.advance(minutes=2)
    waits = []
    for _ in range(6):
        assert await sweep.step(house.database)
        assert not await sweep.step(house.database)
        until = await house.value("select dispatch_after from orders")
        waits.append(round((until - clock.now()).total_seconds() / 60))
        clock.advance(minutes=waits[-1])
    assert waits == [5, 6, 12, 24, 48, 60]


async def test_choosing_a_stop_lets_a_waiting_order_be_dispatched_sooner(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    await configure(shop, dispatch_requires="price")
    order = await shop.ready(scheduled_at="2026-01-15T12:01:00Z", waypoints=["1 Road", "2 Road"])
    clock.advance(minutes=2)
    assert await sweep.step(house.database)
    assert await house.value("select dispatch_after is not null from orders")
    stop = order["payload"]["waypoints"][1]["id"]
    await shop.post(f"orders/{order['id']}/set-destination/{stop}")
    assert await house.value("select dispatch_after is null from orders")


async def carried_back(shop: Shop, *, prepaid: bool = False) -> dict[str, Any]:
    """Let an order of 9.00 be refused at the door and go back."""
    await rate(shop.firm, **FLAT)
    order = await shop.ready()
    if prepaid:
        (quote,) = await quotes(shop, order)
        await accept(shop.firm, quote["id"])
        await pay(shop, order)
    await shop.act(order, "start", skip_dispatch=True)
    await shop.act(order, "fail-attempt", reason="refused", then="return")
    order = await shop.act(order, "complete")
    assert order["status"] == "canceled"
    await settle(shop)
    return order


@pytest.mark.parametrize("prepaid", [False, True])
@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, 900),
        ({"undelivered_charge": "void"}, 0),
        ({"undelivered_charge": "return_fee", "return_fee": 250}, 250),
        ({"undelivered_charge": "return_fee", "return_fee": "33.5%"}, 302),
        ({"undelivered_charge": "return_fee", "return_fee": 5000}, 900),
        ({"undelivered_charge": "return_fee", "return_fee": 0}, 0),
        ({"undelivered_charge": "return_fee", "return_fee": "0%"}, 0),
    ],
)
async def test_what_an_undelivered_order_costs_is_the_companys_choice_paid_before_or_not(
    paying: Shop, settings: dict[str, Any], kept: int, *, prepaid: bool
) -> None:
    if settings:
        await configure(paying, **settings)
    order = await carried_back(paying, prepaid=prepaid)
    owed = await owed_by(paying, order)
    charged = 0 if owed["status"] == "voided" else owed["amount"]
    assert charged == kept
    order = await paying.get(f"orders/{order['id']}")
    assert order["price_status"] == ("accepted" if kept else "unpriced")
    if prepaid:
        assert owed["amount_paid"] - owed["amount_refunded"] == kept
    if kept:
        assert sum(item["amount"] for item in owed["items"]) == kept


@pytest.mark.parametrize("then", ["hold", "return"])
async def test_a_failed_delivery_keeps_its_bill_when_the_order_is_cancelled(
    paying: Shop, then: str
) -> None:
    await rate(paying.firm, **FLAT)
    order = await paying.ready()
    await paying.act(order, "start", skip_dispatch=True)
    await paying.act(order, "fail-attempt", reason="refused", then=then)
    order = await paying.act(order, "cancel")
    owed = await owed_by(paying, order)
    assert (order["price_status"], owed["status"], owed["amount"]) == ("accepted", "unpaid", 900)
    await paying.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    (fresh,) = (await paying.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    assert (await accept(paying.firm, fresh["id"])).status_code == 201


async def test_an_undelivered_order_whose_bill_was_called_off_is_charged_again(
    paying: Shop,
) -> None:
    await configure(paying, undelivered_charge="void")
    order = await carried_back(paying)
    (fresh,) = (await paying.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    assert (await accept(paying.firm, fresh["id"])).status_code == 201
    assert (await paying.get(f"orders/{order['id']}"))["price_status"] == "accepted"


async def test_a_return_fee_needs_an_amount(shop: Shop) -> None:
    path = "/int/v1/settings"
    answer = await shop.firm.admin.patch(path, json={"undelivered_charge": "return_fee"})
    assert answer.status_code == 422
    for wrong in ("150%", "-1", -1, "half"):
        answer = await shop.firm.admin.patch(path, json={"return_fee": wrong})
        assert answer.status_code == 422, wrong


async def test_after_a_full_refund_an_order_is_charged_again(paying: Shop) -> None:
    await rate(paying.firm, **FLAT)
    order = await paying.ready()
    (quote,) = await quotes(paying, order)
    await accept(paying.firm, quote["id"])
    await pay(paying, order)
    first = await owed_by(paying, order)
    await refund(paying, order)
    assert (await paying.get(f"orders/{order['id']}"))["price_status"] == "unpriced"
    assert (await paying.told("order.updated"))[-1]["data"]["changed"] == [
        "price_status",
        "payment_status",
    ]
    (fresh,) = (await paying.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    assert (await paying.get(f"orders/{order['id']}"))["price_status"] == "priced"
    again = await accept(paying.firm, fresh["id"])
    assert again.status_code == 201, again.text
    assert again.json()["id"] != first["id"]
    await pay(paying, order)
    assert (await owed_by(paying, order))["status"] == "paid"
    found = await paying.get(f"transactions?order={order['id']}")
    assert [each["status"] for each in found] == ["paid", "refunded"]


async def test_an_order_charged_again_names_its_first_transaction_everywhere(
    paying: Shop,
) -> None:
    await rate(paying.firm, **FLAT)
    order = await paying.ready()
    (quote,) = await quotes(paying, order)
    first = (await accept(paying.firm, quote["id"])).json()
    await pay(paying, order)
    await refund(paying, order)
    (fresh,) = (await paying.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    second = (await accept(paying.firm, fresh["id"])).json()
    shown = await paying.get(f"orders/{order['id']}")
    assert (shown["transaction"], shown["service_quote"]) == (first["id"], fresh["id"])
    data = (await paying.told("order.updated"))[-1]["data"]
    assert data["changed"] == ["service_quote", "price_status", "payment_status", "balance"]
    (listed_order,) = await paying.get("orders")
    assert listed_order["transaction"] == first["id"]
    found = await paying.get(f"transactions?order={order['id']}")
    assert [each["id"] for each in found] == [second["id"], first["id"]]
    # What is called off now is the second one; the first one was refunded.
    order = await paying.act(order, "cancel")
    assert order["transaction"] == first["id"]
    found = await paying.get(f"transactions?order={order['id']}")
    assert [each["status"] for each in found] == ["voided", "refunded"]


async def test_a_refunded_order_does_not_go_out_with_nothing_owed_in_silence(
    paying: Shop,
) -> None:
    await rate(paying.firm, **FLAT)
    order = await paying.ready()
    (quote,) = await quotes(paying, order)
    await accept(paying.firm, quote["id"])
    await pay(paying, order)
    await refund(paying, order)
    await configure(paying, dispatch_requires="price")
    assert problem(await paying.attempt(order, "dispatch")) == (409, "price_required")
    await configure(paying, dispatch_requires=None)
    order = await paying.act(order, "dispatch")
    assert order["price_status"] == "unpriced"
    assert len(await audited(paying, order)) == 1


async def test_a_voided_price_leaves_its_order_unpriced(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    owed = (await accept(shop.firm, quote["id"])).json()
    heard = len(await shop.told("order.updated"))
    await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "unpriced"
    (event,) = (await shop.told("order.updated"))[heard:]
    assert (event["data"]["id"], event["data"]["changed"]) == (
        order["id"],
        ["price_status", "payment_status", "balance"],
    )


@pytest.mark.parametrize("currency", [{}, {"currency": "SGD"}])
async def test_a_quote_with_cash_is_accepted_where_the_company_has_no_currency(
    shop: Shop, currency: dict[str, str]
) -> None:
    cash = {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 50}
    await rate(shop.firm, **FLAT, **cash)
    signed = await asked(shop, cod=5000, **currency)
    payload = {"pickup": RAFFLES, "dropoff": MANDAI, "cod_amount": 5000, "cod_currency": "SGD"}
    order = await shop.order(payload=payload, service_quote=signed["id"])
    assert order["price_status"] == "accepted"


async def reprice(house: House) -> int:
    """Let the worker price the orders that the company's new rates apply to."""
    count = 0
    while await repricing.step(house.database):
        count += 1
    return count


async def test_an_order_that_went_out_unpriced_gets_its_price_when_a_rate_is_saved(
    shop: Shop, house: House
) -> None:
    unpriced, waiting = await shop.ready(dispatch=True), await shop.ready()
    elsewhere = await rate(shop.firm, **FLAT, max_distance=1)
    await reprice(house)
    assert (await shop.get(f"orders/{unpriced['id']}"))["price_status"] == "unpriced"
    await shop.patch(f"service-rates/{elsewhere['id']}", max_distance=None)
    await reprice(house)
    assert (await shop.get(f"orders/{unpriced['id']}"))["price_status"] == "accepted"
    assert (await owed_by(shop, unpriced))["amount"] == 900
    # A quote is chosen at dispatch.
    assert (await shop.get(f"orders/{waiting['id']}"))["price_status"] == "unpriced"
    assert await reprice(house) == 0


async def test_a_voided_price_is_not_replaced_by_a_new_rate(shop: Shop, house: House) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.ready(dispatch=True)
    voided = await owed_by(shop, order)
    await shop.firm.admin.post(f"/int/v1/transactions/{voided['id']}/void", json={})
    await rate(shop.firm, service_name="New", base_fee=1100)
    await reprice(house)
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "unpriced"
    assert len(await shop.get(f"transactions?order={order['id']}")) == 1


async def test_a_scheduled_order_that_waits_for_its_price_goes_out_with_the_new_rate(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    await configure(shop, dispatch_requires="price")
    order = await shop.ready(scheduled_at="2026-01-15T12:01:00Z")
    clock.advance(minutes=2)
    assert await sweep.step(house.database)
    await rate(shop.firm, **FLAT)
    await reprice(house)
    assert await sweep.step(house.database)
    order = await shop.get(f"orders/{order['id']}")
    assert (order["status"], order["price_status"]) == ("dispatched", "accepted")


async def test_each_company_prices_its_own_orders_and_none_waits_for_another(
    shop: Shop, house: House
) -> None:
    other = Shop(await house.found("Other"))
    orders = [(each, await each.ready(dispatch=True)) for each in (shop, shop, shop, other)]
    await rate(shop.firm, **FLAT)
    house.clock.advance(seconds=1)
    await rate(other.firm, **FLAT)
    for _ in range(2):
        house.clock.advance(seconds=1)
        assert await repricing.step(house.database)
    statuses = [(await each.get(f"orders/{order['id']}"))["price_status"] for each, order in orders]
    assert statuses.count("accepted") == 2
    assert statuses[-1] == "accepted"
