"""The recipient's page in a browser: it follows by itself, draws a map, and anybody can use it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from console.browser import Tabs
from maps import drawn
from orders.shop import MANDAI, RAFFLES, Shop
from pannier.console.street_style import PALETTES
from pannier.maps.folder import CityFolder
from stage import House
from tracking.asking import link_of

pytestmark = pytest.mark.slow
HOME = {**MANDAI, "postal_code": "729826"}


STOCKMANN = {"street1": "Aleksanterinkatu 52", "latitude": 60.1687, "longitude": 24.9414}
ATENEUM = {"street1": "Kaivokatu 2", "latitude": 60.1702, "longitude": 24.9443}
BESIDE_HOME = (1.3, 103.8)
AT_THE_STATION = (60.1706, 24.9414)


async def coming(
    shop: Shop, place: tuple[float, float] = BESIDE_HOME, **ends: Any
) -> dict[str, Any]:
    """Place an order whose driver is on the way to the recipient."""
    order = await shop.started(**{"pickup": RAFFLES, "dropoff": HOME, **ends})
    driver, (latitude, longitude) = order["driver_assigned"]["id"], place
    await shop.post(f"drivers/{driver}/track", latitude=latitude, longitude=longitude, heading=90)
    return await shop.fire(order, "enroute")


@pytest.fixture
def streets(house: House, helsinki: CityFolder) -> Iterator[None]:
    """Helsinki as the city in use."""
    with drawn.used(helsinki, house):
        yield


@pytest.mark.usefixtures("streets")
async def test_the_page_shows_the_driver_on_the_streets_and_then_the_delivery_by_itself(
    shop: Shop, browse: Tabs
) -> None:
    order = await coming(shop, AT_THE_STATION, pickup=STOCKMANN, dropoff=ATENEUM)
    page = await browse(role=None, phone=True, theme="dark")
    await page.clock.install()
    await page.goto(await link_of(shop, order))
    await expect(page.locator("h1")).to_have_text("You are the next stop")
    ground = PALETTES["dark"].water
    await drawn.see(page, streets=True, routes=1, points=2, ground=ground)
    loaded = "performance.getEntriesByType('resource').map(({ name }) => name).join()"
    assert "countries-10m" not in await page.evaluate(loaded)
    await expect(page.get_by_text("© OpenStreetMap contributors")).to_be_visible()
    await shop.fire(order, "completed")
    await page.clock.run_for(16_000)
    await expect(page.locator("h1")).to_have_text("Delivered")
    await expect(page.locator("#map")).to_be_hidden()
    await expect(page.locator("#story")).to_contain_text("Delivered")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.clock.run_for(60_000)
    assert asked == []


async def test_without_scripts_the_postcode_leads_to_the_page(shop: Shop, browse: Tabs) -> None:
    order = await coming(shop)
    page = await browse(role=None, theme="dark", java_script_enabled=False)
    await page.goto("/t")
    await page.get_by_label("Tracking number").fill(
        order["tracking_number"]["tracking_number"].lower()
    )
    await page.get_by_role("button", name="Track").click()
    await page.get_by_label("Postal code").fill("000000")
    await page.get_by_role("button", name="View delivery").click()
    await expect(page.get_by_role("alert")).to_contain_text("These details do not match")
    await page.get_by_label("Postal code").fill("729826")
    await page.get_by_role("button", name="View delivery").click()
    await expect(page.locator("h1")).to_have_text("You are the next stop")
    await page.get_by_role("link", name="Deutsch").click()
    await expect(page.locator("h1")).to_have_text("Sie sind der nächste Stopp")
