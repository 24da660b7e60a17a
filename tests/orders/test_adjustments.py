"""The accepted price follows the order by the terms of its quote, and nothing else moves it."""

from typing import Any

import httpx
import pytest

from contract.test_money import account, charge, shop
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from orders.test_price_status import configure
from orders.test_quotes import accept, problem, quotes
from pannier.kit.clock import ManualClock
from rates.counter import BY_KILOMETRE, rate, square, zone

__all__ = ["shop"]

BOX = {"payload": {"entities": [{"name": "Box"}]}}


async def bought(shop: Shop, **wish: Any) -> dict[str, Any]:
    """Place an order, and accept its quote by a rate of its own."""
    await rate(shop.firm, **{"service_name": "Chosen", **wish})
    order = await shop.ready()
    chosen = next(
        each for each in await quotes(shop, order) if each["service_rate_name"] == "Chosen"
    )
    answer = await accept(shop.firm, chosen["id"])
    assert answer.status_code == 201, answer.text
    return order


async def change(shop: Shop, order: dict[str, Any], **body: Any) -> httpx.Response:
    return await shop.firm.api.patch(f"/v1/orders/{order['id']}", json=body)


async def lines(shop: Shop, order: dict[str, Any]) -> list[tuple[str, int]]:
    return [(line["kind"], line["amount"]) for line in (await account(shop, order))["lines"]]


async def test_a_change_in_peak_hours_leaves_an_order_the_price_of_its_own_hour(
    shop: Shop, clock: ManualClock
) -> None:
    peak = {"has_peak_hours_fee": True, "peak_hours_flat_fee": 500, "timezone": "Asia/Singapore"}
    order = await bought(
        shop, base_fee=1000, **peak, peak_hours_start="20:30", peak_hours_end="23:00"
    )
    clock.advance(hours=1)
    assert (await change(shop, order, **BOX)).status_code == 200
    assert await lines(shop, order) == [("quote", 1000)]
    # A schedule decides its own hour.
    assert (await change(shop, order, scheduled_at="2026-01-16T13:00:00Z")).status_code == 200
    assert await lines(shop, order) == [("quote", 1000), ("adjustment", 500)]


async def test_a_later_switch_to_prices_without_tax_is_not_charged(shop: Shop) -> None:
    await configure(shop, tax_rate=25)
    order = await bought(shop, base_fee=1000)
    await configure(shop, prices_include_tax=False, tax_rate=10)
    assert (await change(shop, order, **BOX)).status_code == 200
    assert await lines(shop, order) == [("quote", 1000)]
    later = await bought(shop, service_name="Chosen", base_fee=1000)
    assert (await account(shop, later))["total"] == 1100
    await configure(shop, prices_include_tax=True)
    assert (await change(shop, later, **BOX)).status_code == 200
    assert (await account(shop, later))["total"] == 1100


async def test_a_share_of_cash_in_another_currency_is_not_charged(shop: Shop) -> None:
    cash = {"has_cod_fee": True, "cod_calculation_method": "percentage", "cod_percent": 2}
    order = await bought(shop, base_fee=1000, **cash)
    answer = await change(shop, order, cod_amount=1_000_000, cod_currency="IDR")
    assert answer.status_code == 200, answer.text
    assert await lines(shop, order) == [("quote", 1000)]
    await change(shop, order, cod_amount=10_000, cod_currency="SGD")
    assert await lines(shop, order) == [("quote", 1000), ("adjustment", 200)]


async def test_a_rate_that_was_deleted_still_knows_its_zones(shop: Shop) -> None:
    everywhere = await zone(shop.firm, square(103, 1, 1.5))
    by_zone = {"rate_calculation_method": "multi_zone_distance", "per_meter_unit": "km"}
    order = await bought(shop, **by_zone, zone_fees=[{"zone": everywhere["id"], "fee": 100}])
    (each, *_) = [row for row in await shop.get("service-rates") if row["service_name"] == "Chosen"]
    assert (await shop.firm.api.delete(f"/v1/service-rates/{each['id']}")).is_success
    assert (await change(shop, order, dropoff=CHANGI)).status_code == 200
    (*_, (kind, amount)) = await lines(shop, order)
    assert (kind, amount > 0) == ("adjustment", True)


async def test_a_shorter_way_is_credited_as_far_as_goodwill_has_left_something(shop: Shop) -> None:
    order = await bought(shop, **{**BY_KILOMETRE, "service_name": "Chosen"})
    price = (await account(shop, order))["total"]
    await charge(shop, order, kind="goodwill", amount=100 - price)
    near = {**RAFFLES, "latitude": 1.29}
    answer = await change(shop, order, dropoff=near)
    assert answer.status_code == 200, answer.text
    assert (await account(shop, order))["total"] == 0
    assert (await lines(shop, order))[-1] == ("adjustment", -100)
    # The way back costs what it did.
    assert (await change(shop, order, dropoff=MANDAI)).status_code == 200
    assert (await account(shop, order))["total"] == 100


@pytest.mark.parametrize(
    "dropoff", [CHANGI, {"street1": "A Street Without Coordinates", "city": "Johor"}]
)
async def test_a_change_to_an_unknown_price_is_refused_like_one_to_another(
    shop: Shop, dropoff: dict[str, Any]
) -> None:
    order = await bought(shop, **{**BY_KILOMETRE, "service_name": "Chosen"})
    await configure(shop, price_changes="refuse")
    before = await shop.get(f"orders/{order['id']}")
    assert problem(await change(shop, order, dropoff=dropoff)) == (409, "price_fixed")
    assert await shop.get(f"orders/{order['id']}") == before


async def test_items_and_payloads_refuse_changes_that_move_the_price(shop: Shop) -> None:
    bands = [{"min": 0, "max": 5, "fee": 100}, {"min": 5, "max": 900, "fee": 900}]
    by_weight = {"rate_calculation_method": "weight", "weight_fees": bands}
    await rate(shop.firm, service_name="Chosen", **by_weight)
    order = await shop.ready(entities=[{"name": "Heavy", "weight": 8}, {"name": "Box"}])
    (heavy, box) = order["payload"]["entities"]
    await shop.patch(f"entities/{box['id']}", weight=1)
    offered = [each for each in await quotes(shop, order) if each["status"] == "open"]
    chosen = next(each for each in offered if each["service_rate_name"] == "Chosen")
    assert (await accept(shop.firm, chosen["id"])).status_code == 201
    await configure(shop, price_changes="refuse")
    before = await account(shop, order)
    payload = order["payload"]["id"]
    for method, path, body in (
        ("PATCH", f"entities/{heavy['id']}", {"weight": 1}),
        ("DELETE", f"entities/{heavy['id']}", None),
        ("PATCH", f"payloads/{payload}", {"entities": [{"name": "Light", "weight": 1}]}),
    ):
        answer = await shop.firm.api.request(method, f"/v1/{path}", json=body)
        assert problem(answer) == (409, "price_fixed"), path
    same = await shop.firm.api.post(
        "/v1/entities", json={"payload": payload, "name": "More", "weight": 1}
    )
    assert same.status_code == 201, same.text
    assert await account(shop, order) == before
