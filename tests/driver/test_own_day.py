"""What the driver did today, and the way to dispatch: both without reception too."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from console.browser import Troubles
from driver.rider import Rider
from orders.shop import CHANGI, RAFFLES
from pannier.console import assets
from stage import Firm

RELOAD_ORDERS = """async (module) => {
    const { clearOrders, pullOrders } = await import(module);
    await clearOrders();
    await pullOrders(true);
}"""
pytestmark = pytest.mark.slow


async def test_the_driver_reaches_dispatch_and_sees_the_day(
    acme: Firm, app: Page, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    phone = {"dispatch_phone": "+65 6123 4567"}
    assert (await acme.admin.patch("/int/v1/settings", json=phone)).is_success
    rider = await Rider.of(acme, app)
    order = await rider.shop.order(
        driver=rider.driver["id"], pickup=RAFFLES, dropoff=CHANGI, internal_id="ORD-7",
        dispatch=True,
    )  # fmt: skip
    await rider.sign_in()
    page = rider.page
    await expect(page.locator("ol a.stop")).to_have_count(2)
    await rider.go(f"stop/{order['id']}/pickup")
    call = page.get_by_role("link", name="Call dispatch")
    await expect(call).to_have_attribute("href", "tel:+6561234567")
    message = page.get_by_role("link", name="Message dispatch")
    await expect(message).to_have_attribute("href", "sms:+6561234567?&body=ORD-7%3A%20")
    await page.get_by_role("button", name="Start order").click()
    await rider.sent()
    await page.context.set_offline(True)
    await rider.go(f"stop/{order['id']}/pickup")
    await page.get_by_role("button", name="Arrived at pickup").click()
    await rider.go("me")
    await expect(page.get_by_role("link", name="Call dispatch")).to_be_visible()
    await page.get_by_role("link", name="Today's history").click()
    done = page.locator("main ol li")
    await expect(done).to_have_count(2)
    await expect(done.first).to_contain_text("Arrived at pickup")
    await expect(done.first).to_contain_text("Not sent yet")
    await expect(done.last).to_contain_text("Start order")
    await expect(done.last).to_contain_text("ORD-7")
    await page.context.set_offline(False)
    # Signing out deletes the phone's own history. The server has the activities.
    await rider.go("me")
    await rider.sent()
    await page.evaluate(RELOAD_ORDERS, assets.url("driver/orders.js"))
    await rider.go("history")
    await expect(done).to_have_count(2)
    await expect(done.first).to_contain_text("Arrived at pickup")
    await expect(done.first).not_to_contain_text("Not sent yet")
    await expect(done.last).to_contain_text("ORD-7")


async def test_an_activity_whose_answer_is_on_its_way_is_shown_once(acme: Firm, app: Page) -> None:
    rider, answered = await Rider.of(acme, app), asyncio.Event()
    order = await rider.shop.order(
        driver=rider.driver["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True
    )
    await rider.sign_in()
    page = rider.page

    async def answer_late(route: Route) -> None:
        response = await route.fetch()
        await answered.wait()
        await route.fulfill(response=response)

    await page.route("**/start", answer_late)
    await rider.go(f"stop/{order['id']}/pickup")
    async with page.expect_request("**/start"):
        await page.get_by_role("button", name="Start order").click()
    while not (await acme.api.get(f"/v1/drivers/{rider.driver['id']}/history")).json():
        pass
    await page.evaluate(RELOAD_ORDERS, assets.url("driver/orders.js"))
    await rider.go("history")
    done = page.locator("main ol li")
    await expect(done).to_have_count(1)
    await expect(done).to_contain_text("Start order")
    answered.set()
    await rider.sent()
    await page.unroute("**/start")
    await rider.go("history")
    await expect(done).not_to_contain_text("Not sent yet")
    await expect(done).to_have_count(1)
