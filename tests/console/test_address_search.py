"""Addresses are suggested wherever one is typed, and a pin shows where they are."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Locator, Page, Route, expect

from console.browser import PHONE, Tabs, Troubles, axe, in_both_themes
from console.reading import Page as Reading
from console.seat import Seat
from maps.two_cities import use_cities
from orders.shop import Shop
from pannier.console.screens.addresses import BUSY_NOTE, UNAVAILABLE_NOTE
from pannier.places import address_search
from stage import Firm

NEW = "/console/orders/new"
NEW_PLACE = "/console/places/new"
LABEL = "Koulukatu 12, Pohjola, FI"
ADDRESS = {
    "street1": "Koulukatu 12",
    "city": "Pohjola",
    "country": "FI",
    "location": {"type": "Point", "coordinates": [24.0024, 61.0]},
}
PICK = json.dumps({"label": LABEL, "address": ADDRESS})
MOVED = "The address has changed. Check the pin."


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


@pytest.fixture
def cities(tmp_path: Path) -> None:
    """Two cities are in use."""
    use_cities(tmp_path)


async def ask(seat: Seat, path: str = "", **query: str) -> Any:
    answer = await seat.client.get(f"/console/addresses{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def ordered(shop: Shop) -> dict[str, Any]:
    """The only order's pickup."""
    (order,) = await shop.get("orders")
    found: dict[str, Any] = order["payload"]["pickup"]
    return found


@pytest.mark.usefixtures("cities")
async def test_saved_places_and_addresses_are_suggested_with_their_points(
    seat: Seat, shop: Shop
) -> None:
    depot = await shop.post("places", name="Koulu depot", latitude=61.1, longitude=24.1)
    found = await ask(seat, query="koulu", source="places")
    assert found["suggestions"] == [
        {"label": "Koulu depot", "hint": "", "id": depot["id"], "address": None,
         "location": [24.1, 61.1]}
    ]  # fmt: skip
    found = await ask(seat, query="koulukatu 12 pohj", source="addresses")
    assert found["suggestions"][0] == {
        "label": LABEL, "hint": "", "id": "", "address": ADDRESS, "location": [24.0024, 61.0]
    }  # fmt: skip
    found = await ask(seat, query="koulukatu 12", near="60.0, 24.0")
    assert found["suggestions"][0]["address"]["city"] == "Etelä"
    found = await ask(seat, query="norrby")
    assert found["suggestions"][0]["hint"] == "Town or district"


async def test_places_of_earlier_orders_and_of_other_companies_are_not_suggested(
    seat: Seat, shop: Shop, rival: Firm
) -> None:
    await shop.order(pickup={"street1": "Koulukatu 1", "latitude": 61.0, "longitude": 24.0})
    await Shop(rival).post("places", name="Koulu of Rival")
    assert await ask(seat, query="koulu", source="places") == {"suggestions": [], "note": ""}


@pytest.mark.usefixtures("cities")
async def test_a_point_has_an_address_unless_nothing_is_near(seat: Seat) -> None:
    found = await ask(seat, "/reverse", location="61.0, 24.0024")
    assert [each["label"] for each in found["suggestions"]] == [LABEL]
    nothing = {"suggestions": [], "note": ""}
    for elsewhere in ("-40,0", "91,0", "nowhere", ""):
        assert await ask(seat, "/reverse", location=elsewhere) == nothing


@pytest.mark.usefixtures("cities")
async def test_what_cannot_be_searched_has_no_suggestions(seat: Seat) -> None:
    for text in ("", "k", "  k ", "k" * 201):
        for source in ("places", "addresses"):
            assert (await ask(seat, query=text, source=source))["suggestions"] == []
    assert await ask(seat, query="koulukatu", near="nowhere") == {"suggestions": [], "note": ""}


async def test_it_says_why_no_address_can_be_suggested(
    acme: Firm, seat: Seat, tmp_path: Path
) -> None:
    assert (await ask(seat, query="koulukatu"))["note"] == UNAVAILABLE_NOTE
    use_cities(tmp_path)
    company = (await acme.api.get("/v1/organizations/current")).json()["uuid"]
    rate, moment = address_search.COMPANY_RATE, acme.house.clock.now().timestamp()
    while not acme.house.edge.limiter.hit(f"addresses:{company}", rate, moment):
        pass
    busy = {"suggestions": [], "note": BUSY_NOTE}
    assert await ask(seat, query="koulukatu") == busy
    assert await ask(seat, "/reverse", location="61.0,24.0") == busy


async def send(seat: Seat, **typed: str) -> httpx.Response:
    form = (await seat.open(NEW)).sheet()
    return await seat.send(NEW, {**form, "dropoff": "61.0,24.0", **typed})


