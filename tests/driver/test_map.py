"""The map of today's stops: streets and routes, with and without reception."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from console.browser import PATIENCE, Troubles, until
from driver.conftest import held
from driver.rider import Rider
from maps import drawn
from pannier.console import assets
from pannier.console.street_style import PALETTES
from pannier.maps.folder import CityFolder
from stage import Firm, House

pytestmark = pytest.mark.slow

STOPS: Final = [
    {"name": "Stockmann", "latitude": 60.1687, "longitude": 24.9414},
    {"name": "Ateneum", "latitude": 60.1702, "longitude": 24.9443},
]
POSITIONS: Final = [[stop["longitude"], stop["latitude"]] for stop in STOPS]
STORED: Final = """async () => (await (await caches.open("map")).keys())
    .map(({ url }) => new URL(url).pathname)"""
# The tiles that the app asks its service worker for.
TILES: Final = """async ([module, positions]) => {
    const { style } = await (await fetch("/t/-/basemap/light")).json();
    return (await import(module)).listTiles(style.sources.streets, positions);
}"""
STORE: Final = """(addresses) => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.controller.postMessage({ map: addresses }, [port2]);
})"""
LOADED: Final = "performance.getEntriesByType('resource').map(({ name }) => name).join()"
# How many corners the stored routes have.
CORNERS: Final = """async (module) => (await (await import(module)).getAllRecords("orders"))
    .map(({ route }) => route?.coordinates.length ?? 0)"""


@pytest.fixture
async def phone_in_helsinki(browser: Browser, troubles: Troubles) -> AsyncIterator[BrowserContext]:
    """A phone at the railway station of Helsinki."""
    place = {"latitude": 60.1706, "longitude": 24.9414}
    async with held(browser, troubles, geolocation=place) as context:
        yield context


async def store_tiles(page: Page) -> list[str]:
    """Wait until all tiles around the stops are on the phone, and list them."""
    tiles: list[str] = await page.evaluate(TILES, [assets.url("driver/today-map.js"), POSITIONS])
    async with asyncio.timeout(PATIENCE / 1000):
        while not set(tiles) <= set(await page.evaluate(STORED)):
            await page.evaluate("new Promise(requestAnimationFrame)")
    return tiles


@pytest.fixture
def streets(house: House, helsinki: CityFolder) -> Iterator[None]:
    """Helsinki as the city in use."""
    with drawn.used(helsinki, house):
        yield


@pytest.mark.usefixtures("streets")
async def test_the_map_of_todays_stops_works_without_reception(
    acme: Firm, phone_in_helsinki: BrowserContext, troubles: Troubles
) -> None:
    page = await phone_in_helsinki.new_page()
    rider = await Rider.of(acme, page)
    driver = rider.driver["id"]
    await rider.shop.order(driver=driver, dispatch=True, payload={"waypoints": STOPS})
    await page.goto("/driver")
    await until(page, "navigator.serviceWorker.controller")
    await rider.sign_in()
    await rider.go_on_duty()
    tiles = await store_tiles(page)
    # Only the service worker has loaded the map's scripts.
    assert "maplibre" not in await page.evaluate(LOADED)
    assert {tile.split("/")[4] for tile in tiles} == {str(zoom) for zoom in range(8, 15)}
    [corners] = await page.evaluate(CORNERS, assets.url("driver/store.js"))
    assert corners > len(STOPS)

    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await phone_in_helsinki.set_offline(True)
    await page.reload()
    await rider.button("Map").click()
    await drawn.see(page, streets=True, routes=1, points=3, ground=PALETTES["light"].water)
    await expect(page.get_by_text("© OpenStreetMap contributors")).to_be_visible()
    await page.emulate_media(color_scheme="dark")
    await drawn.see(page, streets=True, routes=1, points=3, ground=PALETTES["dark"].water)
    await page.evaluate("() => void document.querySelector('x-map').map.setZoom(17.5)")
    await drawn.see(page, numbers=True)
    await rider.button("Close").click()

    # Later stops are left out of too long a list, and those of other days are deleted.
    await phone_in_helsinki.set_offline(False)
    assert await page.evaluate(STORE, [tiles[0]] * 300 + tiles[1:])
    assert await page.evaluate(STORED) == tiles[:1]
    await rider.go("me")
    await rider.button("Sign out").click()
    await page.locator("dialog").get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("Phone number")).to_be_visible()
    assert not await page.evaluate("caches.has('map')")
    acme.house.clock.advance(minutes=2)
    await rider.sign_in()
    assert await store_tiles(page) == tiles
