"""What pages of orders offer: only what is allowed, and nothing final by a single click."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import expect

from console.browser import Tabs
from console.reading import Element, Page, sent_by
from console.seat import Seat
from orders.shop import CHANGI, DELIVERED, MANDAI, RAFFLES, Shop
from pannier.console.responses import ERROR_COOKIE
from pannier.events import relay
from stage import NOON, Firm

RATE = {
    "service_name": "Express", "service_type": "express", "currency": "SGD",
    "rate_calculation_method": "per_meter", "base_fee": 500, "per_meter_unit": "km",
    "per_meter_flat_rate_fee": 80,
}  # fmt: skip
UNSURE = {"sure": ""}


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def delivered_soon(shop: Shop) -> dict[str, Any]:
    """An order that one activity completes."""
    config = await shop.config(*DELIVERED, key=f"flow-{next(shop.numbers)}")
    return await shop.started(order_config=config["id"])


async def status(shop: Shop, order: dict[str, Any]) -> str:
    return str((await shop.get(f"orders/{order['id']}"))["status"])


def asked(page: Page) -> dict[str, Any]:
    """What the page that asks would send if its button is pressed."""
    form = page.root.one("form")
    button = form.one("button")
    return {**sent_by(form), button["name"]: button["value"]}


@pytest.mark.parametrize("by", ["activity", "complete", "do", "bulk"])
async def test_completing_is_confirmed_first_also_without_script(
    shop: Shop, seat: Seat, by: str
) -> None:
    order = await delivered_soon(shop)
    home = f"/console/orders/{order['id']}"
    path, fields = {
        "activity": (f"{home}/activity", {"activity": "delivered"}),
        "complete": (f"{home}/complete", {}),
        "do": (f"{home}/do", {"verb": "complete"}),
        "bulk": ("/console/orders/bulk", {"verb": "complete", "order": order["id"]}),
    }[by]
    page = await seat.sent(path, {**fields, **UNSURE}, on=home)
    assert "cannot be undone" in page.root.one("form").text
    assert await status(shop, order) == "started"
    assert page.root.one("form").one("a")["href"] == home
    answer = await seat.send(path, asked(page))
    assert await status(shop, order) == "completed"
    assert by == "bulk" or answer.headers["Location"] == home


@pytest.mark.parametrize("path", ["do", "bulk", "delete"])
async def test_cancelling_and_deleting_are_confirmed_first_also_without_script(
    shop: Shop, seat: Seat, path: str
) -> None:
    order = await shop.ready()
    home = f"/console/orders/{order['id']}"
    to = "/console/orders/bulk" if path == "bulk" else f"{home}/{path}"
    fields = {"verb": "cancel", "order": order["id"]} if path != "delete" else {}
    page = await seat.sent(to, {**fields, **UNSURE}, on=home)
    assert await status(shop, order) == "created"
    await seat.send(to, asked(page))
    found = await shop.firm.api.get(f"/v1/orders/{order['id']}")
    assert found.status_code == 404 or found.json()["status"] == "canceled"


async def test_an_activity_that_ends_nothing_is_done_at_once(shop: Shop, seat: Seat) -> None:
    order = await shop.ready()
    path = f"/console/orders/{order['id']}/activity"
    await seat.send(path, {"activity": "dispatched", **UNSURE})
    assert await status(shop, order) == "dispatched"


@pytest.mark.parametrize("end", ["cancel", "complete"])
async def test_a_closed_order_offers_nothing_that_is_refused(
    acme: Firm, shop: Shop, seat: Seat, end: str
) -> None:
    assert (await acme.api.post("/v1/service-rates", json=RATE)).status_code == 201
    priced = end == "cancel"
    boxes = [{"name": "Box", "quantity": 3}]
    order = await shop.ready(entities=boxes) if priced else await delivered_soon(shop)
    home = f"/console/orders/{order['id']}"
    before = await seat.open(home)
    # The cheapest quote is accepted when an order is handed out.
    offered = ["assign", "activity", "cancel", *(["accept-quote"] if priced else ["complete"])]
    for path in offered:
        assert before.root.all("form", action=f"{home}/{path}"), path
    await shop.act(order, end)
    page = await seat.open(home)
    for path in [*offered, "quote", "schedule", "unassign", "decide", "destination", "sms-code"]:
        assert not page.root.all("form", action=f"{home}/{path}"), path
    made = await acme.admin.get(f"/int/v1/orders/{order['id']}/service-quotes")
    quote = f"/console/service-quotes/{made.json()['data'][0]['id']}"
    page = await seat.open(quote)
    assert not priced or "Items 3" in page.main.text
    assert not page.root.all("form", action="/console/service-quotes/accept")
    assert not page.root.all("form", action=f"{quote}/renew")


async def held(shop: Shop) -> dict[str, Any]:
    """An order whose address nobody found."""
    return await shop.act(await shop.started(), "fail-attempt", reason="wrong_address")


async def ended(shop: Shop, action: str) -> dict[str, Any]:
    """An order that is closed and has an open issue."""
    order = await delivered_soon(shop)
    await shop.issue(order=order["id"])
    return await shop.act(order, action)


STATES: dict[str, Callable[[Shop], Awaitable[dict[str, Any]]]] = {
    "created": lambda shop: shop.order(),
    "assigned": lambda shop: shop.ready(),
    "dispatched": lambda shop: shop.ready(dispatch=True),
    "started": delivered_soon,
    "held": held,
    "completed": lambda shop: ended(shop, "complete"),
    "canceled": lambda shop: ended(shop, "cancel"),
}
# What has to be typed, by action.
TYPED: dict[str, dict[str, str]] = {
    "schedule": {"scheduled_at": f"{NOON.date()}T18:00"},
    "charge": {"description": "Waiting time", "amount": "4,50"},
    "attempt": {"reason": "nobody_home"},
    "messages": {"text": "The gate is open until six."},
}


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
async def test_nothing_that_the_page_of_an_order_offers_is_refused(
    acme: Firm, shop: Shop, seat: Seat, state: str
) -> None:
    assert (await acme.api.post("/v1/service-rates", json=RATE)).status_code == 201
    driver = await shop.driver(name="Grace Hopper")
    count = len(posted(await seat.open(f"/console/orders/{(await STATES[state](shop))['id']}")))
    assert count
    for number in range(count):
        home = f"/console/orders/{(await STATES[state](shop))['id']}"
        form = posted(await seat.open(home))[number]
        action = form["action"].rpartition("/")[2]
        typed = {"driver": driver["id"]} if action == "assign" else TYPED.get(action, {})
        answer = await seat.send(form["action"], {**sent_by(form), **typed}, on=home)
        assert answer.status_code == 303, (action, Page(answer.text).main.text)
        assert not answer.cookies.get(ERROR_COOKIE), (action, answer.cookies[ERROR_COOKIE])


def posted(page: Page) -> list[Element]:
    """The forms of a page that change something."""
    return [form for form in page.main.all("form") if form["method"] == "post"]


async def test_a_closed_order_is_edited_only_where_that_is_allowed(shop: Shop, seat: Seat) -> None:
    order = await shop.ready()
    await shop.act(order, "cancel")
    path = f"/console/orders/{order['id']}/edit"
    form = (await seat.open(path)).sheet()
    assert {"internal_id", "notes", "meta"} <= form.keys()
    assert not {"pickup", "dropoff", "customer", "scheduled_at", "adhoc"} & form.keys()
    answer = await seat.send(path, {**form, "notes": "Called back."})
    assert answer.status_code == 303
    assert (await shop.get(f"orders/{order['id']}"))["notes"] == "Called back."


async def test_closed_orders_are_chosen_for_nothing(shop: Shop, seat: Seat) -> None:
    open_one, closed = await shop.ready(), await delivered_soon(shop)
    await shop.act(closed, "complete")
    page = await seat.open("/console/orders?layout=table")
    boxes = {box["value"] for box in page.main.all("input", name="order")}
    assert boxes == {open_one["id"]}
    board = await seat.open("/console/orders")
    (card,) = [one for one in board.main.all("li") if one["id"] == closed["id"]]
    assert "draggable" not in card.attributes
    assert not card.all("button")


async def test_a_card_offers_what_its_order_allows(shop: Shop, seat: Seat) -> None:
    waiting, started = await shop.ready(), await shop.started()
    board = await seat.open("/console/orders")
    moves = {one["id"]: one["data-moves"] for one in board.main.all("li", class_="order")}
    assert moves == {waiting["id"]: "plan dispatch assign cancel", started["id"]: "assign cancel"}


async def test_an_open_issue_is_on_the_orders_page_and_stays_there(shop: Shop, seat: Seat) -> None:
    order = await delivered_soon(shop)
    issue = await shop.issue(order=order["id"], title="Box is wet")
    home = f"/console/orders/{order['id']}"
    for end in ("", "complete"):
        if end:
            await shop.act(order, end)
        page = await seat.open(home)
        assert f"/console/issues/{issue['id']}" in page.links()
        assert "Open issue: Box is wet" in page.main.text
    (card,) = [
        one
        for one in (await seat.open("/console/orders")).main.all("li")
        if one["id"] == order["id"]
    ]
    assert "Issue" in card.one("header").text
    await shop.post(f"issues/{issue['id']}/resolve")
    assert "Box is wet" not in (await seat.open(home)).main.text


async def test_the_head_of_an_order_changes_with_its_body(
    acme: Firm, browse: Tabs, shop: Shop
) -> None:
    order, driver = await shop.order(), await shop.driver(name="Alan Turing")
    tab = await browse(maps=False)
    await tab.goto(f"/console/orders/{order['id']}")
    head = tab.locator("#head")
    await expect(head.get_by_role("button", name="Assign", exact=True)).to_be_visible()
    await shop.act(order, "assign-driver", driver=driver["id"])
    await shop.act(order, "dispatch")
    while await relay.Relay(acme.house.database, ()).step():
        pass
    await expect(tab.locator("#facts")).to_contain_text("Alan Turing", timeout=60_000)
    await expect(head).to_contain_text("Dispatched")
    await expect(head.get_by_role("button", name="Reassign")).to_be_visible()
    await expect(head.get_by_role("button", name="Schedule")).to_have_count(0)
    await expect(tab.locator("#do-schedule")).to_have_count(0)


async def test_dragging_to_completed_asks_and_leaves_the_card_if_not_confirmed(
    browse: Tabs, shop: Shop
) -> None:
    order = await delivered_soon(shop)
    tab = await browse(maps=False)
    await tab.goto("/console/orders")
    await expect(tab.locator(".live")).to_have_text("Live", timeout=60_000)
    card, column = f"#{order['id']}", ".column[data-stage={}]"
    await tab.drag_and_drop(card, column.format("completed"))
    sure = tab.locator("#sure")
    await expect(sure).to_contain_text("cannot be undone")
    await tab.keyboard.press("Escape")
    await expect(tab.locator(f"{column.format('in_progress')} {card}")).to_be_visible()
    assert await status(shop, order) == "started"
    await tab.drag_and_drop(card, column.format("completed"))
    await sure.get_by_role("button", name="Complete").click()
    # The server's own card, which can be moved no further.
    done = tab.locator(f"{column.format('completed')} {card}:not([draggable])")
    await expect(done).to_be_visible()
    assert await status(shop, order) == "completed"


@pytest.mark.parametrize("which", ["sign-in", "all sign-ins", "quote"])
async def test_ending_sign_ins_and_accepting_quotes_are_confirmed_first_without_script(
    acme: Firm, shop: Shop, which: str
) -> None:
    seat = await Seat.signing_in(acme, "admin")
    if which == "quote":
        await shop.post("service-rates", **RATE)
        order = await shop.order()
        path = f"/console/orders/{order['id']}/accept-quote"
        found = await acme.admin.get(f"/int/v1/orders/{order['id']}/service-quotes")
        (quote,) = found.json()["data"]
        fields = {"quote": quote["id"]}
    else:
        (token, *_) = (await seat.client.get("/int/v1/sessions")).json()["data"]
        path, fields = "/console/me/tokens/end", {}
        if which == "sign-in":
            fields = {"token": token["id"]}
    page = await seat.sent(path, {**fields, **UNSURE})
    assert page.root.one("form").one("button")["name"] == "sure"
    assert (await seat.client.get("/int/v1/sessions")).status_code == 200
    if which == "quote":
        assert (await shop.get(f"orders/{order['id']}"))["transaction"] is None
        await seat.send(path, asked(page))
        assert (await shop.get(f"orders/{order['id']}"))["transaction"] is not None


async def test_another_stop_is_offered_only_while_it_would_be_taken(shop: Shop, seat: Seat) -> None:
    order = await shop.started(waypoints=[RAFFLES, MANDAI, CHANGI])
    home = f"/console/orders/{order['id']}"

    async def offered() -> int:
        return (await seat.open(home)).main.text.count("Set as next stop")

    assert await offered() == 2
    await shop.fire(order, "enroute")
    last = order["payload"]["waypoints"][-1]["id"]
    refused = await shop.attempt(order, f"set-destination/{last}")
    assert (refused.status_code, await offered()) == (409, 0)
    await shop.fire(order, "completed")
    assert await offered() == 1
