"""Fields and filters that take a record find it by what people type, and show its name."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from console.browser import Tabs, in_both_themes
from console.reading import Element, Page
from console.seat import Seat
from fleet.depot import Depot
from orders.shop import Shop
from stage import Firm


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


def field(page: Page, name: str) -> Element:
    """The first visible input of a field."""
    found, *_ = [one for one in page.main.all("input", name=name) if one["type"] != "hidden"]
    return found


async def assigned(shop: Shop, order: dict[str, Any]) -> str | None:
    told = (await shop.get(f"orders/{order['id']}"))["driver_assigned"]
    return None if told is None else str(told["name"])


@pytest.mark.parametrize(
    "typed", ["Alan Turing", " alan  turing", "Turing", "+65 9000 0001", "D-7"]
)
async def test_a_driver_is_assigned_by_name_phone_or_own_number(
    seat: Seat, shop: Shop, depot: Depot, typed: str
) -> None:
    order = await shop.order()
    await depot.driver(name="Ada Lovelace", phone="+6590000002")
    await depot.driver(name="Alan Turing", phone="+6590000001", internal_id="D-7")
    await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": typed})
    assert await assigned(shop, order) == "Alan Turing"


async def test_a_national_number_is_read_in_the_companys_country(
    acme: Firm, seat: Seat, shop: Shop, depot: Depot
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG"})
    order = await shop.order()
    await depot.driver(name="Alan Turing", phone="+6590000001")
    await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": "9000 0001"})
    assert await assigned(shop, order) == "Alan Turing"


@pytest.mark.parametrize("typed", ["SGX 1234 A", "sgx1234a", "SGX-1234-A"])
async def test_a_plate_is_found_whatever_stands_between_its_letters(
    seat: Seat, depot: Depot, typed: str
) -> None:
    vehicle = await depot.vehicle(plate_number="SGX 1234 A")
    await depot.vehicle(plate_number="SGY 1234 B")
    form = (await seat.open("/console/drivers/new")).sheet()
    given = {"name": "Ada", "phone": "+6591234567", "vehicle": typed}
    await seat.send("/console/drivers/new", {**form, **given})
    (driver,) = await depot.get("drivers")
    assert driver["vehicle"] == vehicle["id"]


async def test_several_matches_are_named_in_the_form_that_comes_back(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order = await shop.order()
    await depot.driver(name="Alan Turing", phone="+6590000001")
    await depot.driver(name="Alan Kay", phone="+6590000002")
    page = await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": "Alan"})
    dialog = page.main.one("dialog", id="do-assign")
    assert "open" in dialog.attributes
    assert "2 drivers match “Alan”" in dialog.text
    assert "Alan Turing (+6590000001)" in dialog.text
    assert "Alan Kay (+6590000002)" in dialog.text
    assert dialog.one("input", name="driver")["value"] == "Alan"
    assert await assigned(shop, order) is None


async def test_no_match_says_what_was_searched(seat: Seat, shop: Shop) -> None:
    order = await shop.order()
    page = await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": "Nobody"})
    sentence = "No driver matches “Nobody”. Searched by name, phone, email and internal ID."
    assert sentence in page.main.one("dialog", id="do-assign").text


async def test_an_exact_name_wins_over_longer_ones(seat: Seat, shop: Shop, depot: Depot) -> None:
    order = await shop.order()
    await depot.driver(name="Ada", phone="+6590000001")
    await depot.driver(name="Ada Lovelace", phone="+6590000002")
    await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": "Ada"})
    assert await assigned(shop, order) == "Ada"


async def test_of_two_with_one_name_the_one_that_was_picked_is_taken(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order = await shop.order()
    await depot.driver(name="Alan Turing", phone="+6590000001")
    other = await depot.driver(name="Alan Turing", phone="+6590000002")
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/assign", {"driver": "Alan Turing"})
    assert "2 drivers match" in page.main.text
    picked = {
        "driver": "Alan Turing · +6590000002",
        "driver~id": f"{other['id']} Alan Turing · +6590000002",
    }
    await seat.sent(f"{home}/assign", picked)
    told = (await shop.get(f"orders/{order['id']}"))["driver_assigned"]
    assert told["id"] == other["id"]


async def test_a_picked_record_is_left_for_what_was_typed_after_it(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order = await shop.order()
    alan = await depot.driver(name="Alan Turing", phone="+6590000001")
    await depot.driver(name="Ada Lovelace", phone="+6590000002")
    typed = {"driver": "Ada Lovelace", "driver~id": f"{alan['id']} Alan Turing"}
    await seat.sent(f"/console/orders/{order['id']}/assign", typed)
    assert await assigned(shop, order) == "Ada Lovelace"


async def test_nobody_elses_records_are_found(rival: Firm, seat: Seat, shop: Shop) -> None:
    await Depot(rival).driver(name="Alan Turing", phone="+6590000001")
    order = await shop.order()
    page = await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": "Alan Turing"})
    assert "No driver matches" in page.main.text


async def test_a_form_shows_names_and_leaves_what_was_not_touched(seat: Seat, depot: Depot) -> None:
    vehicle = await depot.vehicle(plate_number="SGX 1234 A")
    driver = await depot.driver(name="Ada", vehicle=vehicle["id"])
    page = await seat.open(f"/console/drivers/{driver['id']}/edit")
    assert field(page, "vehicle")["value"] == "SGX 1234 A"
    await seat.send(f"/console/drivers/{driver['id']}/edit", {**page.sheet(), "city": "Singapore"})
    (after,) = await depot.get("drivers")
    assert (after["vehicle"], after["city"]) == (vehicle["id"], "Singapore")


async def test_an_untouched_field_keeps_its_record_when_that_is_renamed_meanwhile(
    seat: Seat, depot: Depot
) -> None:
    vehicle = await depot.vehicle(plate_number="SGX 1234 A")
    driver = await depot.driver(name="Ada", vehicle=vehicle["id"])
    page = await seat.open(f"/console/drivers/{driver['id']}/edit")
    await depot.patch(f"vehicles/{vehicle['id']}", plate_number="SGY 9 Z")
    other = await depot.vehicle(plate_number="SGX 1234 A")
    await seat.send(f"/console/drivers/{driver['id']}/edit", {**page.sheet(), "city": "Singapore"})
    (after,) = await depot.get("drivers")
    assert (after["vehicle"], after["city"]) == (vehicle["id"], "Singapore")
    assert after["vehicle"] != other["id"]


async def test_a_picked_record_may_be_named_like_anothers_identifier(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order = await shop.order()
    ada = await depot.driver(name="Ada", phone="+6590000001")
    other = await depot.driver(name=ada["id"], phone="+6590000002")
    picked = {"driver": other["name"], "driver~id": f"{other['id']} {other['name']}"}
    await seat.sent(f"/console/orders/{order['id']}/assign", picked)
    told = (await shop.get(f"orders/{order['id']}"))["driver_assigned"]
    assert told["id"] == other["id"]


async def test_a_number_that_begins_like_an_identifier_is_searched_for(
    seat: Seat, shop: Shop
) -> None:
    await shop.order(internal_id="order_2041")
    page = await seat.open("/console/proofs?order=order_2041")
    assert not page.main.all("p", role="alert")
    assert field(page, "order")["value"] == "order_2041"


async def test_names_with_quotes_and_markup_are_shown_and_found_as_text(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order, name = await shop.order(), 'O\'Neil "Bo" <b>&amp; 100% _x'
    driver = await depot.driver(name=name, phone="+6590000001")
    await depot.driver(name="O'Neil", phone="+6590000002")
    await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": name})
    assert await assigned(shop, order) == name
    page = await seat.open(f"/console/orders?layout=table&driver={driver['id']}")
    assert field(page, "driver")["value"] == name


async def test_filters_find_by_name_and_show_it(seat: Seat, shop: Shop, depot: Depot) -> None:
    alan = await depot.driver(name="Alan Turing", phone="+6590000001")
    mine = await shop.order(driver=alan["id"])
    await shop.order()
    page = await seat.open("/console/orders?layout=table&driver=alan+turing")
    assert len(page.rows()) == 1
    assert f"/console/orders/{mine['id']}" in page.links()
    assert field(page, "driver")["value"] == "Alan Turing"
    page = await seat.open(f"/console/orders?layout=table&driver={alan['id']}")
    assert field(page, "driver")["value"] == "Alan Turing"
    page = await seat.open("/console/orders?layout=table&driver=Grace")
    alert = page.main.one("p", role="alert").text
    assert alert.count("No driver matches “Grace”") == 1


async def test_orders_are_found_by_their_numbers_in_every_filter_that_takes_one(
    seat: Seat, shop: Shop
) -> None:
    order = await shop.order(internal_id="SO-2041")
    number = order["tracking_number"]["tracking_number"]
    for page in ("proofs", "service-quotes", "transactions", "messages"):
        for typed in ("SO-2041", number):
            shown = await seat.open(f"/console/{page}?order={typed}")
            assert not shown.main.all("p", role="alert"), (page, typed)
            assert field(shown, "order")["value"] == "SO-2041", (page, typed)
        shown = await seat.open(f"/console/{page}?order=SO-9")
        assert "No order matches “SO-9”" in shown.main.one("p", role="alert").text
    shown = await seat.open("/console/events?subject=SO-2041")
    assert len(shown.rows()) >= 1
    assert field(shown, "subject")["value"] == "SO-2041"


async def test_a_new_order_takes_places_by_name_and_addresses_as_they_are(
    seat: Seat, shop: Shop
) -> None:
    where = {"street1": "1 Raffles Place", "city": "Singapore", "country": "SG"}
    depot = await shop.post("places", name="North depot", **where)
    known = await shop.post("contacts", name="Ada Lovelace", phone="+6590000001")
    form = (await seat.open("/console/orders/new")).sheet()
    typed = {"pickup": "north DEPOT", "dropoff": "80 Mandai Lake Road, Singapore",
             "customer": "ada lovelace"}  # fmt: skip
    await seat.sent("/console/orders/new", {**form, **typed})
    (order,) = await shop.get("orders")
    assert order["payload"]["pickup"]["id"] == depot["id"]
    assert order["payload"]["dropoff"]["street1"].startswith("80 Mandai")
    assert order["customer"]["id"] == known["id"]


async def test_who_is_typed_with_a_phone_number_is_somebody_new(seat: Seat, shop: Shop) -> None:
    known = await shop.post("contacts", name="Ada Lovelace", phone="+6590000001")
    form = (await seat.open("/console/orders/new")).sheet()
    typed = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79", "customer": "Ada Lovelace",
             "customer.phone": "+6590000002"}  # fmt: skip
    await seat.sent("/console/orders/new", {**form, **typed})
    (order,) = await shop.get("orders")
    assert order["customer"]["id"] != known["id"]


async def test_a_fleet_takes_a_driver_in_by_name(seat: Seat, depot: Depot) -> None:
    fleet = await depot.fleet()
    driver = await depot.driver(name="Alan Turing")
    home = f"/console/fleets/{fleet['id']}"
    await seat.sent(f"{home}/drivers", {"driver": "Alan Turing"})
    (found,) = await depot.get("drivers")
    assert found["fleets"] == [fleet["id"]]
    page = await seat.sent(f"{home}/drivers", {"driver": "Grace"})
    assert "No driver matches “Grace”" in page.main.one("p", role="alert").text
    assert driver["name"] == "Alan Turing"


async def test_a_record_is_chosen_by_keyboard_alone(browse: Tabs, shop: Shop, depot: Depot) -> None:
    order = await shop.order()
    await depot.driver(name="Alan Turing", phone="+6590000001")
    other = await depot.driver(name="Alan Turing", phone="+6590000002")
    tab = await browse(maps=False)
    await tab.goto(f"/console/orders/{order['id']}")
    await tab.get_by_role("button", name="Assign", exact=True).click()
    box = tab.get_by_role("combobox", name="Driver")
    options = tab.get_by_role("option")
    await expect(box).to_be_focused()
    await box.press_sequentially("tur")
    await expect(options).to_have_count(2)
    await expect(box).to_have_attribute("aria-expanded", "true")
    await expect(options.first).to_have_attribute("aria-selected", "true")
    assert await in_both_themes(tab, "#do-assign") == []
    await box.press("Escape")
    await expect(options).to_have_count(0)
    await expect(tab.locator("#do-assign")).to_be_visible()
    await box.press("ArrowDown")
    await expect(options).to_have_count(2)
    texts = await options.all_inner_texts()
    for _ in range(next(at for at, text in enumerate(texts) if other["phone"] in text)):
        await box.press("ArrowDown")
    await box.press("Enter")
    await expect(box).to_have_value("Alan Turing")
    await expect(options).to_have_count(0)
    await box.press("Enter")
    await expect(tab.get_by_text("Driver assigned.")).to_be_visible()
    told = (await shop.get(f"orders/{order['id']}"))["driver_assigned"]
    assert told["id"] == other["id"]


async def test_enter_takes_the_best_match_even_before_it_is_suggested(
    browse: Tabs, depot: Depot
) -> None:
    await depot.driver(name="Mallory Ada", phone="+6590000001")
    best = await depot.driver(name="Ada Lovelace", phone="+6590000002")
    await depot.vehicle(plate_number="SGX 1 A")
    tab = await browse(maps=False)
    await tab.goto("/console/orders?layout=table")
    box = tab.get_by_role("search").get_by_role("combobox", name="Driver")
    await box.fill("ada")
    await box.press("Enter")
    await expect(box).to_have_value("Ada Lovelace")
    hidden = tab.locator("[role=search] [name='driver~id']")
    await expect(hidden).to_have_value(f"{best['id']} Ada Lovelace")
    await expect(tab).to_have_url(re.compile(r"driver=Ada\+Lovelace"))
    await box.fill("nobody")
    await expect(tab.get_by_role("status").get_by_text("No matches")).to_be_visible()
    await box.fill("")
    await expect(hidden).to_have_value("")


async def test_without_script_the_refused_form_offers_the_matches(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    order = await shop.order()
    alan = await depot.driver(name="Alan Turing", phone="+6590000001")
    await depot.driver(name="Dermot Turing", phone="+6590000002")
    home = f"/console/orders/{order['id']}/assign"
    page = await seat.sent(home, {"driver": "Turing"})
    choice = page.main.one("select", name="driver~match")
    offered = {one["value"]: one.text for one in choice.all("option")}
    assert offered[""] == "Choose one of 2"
    assert offered[alan["id"]] == "Alan Turing · +6590000001"
    await seat.sent(home, {"driver": "Turing", "driver~match": alan["id"]})
    assert await assigned(shop, order) == "Alan Turing"


async def test_a_filter_offers_the_matches_too(seat: Seat, shop: Shop, depot: Depot) -> None:
    alan = await depot.driver(name="Alan Turing", phone="+6590000001")
    await depot.driver(name="Dermot Turing", phone="+6590000002")
    await shop.order(driver=alan["id"])
    for path in ("orders?layout=table&", "proofs?"):
        page = await seat.open(f"/console/{path}driver=Turing")
        options = page.main.one("select", name="driver~match").all("option")
        assert len(options) == 3, path
        page = await seat.open(f"/console/{path}driver=Turing&driver~match={alan['id']}")
        assert field(page, "driver")["value"] == "Alan Turing", path
        assert not page.main.all("select", name="driver~match"), path


async def test_the_best_match_is_suggested_first(seat: Seat, depot: Depot) -> None:
    for name, number in (("Mallory Ada", 1), ("Adam", 2), ("Ada", 3)):
        await depot.driver(name=name, phone=f"+659000000{number}")
    asked = {"resource": "vehicles drivers nothing", "query": " ada "}
    found = (await seat.client.get("/console/suggest", params=asked)).json()
    assert [one["label"] for one in found] == ["Ada", "Adam", "Mallory Ada"]
    found = (await seat.client.get("/console/suggest", params={"resource": "drivers"})).json()
    assert len(found) == 3


async def test_the_boards_menu_and_bulk_actions_take_a_typed_driver(
    seat: Seat, shop: Shop, depot: Depot
) -> None:
    first, second = await shop.order(), await shop.order()
    await depot.driver(name="Alan Turing", phone="+6590000001")
    typed = {"verb": "assign", "driver": "alan turing"}
    await seat.sent(f"/console/orders/{first['id']}/do", typed, on="/console/orders")
    await seat.sent("/console/orders/bulk", {**typed, "order": second["id"]})
    assert await assigned(shop, first) == await assigned(shop, second) == "Alan Turing"


async def test_scheduling_from_the_board_keeps_a_driver_who_is_not_among_the_suggestions(
    browse: Tabs, shop: Shop, depot: Depot
) -> None:
    driver = await depot.driver(name="Alan Turing", phone="+6590000001")
    order = await shop.order(driver=driver["id"])
    tab = await browse(maps=False)
    await tab.goto("/console/orders")
    await tab.locator(f"#{order['id']} [data-menu]").click()
    await expect(tab.locator("#do-driver")).to_have_value("Alan Turing")
    await tab.locator("#do-at").fill("2030-01-01T10:00")
    await tab.get_by_role("button", name="Schedule", exact=True).click()
    await tab.get_by_role("status").get_by_text("Scheduled.").wait_for()
    assert await assigned(shop, order) == "Alan Turing"
