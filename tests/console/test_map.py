"""`<x-map>` in a browser: draws what it is given, says what is picked, draws borders."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from playwright.async_api import Page, ViewportSize, expect

from console import towns
from console.browser import PATIENCE, Tabs, axe, until
from pannier.console import assets, render
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
        fonts=assets.address("vendor/fonts/fonts.css"),
        style=assets.address("console.css"),
        script=assets.address("map.js"),
        modules=render.import_map(),
        body=body,
    )
    headers = {"Content-Security-Policy": render.spelled("")}
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


async def test_what_is_clicked_is_told_and_what_is_named_is_ringed(page: Page) -> None:
    await staged(page, geo(point("one", 24.94, 60.17), point("two", 24.96, 60.18)) + VIEW)
    await page.evaluate(
        "document.addEventListener('pannier:pick', told => { document.title = told.detail.id })"
    )
    await page.mouse.click(*await on_screen(page, 24.96, 60.18))
    await until(page, "document.title == 'two'")
    await page.evaluate(
        "document.dispatchEvent(new CustomEvent('pannier:select', { detail: { id: 'one' } }))"
    )
    await until(page, f"{MAP}.getFilter('pannier-ring')[1][2] == 'one'")


async def test_a_link_is_followed_unless_somebody_prevents_it(page: Page) -> None:
    await staged(page, geo(point("one", 24.94, 60.17, href="/docs")) + VIEW)
    async with page.expect_navigation(url="**/docs"):
        await page.mouse.click(*await on_screen(page, 24.94, 60.17))


async def test_what_replaces_its_data_is_drawn_and_the_view_stays(page: Page) -> None:
    await staged(page, geo(point("one", 24.94, 60.17)) + VIEW)
    before = await page.evaluate(f"{MAP}.getCenter().toArray()")
    told = json.dumps({"type": "FeatureCollection", "features": [point("far", 103.8, 1.3)]})
    await page.evaluate(
        """told => { document.getElementById("geo").textContent = told;
                     document.dispatchEvent(new Event("pannier:geo")); }""",
        told,
    )
    shown = "document.querySelector('x-map').features[0].properties.id"
    await until(page, f"{shown} == 'far'")
    assert await page.evaluate(f"{MAP}.getCenter().toArray()") == before


async def test_its_theme_changes_with_the_page(browse: Tabs) -> None:
    page = await browse(theme="dark")
    await staged(page, geo(point("one", 24.94, 60.17)) + VIEW)
    water = f"{MAP}.getPaintProperty('water', 'background-color')"
    assert await page.evaluate(water) == "#0b1320"
    await page.evaluate("document.documentElement.dataset.theme = 'light'")
    await page.evaluate("document.dispatchEvent(new Event('pannier:theme'))")
    await until(page, f"{MAP}.getLayer('water') && {water} == '#dde5ee'")
    await until(page, f"{MAP}.getLayer('pannier-points')")
    assert await axe(page) == []


async def test_it_is_moved_with_keys_and_says_whom_it_owes(page: Page) -> None:
    await staged(page, geo(point("one", 24.94, 60.17)) + VIEW)
    await page.get_by_role("region", name="Fleet").focus()
    before = await page.evaluate(f"{MAP}.getZoom()")
    await page.keyboard.press("-")
    await until(page, f"{MAP}.getZoom() < {before}")
    await expect(page.get_by_text("Natural Earth, GeoNames")).to_be_visible()


async def test_without_webgl_it_says_so(page: Page) -> None:
    await page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    await opened(page, geo() + VIEW)
    await page.get_by_text("This browser cannot draw maps").wait_for()
    assert await page.locator("x-map").get_attribute("data-ready") == "no"


DRAWING: Final = (
    geo(point("one", 24.90, 60.10), point("two", 25.0, 60.2))
    + '<x-map data-from="geo" data-draw="border"></x-map><input type="hidden" id="border" value="">'
)


async def drawn(page: Page) -> Any:
    text = await page.locator("#border").input_value()
    return json.loads(text)["coordinates"][0] if text else None


async def test_a_border_is_drawn_by_clicks_dragged_and_undone(page: Page) -> None:
    await staged(page, DRAWING)
    corners = [(24.92, 60.12), (24.98, 60.12), (24.95, 60.16)]
    for corner in corners:
        await page.mouse.click(*await on_screen(page, *corner))
        await until(page, f"{MAP}.loaded()")
    ring = await drawn(page)
    assert len(ring) == 4
    assert ring[0] == ring[-1] == [pytest.approx(24.92, abs=0.01), pytest.approx(60.12, abs=0.01)]
    await page.get_by_role("button", name="Close").click()
    await until(page, f"{MAP}.queryRenderedFeatures({{layers: ['pannier-vertices']}}).length == 3")
    await page.mouse.move(*await on_screen(page, *ring[2]))
    await page.mouse.down()
    await page.mouse.move(*await on_screen(page, 24.95, 60.18), steps=4)
    await page.mouse.up()
    assert (await drawn(page))[2][1] == pytest.approx(60.18, abs=0.01)
    await page.get_by_role("button", name="Undo").click()
    assert await drawn(page) == ring
    await page.get_by_role("button", name="Start again").click()
    assert await drawn(page) is None


async def test_a_border_is_written_by_keyboard(page: Page) -> None:
    await staged(page, DRAWING)
    corners = page.get_by_label("Corners")
    await corners.fill("24.92, 60.12\n24.98, 60.12\n24.95, 60.16")
    await corners.press("Tab")
    assert await drawn(page) == [[24.92, 60.12], [24.98, 60.12], [24.95, 60.16], [24.92, 60.12]]
    await corners.fill("somewhere")
    await corners.press("Tab")
    assert "longitude" in await corners.evaluate("box => box.validationMessage")
    assert await axe(page) == []


async def test_streets_come_from_a_file_of_tiles(page: Page, acme: Firm, tmp_path: Path) -> None:
    towns.write(tmp_path / "town.pmtiles", (0, 0, 0), b"")
    edge = acme.house.edge
    path = str(tmp_path / "town.pmtiles")
    edge.settings = msgspec.structs.replace(edge.settings, map_pmtiles=path)
    async with page.expect_response("**/console/tiles/0/0/0.mvt") as answer:
        await staged(page, geo(point("one", 24.94, 60.17)) + VIEW)
    assert (await answer.value).status == 200
    await expect(page.get_by_text("© the town")).to_be_visible()