@pytest.mark.usefixtures("cities")
async def test_an_order_goes_to_the_chosen_address_and_its_point(seat: Seat, shop: Shop) -> None:
    stop = {"waypoints[0].place": LABEL, "waypoints[0].place~id": PICK}
    await send(seat, **{"pickup": f" {LABEL} ", "pickup~id": PICK, **stop})
    pickup = await ordered(shop)
    assert pickup.items() >= ADDRESS.items()
    assert pickup["geocoding"] is None
    (order,) = await shop.get("orders")
    assert order["payload"]["waypoints"][1]["location"] == ADDRESS["location"]


@pytest.mark.parametrize(
    "pick",
    [
        PICK, "{", '{"label":"Home Street 1"}', '{"label":"Home Street 1","address":7}', "[]", "{}",
        '{"label":"Home Street 1","address":' + '{"meta":' * 300 + "{}" + "}" * 301,
    ],
)  # fmt: skip
async def test_a_choice_that_does_not_fit_the_text_is_dropped(
    seat: Seat, shop: Shop, pick: str
) -> None:
    await send(seat, **{"pickup": "Home Street 1", "pickup~id": pick})
    pickup = await ordered(shop)
    assert (pickup["street1"], pickup["location"]) == ("Home Street 1", None)


async def test_a_chosen_address_that_the_api_refuses_is_refused_with_the_form(
    seat: Seat, shop: Shop
) -> None:
    pick = json.dumps({"label": LABEL, "address": {**ADDRESS, "country": "nowhere"}})
    answer = await send(seat, **{"pickup": LABEL, "pickup~id": pick})
    assert answer.status_code == 422
    page = Reading(answer.text)
    assert "country" in page.main.one("p", role="alert").text
    assert page.main.one("input", name="pickup~id")["value"] == pick
    assert await shop.get("orders") == []


@pytest.mark.slow
async def test_chosen_addresses_are_priced_before_they_are_ordered(acme: Firm, seat: Seat) -> None:
    rate = {
        "service_name": "Express", "service_type": "express", "currency": "EUR",
        "rate_calculation_method": "fixed_rate", "base_fee": 500,
    }  # fmt: skip
    made = await acme.admin.post("/int/v1/service-rates", json=rate)
    assert made.status_code == 201, made.text
    ends = {"pickup": LABEL, "pickup~id": PICK, "dropoff": "61.1,24.1"}
    answer = await send(seat, **ends, do="quote")
    assert "Express" in Reading(answer.text).main.one("section", id="priced").text
    asked = await seat.client.get("/console/service-quotes/new", params=ends)
    assert "Koulukatu 12, Pohjola" in Reading(asked.text).main.one("div", id="offers").text
    home = f"/console/service-rates/{made.json()['id']}"
    asked = await seat.client.get(home, params=ends)
    assert asked.status_code == 200


def distance_of(text: str) -> str:
    """The distance that a page of prices shows."""
    found = re.search(r"[\d.,]+ k?m\b", Reading(text).main.one("div", id="offers").text)
    assert found, text
    return found[0]


async def test_stops_on_the_way_are_priced_and_can_be_chosen_addresses(
    acme: Firm, seat: Seat
) -> None:
    rate = {
        "service_name": "Express", "service_type": "express", "currency": "EUR",
        "rate_calculation_method": "fixed_rate", "base_fee": 500,
    }  # fmt: skip
    assert (await acme.admin.post("/int/v1/service-rates", json=rate)).status_code == 201
    ends = {"pickup": "61.0,24.0", "dropoff": "61.1,24.1"}
    new = "/console/service-quotes/new"
    direct = await seat.client.get(new, params=ends)
    # The stop in between was left empty; the others move up.
    stops = {
        "stops[0]": "61.2,24.4", "stops[2]": "", "stops[5]": LABEL, "stops[5]~id": PICK,
        "add_stop": "1",
    }  # fmt: skip
    through = await seat.client.get(new, params={**ends, **stops})
    main = Reading(through.text).main
    assert main.one("input", name="stops[0]")["value"] == "61.2,24.4"
    assert main.one("input", name="stops[1]")["value"] == LABEL
    assert main.one("input", name="stops[1]~id")["value"] == PICK
    assert main.one("input", name="stops[2]")["value"] == ""
    assert not main.all("input", name="stops[3]")
    assert distance_of(through.text) != distance_of(direct.text)


