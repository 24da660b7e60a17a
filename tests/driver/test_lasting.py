"""What waits outlives the app, the browser, and the server in the middle of an upload."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, async_playwright

from console.browser import FLAGS, PATIENCE, Troubles, chromium
from driver.handset import BrowserHandset, Dispatcher
from driver.weather import Weather
from stage import House

pytestmark = pytest.mark.slow


@asynccontextmanager
async def running(folder: Path, troubles: Troubles) -> AsyncIterator[BrowserContext]:
    """Run a browser that keeps what it knows in a folder."""
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            folder,
            executable_path=chromium(),
            args=list(FLAGS),
            chromium_sandbox=os.geteuid() != 0,
            base_url=troubles.origin,
            viewport={"width": 360, "height": 740},
        )
        context.set_default_timeout(PATIENCE)
        troubles.watch(context)
        yield context
        await context.close()


async def count(house: House, sql: str) -> int:
    found: int = await house.value(f"select count(*) from {sql}")
    return found


async def test_a_phone_that_was_restarted_while_it_sent_sends_what_it_kept_again_and_once(
    tmp_path: Path, troubles: Troubles, dispatcher: Dispatcher, weather: Weather, house: House
) -> None:
    driver = await dispatcher.driver()
    token = await dispatcher.signed_in(driver)
    order = await dispatcher.give(driver)
    weather.meets = lambda scope: "capture-photo" in scope["path"]
    weather.coming.append("lost")
    async with running(tmp_path / "phone", troubles) as context:
        handset = await BrowserHandset.at(context, driver, token)
        await handset.photo(order)
        await weather.until(1)
        weather.gone = True
        await handset.press(order, "started")
        await handset.press(order, "arrived")
    assert len(weather.heard) == 1
    async with running(tmp_path / "phone", troubles) as context:
        handset = BrowserHandset(await context.new_page(), driver, token)
        await handset.open()
        assert len(await handset.entries()) == 3
        await handset.press(order, "handed_over")
        weather.gone = False
        # The app sends by itself: nobody presses anything.
        await weather.until(5)
        assert await handset.send() == 0
    assert len({key for path, key, _ in weather.heard if "capture-photo" in path}) == 1
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "completed"
    assert await count(house, "proofs") == 1


async def test_the_service_worker_sends_what_waits_when_the_app_is_closed(
    browser_handset: BrowserHandset,
    phone_with_worker: BrowserContext,
    dispatcher: Dispatcher,
    weather: Weather,
    troubles: Troubles,
) -> None:
    handset = browser_handset
    order = await dispatcher.give(handset.driver)
    weather.gone = True
    await handset.press(order, "started")
    elsewhere = await phone_with_worker.new_page()
    cdp = await phone_with_worker.new_cdp_session(elsewhere)
    found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def registered(told: dict[str, list[dict[str, str]]]) -> None:
        for one in told["registrations"]:
            if one["scopeURL"].startswith(troubles.origin) and not found.done():
                found.set_result(one["registrationId"])

    cdp.on("ServiceWorker.workerRegistrationUpdated", registered)
    await elsewhere.goto("/driver/manifest.webmanifest")
    await cdp.send("ServiceWorker.enable")
    name = await asyncio.wait_for(found, PATIENCE / 1000)
    await handset.page.close()
    weather.gone = False
    sync = {"origin": troubles.origin, "registrationId": name, "tag": "outbox", "lastChance": False}
    await cdp.send("ServiceWorker.dispatchSyncEvent", sync)
    await weather.until(1)
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "started"
