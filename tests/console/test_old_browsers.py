"""Browsers of some years ago have the console's filters, palette and live lists too."""

import re
from typing import Final

import pytest
from playwright.async_api import Page, expect

from console.browser import summon
from pannier.console import assets

# What came to browsers in 2022 and 2023.
AWAY: Final = """
    delete URLSearchParams.prototype.size;
    delete Array.prototype.at;
    delete Array.prototype.with;
"""
# TypeScript refuses newer JavaScript; of what browsers have beside it, it knows the newest only.
# A selector with a word that a browser does not know finds nothing, and throws.
TOO_NEW: Final = r":popover-open|showPopover|URLSearchParams\([^;]*\)\.size|structuredClone"


def test_no_script_asks_for_what_only_new_browsers_have() -> None:
    scripts = {
        path: text for path, text in assets.load_store().files.items() if path.endswith(".js")
    }
    own = {path: text.decode() for path, text in scripts.items() if "vendor/" not in path}
    assert [path for path, text in own.items() if re.search(TOO_NEW, text)] == []


@pytest.mark.slow
async def test_a_list_that_is_fetched_again_stays_filtered_and_the_palette_goes_round_upwards(
    page: Page,
) -> None:
    await page.add_init_script(AWAY)
    await page.goto("/console/contacts")
    # As lists that follow what happens are fetched again.
    async with page.expect_request("**/console/contacts*") as asked:
        await page.evaluate(
            """htmx.ajax("GET", "/console/contacts?query=grace&cursor=",
                         { target: "#results", select: "#results", swap: "outerMorph" })"""
        )
    assert (await asked.value).url.endswith("/console/contacts?query=grace")
    await summon(page)
    rows = page.locator("#palette [role=option]")
    await expect(rows.filter(has_text="Failed jobs")).to_be_visible()
    marked = page.locator("#palette [role=option][aria-selected=true]")
    await expect(marked).to_have_count(1)
    await page.keyboard.press("ArrowUp")
    await expect(rows.last).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("ArrowUp")
    await expect(rows.nth(-2)).to_have_attribute("aria-selected", "true")
    await expect(marked).to_have_count(1)
