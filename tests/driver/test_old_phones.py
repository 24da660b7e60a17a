"""Phones that are some years old, and lines that break while the app is fetched."""

import re
from typing import Final

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from console.browser import Troubles
from driver.hand import HURRY, Hand, demand
from driver.rider import Rider
from pannier.console import assets
from stage import Firm

# What Chrome 91 or Safari 15.4 lacks, or has only on pages that are safe.
TOO_NEW: Final = (
    r"AbortSignal\.(timeout|any)", r"\.(toSorted|toReversed|toSpliced|with)\(", r"structuredClone",
    r"randomUUID", r"requestSubmit", r"Object\.(hasOwn|groupBy)", r"\(\?<[=!]", r"withResolvers",
    r"\.findLast", r"\.at\(", r"new Set\([^)]*\)\.(union|intersection)", r"static \{", r"popover",
    r"showPicker", r"Array\.fromAsync", r"\bimport [^;]* with \{",
)  # fmt: skip
AWAY: Final = """
    delete AbortSignal.timeout;
    delete AbortSignal.any;
    delete Array.prototype.at;
    delete Array.prototype.findLast;
    delete Array.prototype.toSorted;
    delete Object.hasOwn;
    delete HTMLFormElement.prototype.requestSubmit;
    delete Crypto.prototype.randomUUID;
    delete window.structuredClone;
    delete window.BarcodeDetector;
    Object.defineProperty(Navigator.prototype, "permissions", { value: undefined });
"""


def test_the_app_is_written_in_what_phones_of_some_years_know() -> None:
    for script in assets.OTHER_STATIC["driver"].rglob("*.js"):
        found = [name for name in TOO_NEW if re.search(name, script.read_text())]
        assert (script.name, found) == (script.name, [])


def test_styles_are_written_in_what_phones_of_some_years_know() -> None:
    for sheet in assets.OTHER_STATIC["driver"].rglob("*.css"):
        text = sheet.read_text()
        for height in re.findall(r"([\w-]+): ([\d.]+)dvh", text):
            assert f"{height[0]}: {height[1]}vh; {height[0]}: {height[1]}dvh" in text
        assert not re.search(r"color-mix|oklch|light-dark|@layer|@container|^\s+&", text)
        assert (":has(" in text) == ("@supports not selector(:has(" in text)


@pytest.mark.slow
async def test_a_phone_of_some_years_signs_in_and_starts_an_order(
    acme: Firm, phone_with_worker: BrowserContext
) -> None:
    await phone_with_worker.add_init_script(AWAY)
    rider = await Rider.of(acme, await phone_with_worker.new_page())
    order = await rider.round()
    await rider.sign_in()
    await rider.page.get_by_role("switch").click()
    await expect(rider.page.get_by_role("switch")).to_be_checked()
    await rider.link("Night Safari").click()
    await rider.button("Start order").click()
    await expect(rider.button("Arrived")).to_be_enabled()
    await rider.button("Arrived").click()
    await expect(rider.button("Handed over")).to_be_enabled()
    await rider.page.goto("/driver#/waiting")
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    assert (await rider.read(order))["status"] == "arrived"


CODES: Final = ["LAMP-1", "CHAIR-2", "TABLE-X"]
# A phone that is asked where it is, and does not find out.
LOST: Final = """() => {
    navigator.permissions.query = async () => ({ state: "granted" });
    navigator.geolocation.getCurrentPosition = () => {};
}"""

# Presses twice for the right code, and once more for a wrong one, all before the first is taken.
HURRIED: Final = """() => {
    const form = document.querySelector(".capture-typed"), [field] = form.elements;
    field.value = "LAMP-1";
    form.requestSubmit();
    form.requestSubmit();
    const { textContent } = form.closest("dialog");
    field.value = "SOFA-9";
    form.requestSubmit();
    return textContent;
}"""


async def cut(page: Page, troubles: Troubles, pattern: str) -> None:
    """Let some files not arrive; the service worker has none of them yet."""
    troubles.excuse("Failed to load resource|ERR_FAILED|Failed to fetch dynamically")

    async def lost(route: Route) -> None:
        await route.abort()

    await page.route(pattern, lost)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scan.js", "reader.js"])
async def test_codes_are_typed_where_the_scanner_did_not_arrive_and_it_is_tried_again(
    hand: Hand, troubles: Troubles, name: str
) -> None:
    await hand.open()
    await cut(hand.page, troubles, f"**/capture/{name}*")
    await hand.walk(demand("scan", "entity_lamp"), demand("scan", "entity_chair"))
    await expect(hand.page.get_by_text("The scanner is still loading")).to_be_visible()
    await hand.page.get_by_label("Enter code manually").fill("SOFA-9")
    await hand.button("Use").click()
    await expect(hand.page.get_by_text("SOFA-9 does not match")).to_be_visible()
    for code in ("LAMP-1", "CHAIR-2"):
        await hand.page.get_by_label("Enter code manually").fill(code)
        await hand.button("Use").click()
    assert await hand.told() is True
    assert [one["body"]["code"] for one in await hand.kept()] == ["LAMP-1", "CHAIR-2"]
    await hand.page.unroute_all()
    await hand.begin(demand("scan", "entity_lamp"))
    await expect(hand.page.get_by_text("Photo of the code")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scan.js", "nothing.js"])
async def test_a_code_that_is_typed_while_another_is_taken_is_not_lost(
    hand: Hand, troubles: Troubles, name: str
) -> None:
    await hand.open()
    await hand.page.evaluate(LOST)
    await cut(hand.page, troubles, f"**/capture/{name}*")
    await hand.page.evaluate(HURRY)  # where it is, is waited for at each code
    items = ("entity_lamp", "entity_chair", "entity_table")
    await hand.walk(*(demand("scan", item) for item in items))
    for code in CODES:
        await hand.page.get_by_label("Enter code manually").fill(code)
        await hand.button("Use").click()
    assert await hand.told() is True
    assert [one["body"]["code"] for one in await hand.kept()] == CODES


@pytest.mark.slow
async def test_pressing_twice_and_a_code_too_many_are_no_mistakes(
    hand: Hand,
) -> None:
    await hand.open()
    await hand.page.evaluate(LOST)
    await hand.walk(demand("scan", "entity_lamp"))
    await expect(hand.page.get_by_label("Enter code manually")).to_be_visible()
    assert "Enter a code" not in await hand.page.evaluate(HURRIED)
    assert await hand.told() is True
    assert [one["body"]["code"] for one in await hand.kept()] == ["LAMP-1"]
