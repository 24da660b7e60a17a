"""The driver calls for help: by holding a button, and without reception too."""

from playwright.async_api import Page, expect

from console.browser import Troubles, axe
from contract.test_alerts import alerts
from driver.rider import Rider
from stage import Firm


async def test_a_held_button_calls_for_help_without_reception_too(
    acme: Firm, app: Page, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    rider = await Rider.of(acme, app)
    await rider.sign_in()
    page = rider.page
    await rider.go("me")
    button = page.locator("#sos")
    await button.click()
    await expect(button).not_to_have_class("held")
    assert await alerts(acme.admin) == []
    await button.focus()
    await page.keyboard.down("Enter")
    await expect(button).to_contain_text("Dispatch has been alerted.")
    await page.keyboard.up("Enter")
    [alert] = await alerts(acme.admin)
    assert (alert["kind"], alert["subject"]) == ("sos", rider.driver["id"])
    assert await axe(page) == []
    await page.context.set_offline(True)
    await button.hover()
    await page.mouse.down()
    await expect(button).to_contain_text("No reception")
    await page.mouse.up()
    assert (await alerts(acme.admin))[0]["occurrences"] == 1
    await page.context.set_offline(False)
    await rider.sent()
    [alert] = await alerts(acme.admin)
    assert alert["occurrences"] == 2
