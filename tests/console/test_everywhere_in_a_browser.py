"""What holds on every page of the console in a browser, found by walking through it."""

import pytest
from playwright.async_api import Page as Tab

from console import walk
from console.browser import AXE, Tabs, in_both_themes
from console.seat import Seat
from stage import Firm

NARROW = {"width": 360, "height": 740}
USUAL = {"width": 1280, "height": 800}
# What stands out to the right of a page that would have to be moved sideways.
OVERFLOW = """() => {
    const wide = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= wide) return [];
    const moves = (one) => getComputedStyle(one).overflowX !== "visible";
    const held = (one) => one !== document.body && (moves(one) || held(one.parentElement));
    return [...document.querySelectorAll("body *")]
        .filter(one => one.getBoundingClientRect().right > wide + 1 && !held(one.parentElement))
        .map(one => `too wide: ${one.tagName} ${one.className}`).slice(0, 5);
}"""

PARTS = 2  # of the pages, so that several processes share them


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
async def test_everybody_can_use_every_page_in_both_themes_and_on_a_phone(
    acme: Firm, seat: Seat, browse: Tabs, part: int
) -> None:
    await walk.furnish(acme)
    page, wrong = await browse(maps=False), {}
    # Every page has it already: to send it to each of them takes as long as to load the page.
    await page.add_init_script(path=AXE)
    addresses = [one.address for one in (await walk.pages(seat)).seen.values()][part::PARTS]
    for number, address in enumerate(addresses):
        await page.goto(address)
        # The shell is the same on every page.
        if found := await troubled(page, within="main" if number else "html"):
            wrong[address] = found
    assert wrong == {}


async def troubled(page: Tab, within: str) -> list[str]:
    """Name what keeps people from using a page: in light, in dark and on a phone."""
    found = await in_both_themes(page, within=within)
    await page.set_viewport_size(NARROW)
    found += await page.evaluate(OVERFLOW)
    await page.set_viewport_size(USUAL)
    return found
