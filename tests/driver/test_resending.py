"""A code that could not be sent again can be asked for again."""

import pytest
from playwright.async_api import BrowserContext, expect

from console.browser import Troubles
from driver.rider import PHONE, Rider
from stage import Firm


@pytest.mark.slow
async def test_whoever_asks_for_another_code_without_reception_is_told_and_asks_again(
    acme: Firm, phone: BrowserContext, troubles: Troubles
) -> None:
    troubles.excuse("Failed to load resource|ERR_")
    rider = await Rider.of(acme, await phone.new_page())
    await rider.page.clock.install()
    await rider.open()
    await rider.page.get_by_label("Phone number").fill(PHONE)
    await rider.button("Send code").click()
    await expect(rider.page.get_by_role("button", name="Resend in")).to_be_disabled()
    await rider.page.clock.fast_forward("00:31")
    await expect(rider.button("Resend code")).to_be_enabled()
    await phone.set_offline(offline=True)
    await rider.button("Resend code").click()
    await expect(rider.page.get_by_text("You are offline")).to_be_visible()
    await expect(rider.button("Resend code")).to_be_enabled()
