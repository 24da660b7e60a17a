"""Cash on delivery in the app: shown at one stop, collected once, also without reception."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, expect

from console.browser import Troubles
from driver.handset import BrowserHandset
from driver.rider import Rider
from pannier.kit import money
from stage import Firm

pytestmark = pytest.mark.slow
FLOW: list[dict[str, Any]] = [
    {"code": "arrived", "status": "Arrived", "next": ["handed_over"]},
    {"code": "handed_over", "status": "Handed over", "complete": True},
]
SHOWN = """
    const { formatMoney } = await import(given.formatting);
    return given.codes.map((code) => formatMoney(123456789, code).replace(/[^0-9.]/g, ""));"""
LOOKS = os.environ.get("PANNIER_LOOKS")


@pytest.fixture
async def rider(acme: Firm, app: Page) -> Rider:
    """A driver who has the link, and nothing else yet."""
    return await Rider.of(acme, app)


async def look(page: Page, name: str) -> None:
    """Keep a picture of the screen in both themes, if a folder for them is named."""
    if LOOKS is None:
        return
    for theme in ("light", "dark"):
        await page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        await page.screenshot(path=Path(LOOKS) / f"{name}.{theme}.png")
    await page.emulate_media(color_scheme="light")


async def test_amounts_have_the_decimals_of_the_api(browser_handset: BrowserHandset) -> None:
    codes = sorted(money.CURRENCIES)
    formatting = browser_handset.address("screens/formatting")
    shown = await browser_handset.js(SHOWN, codes=codes, formatting=formatting)
    digits = {code: len(text.partition(".")[2]) for code, text in zip(codes, shown, strict=True)}
    assert digits == {code: money.exponent(code) for code in codes}


async def test_cash_is_collected_before_the_last_stop_is_completed_and_arrives_once(
    rider: Rider, phone: BrowserContext, troubles: Troubles
) -> None:
    order, page = await rider.round(flow=FLOW), rider.page
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await expect(rider.button("Start order")).to_be_enabled()
    await expect(page.get_by_text("12.50")).to_have_count(0)
    for step in ("Start order", "Arrived", "Handed over"):
        await rider.button(step).click()
    await expect(rider.heading("Stops")).to_be_visible()
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await phone.set_offline(True)
    await rider.link("Terminal 3").click()
    await expect(page.get_by_text("Collect SGD 12.50 in cash.")).to_be_visible()
    await look(page, "stop")
    await rider.button("Arrived").click()
    await rider.button("Handed over").click()
    amount = page.get_by_label("Amount collected (SGD)")
    await expect(amount).to_have_value("12.50")
    await expect(page.get_by_label("Reason for the different amount")).to_be_hidden()
    await amount.fill("12")
    await expect(rider.button("Save")).to_be_disabled()
    await page.get_by_label("Reason for the different amount").fill("No change.")
    await look(page, "sheet")
    await rider.button("Save").click()
    await expect(page.get_by_text("No stops")).to_be_visible()
    await rider.link("Offline · 3").click()
    await expect(page.get_by_text("Collected: SGD 12.00")).to_be_visible()
    await look(page, "outbox")
    await phone.set_offline(False)
    await expect(page.get_by_text("Everything has been sent")).to_be_visible()
    assert (await rider.read(order))["status"] == "completed"
    [made] = await rider.shop.get(f"cash/collections?order={order['id']}")
    assert (made["amount_due"], made["amount"], made["reason"], made["method"]) == (
        1250, 1200, "No change.", "cash",
    )  # fmt: skip
    assert made["waypoint"] == order["payload"]["waypoints"][1]["id"]
    await rider.link("Account").click()
    await expect(page.get_by_role("region", name="Cash to hand in")).to_contain_text("SGD 12.00")
    await look(page, "account")


async def test_cash_is_collected_at_any_time_and_not_twice(rider: Rider) -> None:
    order, page = await rider.round(flow=FLOW), rider.page
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.link("Terminal 3").click()
    async with rider.answered("/collect-cash"):
        await rider.button("Collect payment").click()
        await page.get_by_label("Card").check()
        await rider.button("Save").click()
    await expect(page.get_by_text("SGD 12.50 collected").first).to_be_visible()
    await expect(rider.button("Collect payment")).to_have_count(0)
    [made] = await rider.shop.get(f"cash/collections?order={order['id']}")
    assert (made["amount"], made["method"]) == (1250, "card")


async def test_a_stop_is_completed_without_its_cash_if_the_driver_says_so(rider: Rider) -> None:
    order, page = await rider.round(flow=FLOW), rider.page
    await rider.shop.act(order, "start")
    await rider.sign_in()
    for place in ("Night Safari", "Terminal 3"):
        await rider.link(place).click()
        await rider.button("Arrived").click()
        await rider.button("Handed over").click()
        if place == "Terminal 3":
            await rider.button("Continue without collecting").click()
        await expect(page.get_by_text(f"{place} completed")).to_be_visible()
    await rider.sent()
    now = await rider.read(order)
    assert (now["status"], now["cash_to_collect"]["collected"]) == ("completed", False)
