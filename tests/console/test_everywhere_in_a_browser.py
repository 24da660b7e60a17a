"""What holds on every page of the console in a browser, found by walking through it."""

import pytest
from playwright.async_api import Page as Tab

from console import walk
from console.browser import Tabs, in_both_themes
from console.reading import Page
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

# Takes away rows that have nothing but kinds of elements that rows above them have.
SHORTEN = """() => {
    const kind = (one) => [one.tagName, one.className, one.type, one.getAttribute("role")].join();
    for (const list of document.querySelectorAll("main tbody, main ul, main ol, main select")) {
        const seen = new Set();
        for (const row of [...list.children]) {
            const kinds = [row, ...row.querySelectorAll("*")].map(kind);
            if (kinds.every((one) => seen.has(one))) row.remove();
            for (const one of kinds) seen.add(one);
        }
    }
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
    await page.set_viewport_size(NARROW)
    seen = list((await walk.pages(seat)).seen.values())
    examples = choose_examples(seen)
    for number, one in enumerate(seen[part::PARTS]):
        await page.goto(one.address)
        found = await page.evaluate(OVERFLOW)
        if one.address in examples:
            # The shell is the same on every page.
            found += await look_closely(page, within="main" if number else "html")
        if found:
            wrong[one.address] = found
    assert wrong == {}


async def look_closely(page: Tab, within: str) -> list[str]:
    """Name what keeps people from using a page, in light and in dark."""
    await page.set_viewport_size(USUAL)
    await page.evaluate(SHORTEN)
    found = await in_both_themes(page, within=within)
    await page.set_viewport_size(NARROW)
    return found


def choose_examples(seen: list[walk.Seen]) -> set[str]:
    """Choose as few pages as have every kind of element that any page has: axe is slow."""
    kinds = {one.address: list_kinds(one.page) for one in seen}
    left, chosen = set().union(*kinds.values()), {seen[0].address}
    left -= kinds[seen[0].address]
    while left:
        best = max(kinds, key=lambda address: len(kinds[address] & left))
        chosen.add(best)
        left -= kinds[best]
    return chosen


def list_kinds(page: Page) -> set[tuple[str, ...]]:
    """List the kinds of elements that a page has: what styles and roles they have."""
    main = page.root.one("main")
    return {
        (one.name, one["type"], one["role"], *sorted(one["class"].split())) for one in main.within()
    }


def test_examples_have_every_kind_of_element() -> None:
    texts = ("<p>", "<p><b class=a>", "<p><b class='a c'>", "<b class=a><i>", "<p><b class='c a'>")
    seen = [walk.Seen(f"/{n}", Page(f"<main>{text}"), 0) for n, text in enumerate(texts)]
    assert choose_examples(seen) == {"/0", "/2", "/3"}
