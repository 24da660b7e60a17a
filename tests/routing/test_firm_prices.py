"""Prices rest on the distance by road, or say that they are estimates."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from orders.test_price_status import configure, owed_by
from orders.test_quotes import accept, asked, problem, quotes
from pannier.orders import roads
from pannier.routing.configuration import create_router
from rates.counter import BY_KILOMETRE, rate
from routing.machines import Machine
from stage import House

BY_ROAD = 500 + 30 * 80


async def measure(house: House) -> int:
    """Let the worker measure everything."""
    router, count = create_router(house.settings, house.clock), 0
    while await roads.step(house.database, router):
        count += 1
    return count


@pytest.fixture
async def priced(roadside: tuple[Shop, Machine]) -> tuple[Shop, Machine]:
    """A shop with an engine and a rate by the kilometre."""
    await rate(roadside[0].firm, **BY_KILOMETRE)
    return roadside


def recover(shop: Shop, machine: Machine) -> None:
    """Let the engine answer again, and the breaker notice."""
    machine.status, machine.raw = 200, None
    shop.firm.house.clock.advance(seconds=31)


async def test_a_shipment_has_one_price_whether_it_is_quoted_or_ordered(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    signed = await asked(shop)
    assert (signed["amount"], signed["source"], signed["firm"]) == (BY_ROAD, "osrm", True)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    assert (quote["amount"], quote["source"], quote["firm"]) == (BY_ROAD, "osrm", True)
    assert (await shop.order(dispatch=True, driver=(await shop.driver())["id"]))[
        "price_status"
    ] == "accepted"
    assert len(machine.asked) == 1, "the route is cached"


async def test_an_existing_payload_is_measured_before_its_order_too(
    priced: tuple[Shop, Machine],
) -> None:
    shop, _ = priced
    payload = await shop.post("payloads", pickup=RAFFLES, dropoff=CHANGI)
    order = await shop.order(payload=payload["id"])
    assert order["route_source"] == "osrm"
    assert len(await shop.get("payloads")) == 1, "measuring leaves nothing behind"
    assert len(await shop.get("places")) == 2


async def test_an_order_may_be_accepted_at_once(priced: tuple[Shop, Machine]) -> None:
    shop, _ = priced
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    await measure(shop.firm.house)
    assert (await accept(shop.firm, quote["id"])).status_code == 201
    signed = await asked(shop)
    assert (await shop.order(service_quote=signed["id"]))["price_status"] == "accepted"


async def test_great_circles_by_configuration_are_firm(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    assert (await asked(shop))["firm"] is True
    (quote,) = await quotes(shop, await shop.order())
    assert (quote["firm"], quote["source"]) == (True, "great_circle")


async def test_where_no_road_leads_the_great_circle_is_firm(priced: tuple[Shop, Machine]) -> None:
    shop, machine = priced
    machine.status, machine.raw = 400, b'{"code":"NoRoute"}'
    assert (await asked(shop))["firm"] is True
    order = await shop.ready(dispatch=True)
    assert (order["price_status"], order["route_source"]) == ("accepted", "great_circle")
    assert (await owed_by(shop, order))["amount"] < BY_ROAD


async def test_a_price_without_the_engine_is_an_estimate_everywhere(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    machine.status = 503
    assert (await asked(shop))["firm"] is False
    shipment = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79"}
    preview = await shop.post("service-rates/preview", **shipment)
    assert preview["firm"] is False
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    assert quote["firm"] is False
    assert (await shop.get(f"service-quotes/{quote['id']}"))["firm"] is False


async def test_accepting_an_estimate_measures_again_and_the_new_quotes_are_there(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    machine.status = 503
    order = await shop.order()
    (estimate,) = await quotes(shop, order)
    recover(shop, machine)
    assert problem(await accept(shop.firm, estimate["id"])) == (409, "quote_replaced")
    order = await shop.get(f"orders/{order['id']}")
    assert (order["distance"], order["route_source"]) == (30_000, "osrm")
    firm, replaced = await quotes(shop, order)
    assert (replaced["status"], firm["status"]) == ("replaced", "open")
    assert (firm["amount"], firm["firm"]) == (BY_ROAD, True)
    assert (await accept(shop.firm, firm["id"])).status_code == 201
    assert await measure(shop.firm.house) == 0


async def test_an_estimate_that_turns_out_right_is_accepted_even_after_it_was_measured(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    await rate(shop.firm, service_name="Flat", base_fee=900)
    for is_measured_first in (True, False):
        machine.status = 503
        order = await shop.order(dropoff={**CHANGI, "latitude": 1.3 + is_measured_first / 10})
        (estimate,) = await quotes(shop, order)
        assert estimate["firm"] is False
        recover(shop, machine)
        if is_measured_first:
            shop.firm.house.clock.advance(minutes=5)
            assert await measure(shop.firm.house) == 1
        first = await accept(shop.firm, estimate["id"])
        assert first.status_code == 201, first.text
        again = await accept(shop.firm, estimate["id"])
        assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
        firm, replaced = await quotes(shop, order)
        assert (firm["status"], firm["firm"], replaced["status"]) == ("accepted", True, "replaced")


async def test_while_the_engine_is_away_an_estimate_is_accepted_as_it_is(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    machine.status = 503
    order = await shop.order()
    (estimate,) = await quotes(shop, order)
    answer = await accept(shop.firm, estimate["id"])
    assert (answer.status_code, answer.json()["amount"]) == (201, estimate["amount"])


async def signed_estimate(shop: Shop, machine: Machine) -> dict[str, Any]:
    machine.status = 503
    return await asked(shop)


async def test_a_signed_estimate_is_measured_again_with_its_order(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    estimate = await signed_estimate(shop, machine)
    recover(shop, machine)
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "service_quote": estimate["id"]}
    placed = await shop.firm.api.post("/v1/orders", json=body)
    assert problem(placed) == (409, "quote_replaced")
    order = await shop.order()
    assert problem(await accept(shop.firm, estimate["id"], order=order["id"])) == (
        409,
        "quote_replaced",
    )


async def test_a_signed_estimate_that_turns_out_right_is_firm_afterwards(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    await rate(shop.firm, service_name="Flat", base_fee=900)
    estimate = await signed_estimate(shop, machine)
    recover(shop, machine)
    order = await shop.order(service_quote=estimate["id"])
    (quote,) = await quotes(shop, order)
    assert (quote["firm"], quote["distance"], quote["source"]) == (True, 30_000, "osrm")


async def test_a_signed_estimate_needs_an_order(priced: tuple[Shop, Machine]) -> None:
    shop, machine = priced
    estimate = await signed_estimate(shop, machine)
    assert problem(await accept(shop.firm, estimate["id"])) == (409, "quote_not_firm")
    order = await shop.order(service_quote=estimate["id"])
    assert order["price_status"] == "accepted"
    assert (await owed_by(shop, order))["amount"] == estimate["amount"]


async def test_new_quotes_of_an_order_are_measured_first(priced: tuple[Shop, Machine]) -> None:
    shop, machine = priced
    machine.status = 503
    order = await shop.order()
    recover(shop, machine)
    (quote,) = await shop.post(f"orders/{order['id']}/service-quotes")
    assert (quote["amount"], quote["firm"]) == (BY_ROAD, True)


async def test_an_order_dispatched_with_an_estimate_gets_its_price_by_road(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    machine.status = 503
    order = await shop.ready(dispatch=True)
    assert (order["price_status"], order["transaction"]) == ("unpriced", None)
    recover(shop, machine)
    await measure(shop.firm.house)
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "accepted"
    assert (await owed_by(shop, order))["amount"] == BY_ROAD
    changed = (await shop.told("order.updated"))[-1]["data"]["changed"]
    assert "price_status" in changed
    assert "route_firm" not in changed


async def test_a_dispatch_that_requires_a_price_waits_for_the_engine(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    await configure(shop, dispatch_requires="price")
    machine.status = 503
    order = await shop.ready()
    assert problem(await shop.attempt(order, "dispatch")) == (409, "price_required")
    recover(shop, machine)
    await measure(shop.firm.house)
    order = await shop.act(order, "dispatch")
    assert order["price_status"] == "accepted"


async def test_an_order_completed_before_it_was_measured_is_adjusted_all_the_same(
    priced: tuple[Shop, Machine],
) -> None:
    shop, machine = priced
    order = await shop.started()
    assert (await owed_by(shop, order))["amount"] == BY_ROAD
    machine.status = 503
    await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert (await owed_by(shop, order))["amount"] == BY_ROAD, "the engine may still answer"
    await shop.fire(order, "enroute")
    assert (await shop.act(order, "complete"))["status"] == "completed"
    account = await shop.get(f"orders/{order['id']}/charges")
    (*_, adjustment) = account["lines"]
    assert adjustment["kind"] == "adjustment"
    recover(shop, machine)
    shop.firm.house.clock.advance(minutes=5)
    await measure(shop.firm.house)
    assert await shop.get(f"orders/{order['id']}/charges") == account
