"""Orders at the console: a board, a table, a map and a planner, and what is done from each."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page as Browsed
from playwright.async_api import Route, expect

from console.browser import opened
from console.reading import Element, Page
from console.seat import Seat
from orders.shop import DELIVERED, Shop
from orders.test_board import placed
from pannier.events import relay
from pannier.web.times import to_rfc3339
from proofs.evidence import Courier
from stage import NOON, Firm

BOARD, TABLE = "/console/orders", "/console/orders?layout=table"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


def columns(page: Page) -> dict[str, list[Element]]:
    """The cards of each column of the board."""
    return {
        column["data-stage"]: column.all("li", class_="order")
        for column in page.main.all("section", class_="column")
    }


def banner(page: Page) -> str:
    return page.main.one("p", role="alert").text


async def test_the_board_shows_each_order_in_its_column(shop: Shop, seat: Seat) -> None:
    made = await placed(shop)
    page = await seat.open("/console/orders")
    assert page.heading == "Orders"
    shown = {stage: [card["id"] for card in cards] for stage, cards in columns(page).items()}
    assert shown == {stage: [order] for stage, order in made.items()}
    assert "draggable" not in columns(page)["completed"][0].attributes
    (card,) = columns(page)["attention"]
    for words in ("Late", "1 Raffles Place", "80 Mandai Lake Road", "Unassigned"):
        assert words in card.text


async def test_a_card_says_which_proof_its_flow_asks_for(shop: Shop, seat: Seat) -> None:
    await shop.order(pod_required=True, pod_method="signature")
    (card,) = columns(await seat.open("/console/orders"))["unassigned"]
    assert card.one("svg", role="img")["aria-label"] == "Requires a signature"


@pytest.mark.slow
async def test_moving_a_card_calls_the_verb_of_its_column_with_the_operator_as_actor(
    acme: Firm, shop: Shop, seat: Seat
) -> None:
    order, driver = await shop.order(), await shop.driver()
    home = f"/console/orders/{order['id']}/do"
    await seat.sent(home, {"verb": "assign", "driver": driver["id"], "version": order["version"]})
    assert [c["id"] for c in columns(await seat.open("/console/orders"))["assigned"]] == [
        order["id"]
    ]
    await seat.sent(home, {"verb": "dispatch"})
    await seat.sent(home, {"verb": "start"})
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "started"
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    mine = [entry for entry in log if entry["subject"] == order["id"]]
    assert {entry["actor_type"] for entry in mine} == {"operator"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"verb": "dispatch"}, "The order has no driver. Assign a driver first."),
        ({"verb": "assign"}, "Select a driver."),
        ({"verb": "complete"}, "not ready to be completed"),
        ({"verb": ""}, "Orders appear under Needs attention"),
        ({"verb": "cancel", "version": "7"}, "changed since you read it"),
    ],
)
async def test_a_move_that_is_refused_says_why_and_changes_nothing(
    shop: Shop, seat: Seat, fields: dict[str, str], sentence: str
) -> None:
    order = await shop.order()
    page = await seat.sent(f"/console/orders/{order['id']}/do", fields, on=BOARD)
    assert sentence in banner(page)
    assert [card["id"] for card in columns(page)["unassigned"]] == [order["id"]]
    assert (await shop.get(f"orders/{order['id']}"))["version"] == order["version"]


async def test_what_is_done_to_many_is_done_to_each_for_itself(shop: Shop, seat: Seat) -> None:
    ready, bare = await shop.ready(), await shop.order()
    page = await seat.sent(
        "/console/orders/bulk", {"verb": "dispatch", "order": [ready["id"], bare["id"]]}
    )
    assert page.heading.endswith("Dispatch: 1 of 2 done")
    refused, done = page.rows()
    assert "The order has no driver. Assign a driver first." in refused[1]
    assert (done[1], done[2]) == ("Dispatched", "Dispatched")
    assert (await shop.get(f"orders/{ready['id']}"))["status"] == "dispatched"
    assert (await shop.get(f"orders/{bare['id']}"))["status"] == "created"
    told = await shop.told("order.dispatched")
    assert [event["data"]["id"] for event in told] == [ready["id"]]


async def test_many_are_given_to_a_driver_and_canceled(shop: Shop, seat: Seat) -> None:
    orders, driver = [await shop.order(), await shop.order()], await shop.driver()
    chosen = [order["id"] for order in orders]
    given = {"verb": "assign", "driver": driver["id"], "order": chosen}
    assert "2 of 2 done" in (await seat.sent("/console/orders/bulk", given)).heading
    given = {"verb": "cancel", "reason": "Rain.", "order": chosen}
    assert "2 of 2 done" in (await seat.sent("/console/orders/bulk", given)).heading
    for order in chosen:
        told = await shop.get(f"orders/{order}")
        assert (told["driver_assigned"]["id"], told["status"]) == (driver["id"], "canceled")
        assert told["cancel_reason"] == "Rain."


async def test_nothing_chosen_is_said_in_words(seat: Seat) -> None:
    page = await seat.sent("/console/orders/bulk", {"verb": "cancel"}, on=TABLE)
    assert "Select at least one order" in banner(page)


async def test_a_viewer_looks_and_is_offered_and_allowed_no_move(acme: Firm, shop: Shop) -> None:
    order = await shop.order()
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open("/console/orders")
    assert not [one for one in page.root.all("button") if "data-menu" in one.attributes]
    assert page.root.all("dialog", id="do") == []
    refused = await viewer.sent(f"/console/orders/{order['id']}/do", {"verb": "cancel"}, on=BOARD)
    assert "This requires the dispatcher role" in banner(refused)
    told = await viewer.sent("/console/orders/bulk", {"verb": "cancel", "order": order["id"]})
    assert "This requires the dispatcher role" in told.rows()[0][1]
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "created"


async def test_anothers_orders_are_neither_shown_nor_moved(rival: Firm, shop: Shop) -> None:
    order = await shop.order()
    stranger = await Seat.of(rival)
    page = await stranger.open("/console/orders")
    assert not any(columns(page).values())
    told = await stranger.sent("/console/orders/bulk", {"verb": "cancel", "order": order["id"]})
    assert "Failed" in told.rows()[0][1]
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "created"


@pytest.mark.slow
async def test_the_table_takes_the_filters_of_the_interface(shop: Shop, seat: Seat) -> None:
    made = await placed(shop)
    first = await shop.get(f"orders/{made['assigned']}")
    driver, number = first["driver_assigned"]["id"], first["tracking_number"]["tracking_number"]

    async def found(query: str) -> set[str]:
        page = await seat.open(f"/console/orders?layout=table&{query}")
        return {
            row["data-href"].rpartition("/")[2] for row in page.main.all("tr") if row["data-href"]
        }

    mine = {made[stage] for stage in ("assigned", "dispatched", "in_progress", "completed")}
    assert await found(f"driver={driver}") == mine
    assert await found("unassigned=true") == {made["unassigned"], made["attention"]}
    assert await found("attention=true") == {made["attention"]}
    assert await found("status=dispatched&status=completed") == {
        made["dispatched"], made["completed"],
    }  # fmt: skip
    assert await found(f"id={number}+{made['completed']}") == {
        made["assigned"], made["completed"],
    }  # fmt: skip
    assert await found("since=2100-01-01T00:00") == set()
    assert await found(f"until={to_rfc3339(NOON + timedelta(hours=1))}") == set(made.values())


async def test_a_filter_that_makes_no_sense_is_told_above_the_orders(seat: Seat) -> None:
    page = await seat.open("/console/orders?layout=table&driver=driver_nobody")
    assert banner(page)
    assert page.root.one("input", name="driver")["value"] == "driver_nobody"


async def test_each_view_is_the_same_address_with_another_layout(seat: Seat) -> None:
    page = await seat.open("/console/orders?on=2026-01-05&unassigned=true")
    views = {link["href"] for link in page.main.all("a") if link["data-layout"]}
    assert views == {
        f"/console/orders?on=2026-01-05&unassigned=true&layout={layout}"
        for layout in ("board", "table", "map", "planner")
    }


def slots(page: Page) -> dict[str, list[str]]:
    """The orders of the planner, by driver."""
    rows = [row for row in page.main.all("tr") if "data-driver" in row.attributes]
    return {row["data-driver"]: [one["id"] for one in row.all("li")] for row in rows}


async def planned(seat: Seat, order: dict[str, Any], **fields: str) -> Page:
    day = f"/console/orders?layout=planner&on={NOON.date()}"
    return await seat.sent(f"/console/orders/{order['id']}/do", {"verb": "plan", **fields}, on=day)


async def test_the_planner_gives_an_order_a_driver_and_a_time_and_takes_them_back(
    shop: Shop, seat: Seat
) -> None:
    order, driver = await shop.order(), await shop.driver()
    page = await seat.open(f"/console/orders?layout=planner&on={NOON.date()}")
    waiting = page.main.one("ul", class_="waiting")
    assert [one["id"] for one in waiting.all("li")] == [order["id"]]
    page = await planned(seat, order, driver=driver["id"], at=f"{NOON.date()}T15:00")
    assert slots(page)[driver["id"]] == [order["id"]]
    told = await shop.get(f"orders/{order['id']}")
    assert told["scheduled_at"] == to_rfc3339(NOON.replace(hour=15))
    page = await planned(seat, order, driver="", at="")
    assert slots(page)[driver["id"]] == []
    told = await shop.get(f"orders/{order['id']}")
    assert (told["scheduled_at"], told["driver_assigned"]) == (None, None)


async def test_the_planner_shows_what_drivers_are_doing_and_have_done(
    shop: Shop, seat: Seat
) -> None:
    driver, config = await shop.driver(), await shop.config(*DELIVERED)
    due = NOON + timedelta(hours=2)
    window = {"time_window_start": to_rfc3339(NOON), "time_window_end": to_rfc3339(due)}
    late = {"time_window_end": to_rfc3339(NOON - timedelta(hours=3))}
    given = {"order_config": config["id"], "driver": driver["id"], "dispatch": True}
    running, overdue, done = [
        await shop.order(**given, **more) for more in (window, late, {"notes": "Quick."})
    ]
    await shop.act(done, "start")
    await shop.fire(done, "delivered")
    day = f"/console/orders?layout=planner&on={NOON.date()}"
    page = await seat.open(day)
    hours = [cell["data-slot"][-5:] for cell in page.main.all("th") if cell["data-slot"]]
    [row] = [row for row in page.main.all("tr") if row["data-driver"] == driver["id"]]
    shown = dict(
        zip(hours, ([a["href"] for a in cell.all("a")] for cell in row.all("td")), strict=True)
    )
    assert shown[f"{due:%H}:00"] == [f"/console/orders/{running['id']}"]
    assert set(shown[f"{NOON:%H}:00"]) == {
        f"/console/orders/{order['id']}" for order in (overdue, done)
    }
    yesterday = await seat.open(day.replace(str(NOON.date()), str(NOON.date() - timedelta(days=1))))
    assert f"/console/orders/{running['id']}" not in yesterday.links()


async def test_a_plan_that_is_refused_leaves_the_driver_too(shop: Shop, seat: Seat) -> None:
    order, driver = await shop.order(), await shop.driver()
    page = await planned(seat, order, driver=driver["id"], at="tomorrow")
    assert banner(page)
    assert (await shop.get(f"orders/{order['id']}"))["driver_assigned"] is None


@pytest.mark.parametrize("layout", ["board", "table", "map"])
async def test_an_order_that_went_out_without_a_price_is_marked_in_every_layout(
    shop: Shop, seat: Seat, layout: str
) -> None:
    order = await shop.ready()
    address = f"/console/orders?layout={layout}"
    assert (await seat.open(address)).main.text.count("No price") == 1
    await shop.act(order, "dispatch")
    assert (await seat.open(address)).main.text.count("No price") == 2


async def test_the_map_lists_what_is_open_and_where_it_goes(shop: Shop, seat: Seat) -> None:
    order = await shop.order()
    page = await seat.open("/console/orders?layout=map")
    assert page.main.one("x-map")["data-from"] == "geo"
    assert order["id"] in page.main.one("script", id="geo").text
    assert f"/console/orders/{order['id']}" in page.links()


@pytest.mark.slow
async def test_a_card_is_dragged_to_where_it_may_go_and_comes_back_from_where_it_may_not(
    page: Browsed, shop: Shop
) -> None:
    order = await shop.ready()
    card, column = f"#{order['id']}", ".column[data-stage={}]"
    await opened(page, "/console/orders")
    await page.locator(".live[data-state=live]").wait_for()
    await page.drag_and_drop(card, column.format("completed"))
    await page.locator("#sure").get_by_role("button", name="Complete").click()
    refusal = page.locator("#results").get_by_text("not ready to be completed")
    await refusal.wait_for()
    await page.locator(f"{column.format('assigned')} {card}").wait_for()
    # Others go on meanwhile; it is read all the same.
    for _ in range(2):
        other = await shop.ready()
        while await relay.Relay(shop.firm.house.database, ()).step():
            pass
        await page.locator(f"{column.format('assigned')} #{other['id']}").wait_for()
        await expect(refusal).to_be_visible()
    await page.drag_and_drop(card, column.format("dispatched"))
    await page.locator(f"{column.format('dispatched')} {card}").wait_for()
    await expect(refusal).to_have_count(0)
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "dispatched"


@pytest.mark.slow
async def test_a_filter_that_has_become_right_is_reproached_no_longer(
    page: Browsed, shop: Shop
) -> None:
    await opened(page, f"{BOARD}?order_config=frozen")
    reproach = page.locator("#results").get_by_role("alert")
    await expect(reproach).to_be_visible()
    await shop.config(*DELIVERED, key="frozen")
    await shop.order()
    while await relay.Relay(shop.firm.house.database, ()).step():
        pass
    await expect(page.locator(".board")).to_be_visible()
    await expect(reproach).to_have_count(0)


@pytest.mark.slow
async def test_cards_are_walked_and_opened_by_keyboard_while_others_come(
    page: Browsed, shop: Shop
) -> None:
    first, second = [await shop.order() for _ in range(2)]
    await opened(page, "/console/orders")
    cards = page.locator("li.order")
    await expect(cards).to_have_count(2)
    ids = [await cards.nth(at).get_attribute("id") for at in (0, 1)]
    assert set(ids) == {first["id"], second["id"]}
    for key, at in (("j", 0), ("j", 1), ("j", 1), ("k", 0), ("j", 1)):
        await page.keyboard.press(key)
        await expect(page.locator(f"#{ids[at]} a")).to_be_focused()
    assert await page.locator(f"#{ids[1]}").evaluate(
        "card => getComputedStyle(card).outlineStyle"
    ) == ("solid")
    other = await shop.order()
    while await relay.Relay(shop.firm.house.database, ()).step():
        pass
    await page.locator(f"#{other['id']}").wait_for()
    await expect(page.locator(f"#{ids[1]} a")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/console/orders/{ids[1]}")


@pytest.mark.slow
async def test_no_drag_is_lost_to_news_that_come_while_another_is_sent(
    page: Browsed, shop: Shop
) -> None:
    first, second = [await shop.ready() for _ in range(2)]
    column, go_on = ".column[data-stage=dispatched]", asyncio.Event()

    async def slowly(route: Route) -> None:
        await go_on.wait()
        await route.continue_()

    await opened(page, "/console/orders")
    await page.route(f"**/{first['id']}/do", slowly)
    await page.drag_and_drop(f"#{first['id']}", column)
    # Asked for by the page itself, and so before what is dragged next.
    await page.evaluate(
        """() => void htmx.ajax("GET", location.pathname,
             { target: "#results", select: "#results", swap: "outerMorph" })"""
    )
    await page.drag_and_drop(f"#{second['id']}", column)
    async with page.expect_response(lambda answer: f"{second['id']}/do" in answer.url):
        go_on.set()
    for order in (first, second):
        assert (await shop.get(f"orders/{order['id']}"))["status"] == "dispatched"


@pytest.mark.slow
async def test_a_card_is_given_to_a_driver_without_a_mouse(page: Browsed, shop: Shop) -> None:
    order, driver = await shop.order(), await shop.driver(name="Ada Lovelace")
    await page.goto("/console/orders")
    await page.locator(f"#{order['id']} [data-menu]").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#do-driver")).to_be_focused()
    await page.keyboard.type(driver["name"])
    await page.get_by_role("button", name="Assign").focus()
    await page.keyboard.press("Enter")
    # What is said fades; what is shown stays.
    await page.get_by_role("status").get_by_text("Assigned.").wait_for()
    await page.locator(".column[data-stage=assigned]").get_by_text("Ada Lovelace").wait_for()


@pytest.mark.slow
async def test_rows_are_chosen_by_key_and_dispatched_together(page: Browsed, shop: Shop) -> None:
    await shop.ready()
    await shop.order()
    await opened(page, "/console/orders?layout=table")
    for key in ("j", "x", "j", "x"):
        await page.keyboard.press(key)
    await page.get_by_text("2 selected").wait_for()
    await page.get_by_role("button", name="Dispatch").click()
    await page.get_by_role("heading", name="Dispatch: 1 of 2 done").wait_for()
    await page.get_by_text("The order has no driver. Assign a driver first.").wait_for()


@pytest.mark.slow
async def test_a_block_of_the_planner_is_dragged_to_a_driver_and_an_hour(
    page: Browsed, shop: Shop
) -> None:
    order, driver = await shop.order(), await shop.driver()
    await page.goto(f"/console/orders?layout=planner&on={NOON.date()}")
    fifteen = await page.locator("thead th", has_text="15:00").evaluate("cell => cell.cellIndex")
    slot = f"tr[data-driver={driver['id']}] > :nth-child({fifteen + 1})"
    await page.drag_and_drop(f"#{order['id']}", slot)
    await page.locator(f"{slot} #{order['id']}").get_by_text("15:00").wait_for()
    told = await shop.get(f"orders/{order['id']}")
    assert told["driver_assigned"]["id"] == driver["id"]


async def test_filters_that_are_folded_away_are_counted(seat: Seat) -> None:
    folded = "/console/orders?layout=table&unassigned=true&late=true&status=created"
    page = await seat.open(folded)
    assert page.main.one("span", id="more-count").text == "2 set"
    assert "Clear" in page.main.one("span", id="clear-filters").text
    page = await seat.open("/console/orders?layout=table&status=created")
    assert page.main.one("span", id="more-count").text == ""


async def test_every_sign_of_a_card_is_drawn(acme: Firm, seat: Seat) -> None:
    await Shop(acme).order(cod_amount=1250, cod_currency="SGD")
    page = await seat.open("/console/orders?layout=board")
    drawn = {symbol["id"] for symbol in page.main.all("symbol")}
    card = page.main.one("li", class_="order")
    assert "COD" in card.text
    assert {use["href"].removeprefix("#") for use in card.all("use")} <= drawn


async def test_a_card_names_the_customer_the_window_the_proof_and_the_payment(
    acme: Firm, seat: Seat
) -> None:
    courier = Courier(acme)
    order = await courier.careful(
        "signature", customer={"name": "Ada Lovelace"},
        time_window_start="2026-01-15T13:00:00Z", time_window_end="2026-01-15T15:30:00Z",
    )  # fmt: skip
    await acme.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    charge = {"kind": "other", "description": "Delivery", "amount": 900}
    charged = await acme.api.post(f"/v1/orders/{order['id']}/charges", json=charge)
    assert charged.status_code == 201, charged.text
    [transaction] = await courier.get(f"transactions?order={order['id']}")
    paid = await acme.api.post(
        f"/v1/transactions/{transaction['id']}/payments", json={"method": "cash"}
    )
    assert paid.status_code == 201, paid.text
    await courier.signed(order)
    page = await seat.open("/console/orders?layout=board")
    card = page.main.one("li", id=order["id"])
    for text in ("Ada Lovelace", "13:00\N{EN DASH}15:30", "Paid"):
        assert text in card.text
    assert card.one("svg", role="img")["aria-label"] == "Has a signature"


async def test_labels_of_selected_orders_are_one_file(acme: Firm) -> None:
    shop, seat = Shop(acme), await Seat.of(acme, "dispatcher")
    orders = [await shop.order() for _ in range(2)]
    page = await seat.open("/console/orders?layout=table")
    assert 'formaction="/console/orders/labels"' in page.text
    chosen = {"label": "zpl 4x6", "order": [order["id"] for order in orders]}
    file = await seat.send("/console/orders/labels", chosen)
    assert file.headers["content-disposition"] == 'attachment; filename="labels.zpl"'
    assert file.content.count(b"^XA") == 2
    one = f"/console/orders/{orders[0]['id']}/label"
    assert f"{one}/file?format=zpl&amp;size=4x6" in (await seat.open(one)).text
    single = await seat.client.get(f"{one}/file?format=zpl&size=4x6")
    assert single.content.count(b"^XA") == 1
