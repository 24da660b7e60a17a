"""A pickup in the app: it is arrived at and collected, and stays in the day until then."""

import pytest
from playwright.async_api import Page, expect

from console.browser import Troubles
from driver.rider import Rider
from orders.shop import CHANGI, RAFFLES
from stage import Firm

pytestmark = pytest.mark.slow


async def test_the_driver_arrives_and_collects_before_the_drop_off(
    acme: Firm, app: Page, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    rider = await Rider.of(acme, app)
    place = {**RAFFLES, "name": "Depot"}
    order = await rider.shop.order(
        driver=rider.driver["id"], pickup=place, dropoff={**CHANGI, "name": "Terminal 1"},
        dispatch=True,
    )  # fmt: skip
    await rider.sign_in()
    page = rider.page
    stops = page.locator("ol a.stop strong")
    await expect(stops).to_have_text(["Depot", "Terminal 1"])
    await rider.go(f"stop/{order['id']}/dropoff")
    await expect(page.get_by_text("Complete Depot first.")).to_be_visible()
    await rider.go(f"stop/{order['id']}/pickup")
    # What is done without reception is sent once there is some.
    await page.context.set_offline(True)
    for name in ("Start order", "Arrived at pickup", "Collected"):
        await page.get_by_role("button", name=name).click()
    await expect(page.get_by_role("heading", name="Stops")).to_be_visible()
    await expect(page.locator("main > ol a.stop strong")).to_have_text(["Terminal 1"])
    await expect(page.get_by_text("Completed (1)")).to_be_visible()
    await page.context.set_offline(False)
    await rider.send_all()
    flow = await rider.shop.get(f"orders/{order['id']}/flow")
    assert (flow["activity"], flow["collecting"], flow["next"]) == ("collected", False, ["enroute"])
