"""The palette, the side bar and the fields that name records, in a browser."""

import asyncio

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import Route, expect

from console.browser import Tabs, axe, summon
from console.seat import Seat
from stage import Firm

# Marks a page that wants to ask once more.
ASKED = "addEventListener('htmx:config:request', () => document.documentElement.dataset.asked = 1)"
ENDS = {"pickup": "1 Raffles Place", "dropoff": "1 Cluny Road"}


@pytest.mark.slow
async def test_the_palette_shows_only_what_was_found_and_is_as_before_when_it_is_opened_again(
    acme: Firm, page: Tab
) -> None:
    await acme.api.post("/v1/drivers", json={"name": "Ada Lovelace", "phone": "+6591234567"})
    await page.goto("/console/contacts")
    rows = page.locator("#palette li")
    pages = rows.filter(has_text="Failed jobs")
    await summon(page)
    await expect(pages).to_be_visible()
    await page.keyboard.type("ada")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Ada Lovelace")
    await page.keyboard.press("Escape")
    await expect(page.locator("#palette")).to_be_hidden()
    await summon(page)
    await expect(pages).to_have_count(1)
    await page.keyboard.type("ada")
    await expect(rows).to_have_count(1)
    # The field has the focus, so it names the result that Enter opens.
    marked = page.locator("#palette [aria-selected=true]")
    await expect(marked).to_contain_text("Ada Lovelace")
    field = page.locator("#palette input")
    assert await marked.get_attribute("id") == await field.get_attribute("aria-activedescendant")
    assert await axe(page, within="#palette") == []
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_contain_text("Ada Lovelace")


@pytest.mark.slow
async def test_what_is_typed_before_the_pages_have_come_is_looked_for_all_the_same(
    acme: Firm, page: Tab
) -> None:
    await acme.api.post("/v1/drivers", json={"name": "Ada Lovelace", "phone": "+6591234567"})
    typed = asyncio.Event()

    async def late(route: Route) -> None:
        await typed.wait()
        await route.continue_()

    await page.route("**/console/search", late)
    await page.goto("/console/contacts")
    await summon(page)
    await page.evaluate(ASKED)
    await page.keyboard.type("ada")
    await expect(page.locator("html[data-asked]")).to_be_attached()
    typed.set()
    await expect(page.locator("#palette li", has_text="Ada Lovelace")).to_be_visible()


@pytest.mark.slow
async def test_a_field_that_holds_an_id_shows_the_name(acme: Firm, page: Tab) -> None:
    vehicle = (await acme.api.post("/v1/vehicles", json={"plate_number": "SBA 1912 T"})).json()
    given = {"name": "Alan Turing", "phone": "+6591234568", "vehicle": vehicle["id"]}
    driver = (await acme.api.post("/v1/drivers", json=given)).json()
    await page.goto(f"/console/drivers/{driver['id']}/edit")
    await expect(page.locator("[name=vehicle]")).to_have_value("SBA 1912 T")
    await expect(page.locator("[name='vehicle~id']")).to_have_value(f"{vehicle['id']} SBA 1912 T")
    await page.fill("[name=vehicle]", "")
    await expect(page.locator("[name='vehicle~id']")).to_have_value("")


@pytest.mark.slow
async def test_the_side_bar_shows_where_one_is_however_far_down(page: Tab) -> None:
    await page.goto("/console/settings")
    here = page.locator(".side [aria-current]")
    foot = page.locator(".side footer")
    await expect(here).to_be_in_viewport(ratio=1)
    at, below = await here.bounding_box(), await foot.bounding_box()
    assert at is not None
    assert below is not None
    assert at["y"] + at["height"] <= below["y"]


@pytest.mark.slow
async def test_the_label_of_an_order_is_printed_by_its_button(page: Tab, acme: Firm) -> None:
    order = (await acme.api.post("/v1/orders", json=ENDS)).json()
    await page.goto(f"/console/orders/{order['id']}/label")
    await page.evaluate("addEventListener('beforeprint', () => { document.title = 'Printed'; })")
    await page.get_by_role("button", name="Print").click()
    await expect(page).to_have_title("Printed")


@pytest.mark.slow
async def test_one_writes_on_where_a_form_was_refused_and_at_once_in_a_dialog(
    page: Tab, acme: Firm
) -> None:
    await page.goto("/console/drivers/new")
    await page.fill("[name=name]", "Ada")
    await page.fill("[name=phone]", "12")
    await page.keyboard.press("Enter")
    await expect(page.locator("[aria-invalid]")).to_be_focused()
    order = (await acme.api.post("/v1/orders", json=ENDS)).json()
    await page.goto(f"/console/orders/{order['id']}")
    await page.get_by_role("button", name="Assign", exact=True).first.click()
    await expect(page.locator("#do-assign [name=driver]")).to_be_focused()


@pytest.mark.slow
async def test_menus_and_the_pages_on_a_phone_close_with_escape(acme: Firm, browse: Tabs) -> None:
    order = (await acme.api.post("/v1/orders", json=ENDS)).json()
    page = await browse(phone=True)
    await page.goto(f"/console/orders/{order['id']}")
    await page.locator(".menu summary").first.click()
    await expect(page.locator(".menu[open]")).to_have_count(1)
    await page.keyboard.press("Escape")
    await expect(page.locator(".menu[open]")).to_have_count(0)
    await expect(page.locator(".menu summary").first).to_be_focused()
    side = page.locator(".side")
    await page.locator("[data-burger]").press("Enter")
    await expect(side.locator("a").first).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(side).to_be_hidden()
    await page.locator("[data-burger]").click()
    await page.mouse.click(380, 800)
    await expect(side).to_be_hidden()


@pytest.mark.slow
async def test_the_filters_that_are_folded_away_close_with_escape_and_a_click_elsewhere(
    page: Tab,
) -> None:
    await page.goto("/console/orders")
    summary, fields = page.locator(".more summary"), page.locator(".more > div")
    await summary.click()
    await expect(fields).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(fields).to_be_hidden()
    await expect(summary).to_be_focused()
    await summary.click()
    await page.locator("h1").click()
    await expect(fields).to_be_hidden()


async def test_what_is_looked_for_by_its_id_is_found(acme: Firm, seat: Seat) -> None:
    made = await acme.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})
    asked = {"resource": "drivers", "query": made.json()["id"]}
    found = (await seat.client.get("/console/suggest", params=asked)).json()
    assert [one["label"] for one in found] == ["Ada"]
