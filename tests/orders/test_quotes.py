"""Orders have quotes, made anew when their price may differ; one of them is accepted, once."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

import stage
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.orders import remeasure
from pannier.orders.quotes import sweep
from pannier.payments import sweep as payments
from probe import documented, paths
from rates.counter import BY_KILOMETRE, rate
from stage import Firm, House

FLAT = {"service_name": "Flat", "base_fee": 900}
JAKARTA = {"street1": "Jalan Medan Merdeka", "latitude": -6.175, "longitude": 106.827}


async def quotes(shop: Shop, order: dict[str, Any], **filters: str) -> list[dict[str, Any]]:
    """List an order's quotes, the newest first."""
    path = f"/v1/orders/{order['id']}/service-quotes"
    answer = await shop.firm.api.get(path, params=filters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


async def accept(firm: Firm, quote: str, **body: Any) -> httpx.Response:
    return await firm.api.post(f"/v1/service-quotes/{quote}/accept", json=body)


async def asked(shop: Shop, **more: Any) -> dict[str, Any]:
    """Ask for the cheapest signed quote from Raffles Place to Mandai."""
    way = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79"}
    answer = await shop.firm.api.get("/v1/service-quotes", params={**way, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()[0]
    return found


def problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_an_order_has_a_quote_of_every_rate_that_holds(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    express = await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    found = await quotes(shop, order)
    assert {each["service_name"] for each in found} == {"Flat", "Express"}
    dear = next(each for each in found if each["service_name"] == "Express")
    assert dear["service_rate_uuid"] == express["uuid"]
    assert dear["amount"] == sum(item["amount"] for item in dear["items"])
    assert dear["distance"] == order["distance"]
    assert (dear["status"], dear["expired_at"]) == ("open", "2026-01-15T12:30:00.000Z")
    assert (order["service_quote"], order["transaction"]) == (None, None)


async def test_quotes_are_made_anew_when_a_priced_input_changes_through_whichever_door(
    shop: Shop, house: House
) -> None:
    cash = {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 50}
    await rate(shop.firm, **BY_KILOMETRE, **cash)
    order = await shop.order(entities=[{"name": "Box", "weight": 1}])
    path, payload = f"orders/{order['id']}", order["payload"]["id"]
    before = 1

    async def remade() -> None:
        nonlocal before
        found = await quotes(shop, order)
        assert [each["status"] for each in found] == ["open", *["replaced"] * before]
        before += 1

    await shop.patch(path, dropoff=CHANGI)
    await remade()
    await shop.patch(path, scheduled_at="2026-02-01T10:00:00Z")
    await remade()
    await shop.post("entities", payload=payload, name="Another", weight=2)
    await remade()
    await shop.patch(f"payloads/{payload}", cod_amount=500, cod_currency="SGD")
    await remade()
    place = order["payload"]["pickup"]["id"]
    await shop.patch(f"places/{place}", latitude=1.3, longitude=103.9)
    while await remeasure.step(house.database):
        pass
    await remade()


async def test_an_order_is_priced_again_when_a_place_has_moved_and_its_way_is_as_long(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (before,) = await quotes(shop, order)
    pickup = order["payload"]["pickup"]["id"]
    await shop.patch(f"places/{pickup}", latitude=1.2840001, longitude=103.851)
    while await remeasure.step(house.database):
        pass
    assert (await shop.get(f"orders/{order['id']}"))["distance"] == order["distance"]
    assert problem(await accept(shop.firm, before["id"])) == (409, "quote_replaced")
    fresh = (await quotes(shop, order))[0]
    assert (await accept(shop.firm, fresh["id"])).status_code == 201


async def test_an_order_is_not_priced_by_the_way_to_where_its_place_was(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    # The worker has not come to measure the order again.
    await shop.patch(f"places/{order['payload']['dropoff']['id']}", **JAKARTA)
    for _ in range(2):
        again = await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")
        (fresh,) = again.json()
        (there,) = await quotes(shop, await shop.order(dropoff=JAKARTA))
        assert fresh["amount"] == there["amount"]
    found = [each["status"] for each in await quotes(shop, order)]
    assert found == ["open", "replaced", "replaced"]


async def test_a_change_prices_an_order_by_the_way_to_where_its_place_is(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    # The worker has not come to measure the order again.
    await shop.patch(f"places/{order['payload']['dropoff']['id']}", **JAKARTA)
    due = {"scheduled_at": "2026-08-01T09:00:00Z"}
    changed = await shop.patch(f"orders/{order['id']}", **due)
    [event] = await shop.told("order.updated")
    assert {"scheduled_at", "distance"} <= set(event["data"]["changed"])
    there = await shop.order(dropoff=JAKARTA, **due)
    assert changed["distance"] == there["distance"]
    (fresh, _), (fitting,) = await quotes(shop, order), await quotes(shop, there)
    assert fresh["amount"] == fitting["amount"]
    while await remeasure.step(house.database):
        pass
    assert (await accept(shop.firm, fresh["id"])).status_code == 201


async def test_what_no_price_rests_on_leaves_the_quotes_alone(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order(entities=[{"name": "Box"}])
    before = await quotes(shop, order)
    await shop.patch(f"orders/{order['id']}", notes="Ring twice", internal_id="SO-1")
    entity = order["payload"]["entities"][0]["id"]
    await shop.patch(f"entities/{entity}", description="Brown")
    assert await quotes(shop, order) == before


async def test_a_quote_expires_by_the_clock_and_can_be_made_anew(shop: Shop, house: House) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    house.clock.advance(minutes=30)
    assert (await quotes(shop, order))[0]["status"] == "expired"
    assert problem(await accept(shop.firm, quote["id"])) == (410, "quote_expired")
    answer = await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")
    (fresh,) = answer.json()
    assert (await accept(shop.firm, fresh["id"])).status_code == 201
    assert [each["status"] for each in await quotes(shop, order)] == ["accepted", "replaced"]


async def test_a_quote_lives_as_long_as_its_rate_or_else_its_company_says(shop: Shop) -> None:
    await shop.firm.admin.patch("/int/v1/settings", json={"quote_life": 3600})
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, service_name="Brief", quote_life=60)
    ends = {
        each["service_name"]: each["expired_at"] for each in await quotes(shop, await shop.order())
    }
    assert ends == {"Flat": "2026-01-15T13:00:00.000Z", "Brief": "2026-01-15T12:01:00.000Z"}


async def test_an_accepted_quote_is_owed_line_by_line_and_again_the_same(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order(customer={"name": "Ada", "phone": "+6591234567"})
    (quote,) = await quotes(shop, order)
    answer = await accept(shop.firm, quote["id"])
    assert answer.status_code == 201, answer.text
    owed = answer.json()
    assert (owed["amount"], owed["currency"], owed["status"]) == (quote["amount"], "SGD", "unpaid")
    assert [item["code"] for item in owed["items"]] == [item["code"] for item in quote["items"]]
    assert (owed["order"], owed["service_quote"]) == (order["id"], quote["id"])
    assert owed["customer"] == order["customer"]["id"]
    assert owed["checkout_url"] is None
    again = await accept(shop.firm, quote["id"], order=order["id"])
    assert (again.status_code, again.json()) == (200, owed)
    order = await shop.get(f"orders/{order['id']}")
    assert (order["service_quote"], order["transaction"]) == (quote["id"], owed["id"])
    answer = await shop.firm.api.get("/v1/transactions", params={"order": order["id"]})
    assert [each["id"] for each in answer.json()] == [owed["id"]]


async def test_another_quote_of_the_order_is_refused_then(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    first, second = await quotes(shop, order)
    assert (await accept(shop.firm, first["id"])).status_code == 201
    assert problem(await accept(shop.firm, second["id"])) == (409, "quote_already_accepted")
    signed = await asked(shop)
    refused = await accept(shop.firm, signed["id"], order=order["id"])
    assert problem(refused) == (409, "quote_already_accepted")


async def test_a_replaced_quote_is_refused(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert problem(await accept(shop.firm, quote["id"])) == (409, "quote_replaced")


@pytest.mark.parametrize("withdrawal", ["delete", "deactivate"])
async def test_the_quote_of_a_rate_that_was_withdrawn_is_over(shop: Shop, withdrawal: str) -> None:
    made = await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    signed = await asked(shop)
    if withdrawal == "delete":
        await shop.firm.api.delete(f"/v1/service-rates/{made['id']}")
    else:
        await shop.patch(f"service-rates/{made['id']}", status="inactive")
    assert problem(await accept(shop.firm, quote["id"])) == (410, "quote_expired")
    assert problem(await accept(shop.firm, signed["id"])) == (410, "quote_expired")


@pytest.mark.slow
async def test_of_thirty_who_accept_at_once_one_is_accepted(shop: Shop, house: House) -> None:
    for name in ("One", "Two", "Three"):
        await rate(shop.firm, service_name=name)
    order = await shop.order()
    found = await quotes(shop, order)
    answers = await asyncio.gather(
        *(accept(shop.firm, found[number % 3]["id"]) for number in range(30))
    )
    kinds = sorted(answer.status_code for answer in answers)
    assert kinds == [*[200] * 9, 201, *[409] * 20]
    assert await house.value("select count(*) from transactions") == 1
    accepted = "select count(*) from service_quotes where state = 'accepted'"
    assert await house.value(accepted) == 1


@pytest.mark.slow
async def test_a_signed_quote_is_accepted_once_however_many_send_it(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **FLAT)
    signed = await asked(shop)
    answers = await asyncio.gather(*(accept(shop.firm, signed["id"]) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [*[200] * 19, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert await house.value("select count(*) from transactions") == 1


async def test_a_signed_quote_is_accepted_for_the_order_that_it_was_made_for(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order, elsewhere = await shop.order(), await shop.order(dropoff=CHANGI, pickup=RAFFLES)
    signed = await asked(shop)
    stale = await accept(shop.firm, signed["id"], order=elsewhere["id"])
    assert problem(stale) == (409, "quote_stale")
    answer = await accept(shop.firm, signed["id"], order=order["id"])
    assert answer.status_code == 201, answer.text
    assert (answer.json()["amount"], answer.json()["order"]) == (signed["amount"], order["id"])
    other = await shop.order()
    refused = await accept(shop.firm, signed["id"], order=other["id"])
    assert problem(refused) == (409, "quote_already_accepted")


async def test_a_signed_quote_accepted_without_an_order_finds_one_later(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    signed = await asked(shop)
    owed = (await accept(shop.firm, signed["id"])).json()
    assert owed["order"] is None
    order = await shop.order(service_quote=signed["id"])
    assert order["transaction"] == owed["id"]
    again = await accept(shop.firm, signed["id"])
    assert (again.status_code, again.json()["order"]) == (200, order["id"])


async def test_an_order_placed_with_a_quote_accepts_it(shop: Shop, house: House) -> None:
    await rate(shop.firm, **FLAT)
    signed = await asked(shop)
    order = await shop.order(service_quote=signed["id"])
    owed = await shop.get(f"transactions/{order['transaction']}")
    assert (owed["amount"], owed["order"]) == (900, order["id"])
    house.clock.advance(minutes=31)
    count = await house.value("select count(*) from orders")
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "service_quote": (await asked(shop))["id"]}
    house.clock.advance(minutes=31)
    refused = await shop.firm.api.post("/v1/orders", json=body)
    assert problem(refused) == (410, "quote_expired")
    assert await house.value("select count(*) from orders") == count, "nothing changed"


async def test_nobody_alters_a_quote_or_uses_anothers(shop: Shop, market: Shop) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,), signed = await quotes(shop, order), await asked(shop)
    foreign = await accept(market.firm, quote["id"])
    assert problem(foreign) == (404, "not_found")
    assert problem(await accept(market.firm, signed["id"])) == (404, "not_found")
    middle = len(signed["id"]) // 2
    letter = "A" if signed["id"][middle] != "A" else "B"
    altered = signed["id"][:middle] + letter + signed["id"][middle + 1 :]
    assert problem(await accept(shop.firm, altered)) == (404, "not_found")


async def test_at_dispatch_the_cheapest_quote_is_owed(shop: Shop, house: House) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, service_name="Cheap", base_fee=100)
    order = await shop.ready()
    house.clock.advance(hours=5)
    order = await shop.act(order, "dispatch")
    owed = await shop.get(f"transactions/{order['transaction']}")
    assert (owed["amount"], owed["service_quote"]) == (100, order["service_quote"])


async def test_at_dispatch_a_chosen_quote_stays(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, service_name="Cheap", base_fee=100)
    order = await shop.ready()
    dear = next(each for each in await quotes(shop, order) if each["amount"] == 900)
    owed = (await accept(shop.firm, dear["id"])).json()
    assert (await shop.act(order, "dispatch"))["transaction"] == owed["id"]


async def test_an_order_that_is_cancelled_owes_nothing_any_more(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    owed = (await accept(shop.firm, quote["id"])).json()
    await shop.act(order, "cancel")
    assert (await shop.get(f"transactions/{owed['id']}"))["status"] == "voided"
    late = await shop.order()
    (quote,) = await quotes(shop, late)
    await shop.act(late, "cancel")
    assert problem(await accept(shop.firm, quote["id"])) == (409, "order_closed")


@pytest.fixture
async def paying(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A shop in a house with the fake gateway."""
    house = await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )
    return Shop(await house.found("Acme", mode="test"))


async def test_with_a_gateway_there_is_a_page_to_pay_on(paying: Shop) -> None:
    await rate(paying.firm, **FLAT)
    order = await paying.order()
    (quote,) = await quotes(paying, order)
    back = {"return_url": "https://shop.example.com/thanks"}
    owed = (await accept(paying.firm, quote["id"], **back)).json()
    assert owed["checkout_status"] == "open"
    page = await paying.firm.house.client().get(owed["checkout_url"])
    assert page.status_code == 200
    again = (await accept(paying.firm, quote["id"], **back)).json()
    assert again["checkout_url"] == owed["checkout_url"]
    bad = await accept(paying.firm, quote["id"], return_url="javascript:alert(1)")
    assert problem(bad)[0] == 422


async def test_an_order_created_with_its_quote_names_the_page_to_return_to(paying: Shop) -> None:
    await rate(paying.firm, **FLAT)
    signed, house = await asked(paying), paying.firm.house
    back = "https://shop.example.com/thanks"
    order = await paying.order(service_quote=signed["id"], return_url=back)
    while await payments.step(house.database, house.edge.services["gateway"]):
        pass
    owed = await paying.get(f"transactions/{order['transaction']}")
    answer = await house.client().post(f"{owed['checkout_url']}/pay")
    assert answer.headers["location"].startswith(f"{back}?")
    way = {"pickup": RAFFLES, "dropoff": MANDAI}
    for wrong in (
        {"return_url": back},
        {"return_url": "javascript:alert(1)", "service_quote": signed["id"]},
    ):
        refused = await paying.firm.api.post("/v1/orders", json={**way, **wrong})
        assert paths(refused) == ["return_url"]


async def test_a_quote_of_items_is_good_for_the_same_items_however_they_are_written(
    shop: Shop,
) -> None:
    await rate(shop.firm, **FLAT)
    box = {"weight": 2, "length": 40, "width": 30, "height": 20}
    signed = await asked(shop, entities=json.dumps([box]))
    order = await shop.order(
        entities=[{"name": "Box", **box, "weight": 2.0}], service_quote=signed["id"]
    )
    assert order["transaction"] is not None


async def test_a_quote_with_cash_is_good_for_an_order_with_that_cash(shop: Shop) -> None:
    await shop.firm.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    cash = {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 50}
    await rate(shop.firm, **FLAT, **cash)
    signed = await asked(shop, cod=5000)
    payload = {"pickup": RAFFLES, "dropoff": MANDAI, "cod_amount": 5000, "cod_currency": "SGD"}
    order = await shop.order(payload=payload, service_quote=signed["id"])
    assert order["transaction"] is not None


async def test_a_quote_with_cash_of_any_amount_is_good_for_cash_in_its_currency_alone(
    shop: Shop,
) -> None:
    cash = {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 50}
    await rate(shop.firm, **FLAT, **cash)
    signed = await asked(shop, cod="true")
    way = {"pickup": RAFFLES, "dropoff": MANDAI}
    for wrong in ({}, {"cod_amount": 5000, "cod_currency": "USD"}):
        body = {"payload": {**way, **wrong}, "service_quote": signed["id"]}
        assert problem(await shop.firm.api.post("/v1/orders", json=body)) == (409, "quote_stale")
    payload = {**way, "cod_amount": 5000, "cod_currency": "SGD"}
    order = await shop.order(payload=payload, service_quote=signed["id"])
    owed = await shop.get(f"transactions/{order['transaction']}")
    assert [(item["code"], item["amount"]) for item in owed["items"]] == [
        ("BASE_FEE", 900), ("COD_FEE", 50),
    ]  # fmt: skip
    without = await asked(shop)
    body = {"payload": payload, "service_quote": without["id"]}
    assert problem(await shop.firm.api.post("/v1/orders", json=body)) == (409, "quote_stale")


async def test_a_rate_that_was_withdrawn_holds_up_no_delivery(shop: Shop) -> None:
    cheap = await rate(shop.firm, service_name="Cheap", base_fee=100)
    await rate(shop.firm, **FLAT)
    order = await shop.ready()
    await shop.firm.api.delete(f"/v1/service-rates/{cheap['id']}")
    order = await shop.act(order, "dispatch")
    assert (await shop.get(f"transactions/{order['transaction']}"))["amount"] == 900


async def test_what_was_accepted_for_nothing_yet_is_no_price_of_another_way(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    signed = await asked(shop)
    owed = (await accept(shop.firm, signed["id"])).json()
    body = {"pickup": RAFFLES, "dropoff": CHANGI, "service_quote": signed["id"]}
    refused = await shop.firm.api.post("/v1/orders", json=body)
    assert problem(refused) == (409, "quote_stale")
    voided = await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    assert voided.status_code == 200, voided.text
    again = await shop.firm.api.post("/v1/orders", json={**body, "dropoff": MANDAI})
    assert problem(again) == (409, "quote_already_accepted")


async def test_when_a_price_was_called_off_another_can_be_accepted(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order()
    (quote,) = await quotes(shop, order)
    owed = (await accept(shop.firm, quote["id"])).json()
    await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    (fresh,) = (await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    answer = await accept(shop.firm, fresh["id"])
    assert answer.status_code == 201, answer.text
    order = await shop.get(f"orders/{order['id']}")
    assert (order["transaction"], order["service_quote"]) == (owed["id"], fresh["id"])


async def test_what_was_quoted_for_another_way_is_not_accepted_once_the_order_owes_no_more(
    shop: Shop,
) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    found = {each["service_name"]: each for each in await quotes(shop, order)}
    owed = (await accept(shop.firm, found["Flat"]["id"])).json()
    await shop.patch(f"orders/{order['id']}", dropoff=JAKARTA)
    await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    stale = await accept(shop.firm, found["Express"]["id"])
    assert problem(stale) == (409, "quote_replaced")
    fresh = (await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
    far = next(each for each in fresh if each["service_name"] == "Express")
    assert far["amount"] > found["Express"]["amount"]
    assert (await accept(shop.firm, far["id"])).status_code == 201


async def test_an_order_whose_price_was_called_off_is_priced_again_when_it_changes(
    shop: Shop,
) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order()
    (near,) = await quotes(shop, order)
    owed = (await accept(shop.firm, near["id"])).json()
    await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
    await shop.patch(f"orders/{order['id']}", dropoff=JAKARTA)
    far, before = await quotes(shop, order)
    assert (far["status"], before["id"]) == ("open", near["id"])
    assert far["amount"] > near["amount"]
    assert (await accept(shop.firm, far["id"])).status_code == 201


async def test_at_dispatch_what_was_called_off_stays_so_unless_the_order_was_priced_again(
    shop: Shop,
) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, **BY_KILOMETRE)
    for again in (False, True):
        order = await shop.ready()
        owed = (await accept(shop.firm, (await quotes(shop, order))[0]["id"])).json()
        await shop.firm.admin.post(f"/int/v1/transactions/{owed['id']}/void", json={})
        if again:
            await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")
        order = await shop.act(order, "dispatch")
        found = await shop.get(f"transactions?order={order['id']}")
        assert [each["status"] for each in found] == ["unpaid", "voided"][not again :]
        assert order["transaction"] == owed["id"]
    assert found[0]["amount"] == 900


async def test_at_dispatch_a_price_of_another_way_is_found_anew(shop: Shop, house: House) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.ready()
    (before,) = await quotes(shop, order)
    # Moved, and the worker has not come to measure the order again.
    await shop.patch(f"places/{order['payload']['pickup']['id']}", latitude=1.3, longitude=103.9)
    order = await shop.act(order, "dispatch")
    assert order["service_quote"] != before["id"]
    owed = await shop.get(f"transactions/{order['transaction']}")
    assert owed["status"] == "unpaid"
    assert await house.value("select count(*) from service_quotes where state = 'replaced'") == 1
    moved = {"street1": "Elsewhere", "latitude": 1.3, "longitude": 103.9}
    (there,) = await quotes(shop, await shop.order(pickup=moved))
    assert (owed["amount"], order["distance"]) == (there["amount"], there["distance"])


async def test_a_signed_quote_that_was_called_off_is_good_for_nothing_any_more(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **FLAT)
    signed = await asked(shop)
    order = await shop.order(service_quote=signed["id"])
    path = f"/int/v1/transactions/{order['transaction']}/void"
    assert (await shop.firm.admin.post(path, json={})).status_code == 200
    await shop.firm.api.post(f"/v1/orders/{order['id']}/service-quotes")
    house.clock.advance(hours=1)
    refused = await accept(shop.firm, signed["id"], order=order["id"])
    assert problem(refused) == (409, "quote_replaced")


async def test_an_order_that_owes_is_not_priced_anew_and_the_document_says_so(
    shop: Shop, house: House
) -> None:
    await rate(shop.firm, **FLAT)
    order = await shop.order(service_quote=(await asked(shop))["id"])
    for client, prefix in ((shop.firm.api, "/v1"), (shop.firm.admin, "/int/v1")):
        answer = await client.post(f"{prefix}/orders/{order['id']}/service-quotes")
        assert problem(answer) == (409, "quote_already_accepted")
        told = await documented(house, f"{prefix}/orders/{{order_id}}/service-quotes")
        assert "quote_already_accepted" in told


async def test_an_order_that_owes_is_priced_no_more(shop: Shop, house: House) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.order(service_quote=(await asked(shop))["id"])
    await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert await house.value("select count(*) from service_quotes") == 1


async def test_old_quotes_leave_as_events_do_and_what_was_accepted_stays(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    await rate(shop.firm, **FLAT)
    await rate(shop.firm, **BY_KILOMETRE)
    wanted = {"retention": {"events": 30}}
    assert (await shop.firm.admin.patch("/int/v1/settings", json=wanted)).status_code == 200
    signed = (await accept(shop.firm, (await asked(shop))["id"])).json()
    waiting, done = await shop.ready(), await shop.order()
    await shop.patch(f"orders/{waiting['id']}", dropoff=CHANGI)
    await accept(shop.firm, (await quotes(shop, done))[0]["id"])
    await shop.act(done, "cancel")

    async def left() -> list[list[str]]:
        while await sweep.step(house.database, timedelta(days=90)):
            pass
        orders = (waiting, done)
        return [sorted(each["status"] for each in await quotes(shop, order)) for order in orders]

    clock.advance(days=29)
    everything = [["expired", "expired", "replaced", "replaced"], ["accepted", "expired"]]
    assert await left() == everything
    clock.advance(days=2)
    assert await left() == [["expired", "expired"], ["accepted"]]
    assert await shop.get(f"service-quotes/{signed['service_quote']}")
    assert (await shop.act(waiting, "dispatch"))["transaction"], "it is still priced at dispatch"
