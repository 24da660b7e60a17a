"""What a map on a page has drawn."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from playwright.async_api import Page

from console.browser import PATIENCE
from maps import extracts
from pannier.maps.folder import CityFolder
from pannier.routing.configuration import create_router
from pannier.settings import load
from stage import House

DRAWN: Final = """() => {
    const map = document.querySelector("x-map")?.map;
    if (!map?.getLayer("pannier-lines")) return {};
    const find = (layer) => map.queryRenderedFeatures({ layers: [layer] });
    const count = (layer) => new Set(find(layer).map(({ properties }) => properties.id)).size;
    return {
        routes: count("pannier-lines"), points: count("pannier-points"),
        streets: map.getLayer("streets-transportation-roads")
            && find("streets-transportation-roads").length > 50,
        numbers: map.getLayer("numbers-housenumber") && find("numbers-housenumber").length > 5,
        ground: map.getPaintProperty("water", "background-color"),
    };
}"""


@contextmanager
def used(city: CityFolder, house: House) -> Iterator[None]:
    """Draw the streets of a city on the maps of a house, and route on its roads."""
    edge = house.edge
    edge.settings = msgspec.structs.replace(edge.settings, map_pmtiles=str(city.streets))
    with extracts.routing(city, "car") as roads:
        settings = {"router": "osrm", "router_url": roads.url, "router_seconds": "30"}
        chosen = load({}, data=house.settings.data, **settings)
        edge.services["router"] = create_router(chosen, house.clock)
        yield


async def see(page: Page, **drawn: Any) -> None:
    """Wait until the map has drawn something."""
    found: dict[str, Any] = {}
    try:
        async with asyncio.timeout(PATIENCE / 1000):
            while drawn.items() - found.items():
                await page.evaluate("new Promise(requestAnimationFrame)")
                found = await page.evaluate(DRAWN)
    except TimeoutError:
        raise AssertionError(f"{drawn} was not drawn, but {found}") from None
