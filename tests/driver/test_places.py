"""Where a driver is: told while on duty, also of the time without reception."""

from typing import Any, Final

import pytest
from playwright.async_api import BrowserContext

from driver.handset import BrowserHandset, Dispatcher, Handset
from driver.weather import Weather, foreign

pytestmark = pytest.mark.slow

PATHS: Final = (
    {"latitude": 1.2839, "longitude": 103.8515},
    {"latitude": 1.2899, "longitude": 103.8515},
)
KEPT: Final = "return (await store.getAllRecords('places')).length"


async def walked(handset: Handset, number: int) -> None:
    """Go to another place, and wait until the phone has written it down."""
    place = PATHS[number % 2]
    await handset.js(
        """const here = ({ latitude }) => Math.abs(latitude - given.latitude) < 1e-6;
           globalThis.written = new Promise((done) => {
               addEventListener("place", () => here(tracking.lastPosition()) && done());
               // Or it is there already: the newest comes last.
               store.getAllRecords("places").then(
                   (kept) => kept.length && here(kept.at(-1).fix) && done());
           });""",
        **place,
    )
    await handset.js("moveTo(given); return globalThis.written", **place)


async def told(dispatcher: Dispatcher, driver: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await dispatcher.get(f"drivers/{driver['id']}/positions")
    return found


async def test_places_without_reception_are_told_later_and_once(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    weather.gone = True
    await handset.js("return tracking.setDuty(true)")
    for number in range(4):
        await walked(handset, number)
    assert await handset.js("return tracking.isOnDuty()")
    kept = await handset.js(KEPT)
    assert kept >= 4
    # The answer to the first batch is lost, and it is sent again.
    weather.meets = lambda scope: scope["path"].endswith("/positions")
    weather.coming.append("lost")
    weather.gone = False
    while await handset.send():
        pass
    assert await handset.js(KEPT) == 0
    assert len(await told(dispatcher, handset.driver)) == kept
    assert (await dispatcher.get(f"drivers/{handset.driver['id']}"))["online"] is True


async def test_nobody_is_followed_off_duty(
    browser_handset: BrowserHandset, phone_with_worker: BrowserContext, dispatcher: Dispatcher
) -> None:
    handset = browser_handset
    await handset.js(
        """return new Promise((done) => {
               addEventListener("place", () => done(0));
               tracking.setDuty(true);
           })"""
    )
    await handset.js("await tracking.setDuty(false); return outbox.send()")
    assert (await dispatcher.get(f"drivers/{handset.driver['id']}"))["online"] is False
    before = await told(dispatcher, handset.driver)
    await phone_with_worker.set_geolocation({"latitude": 1.3, "longitude": 103.9})
    looked = "new Promise((done) => navigator.geolocation.getCurrentPosition(done))"
    await handset.page.evaluate(f"() => {looked}.then(() => 0)")
    assert await handset.js(KEPT) == 0
    assert await handset.send() == 0
    assert await told(dispatcher, handset.driver) == before


async def test_the_places_of_somebody_else_on_the_phone_wait_for_them(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    await handset.js(
        "return store.putRecord('places', { id: 'theirs', by: 'driver_other', fix: {} })"
    )
    await handset.js("return tracking.setDuty(true)")
    await walked(handset, 1)
    while await handset.send():
        pass
    assert await handset.js(
        "return (await store.getAllRecords('places')).map((one) => one.id)"
    ) == ["theirs"]
    assert await told(dispatcher, handset.driver)


async def test_a_page_that_answers_for_the_interface_does_not_swallow_places(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    weather.gone = True
    await handset.js("return tracking.setDuty(true)")
    await walked(handset, 1)
    # It answers whoever sends: the page by itself and its service worker too.
    weather.meets = lambda scope: scope["path"].endswith("/positions")
    weather.coming.extend([foreign(200, "{}", "application/json")] * 50)
    weather.gone = False
    assert await handset.send()
    assert await handset.js(KEPT) >= 1
    weather.coming.clear()
    while await handset.send():
        pass
    assert await handset.js(KEPT) == 0
    assert await told(dispatcher, handset.driver)


async def test_places_still_to_be_sent_are_nobody_elses_who_signs_in_meanwhile(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    ada, grace = handset.driver, await dispatcher.driver(name="Grace")
    token = await dispatcher.signed_in(grace)
    weather.gone = True
    # One more than is sent at once.
    await handset.js(
        """const recorded_at = new Date().toISOString();
           await store.runTransaction("places", (kept) => {
               for (let number = 0; number < 201; number++)
                   kept.put({ id: `${number}`, by: given.by, fix: {
                       latitude: 1.28, longitude: 103.85, recorded_at, event_id: `place-${number}`,
                   } });
           });""",
        by=ada["id"],
    )
    weather.meets = lambda scope: scope["path"].endswith("/positions")
    weather.coming.append("slow")
    weather.gone = False
    await handset.js(
        """globalThis.sending = outbox.send();
           return new Promise((done) => {
               addEventListener("request", () => requests.at(-1).endsWith("/positions") && done());
           })"""
    )
    handset.driver = grace
    await handset.sign_in(token)
    weather.sun.set()
    await handset.js("return globalThis.sending")
    assert await told(dispatcher, grace) == []
    assert await told(dispatcher, ada)
