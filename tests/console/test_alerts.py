"""The bell in the header: how many alerts are unread, which ones, and where they lead."""

import csv
import io

import pytest
from playwright.async_api import expect

from console.browser import PATIENCE, Tabs, axe, opened
from console.seat import Seat
from contract.test_alerts import raised
from orders.shop import Shop
from orders.test_attempts import fail
from pannier.web.streams import MAX_STREAM_SECONDS
from stage import Firm

HOME = "/console/alerts"


async def test_the_bell_counts_and_leads_to_the_order(acme: Firm, seat: Seat) -> None:
    shop = Shop(acme)
    order = await shop.started()
    page = await seat.open("/console/contacts")
    assert page.root.one("div", id="bell").one("summary")["aria-label"] == "Alerts"
    await fail(shop, order, reason="wrong_address")
    page = await seat.open("/console/contacts")
    assert page.root.one("div", id="bell").one("summary")["aria-label"] == "Alerts: 1 unread"
    recent = (await seat.open(f"{HOME}/recent")).main.one("div", id="recent")
    assert "Delivery failed" in recent.text
    assert "waiting for your decision" in recent.text
    answer = await seat.send(recent.one("form")["action"])
    assert answer.headers["Location"] == f"/console/orders/{order['id']}"
    page = await seat.open("/console/contacts")
    assert page.root.one("div", id="bell").one("summary")["aria-label"] == "Alerts"


async def test_alerts_are_acknowledged_in_the_list(acme: Firm, seat: Seat) -> None:
    await fail(shop := Shop(acme), await shop.started())
    viewer = await Seat.of(acme, "viewer")
    listed = await viewer.open(HOME)
    assert "Acknowledge" not in listed.main.text
    page = await seat.open(HOME)
    [path] = [
        form["action"] for form in page.main.all("form") if form["action"].endswith("acknowledge")
    ]
    assert "Acknowledged by Admin" in (await seat.sent(path, on=HOME)).main.text
    assert "No results" in (await seat.open(f"{HOME}?open=false")).main.text
    assert "Delivery failed" in (await seat.open(f"{HOME}?kind=delivery_failed")).main.text


async def test_the_list_is_opened_by_row_and_exported(acme: Firm, seat: Seat) -> None:
    order = await (shop := Shop(acme)).started()
    await fail(shop, order)
    await raised(acme)
    page = await seat.open(f"{HOME}?kind=delivery_failed")
    [row] = [one for one in page.main.all("tr") if one["data-href"]]
    assert row["data-href"] == f"/console/orders/{order['id']}"
    [link] = [one["href"] for one in page.main.all("a") if "download" in one.attributes]
    answer = await seat.client.get(link)
    [line] = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (line["kind"], line["subject"]) == ("delivery_failed", order["id"])


async def test_all_are_marked_as_read(acme: Firm, seat: Seat) -> None:
    await raised(acme)
    await seat.send(f"{HOME}/read")
    page = await seat.open(HOME)
    assert page.root.one("div", id="bell").one("summary")["aria-label"] == "Alerts"
    assert "SOS" in page.main.text


async def test_a_new_alert_rings_on_an_open_page(acme: Firm, browse: Tabs) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    page = await browse(maps=False)
    await page.goto("/console/contacts")
    bell = page.locator("#bell summary")
    await expect(bell).to_have_attribute("aria-label", "Alerts")
    shop = Shop(acme)
    await fail(shop, await shop.started())
    await expect(bell).to_have_attribute("aria-label", "Alerts: 1 unread", timeout=PATIENCE)
    await bell.click()
    await expect(page.locator("#recent")).to_contain_text("Delivery failed", timeout=PATIENCE)
    await page.locator("#recent button").click()
    await expect(page.locator("h1")).to_contain_text("ACM-", timeout=PATIENCE)


async def test_an_operator_chooses_the_kinds_that_the_bell_counts(acme: Firm, seat: Seat) -> None:
    await raised(acme)
    await seat.sent("/console/me/alert-rules", {"device_silent": "on"}, on="/console/me")
    page = await seat.open("/console/me")
    assert page.root.one("div", id="bell").one("summary")["aria-label"] == "Alerts"
    form = page.main.one("form", id="alerts")
    checked = [box["name"] for box in form.all("input") if "checked" in box.attributes]
    assert checked == ["device_silent"]


async def test_the_bell_stays_when_the_header_around_it_is_refreshed(
    acme: Firm, browse: Tabs
) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    order = await Shop(acme).started()
    page = await browse(maps=False)
    await opened(page, f"/console/orders/{order['id']}")
    await expect(page.locator("#bell summary")).to_have_attribute("aria-label", "Alerts")


# Counts what the browser is asked to show and to play. A headless one shows no notifications.
COUNTED = """
    window.shown = []; window.tones = 0;
    window.Notification = class {
        static permission = "granted";
        constructor(title, options) { window.shown.push([title, options.body]); }
    };
    const make = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function () {
        window.tones++;
        return make.call(this);
    };
"""
HEARD = "() => [window.shown.length, window.tones]"


@pytest.mark.slow
async def test_a_new_alert_is_announced_once_in_all_tabs(acme: Firm, browse: Tabs) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    first = await browse(maps=False)
    await first.context.add_init_script(COUNTED)
    await raised(acme, cause="before")
    await first.goto("/console/me")
    for way in ("on the desktop", "with a sound"):
        await first.get_by_role("checkbox", name=f"Delivery failed: {way}").check()
    await first.locator("#alerts").get_by_role("button", name="Save").click()
    await expect(first.locator("#alert-permission")).to_contain_text("shows desktop")
    await first.locator("#alert-try").click()
    assert await first.evaluate(HEARD) == [1, 2]
    second = await first.context.new_page()
    await second.goto("/console/contacts")
    await second.wait_for_function(
        "Object.keys(localStorage).some((key) => key.startsWith('alerts '))"
    )
    shop = Shop(acme)
    order = await shop.started()
    await fail(shop, order, reason="wrong_address")
    for page in (first, second):
        bell = page.locator("#bell summary")
        await expect(bell).to_have_attribute("aria-label", "Alerts: 2 unread", timeout=PATIENCE)
    # Announced alerts are kept by both ways.
    announced = (
        "JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('alerts '))[1])"
    )
    await first.wait_for_function(f"{announced}.heard.length === 4")
    counts = [await page.evaluate(HEARD) for page in (first, second)]
    assert sum(shown for shown, _ in counts) == 2
    assert counts[0][1] == 4, "only the page that was clicked may play"
    assert counts[1][1] == 0
    titles = [title for page in (first, second) for title, _ in await page.evaluate("shown")]
    assert titles.count("Delivery failed") == 1


async def test_an_operator_without_permission_still_sees_the_choice(browse: Tabs) -> None:
    page = await browse(maps=False)
    await page.goto("/console/me")
    await expect(page.locator("#alert-permission")).to_contain_text("desktop notifications")
    await expect(page.locator("#alert-try")).to_be_visible()
    await page.locator("#alert-try").click()
    await page.get_by_role("checkbox", name="Late: on the desktop").check()
    await page.locator("#alerts").get_by_role("button", name="Save").click()
    await expect(page.get_by_role("checkbox", name="Late: on the desktop")).to_be_checked()
    assert await axe(page) == []
