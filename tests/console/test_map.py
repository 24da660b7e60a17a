"""`<x-map>` in a browser: draws what it is given, says what is picked, draws borders."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from playwright.async_api import Page, ViewportSize, expect

from console import towns
from console.browser import PATIENCE, Tabs, axe, until
from pannier.console import assets, responses
from stage import Firm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title>
<link rel="stylesheet" href="{fonts}"><link rel="stylesheet" href="{style}">
<script type="importmap">{modules}</script><script type="module" src="{script}"></script>
<body><div></div><main><h1>Stage</h1>{body}</main></html>"""
# Without a graphics card, a map costs as much as it has pixels.
SMALL: Final[ViewportSize] = {"width": 640, "height": 480}
# What is asked of a map is asked after it has drawn: it draws when it is not busy.
MAP: Final = "document.querySelector('x-map').map"


def point(name: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    told = {"kind": "point", "id": name, "label": name, "color": "green", **more}
    return {
        "type": "Feature",
        "properties": told,
        "geometry": {"type": "Point", "coordinates": [x, y]},
    }


def geo(*features: dict[str, Any]) -> str:
    told = json.dumps({"type": "FeatureCollection", "features": features})
    return f'<script type="application/json" id="geo">{told}</script>'


async def opened(page: Page, body: str) -> None:
    """Show a page of the console's kind, under its policy, and no larger than a test needs it."""
    await page.set_viewport_size(SMALL)
    html = STAGE.format(
        fonts=assets.url("vendor/fonts/fonts.css"),
        style=assets.url("console.css"),
        script=assets.url("map.js"),
        modules=responses.render_import_map(),
        body=body,
    )
    headers = {"Content-Security-Policy": responses.format_policy("")}
    await page.route(
        "**/console/stage",
        lambda route: route.fulfill(body=html, content_type="text/html", headers=headers),
    )
    await page.goto("/console/stage")


async def staged(page: Page, body: str) -> None:
    """Show a page, and wait until its map is drawn."""
    await opened(page, body)
    await page.locator("x-map[data-ready=yes]").wait_for(timeout=PATIENCE)
    await until(page, f"{MAP}.loaded()")


async def on_screen(page: Page, x: float, y: float) -> tuple[float, float]:
    """Find a place of the world on the screen."""
    at = await page.evaluate(f"{MAP}.project([{x}, {y}])")
    box = await page.locator("x-map").bounding_box()
    assert box is not None
    return box["x"] + at["x"], box["y"] + at["y"]


VIEW: Final = '<x-map data-from="geo" aria-label="Fleet"></x-map>'


async def test_a_map_is_picked_from_moved_by_keys_and_follows_its_theme_and_its_data(
    browse: Tabs,
) -> None:
    page = await browse(theme="dark")
    await staged(page, geo(point("one", 24.94, 60.17), point("two", 24.96, 60.18)) + VIEW)
    # It has the theme of the page, and changes with it.
    water = f"{MAP}.getPaintProperty('water', 'background-color')"
    assert await page.evaluate(water) == "#0b1320"
    await page.evaluate("document.documentElement.dataset.theme = 'light'")
    await page.evaluate("document.dispatchEvent(new Event('pannier:theme'))")
    await until(page, f"{MAP}.getLayer('water') && {water} == '#dde5ee'")
    await until(page, f"{MAP}.getLayer('pannier-points')")
    assert await axe(page) == []
    # What is clicked is told, and what is named is ringed.
    await page.evaluate(
        "document.addEventListener('pannier:pick', told => { document.title = told.detail.id })"
    )
    await rendered(page, "two")
    await page.mouse.click(*await on_screen(page, 24.96, 60.18))
    await until(page, "document.title == 'two'")
    await page.evaluate(
        "document.dispatchEvent(new CustomEvent('pannier:select', { detail: { id: 'one' } }))"
    )
    await until(page, f"{MAP}.getFilter('pannier-ring')[1][2] == 'one'")
    # It is moved with keys, and says whom it owes.
    await page.get_by_role("region", name="Fleet").focus()
    before = await page.evaluate(f"{MAP}.getZoom()")
    await page.keyboard.press("-")
    await until(page, f"{MAP}.getZoom() < {before} && !{MAP}.isMoving()")
    await expect(page.get_by_text("Natural Earth, GeoNames")).to_be_visible()
    # What replaces its data is drawn, and the view stays.
    centre = await page.evaluate(f"{MAP}.getCenter().toArray()")
    await replace(page, point("far", 103.8, 1.3))
    assert await page.evaluate(f"{MAP}.getCenter().toArray()") == centre
    # A link is followed.
    await replace(page, point("near", *centre, href="/t"))
    await rendered(page, "near")
    async with page.expect_navigation(url="**/t"):
        await page.mouse.click(*await on_screen(page, *centre))


async def rendered(page: Page, name: str) -> None:
    """Wait until a point is drawn, and so can be clicked."""
    points = f"{MAP}.queryRenderedFeatures({{layers: ['pannier-points']}})"
    await until(page, f"{points}.some((one) => one.properties.id == '{name}')")


async def replace(page: Page, feature: dict[str, Any]) -> None:
    """Give the map something else to draw, and wait until it has that."""
    told = json.dumps({"type": "FeatureCollection", "features": [feature]})
    await page.evaluate(
        """told => { document.getElementById("geo").textContent = told;
                     document.dispatchEvent(new Event("pannier:geo")); }""",
        told,
    )
    shown = "document.querySelector('x-map').features[0].properties.id"
    await until(page, f"{shown} == '{feature['properties']['id']}'")


async def test_without_webgl_it_says_so(browse: Tabs) -> None:
    page = await browse(maps=False)
    await opened(page, geo() + VIEW)
    await page.get_by_text("This browser cannot show maps").wait_for()
    assert await page.locator("x-map").get_attribute("data-ready") == "no"


DRAWING: Final = (
    geo(point("one", 24.90, 60.10), point("two", 25.0, 60.2))
    + '<x-map data-from="geo" data-draw="border"></x-map><input type="hidden" id="border" value="">'
)


async def drawn(page: Page) -> Any:
    text = await page.locator("#border").input_value()
    return json.loads(text)["coordinates"][0] if text else None


async def test_a_border_is_drawn_by_clicks_dragged_undone_and_written_by_keyboard(
    browse: Tabs,
) -> None:
    page = await browse()
    await staged(page, DRAWING)
    corners = [(24.92, 60.12), (24.98, 60.12), (24.95, 60.16)]
    for corner in corners:
        await page.mouse.click(*await on_screen(page, *corner))
        await until(page, f"{MAP}.loaded()")
    ring = await drawn(page)
    assert len(ring) == 4
    assert ring[0] == ring[-1] == [pytest.approx(24.92, abs=0.01), pytest.approx(60.12, abs=0.01)]
    await page.get_by_role("button", name="Close shape").click()
    await until(page, f"{MAP}.queryRenderedFeatures({{layers: ['pannier-vertices']}}).length == 3")
    await page.mouse.move(*await on_screen(page, *ring[2]))
    await page.mouse.down()
    await page.mouse.move(*await on_screen(page, 24.95, 60.18), steps=4)
    await page.mouse.up()
    assert (await drawn(page))[2][1] == pytest.approx(60.18, abs=0.01)
    await page.get_by_role("button", name="Undo").click()
    assert await drawn(page) == ring
    await page.get_by_role("button", name="Clear").click()
    assert await drawn(page) is None
    box = page.get_by_label("Corners")
    await box.fill("24.92, 60.12\n24.98, 60.12\n24.95, 60.16")
    await box.press("Tab")
    assert await drawn(page) == [[24.92, 60.12], [24.98, 60.12], [24.95, 60.16], [24.92, 60.12]]
    await box.fill("somewhere")
    await box.press("Tab")
    assert "longitude" in await box.evaluate("box => box.validationMessage")
    assert await axe(page) == []


async def test_streets_come_from_a_file_of_tiles(browse: Tabs, acme: Firm, tmp_path: Path) -> None:
    page = await browse()
    bounds = (24.9, 60.1, 25.0, 60.2)
    towns.write(tmp_path / "town.pmtiles", (0, 0, 0), b"", bounds=bounds)
    edge = acme.house.edge
    path = str(tmp_path / "town.pmtiles")
    edge.settings = msgspec.structs.replace(edge.settings, map_pmtiles=path)
    async with page.expect_response("**/console/tiles/0/0/0.mvt") as answer:
        await staged(page, geo(point("one", 24.94, 60.17)) + VIEW)
    assert (await answer.value).status == 200
    await expect(page.get_by_text("© the town")).to_be_visible()
    # Without features, the map shows the town.
    await staged(page, geo() + VIEW)
    assert await page.evaluate(f"{MAP}.getZoom() > 9")
