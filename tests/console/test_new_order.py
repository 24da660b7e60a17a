"""A new order at the console: typed, priced, refused beside its fields, placed."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.reading import Page, sent_by
from console.seat import Seat
from orders.shop import Shop
from stage import Firm

RATE = {
    "service_name": "Express", "service_type": "express", "currency": "SGD",
    "rate_calculation_method": "per_meter", "base_fee": 500, "per_meter_unit": "km",
    "per_meter_flat_rate_fee": 80,
}  # fmt: skip
ENDS = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79"}
NEW = "/console/orders/new"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def form(seat: Seat) -> dict[str, Any]:
    """What the empty form would send."""
    return sent_by((await seat.open(NEW)).main.one("form", action=NEW))


async def test_an_order_is_placed_with_stops_items_and_a_new_customer(
    acme: Firm, seat: Seat, shop: Shop
) -> None:
    driver = await shop.driver()
    typed = {
        **await form(seat), **ENDS, "driver": driver["id"],
        "waypoints[3].place": "60 Airport Boulevard, Singapore",
        "entities[0].name": "", "entities[2].name": "Coffee machine", "entities[2].weight": "4.2",
        "entities[2].quantity": "3",
        "customer": "Ada Lovelace", "customer.phone": "+6591234567", "notes": "Ring twice.",
    }  # fmt: skip
    page = await seat.sent(NEW, typed)
    assert "Order created." in page.root.one("div", id="toasts").text
    (order,) = await shop.get("orders")
    assert [stop["type"] for stop in order["payload"]["waypoints"]] == [
        "pickup",
        "dropoff",
        "dropoff",
    ]
    [item] = order["payload"]["entities"]
    assert (item["name"], item["weight"], item["quantity"]) == ("Coffee machine", 4.2, 3)
    assert (order["customer"]["name"], order["notes"]) == ("Ada Lovelace", "Ring twice.")
    assert order["driver_assigned"]["id"] == driver["id"]
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    (entry,) = [one for one in log if one["subject"] == order["id"]]
    assert entry["actor_type"] == "operator"


@pytest.mark.slow
async def test_prices_are_shown_and_the_chosen_one_is_ordered_with(
    acme: Firm, seat: Seat, shop: Shop
) -> None:
    await acme.admin.post("/int/v1/service-rates", json=RATE)
    typed = {**await form(seat), **ENDS}
    page = Page((await seat.send(NEW, {**typed, "do": "quote"})).text)
    assert "Express" in page.main.one("section", id="priced").text
    quote = next(one for one in page.main.all("input", type="radio") if one["value"])
    assert await shop.get("orders") == []
    await seat.send(NEW, {**typed, "service_quote": quote["value"]})
    (order,) = await shop.get("orders")
    assert order["transaction"]


async def test_a_customers_own_rates_and_terms_are_shown(seat: Seat, shop: Shop) -> None:
    rate = await shop.post("service-rates", **RATE, price_groups=["gold"])
    terms = {"price_group": "gold", "default_service": rate["id"], "payment_terms_days": 14}
    ada = await shop.post("contacts", name="Ada", **terms)
    typed = {**await form(seat), **ENDS}
    page = Page((await seat.send(NEW, {**typed, "do": "quote"})).text)
    assert "No service rate applies." in page.main.one("section", id="priced").text
    page = Page((await seat.send(NEW, {**typed, "customer": "Ada", "do": "quote"})).text)
    priced = page.main.one("section", id="priced")
    assert "Ada gold 14 days" in priced.text
    assert "Express Default" in priced.text
    quote = next(one for one in priced.all("input", type="radio") if one["value"])
    typed |= {"customer": "Ada", "service_quote": quote["value"]}
    await seat.send(NEW, typed)
    (order,) = await shop.get("orders")
    assert (order["customer"]["id"], order["price_status"]) == (ada["id"], "accepted")
    vendor = await shop.post("vendors", name="Swift", payment_terms_days=30)
    page = await seat.open(f"{NEW}?customer={vendor['id']}")
    assert "Swift 30 days" in page.main.one("section", id="priced").text


async def test_where_there_is_no_price_it_says_why(seat: Seat) -> None:
    typed = {**await form(seat), **ENDS, "do": "quote"}
    page = Page((await seat.send(NEW, typed)).text)
    assert "No service rate applies." in page.main.one("section", id="priced").text
    typed |= {"pickup": "place_nowhere"}
    page = Page((await seat.send(NEW, typed)).text)
    assert "No price:" in page.main.one("section", id="priced").text


async def test_what_is_refused_stands_beside_its_field_and_what_was_typed_stays(
    seat: Seat, shop: Shop
) -> None:
    typed = {
        **await form(seat), **ENDS, "entities[0].name": "Box", "entities[0].weight": "heavy",
        "notes": "Ring twice.",
    }  # fmt: skip
    answer = await seat.send(NEW, typed)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.main.one("input", name="entities[0].weight")["aria-invalid"] == "true"
    assert page.main.one("textarea", name="notes").text == "Ring twice."
    assert await shop.get("orders") == []
    nowhere = Page((await seat.send(NEW, {**typed, "pickup": "", "dropoff": ""})).text)
    assert nowhere.main.one("p", role="alert").text


async def test_another_row_is_given_and_nothing_is_placed(seat: Seat, shop: Shop) -> None:
    typed = {**await form(seat), **ENDS, "do": "waypoints"}
    page = Page((await seat.send(NEW, typed)).text)
    assert page.main.one("input", name="waypoints[0].place")
    assert page.main.one("input", name="pickup")["value"] == ENDS["pickup"]
    assert await shop.get("orders") == []


async def test_an_address_fills_the_form_in(seat: Seat, shop: Shop) -> None:
    driver = await shop.driver()
    page = await seat.open(f"{NEW}?driver={driver['id']}&notes=Ring")
    assert page.main.one("input", name="driver")["value"] == driver["name"]
    assert page.main.one("input", name="driver~id")["value"] == f"{driver['id']} {driver['name']}"
    assert page.main.one("textarea", name="notes").text == "Ring"


async def test_a_viewer_may_not_place_orders(acme: Firm, shop: Shop) -> None:
    viewer = await Seat.of(acme, "viewer")
    await viewer.open(NEW, status=403)
    answer = await viewer.send(NEW, ENDS)
    assert "This requires the dispatcher role" in answer.text
    assert await shop.get("orders") == []


@pytest.mark.slow
async def test_an_operator_quotes_and_places_an_order_in_the_browser(
    page: Tab, acme: Firm, shop: Shop
) -> None:
    await acme.admin.post("/int/v1/service-rates", json=RATE)
    await page.goto(NEW)
    await page.get_by_role("combobox", name="Pickup").fill(ENDS["pickup"])
    await page.get_by_role("combobox", name="Drop-off").fill(ENDS["dropoff"])
    await page.get_by_role("button", name="Add item").click()
    # A price is of what was typed when it was asked for; with another one the order is refused.
    async with page.expect_response(
        lambda told: "Coffee" in (told.request.post_data or "")
    ) as told:
        await page.get_by_label("Item").first.fill("Coffee machine")
    priced = Page(await (await told.value).text()).main.one("section", id="priced")
    quote = priced.all("input", type="radio")[-1]["value"]
    await page.locator(f"input[name=service_quote][value='{quote}']").check()
    await expect(page.get_by_role("combobox", name="Pickup")).to_have_value(ENDS["pickup"])
    await page.get_by_role("button", name="Create order", exact=True).last.click()
    await page.wait_for_url("**/console/orders/order_*")
    (order,) = await shop.get("orders")
    assert order["transaction"]
    assert [item["name"] for item in order["payload"]["entities"]] == ["Coffee machine"]


@pytest.mark.parametrize(
    ("currency", "typed", "minor"),
    [("SGD", ("25", "7,50", "1.25"), (2500, 750, 125)),
     ("jpy", ("900", "", "100"), (900, None, 100)),
     ("KWD", ("", "0.750", ""), (None, 750, None))],
)  # fmt: skip
async def test_cash_is_collected_for_the_order_a_stop_and_an_item(
    seat: Seat, shop: Shop, currency: str, typed: tuple[str, ...], minor: tuple[int | None, ...]
) -> None:
    whole, stop, item = typed
    sent = {
        **await form(seat), **ENDS, "waypoints[0].place": "1.3,103.8",
        "waypoints[0].cod_amount": stop, "entities[0].name": "Box",
        "entities[0].cod_amount": item, "cod_amount": whole, "cod_currency": currency,
        "cod_payment_method": "cash",
    }  # fmt: skip
    page = await seat.sent(NEW, sent)
    assert "Order created." in page.root.one("div", id="toasts").text
    (order,) = await shop.get("orders")
    payload = order["payload"]
    parts = (payload, payload["waypoints"][1], payload["entities"][0])
    assert tuple(part["cod_amount"] for part in parts) == minor
    assert {part["cod_currency"] for part in parts} <= {currency.upper(), None}
    assert order["cash_to_collect"]["amount"] == sum(amount or 0 for amount in minor)
    assert order["cash_to_collect"]["method"] == "cash"


@pytest.mark.parametrize(
    ("fields", "name", "reason"),
    [({"cod_amount": "25"}, "cod_currency", "Enter the currency of the cash"),
     ({"cod_amount": "2.555", "cod_currency": "SGD"}, "cod_amount", "at most 2 decimal"),
     ({"entities[0].name": "Box", "entities[0].cod_amount": "much", "cod_currency": "SGD"},
      "entities[0].cod_amount", "is not a number")],
)  # fmt: skip
async def test_cash_that_is_no_amount_is_refused_beside_its_field(
    seat: Seat, shop: Shop, fields: dict[str, str], name: str, reason: str
) -> None:
    answer = await seat.send(NEW, {**await form(seat), **ENDS, **fields})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.main.one("input", name=name)["aria-invalid"] == "true"
    assert reason in page.main.text
    assert await shop.get("orders") == []


async def test_the_price_counts_the_cash_on_delivery(acme: Firm, seat: Seat, shop: Shop) -> None:
    fee = {"has_cod_fee": True, "cod_calculation_method": "percentage", "cod_percent": 10}
    await acme.admin.post("/int/v1/service-rates", json={**RATE, **fee})
    typed = {**await form(seat), **ENDS, "cod_amount": "50", "cod_currency": "SGD"}
    page = Page((await seat.send(NEW, {**typed, "do": "quote"})).text)
    assert "5.00 SGD" in page.main.one("section", id="priced").text
    quote = next(one for one in page.main.all("input", type="radio") if one["value"])
    await seat.send(NEW, {**typed, "service_quote": quote["value"]})
    (order,) = await shop.get("orders")
    assert order["transaction"]
