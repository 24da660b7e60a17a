"""The shell of the driver's app: installed once, there without reception."""

import pytest
from playwright.async_api import BrowserContext, expect

from console.browser import Troubles, until
from pannier.console import assets
from pannier.driver import page as app
from stage import House

WORDS = "driver/words/"
# What is imported when the first order, a map or cash needs it.
SCANNER = ("driver/capture/scan.js", "driver/capture/reader.js", "driver/capture/scan-worker.js")
MAP = ("driver/screens/map-sheet.js", "driver/today-map.js")
CASH = ("driver/screens/cash-sheet.js",)
# What only the service worker runs, in the background.
WORKER = ("driver/sw.js", "driver/map-cache.js")


async def test_the_app_says_how_it_is_installed(house: House) -> None:
    async with house.client("") as client:
        told = (await client.get("/driver/manifest.webmanifest")).json()
        assert (told["start_url"], told["scope"], told["display"]) == (
            "/driver",
            "/driver",
            "standalone",
        )
        for icon in told["icons"]:
            assert (await client.get(icon["src"])).status_code == 200


def test_what_the_app_loads_before_it_scans_or_shows_a_map_is_small() -> None:
    files = assets.load_store().files
    own = {path: len(files[path]) for path in files if path.startswith(app.PREFIX)}
    languages = {path: size for path, size in own.items() if path.startswith(WORDS)}
    later = {*SCANNER, *MAP, *CASH, *WORKER, *languages}
    begun = [size for path, size in own.items() if path not in later]
    libraries = [len(files[path]) for path in app.EXTRA_FILES]
    assert sum([*begun, *libraries, max(languages.values())]) < 196_000


def test_no_text_of_the_app_goes_over_several_lines() -> None:
    """Whatever begins a line may then be left out, when it is a comment or nothing."""
    for file in assets.OTHER_STATIC["driver"].rglob("*.js"):
        odd = [line for line in file.read_text().splitlines() if line.count("`") % 2]
        assert (file.name, odd) == (file.name, [])


@pytest.mark.slow
async def test_the_app_opens_without_reception(
    phone_with_worker: BrowserContext, troubles: Troubles
) -> None:
    page = await phone_with_worker.new_page()
    await page.goto("/driver")
    await until(page, "navigator.serviceWorker.controller")
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await phone_with_worker.set_offline(True)
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
