"""What holds on every page of the console in a browser, found by walking through it."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab

from console import walk
from console.browser import Tabs, axe
from console.seat import Seat
from stage import Firm

OVERFLOW = """() => [...document.querySelectorAll("main *")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .filter(one => {
        for (let up = one.parentElement; up; up = up.parentElement)
            if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(up).overflowX)
                && up !== document.body && up !== document.documentElement) return false;
        return true; })
    .map(one => one.tagName + "." + one.className).slice(0, 5)"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_everybody_can_use_every_page(
    acme: Firm, seat: Seat, browse: Tabs, theme: Any
) -> None:
    await walk.furnish(acme)
    page, wrong = await browse(theme=theme), {}
    for address, _, _ in (await walk.pages(seat)).seen.values():
        await page.goto(address)
        if found := await axe(page):
            wrong[address] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_on_a_phone_no_page_is_wider_than_the_screen(
    acme: Firm, seat: Seat, browse: Tabs
) -> None:
    await walk.furnish(acme)
    page, wrong = await browse(phone=True), {}
    for address, _, _ in (await walk.pages(seat)).seen.values():
        await page.goto(address)
        if await too_wide(page):
            wrong[address] = await page.evaluate(OVERFLOW)
    assert wrong == {}


async def too_wide(page: Tab) -> bool:
    """Tell whether a page would have to be moved sideways."""
    wide: bool = await page.evaluate(
        "document.scrollingElement.scrollWidth > document.documentElement.clientWidth"
    )
    return wide
