"""Messages with dispatch in the app: written without reception, sent once and in order."""

import asyncio

import pytest
from playwright.async_api import BrowserContext, Page, expect

from console.browser import PATIENCE, Troubles
from console.looking import Looker
from driver.rider import Rider
from proofs import drawn
from stage import Firm

pytestmark = pytest.mark.slow
PATH = "/v1/driver-messages"


@pytest.fixture
async def rider(acme: Firm, app: Page) -> Rider:
    rider = await Rider.of(acme, app)
    await rider.sign_in()
    return rider


async def arrived(firm: Firm) -> list[str]:
    """Read what dispatch has, the oldest first."""
    rows = (await firm.api.get(PATH)).json()
    return [row["text"] for row in reversed(rows)]


async def unread_by_the_driver(firm: Firm) -> int:
    """Count the messages from dispatch that the driver has not read."""
    rows = (await firm.api.get(PATH)).json()
    return sum(row["sender"] == "dispatch" and row["read_at"] is None for row in rows)


async def test_dispatch_and_a_driver_without_reception_write_to_each_other(
    acme: Firm, rider: Rider, phone: BrowserContext, troubles: Troubles
) -> None:
    page, look = rider.page, await Looker.at(rider.page, "chat")
    order = await rider.round()
    stop = order["payload"]["waypoints"][0]["id"]
    body = {"text": "Use the back gate.", "order": order["id"]}
    assert (await acme.api.post(PATH, json=body)).status_code == 201
    await page.reload()
    await expect(page.locator("#tab-me .count")).to_contain_text("1")
    await rider.go(f"stop/{order['id']}/{stop}")
    await expect(page.locator("#to-chat .count")).to_have_text("1 new")
    await page.locator("#to-chat").click()
    thread = page.get_by_role("log")
    await expect(thread).to_contain_text("Use the back gate.")
    async with asyncio.timeout(PATIENCE / 1000):
        while await unread_by_the_driver(acme):
            await page.evaluate("new Promise(requestAnimationFrame)")
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await phone.set_offline(True)
    for text in ("It is locked.", "I am at the front."):
        await page.get_by_role("textbox", name="Message").fill(text)
        await page.get_by_role("button", name="Send").click()
        await expect(thread).to_contain_text(text)
    await rider.button("I am waiting.").click()
    await expect(thread.get_by_text("Not sent yet")).to_have_count(3)
    await rider.button("Photo").click()
    taken = {"name": "gate.jpg", "mimeType": "image/jpeg", "buffer": drawn.photo()}
    await page.locator("dialog input[type=file]").set_input_files([taken])
    await rider.button("Use photo").click()
    await expect(page.get_by_text("1 photo")).to_be_visible()
    await page.get_by_role("button", name="Send").click()
    await expect(thread.get_by_text("Not sent yet")).to_have_count(4)
    await expect(thread.get_by_role("img", name="Photo")).to_be_visible()
    await look("1-waiting")
    # The app may be closed meanwhile.
    await page.get_by_role("textbox", name="Message").fill("Half a")
    await phone.set_offline(False)
    await expect(thread.get_by_text("Not sent yet")).to_have_count(0)
    assert await arrived(acme) == [
        "Use the back gate.", "It is locked.", "I am at the front.", "I am waiting.", "",
    ]  # fmt: skip
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("Half a")
    shown = thread.get_by_role("img", name="Photo")
    await expect(shown).to_have_js_property("complete", value=True)
    assert await shown.evaluate("(photo) => photo.naturalWidth") > 0
    await look("2-sent")
    troubles.excuse("ERR_FAILED")
    await page.route("**/files/**", lambda route: route.abort())
    await page.reload()
    await expect(thread).to_contain_text("Photo not available right now")
    await page.get_by_role("link", name="Back").click()
    await expect(rider.heading("Night Safari")).to_be_visible()
    await expect(page.locator("#to-chat .count")).to_have_count(0)
    assert look.found == []