async def test_a_stop_that_names_no_place_is_named_by_its_number(seat: Seat) -> None:
    ends = {"pickup": "61.0,24.0", "dropoff": "61.1,24.1"}
    for stop in ("Nowhere at all", "95.0,24.0"):
        typed = {**ends, "stops[0]": "61.2,24.4", "stops[1]": stop}
        answer = await seat.client.get("/console/service-quotes/new", params=typed)
        assert answer.status_code == 200
        assert "Stop 2: " in Reading(answer.text).main.one("div", id="offers").text


async def test_a_quote_of_a_place_without_an_address_names_the_place(
    acme: Firm, seat: Seat, shop: Shop
) -> None:
    rate = {
        "service_name": "Express", "service_type": "express", "currency": "EUR",
        "rate_calculation_method": "fixed_rate", "base_fee": 500,
    }  # fmt: skip
    assert (await acme.admin.post("/int/v1/service-rates", json=rate)).status_code == 201
    mast = await shop.post("places", name="Radio mast", latitude=61.1, longitude=24.1)
    order = await shop.order(pickup=mast["id"], dropoff="61.0,24.0")
    [quote] = await shop.get(f"orders/{order['id']}/service-quotes")
    page = await seat.open(f"/console/service-quotes/{quote['id']}")
    assert "Radio mast" in page.main.text


async def test_a_stop_of_an_order_is_changed_to_a_chosen_address(seat: Seat, shop: Shop) -> None:
    order = await shop.order()
    home = f"/console/orders/{order['id']}/edit"
    form = (await seat.open(home)).sheet()
    await seat.sent(home, {**form, "pickup": LABEL, "pickup~id": PICK})
    assert (await ordered(shop)).items() >= ADDRESS.items()


async def test_without_a_geocoder_pages_promise_no_search(
    seat: Seat, shop: Shop, tmp_path: Path
) -> None:
    place = await shop.post("places", street1="Koulukatu 12")

    async def read(path: str) -> str:
        return (await seat.client.get(path)).text

    page, form, order = [
        await read(path) for path in (f"/console/places/{place['id']}", NEW_PLACE, NEW)
    ]
    assert "Add coordinates." in page
    assert "find the point" not in form
    assert "data-addresses" not in form
    assert "data-geocoder" not in order
    use_cities(tmp_path)
    page, form, order = [
        await read(path) for path in (f"/console/places/{place['id']}", NEW_PLACE, NEW)
    ]
    assert "choose an address" in page
    assert "Leave empty to locate the address automatically." in form
    assert 'data-addresses="part" data-geocoder' in form
    assert 'data-addresses="whole" data-geocoder' in order


# In a browser.
def pin_of(tab: Page) -> Locator:
    return tab.get_by_role("button", name="Pin", exact=True)


def options_of(tab: Page) -> Locator:
    """The options of the open list."""
    return tab.locator(".options li")


async def suggested(tab: Page) -> Locator:
    """The options, as soon as there are some."""
    options = options_of(tab)
    await expect(options.first).to_be_visible()
    return options


async def drag(tab: Page, right: int) -> None:
    """Drag the only pin with a finger."""
    box = await pin_of(tab).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tools = await tab.context.new_cdp_session(tab)
    for kind, by in (("touchStart", 0), ("touchMove", right / 2), ("touchMove", right)):
        finger = {"type": kind, "touchPoints": [{"x": x + by, "y": y}]}
        await tools.send("Input.dispatchTouchEvent", finger)
    await tools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await tools.detach()


@pytest.mark.slow
@pytest.mark.usefixtures("cities")
async def test_an_address_is_found_and_its_pin_moved_by_keyboard(browse: Tabs, shop: Shop) -> None:
    tab = await browse()
    await tab.goto(NEW)
    field, hidden = tab.locator("#f-pickup"), tab.locator("[name='pickup~id']")
    await field.press_sequentially("koulukatu 1")
    await expect(field).to_have_role("combobox")
    options = await suggested(tab)
    await expect(tab.locator("#f-pickup-status")).to_have_text(
        f"{await options.count()} suggestions"
    )
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("ArrowUp")
    active = tab.locator("[role=option][aria-selected=true]")
    await expect(field).to_have_attribute(
        "aria-activedescendant", await active.get_attribute("id") or ""
    )
    label = await active.locator("span").inner_text()
    await field.press("Enter")
    await expect(field).to_have_value(label)
    await expect(field).to_have_attribute("aria-expanded", "false")
    pin = pin_of(tab)
    await expect(pin).to_be_visible()
    before = json.loads(await hidden.input_value())["address"]["location"]["coordinates"]
    await pin.focus()
    for _ in range(5):
        await tab.keyboard.press("Shift+ArrowUp")
    await expect(field).to_have_value(label)
    after = json.loads(await hidden.input_value())["address"]["location"]["coordinates"]
    assert after[1] > before[1]
    assert after[0] == pytest.approx(before[0])
    await tab.locator("#f-dropoff").fill("61.0,24.0")
    await tab.get_by_role("button", name="Create order", exact=True).last.click()
    await tab.wait_for_url("**/console/orders/order_*")
    pickup = await ordered(shop)
    assert pickup["location"]["coordinates"] == after
    assert label.startswith(pickup["street1"])


