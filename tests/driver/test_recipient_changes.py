"""What a recipient asks for reaches the driver, also one who was without reception meanwhile."""

import pytest
from playwright.async_api import Page, expect

from console.browser import Tabs, Troubles, axe
from console.conftest import browse
from driver.rider import Rider
from orders.shop import MANDAI
from stage import Firm
from tracking.asking import link_to

__all__ = ["browse"]
pytestmark = pytest.mark.slow
HOME = {**MANDAI, "name": "Ada's home", "postal_code": "729826"}


async def test_a_change_reaches_the_driver_who_was_offline_and_is_marked_as_new(
    acme: Firm, app: Page, browse: Tabs, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    rider = await Rider.of(acme, app)
    order = await rider.shop.order(
        driver=rider.driver["id"], internal_id="ORD-7", dispatch=True,
        payload={"waypoints": [{"street1": "1 Raffles Place", "type": "pickup"}, HOME]},
    )  # fmt: skip
    stop = order["payload"]["waypoints"][1]
    await rider.sign_in()
    page = rider.page
    await expect(page.locator("ol a.stop")).to_have_count(2)
    await page.context.set_offline(True)

    recipient = await browse(role=None, phone=True)
    await recipient.goto(await link_to(rider.shop, stop["tracking_number"]))
    await recipient.get_by_role("link", name="Give delivery instructions").click()
    await recipient.get_by_label("Postal code").fill("729826")
    await recipient.get_by_role("button", name="View delivery").click()
    place = recipient.get_by_label("Safe place, or the neighbor")
    await expect(place).to_be_hidden()
    await recipient.get_by_label("Leave it in a safe place").check()
    await place.fill("Garden shed")
    await recipient.get_by_label("Code for the gate").fill("4711#")
    assert await axe(recipient) == []
    await recipient.get_by_role("button", name="Save").click()
    await expect(recipient.locator("main")).to_contain_text("Your choice: Leave it in a safe place")
    assert await axe(recipient) == []

    await rider.go(f"stop/{order['id']}/{stop['id']}")
    await expect(page.get_by_role("link", name="Navigate")).to_be_visible()
    await expect(page.get_by_text("Garden shed")).to_have_count(0)
    await page.context.set_offline(False)
    await rider.go("stops")
    banner = page.get_by_role("link", name="New instructions: Ada's home")
    await expect(banner).to_be_visible()
    await banner.click()
    instructions = page.get_by_role("region", name="Delivery instructions")
    await expect(instructions).to_contain_text("Leave in a safe place: Garden shed")
    await expect(instructions).to_contain_text("Access code 4711#")
    await expect(instructions.locator(".pill")).to_have_text("New")
    assert await axe(page) == []
    await instructions.get_by_role("button", name="OK").click()
    await expect(instructions.locator(".pill")).to_have_count(0)
    await rider.go("stops")
    await expect(page.locator("ol a.stop")).to_have_count(2)
    await expect(banner).to_have_count(0)

    console = await browse()
    await console.goto(f"/console/orders/{order['id']}")
    await expect(console.locator("ol.stops")).to_contain_text(
        "Recipient: Leave in a safe place: Garden shed · Access code 4711#"
    )
