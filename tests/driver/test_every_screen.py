"""Every screen and dialog of the app is looked at, on a phone of 360 by 740: see `Looker`."""

import re
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, expect

from console.browser import Troubles
from console.looking import Looker
from driver import camera
from driver.hand import fetched
from driver.rider import PHONE, Rider
from orders.shop import MANDAI, RAFFLES
from pannier.fleet import signin
from pannier.fleet.queries import DRIVERS
from stage import Firm

pytestmark = pytest.mark.slow
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


@pytest.fixture
async def rider(acme: Firm, app: Page) -> Rider:
    """A driver who has the link, and nothing else yet."""
    return await Rider.of(acme, app)


async def go(rider: Rider, address: str, heading: str) -> None:
    """Go to a screen."""
    await rider.go(address)
    await expect(rider.page.get_by_role("heading", name=heading, level=1)).to_be_visible()


async def back(rider: Rider) -> None:
    """Leave the dialog that lies on top."""
    dialogs = rider.page.locator("dialog")
    open_ones = await dialogs.count()
    await dialogs.last.get_by_role("button", name="Back", exact=True).click()
    await expect(dialogs).to_have_count(open_ones - 1)


async def test_anybody_can_sign_in(rider: Rider, troubles: Troubles) -> None:
    page, look = rider.page, await Looker.at(rider.page, "sign-in")
    await page.goto("/driver")
    await expect(page.get_by_text("code from your dispatcher")).to_be_visible()
    await expect(page.get_by_label("Or paste the link")).to_be_visible()
    await look("1-no-key")
    await page.get_by_label("Or paste the link").fill("https://example.com/")
    await rider.button("Continue").click()
    await expect(page.get_by_role("alert")).to_contain_text("not a valid link")
    await look("2-no-key-in-it")
    await fetched(page)
    await rider.button("Scan code").click()
    await expect(page.get_by_text("No camera found")).to_be_visible()
    await look("3-scan")
    await back(rider)
    troubles.excuse("status of 401")
    await page.get_by_label("Or paste the link").fill("app_live_nothing")
    await rider.button("Continue").click()
    await page.get_by_label("Phone number").fill(PHONE)
    await rider.button("Send code").click()
    await expect(page.get_by_role("alert")).to_contain_text("Ask your dispatcher")
    await look("4-phone-refused")
    await rider.button("Use a different link").click()
    await page.get_by_label("Or paste the link").fill(f"/driver#key={rider.key}")
    await rider.button("Continue").click()
    await expect(page.get_by_label("Phone number")).to_be_visible()
    await look("5-phone")
    await page.get_by_label("Phone number").fill(PHONE)
    await rider.button("Send code").click()
    code = await rider.code()
    await look("6-code")
    await page.get_by_label("Code").fill("000000")
    await rider.button("Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("code")
    await look("7-code-refused")
    await page.get_by_label("Code").fill(code)
    await rider.button("Sign in").click()
    await expect(rider.heading("Stops")).to_be_visible()
    await expect(page.get_by_text("No stops")).to_be_visible()
    await look("8-empty-day-off-duty")
    await go(rider, "nearby", "Nearby orders")
    await expect(page.get_by_text("You are off duty")).to_be_visible()
    await look("9-nearby-off-duty")
    assert look.found == []


async def long_named(rider: Rider) -> dict[str, Any]:
    """Place an order whose names are as long as German ones may be."""
    stop = {**MANDAI, "name": LONG, "street1": f"{LONG} 1", "contact": {"name": LONG}}
    return await rider.shop.order(
        driver=rider.driver["id"], internal_id=LONG[:40], notes=LONG, dispatch=True,
        payload={
            "waypoints": [{**RAFFLES, "type": "pickup"}, stop],
            "entities": [{"name": LONG, "sku": LONG, "destination": 1}],
        },
    )  # fmt: skip


async def fail(rider: Rider, look: Looker) -> None:
    """Report that something could not be delivered, with a photo."""
    page = rider.page
    await rider.button("Report failed delivery").click()
    await look("8-failing")
    await page.get_by_label(re.compile("damaged", re.IGNORECASE)).check()
    await look("9-failing-with-photo")
    await page.locator("dialog .primary").click()
    await expect(page.get_by_text("No camera found")).to_be_visible()
    await page.locator("dialog input[type=file]").set_input_files(
        [{"name": "door.jpg", "mimeType": "image/jpeg", "buffer": camera.photo(640, 480)}]
    )
    await expect(rider.button("Use photo")).to_be_visible()
    await look("10-photo-taken")
    await page.get_by_role("button", name="View photo 1").click()
    await look("11-photo-preview")
    await page.get_by_role("button", name="Keep").click()
    await page.locator("dialog").get_by_role("button", name="Back").click()
    await expect(page.get_by_text("Discard these photos?")).to_be_visible()
    await look("12-photo-thrown-away")
    await page.get_by_role("button", name="Keep").click()
    await rider.button("Use photo").click()
    await expect(rider.heading("Stops")).to_be_visible()
    await look("13-stops-with-a-toast")


async def test_anybody_can_work_with_the_screens(rider: Rider) -> None:
    page, look = rider.page, await Looker.at(rider.page, "screens")
    order, long = await rider.round(), await long_named(rider)
    first, second = (stop["id"] for stop in order["payload"]["waypoints"])
    await rider.sign_in()
    await rider.go_on_duty()
    await expect(rider.link("Night Safari")).to_be_visible()
    await look("1-stops")
    await go(rider, f"stop/{order['id']}/{first}", "Night Safari")
    await look("2-stop")
    await rider.button("Map").click()
    await expect(page.locator("x-map[data-ready=yes]")).to_be_visible()
    await look("3-map")
    await rider.button("Close").click()
    await rider.button("Start order").click()
    await rider.button("Arrived").click()
    await expect(page.get_by_text("Required for “Handed over”")).to_be_visible()
    await page.locator("#way").click()
    await look("4-stop-needs")
    await go(rider, f"stop/{order['id']}/{second}", "Terminal 3")
    await expect(page.get_by_text("Complete Night Safari first.")).to_be_visible()
    await look("5-stop-not-yet")
    await go(rider, f"stop/{long['id']}/{long['payload']['waypoints'][1]['id']}", LONG)
    await look("6-stop-long-words")
    await go(rider, "stop/order_1/waypoint_1", "Stop not found")
    await look("7-stop-gone")
    await go(rider, f"stop/{order['id']}/{first}", "Night Safari")
    await fail(rider, look)
    await go(rider, f"stop/{order['id']}/{first}", "Night Safari")
    await look("14-stop-after-an-attempt")
    await go(rider, f"issue/{order['id']}", "Report an issue")
    await look("15-issue")
    await go(rider, "me", "Account")
    await look("16-me")
    await page.get_by_text("Deutsch").click()
    await expect(rider.heading("Konto")).to_be_visible()
    await look("17-me-in-german")
    await go(rider, "stops", "Stopps")
    await look("18-stops-in-german")
    assert look.found == []


async def test_anybody_can_look_for_orders_where_there_are_none(
    rider: Rider, phone: BrowserContext, troubles: Troubles
) -> None:
    page, look = rider.page, await Looker.at(rider.page, "nearby")
    troubles.excuse("status of 409")
    await phone.set_geolocation(None)
    await rider.sign_in()
    await rider.go_on_duty()
    await go(rider, "nearby", "Nearby orders")
    await expect(page.get_by_text("Location unknown")).to_be_visible()
    await look("1-without-a-place")
    await rider.shop.post(f"drivers/{rider.driver['id']}/track", latitude=1.284, longitude=103.851)
    await rider.button("Refresh").click()
    await expect(page.get_by_text("No orders nearby")).to_be_visible()
    await look("2-nothing-nearby")
    assert look.found == []


async def decide(rider: Rider, look: Looker, order: dict[str, Any]) -> None:
    """Look at what was refused, which is there until the driver discards it."""
    page = rider.page
    await look("7-refused")
    await rider.button("Discard").click()
    await look("8-discard")
    await rider.button("Keep").click()
    stop = order["payload"]["waypoints"][0]["id"]
    await go(rider, f"stop/{order['id']}/{stop}", "Night Safari")
    await look("9-stop-refused")
    await go(rider, "waiting", "Outbox")
    await rider.button("Discard").click()
    await rider.button("Discard this one").click()
    # What came after it is refused then too.
    arrived = page.get_by_role("listitem").filter(has_text="Arrived")
    await expect(arrived.get_by_text("The order has changed")).to_be_visible()
    await rider.button("Discard").click()
    await rider.button("Discard this one").click()
    await expect(page.get_by_text("Everything has been sent")).to_be_visible()


async def test_anybody_can_take_orders_and_see_what_waits(
    rider: Rider, phone: BrowserContext, troubles: Troubles
) -> None:
    page, look = rider.page, await Looker.at(rider.page, "waiting")
    order = await rider.round()
    for place in (RAFFLES, {**RAFFLES, "neighborhood": LONG, "city": LONG}):
        await rider.shop.order(pickup=place, dropoff=MANDAI, adhoc=True, dispatch=True)
    await rider.sign_in()
    await rider.go_on_duty()
    await rider.shop.post(f"drivers/{rider.driver['id']}/track", latitude=1.284, longitude=103.851)
    await go(rider, "nearby", "Nearby orders")
    await expect(rider.button("Accept")).to_have_count(2)
    await look("1-nearby")
    await go(rider, "waiting", "Outbox")
    await expect(page.get_by_text("Everything has been sent")).to_be_visible()
    await look("2-nothing-waits")
    await rider.link("Stops").click()
    await rider.link("Night Safari").click()
    await expect(rider.button("Start order")).to_be_enabled()
    troubles.excuse("ERR_INTERNET_DISCONNECTED|status of 409|status of 404|status of 401")
    await phone.set_offline(True)
    await rider.button("Start order").click()
    await rider.button("Arrived").click()
    await expect(rider.link("Offline · 2")).to_be_visible()
    await look("3-stop-without-reception")
    await go(rider, "nearby", "Nearby orders")
    await expect(page.get_by_text("Connect to the internet")).to_be_visible()
    await look("4-nearby-without-reception")
    await go(rider, "waiting", "Outbox")
    await look("5-waiting")
    await go(rider, "me", "Account")
    await rider.button("Sign out").click()
    await expect(page.get_by_text("Unsent updates: 2.")).to_be_visible()
    await look("6-sign-out-warns")
    await rider.button("Stay signed in").click()
    await rider.shop.act(order, "cancel", reason="The customer moved away.")
    await go(rider, "waiting", "Outbox")
    await phone.set_offline(False)
    await expect(rider.button("Discard")).to_have_count(1)
    await expect(page.get_by_role("alert")).to_contain_text("order")
    await decide(rider, look, order)
    async with rider.shop.firm.house.database.transaction() as db:
        driver = await DRIVERS.get(db, rider.shop.firm.uuid, rider.driver["id"])
        await signin.sign_out_everywhere(db, driver, reason="operator")
    await page.reload()
    await expect(page.get_by_text("You have been signed out.")).to_be_visible()
    await look("10-signed-out")
    assert look.found == []
