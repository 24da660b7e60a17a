"""Assignments and schedules are undone where they were made, unless the order changed since."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.browser import opened
from console.reading import Page, sent_by
from console.seat import Seat
from orders.shop import DELIVERED, Shop
from stage import NOON, Firm

TABLE = "/console/orders?layout=table"
LATER = f"{NOON.date()}T15:00"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def undo(seat: Seat, page: Page, **more: Any) -> Page:
    """Press the Undo of a page, without script."""
    return await seat.sent("/console/orders/undo", {**sent_by(offered(page)[0]), **more}, on=TABLE)


def offered(page: Page) -> list[Any]:
    return page.root.all("form", action="/console/orders/undo")


def banners(page: Page) -> str:
    return " ".join(one.text for one in page.main.all("p", role="alert"))


async def test_an_assignment_is_undone_with_ordinary_events(
    acme: Firm, shop: Shop, seat: Seat
) -> None:
    van = await shop.vehicle()
    ada = await shop.driver(vehicle=van["id"])
    grace = await shop.driver()
    order = await shop.order(driver=ada["id"])
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/assign", {"driver": grace["id"]})
    assert (await shop.get(f"orders/{order['id']}"))["driver_assigned"]["id"] == grace["id"]
    page = await undo(seat, page)
    assert "Undone." in page.root.one("div", id="toasts").text
    assert offered(page) == []
    restored = await shop.get(f"orders/{order['id']}")
    assert restored["driver_assigned"]["id"] == ada["id"]
    assert restored["vehicle_assigned"]["id"] == van["id"]
    told = [event["data"]["id"] for event in await shop.told("driver.assigned")]
    assert told[-2:] == [grace["id"], ada["id"]]
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert log[0]["subject"] == order["id"]


@pytest.mark.parametrize("path", ["assign", "do"])
async def test_a_first_assignment_is_undone(shop: Shop, seat: Seat, path: str) -> None:
    order, driver = await shop.order(), await shop.driver()
    fields = {"verb": "assign", "driver": driver["id"]}
    await undo(seat, await seat.sent(f"/console/orders/{order['id']}/{path}", fields))
    assert (await shop.get(f"orders/{order['id']}"))["driver_assigned"] is None


async def test_a_schedule_and_a_plan_are_undone(shop: Shop, seat: Seat) -> None:
    order, driver = await shop.order(), await shop.driver()
    home = f"/console/orders/{order['id']}"
    await undo(seat, await seat.sent(f"{home}/schedule", {"scheduled_at": LATER}))
    assert (await shop.get(f"orders/{order['id']}"))["scheduled_at"] is None
    fields = {"verb": "plan", "driver": driver["id"], "at": LATER}
    planned = await seat.sent(f"{home}/do", fields)
    changed = await shop.get(f"orders/{order['id']}")
    assert changed["scheduled_at"]
    assert changed["driver_assigned"]["id"] == driver["id"]
    await undo(seat, planned)
    restored = await shop.get(f"orders/{order['id']}")
    assert (restored["scheduled_at"], restored["driver_assigned"]) == (None, None)


async def test_nothing_is_undone_once_the_order_has_changed(shop: Shop, seat: Seat) -> None:
    order, driver = await shop.order(internal_id="SO-1"), await shop.driver()
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/assign", {"driver": driver["id"]})
    await shop.act(order, "dispatch")
    page = await undo(seat, page)
    assert "Not undone: SO-1. It has changed since." in banners(page)
    told = await shop.get(f"orders/{order['id']}")
    assert (told["status"], told["driver_assigned"]["id"]) == ("dispatched", driver["id"])


async def test_an_undo_that_is_sent_twice_undoes_once(shop: Shop, seat: Seat) -> None:
    order, driver = await shop.order(), await shop.driver()
    page = await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": driver["id"]})
    await undo(seat, page)
    version = (await shop.get(f"orders/{order['id']}"))["version"]
    await undo(seat, page)
    await undo(seat, page, once="another")
    assert (await shop.get(f"orders/{order['id']}"))["version"] == version


async def test_what_ends_or_changes_nothing_offers_no_undo(shop: Shop, seat: Seat) -> None:
    config = await shop.config(*DELIVERED)
    order = await shop.started(order_config=config["id"])
    home = f"/console/orders/{order['id']}"
    driver = order["driver_assigned"]["id"]
    for path, fields in (("assign", {"driver": driver}), ("complete", {})):
        assert offered(await seat.sent(f"{home}/{path}", fields)) == []


async def test_an_assignment_of_many_is_undone_at_once(shop: Shop, seat: Seat) -> None:
    free, taken, changed = await shop.order(), await shop.ready(), await shop.ready()
    driver = await shop.driver()
    orders = [free, taken, changed]
    fields = {"verb": "assign", "driver": driver["id"], "order": [one["id"] for one in orders]}
    page = await seat.sent("/console/orders/bulk", fields, on=TABLE)
    await shop.act(changed, "dispatch")
    steps = [one["value"] for one in offered(page)[0].all("input", name="step")]
    assert len(steps) == 3
    page = await undo(seat, page, step=steps)
    assert "Undone: 2 of 3." in page.root.one("div", id="toasts").text
    assert "It has changed since." in banners(page)
    now = [(await shop.get(f"orders/{one['id']}"))["driver_assigned"] for one in orders]
    assert [one and one["id"] for one in now] == [
        None, taken["driver_assigned"]["id"], driver["id"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "step", ["", "{", "[]", '{"order": "order_x"}', '{"order": 1, "version": 1}', "[" * 5000]
)
async def test_an_undo_that_cannot_be_read_is_refused_in_words(seat: Seat, step: str) -> None:
    page = await seat.sent("/console/orders/undo", {"step": step}, on=TABLE)
    assert "Nothing was undone." in banners(page)


async def test_viewers_and_strangers_undo_nothing(acme: Firm, rival: Firm, shop: Shop) -> None:
    order, driver = await shop.order(), await shop.driver()
    seat = await Seat.of(acme)
    page = await seat.sent(f"/console/orders/{order['id']}/assign", {"driver": driver["id"]})
    for other in (await Seat.of(acme, "viewer"), await Seat.of(rival)):
        step = offered(page)[0].one("input", name="step")["value"]
        await other.sent("/console/orders/undo", {"step": step}, on=TABLE)
    assert (await shop.get(f"orders/{order['id']}"))["driver_assigned"]["id"] == driver["id"]


async def test_assigning_many_names_the_drivers_who_lose_orders_first(
    shop: Shop, seat: Seat
) -> None:
    ada, grace = await shop.driver(name="Ada Lovelace"), await shop.driver(name="Grace Hopper")
    free = await shop.order()
    taken = [await shop.order(driver=ada["id"], internal_id=f"SO-{one}") for one in range(2)]
    chosen = [order["id"] for order in (free, *taken)]
    fields = {"verb": "assign", "driver": "Grace Hopper", "order": chosen, "sure": ""}
    page = await seat.sent("/console/orders/bulk", fields, on=TABLE)
    question = page.root.one("form").text
    assert "2 orders already have a driver. Ada Lovelace loses SO-0, SO-1." in question
    assert "Reassign to Grace Hopper?" in question
    assert (await shop.get(f"orders/{free['id']}"))["driver_assigned"] is None
    form = page.root.one("form")
    asked = [(one["name"], one["value"]) for one in form.all("input")]
    orders = [value for name, value in asked if name == "order"]
    assert sorted(orders) == sorted(chosen)
    page = await seat.sent("/console/orders/bulk", {**dict(asked), "order": orders, "sure": "yes"})
    assert "3 of 3 done" in page.heading
    assert sum("Previously Ada Lovelace" in row[1] for row in page.rows()) == 2
    for order in chosen:
        assert (await shop.get(f"orders/{order}"))["driver_assigned"]["id"] == grace["id"]


async def test_orders_that_nobody_has_are_assigned_without_a_question(
    shop: Shop, seat: Seat
) -> None:
    order, driver = await shop.order(), await shop.driver()
    fields = {"verb": "assign", "driver": driver["id"], "order": order["id"], "sure": ""}
    for _ in range(2):
        assert "1 of 1 done" in (await seat.sent("/console/orders/bulk", fields)).heading


@pytest.mark.slow
async def test_a_drag_is_undone_by_the_key_of_its_message(page: Tab, shop: Shop) -> None:
    order = await shop.ready()
    await opened(page, "/console/orders")
    card, column = f"#{order['id']}", ".column[data-stage={}]"
    await page.drag_and_drop(card, column.format("unassigned"))
    toast = page.locator("#toasts").get_by_text("Unassigned.")
    await expect(toast).to_be_visible()
    await expect(page.locator("#toasts").get_by_role("button", name="Undo")).to_be_visible()
    await page.keyboard.press("z")
    await page.locator(f"{column.format('assigned')} {card}").wait_for()
    await expect(page.locator("#toasts").get_by_text("Undone.")).to_be_visible()