@pytest.mark.slow
@pytest.mark.usefixtures("cities")
async def test_a_dragged_pin_offers_its_address_on_a_phone(browse: Tabs, shop: Shop) -> None:
    tab = await browse(phone=True)
    await tab.goto(NEW_PLACE)
    street = tab.get_by_label("Street", exact=True)
    await street.press_sequentially("koulukatu 12")
    options = await suggested(tab)
    box = await tab.locator(".options").first.bounding_box()
    assert box is not None
    assert 0 < box["x"] < box["x"] + box["width"] < PHONE[0]
    assert await axe(tab, "target-size") == []
    await options.filter(has_text=LABEL).click()
    await expect(street).to_have_value("Koulukatu 12")
    await expect(tab.get_by_label("City")).to_have_value("Pohjola")
    await expect(tab.get_by_label("Country")).to_have_value("FI")
    point = tab.get_by_label("Coordinates", exact=True)
    await expect(point).to_have_value("61, 24.0024")
    await pin_of(tab).scroll_into_view_if_needed()
    await expect(tab.locator("x-map[data-ready=yes]")).to_be_visible()
    await drag(tab, -36)
    use = tab.get_by_role("button", name="Use Koulukatu 10, Pohjola")
    await expect(use).to_be_visible()
    moved = await point.input_value()
    assert moved != "61, 24.0024"
    await expect(street).to_have_value("Koulukatu 12")
    await use.click()
    await expect(street).to_have_value("Koulukatu 10")
    await expect(point).to_have_value(moved)
    await tab.get_by_role("button", name="Save").click()
    await tab.wait_for_url("**/console/places/place_*")
    (place,) = await shop.get("places")
    longitude, latitude = place["location"]["coordinates"]
    assert moved == f"{latitude:.6f}".rstrip("0.") + f", {longitude}"


@pytest.mark.slow
@pytest.mark.usefixtures("cities")
async def test_pins_stay_when_a_stop_is_added_and_follow_what_is_typed(
    page: Page, shop: Shop
) -> None:
    await shop.post("places", name="Koulu depot", latitude=61.0005, longitude=24.001)
    await page.goto(NEW)
    await page.locator("#f-pickup").press_sequentially("koulu")
    await expect(options_of(page).filter(has_text="Saved place")).to_be_visible()
    assert await in_both_themes(page) == []
    await options_of(page).first.click()
    await expect(page.get_by_text("To move this pin, edit the place.")).to_be_visible()
    dropoff, pins = page.locator("#f-dropoff"), page.locator(".pinned:not([hidden])")
    await dropoff.press_sequentially("koulukatu 12")
    await (await suggested(page)).first.click()
    await expect(pins).to_have_count(2)
    names = await pins.locator("x-map").evaluate_all("maps => maps.map((map) => map.ariaLabel)")
    assert names == ["Map: Pickup", "Map: Drop-off"]
    await page.get_by_role("button", name="Add stop").click()
    await page.locator("[name='waypoints[0].place']").fill("61.0003, 24.001")
    await expect(pins).to_have_count(3)
    await page.get_by_role("button", name="Add stop").click()
    await expect(page.locator("[name='waypoints[1].place']")).to_be_visible()
    await expect(pins).to_have_count(3)
    await dropoff.press_sequentially(" B")
    await expect(page.locator("[name='dropoff~id']")).to_have_value("")
    await expect(pins).to_have_count(2)


async def hold(tab: Page, **answers: Any) -> dict[str, asyncio.Event]:
    """Hold answers back until each is let go, by the text that was typed."""
    gates = {text: asyncio.Event() for text in answers}

    async def answer(route: Route) -> None:
        text = httpx.URL(route.request.url).params["query"]
        if text in gates:
            await gates[text].wait()
        await route.fulfill(json=answers.get(text, {"suggestions": [], "note": ""}))

    await tab.route("**/console/addresses?*source=addresses*", answer)
    return gates


def made_up(label: str) -> dict[str, Any]:
    row = {"label": label, "hint": "", "id": "", "address": ADDRESS, "location": [24.0, 61.0]}
    return {"suggestions": [row], "note": ""}


