"""Dispatchers answer drivers on the pages of orders and drivers."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.browser import in_both_themes
from console.reading import sent_by
from console.seat import Seat
from orders.conftest import phone, shop
from orders.shop import CHANGI, RAFFLES, Phone, Shop
from stage import Firm

__all__ = ["phone", "shop"]
PATH = "/v1/driver-messages"


async def unread(firm: Firm) -> list[str]:
    return [row["text"] for row in (await firm.api.get(f"{PATH}?unread=true")).json()]


async def asked(shop: Shop, phone: Phone) -> dict[str, Any]:
    """Let a driver ask about an order, and about nothing in particular."""
    driver = await shop.driver()
    order = await shop.order(driver=driver["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    app = await phone(driver)
    for body in ({"text": "Which gate?", "order": order["id"]}, {"text": "When is my break?"}):
        assert (await app.post(PATH, json=body)).status_code == 201
        shop.firm.house.clock.advance(seconds=1)
    return {"driver": driver, "order": order, "app": app}


async def test_an_answer_on_the_order_is_sent_once_and_reads_its_thread(
    acme: Firm, seat: Seat, shop: Shop, phone: Phone
) -> None:
    things = await asked(shop, phone)
    home = f"/console/orders/{things['order']['id']}"
    card = (await seat.open(home)).main.one("section", id="conversation")
    assert "1 unread" in card.text
    assert "When is my break?" not in card.text
    form = {**sent_by(card.one("form")), "text": "Gate 3."}
    for _ in range(2):
        assert (await seat.send(f"{home}/messages", form)).status_code == 303
    rows = (await things["app"].get(PATH)).json()
    assert [row["text"] for row in rows] == ["Gate 3.", "When is my break?", "Which gate?"]
    assert rows[0]["actor"]["kind"] == "operator"
    assert await unread(acme) == ["When is my break?"]
    card = (await seat.open(home)).main.one("section", id="conversation")
    assert "unread" not in card.text
    assert "Not read yet" in card.text


async def test_a_drivers_page_has_all_threads_and_marks_them_as_read(
    acme: Firm, seat: Seat, shop: Shop, phone: Phone
) -> None:
    things = await asked(shop, phone)
    home = f"/console/drivers/{things['driver']['id']}"
    viewer = await Seat.of(acme, "viewer")
    seen = (await viewer.open(home)).main.one("section", id="conversation")
    assert "Which gate?" in seen.text
    assert seen.all("form") == []
    await viewer.send(f"{home}/messages", {"text": "Not from me."})
    assert len((await acme.api.get(PATH)).json()) == 2
    # Looking alone marks nothing.
    assert len(await unread(acme)) == 2
    card = (await seat.open(home)).main.one("section", id="conversation")
    assert "2 unread" in card.text
    await seat.send(f"{home}/messages", sent_by(card.one("form")))
    assert await unread(acme) == []


@pytest.mark.slow
async def test_the_thread_can_be_read_by_everybody(shop: Shop, phone: Phone, page: Tab) -> None:
    things = await asked(shop, phone)
    for path in (f"drivers/{things['driver']['id']}", f"orders/{things['order']['id']}"):
        await page.goto(f"/console/{path}")
        card = page.locator("#conversation")
        await expect(card.get_by_role("textbox", name="Message to the driver")).to_be_visible()
        assert await in_both_themes(page, "#conversation") == []
        assert len(await page.content()) < 100_000