@pytest.mark.parametrize(
    "pick", ["{", '{"label":"A"}', '{"label":"A","address":{"location":null}}']
)
async def test_a_link_with_a_broken_choice_opens_an_ordinary_form(page: Page, pick: str) -> None:
    await page.goto(f"{NEW}?{httpx.QueryParams({'pickup': 'A', 'pickup~id': pick})}")
    await page.locator("#f-pickup").focus()
    await expect(page.locator("#f-pickup")).to_have_role("combobox")
    await expect(page.locator(".pinned:not([hidden])")).to_have_count(0)


@pytest.mark.usefixtures("cities")
async def test_an_answer_to_what_is_no_longer_typed_is_dropped(page: Page) -> None:
    await page.goto(NEW)
    gates = await hold(page, old=made_up("Old Street"), newer=made_up("New Street"))
    field = page.locator("#f-pickup")
    async with page.expect_request("**query=old*source=addresses*"):
        await field.fill("old")
    async with page.expect_request("**query=newer*source=addresses*"):
        await field.fill("newer")
    gates["newer"].set()
    await expect(options_of(page)).to_have_text(["New Street"])
    gates["old"].set()
    await field.press("Escape")
    await expect(page.locator("#f-pickup-options")).to_be_hidden()
    await expect(field).to_have_value("newer")


@pytest.mark.usefixtures("cities")
async def test_a_geocoder_that_does_not_answer_blocks_neither_typing_nor_saving(
    page: Page, shop: Shop, troubles: Troubles
) -> None:
    await page.goto(NEW)
    await shop.post("places", name="Koulu depot")
    gates = await hold(page, koulu=made_up("Late Street"))
    field = page.locator("#f-pickup")
    await field.press_sequentially("koulu")
    await expect(options_of(page)).to_have_text(["Koulu depot Saved place"])
    await page.locator("#f-dropoff").fill("61.0,24.0")
    await expect(options_of(page)).to_have_count(0)
    await page.unroute_all(behavior="ignoreErrors")
    troubles.excuse("status of 500")
    await page.route("**/console/addresses?*", lambda route: route.fulfill(status=500))
    await field.fill("Home Street 1")
    await expect(page.locator("#f-pickup-status")).to_have_text("No suggestions")
    await page.get_by_role("button", name="Create order", exact=True).last.click()
    await page.wait_for_url("**/console/orders/order_*")
    assert (await ordered(shop))["street1"] == "Home Street 1"
    gates["koulu"].set()


@pytest.mark.usefixtures("cities")
async def test_too_many_searches_are_told_beside_the_field(page: Page) -> None:
    await page.goto(NEW)
    await page.route(
        "**/console/addresses?*",
        lambda route: route.fulfill(json={"suggestions": [], "note": BUSY_NOTE}),
    )
    await page.locator("#f-pickup").fill("koulukatu")
    await expect(page.get_by_text(BUSY_NOTE)).to_be_visible()


async def test_without_a_geocoder_saved_places_are_suggested_and_nothing_else(
    page: Page, shop: Shop
) -> None:
    depot = await shop.post("places", name="Koulu depot", latitude=61.1, longitude=24.1)
    await page.goto(NEW)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    field = page.locator("#f-pickup")
    await field.press_sequentially("koulu")
    await expect(options_of(page)).to_have_text(["Koulu depot Saved place"])
    await field.press("ArrowDown")
    await field.press("Enter")
    await expect(page.locator("[name='pickup~id']")).to_have_value(f"{depot['id']} Koulu depot")
    await page.locator("#f-dropoff").fill("Somewhere 1, Nowhere")
    await expect(page.locator("#f-dropoff-status")).to_have_text("No suggestions")
    await page.get_by_role("button", name="Create order", exact=True).last.click()
    await page.wait_for_url("**/console/orders/order_*")
    assert (await ordered(shop))["id"] == depot["id"]
    assert not [url for url in asked if "source=addresses" in url or "addresses/reverse" in url]


@pytest.mark.usefixtures("cities")
async def test_an_address_that_is_typed_over_leaves_the_pin_to_be_checked(page: Page) -> None:
    await page.goto(NEW_PLACE)
    street, point = (
        page.get_by_label("Street", exact=True),
        page.get_by_label("Coordinates", exact=True),
    )
    await street.press_sequentially("koulukatu 12")
    await (await suggested(page)).first.click()
    await expect(point).not_to_have_value("")
    await page.get_by_label("City").fill("Etelä")
    await expect(page.get_by_text(MOVED)).to_be_visible()
    await page.get_by_role("button", name="Remove pin").click()
    await expect(point).to_have_value("")
    await expect(page.get_by_text(MOVED)).to_have_count(0)
