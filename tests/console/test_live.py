"""Pages follow what happens: in every tab, across a restart, and while one is signed in."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from console.browser import PATIENCE, Tabs, Troubles
from console.live_regions import list_faulty_regions
from console.reading import Page as Read
from console.seat import Seat
from events.test_stream import driver
from pannier.accounts.auth import SESSION_COOKIE
from pannier.web import sse
from pannier.web.streams import MAX_STREAM_SECONDS, Streams
from stage import Firm
from web.listener import listening

LIST = "/console/contacts"


def test_a_region_within_another_and_one_without_an_id_are_noticed() -> None:
    page = Read('<div id="a" data-live-on="order."><p><b id="b" data-live-every="9"></b></p></div>')
    assert list_faulty_regions(page) == ["b within a"]
    assert list_faulty_regions(Read('<p data-live-on="order."></p>')) == ["a region without an id"]


async def test_a_signed_in_browser_follows_and_another_does_not(acme: Firm, rival: Firm) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    cookie = {"cookie": f"{SESSION_COOKIE}={acme.token}"}
    async with listening(acme.house, "", "/console/live", **cookie) as listener:
        await listener.until(b"event: beat")
        await driver(rival, "Theirs")
        mine = await driver(acme, "Mine")
        heard = await listener.until(b"\ndata: ")
        assert mine.encode() in heard
        assert heard.count(b"driver.online") == 1
    stranger = await acme.house.client().head("/console/live")
    assert stranger.status_code == 303


async def test_a_moving_fleet_is_announced_without_events(acme: Firm) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    van = (await acme.api.post("/v1/vehicles", json={"plate_number": "SGX 1"})).json()["id"]
    cookie = {"cookie": f"{SESSION_COOKIE}={acme.token}"}
    async with listening(acme.house, "", "/console/live", **cookie) as listener:
        heard = await listener.until(b"event: beat")
        # The stream also begins with the message, if it is the first to listen.
        for latitude in (1, 2, 3):
            place = {"latitude": latitude, "longitude": 103}
            assert (await acme.api.post(f"/v1/vehicles/{van}/track", json=place)).is_success
            count = heard.count(b"event: positions")
            heard = await listener.until(b"event: positions", count + 1)
        assert b"vehicle.updated" not in heard


async def test_the_consoles_stream_ends_with_the_session(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.1)
    streams = acme.house.edge.services["streams"]
    streams.max_seconds, streams.check_seconds = MAX_STREAM_SECONDS, 0.05
    token = await acme.sign_up("viewer")
    cookie = {"cookie": f"{SESSION_COOKIE}={token}"}
    async with listening(acme.house, "", "/console/live", **cookie) as listener:
        await listener.until(b"event: beat", 2)
        await acme.house.client(token).post("/int/v1/logout")
        await listener.until(b"event: ended")
        listener.leaves = False


async def test_whoever_asks_for_the_head_of_the_stream_holds_none(acme: Firm, seat: Seat) -> None:
    acme.house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
    async with asyncio.timeout(PATIENCE / 1000):
        answer = await seat.client.head("/console/live")
    assert answer.status_code == 200
    assert answer.content == b""


async def test_every_page_can_follow(seat: Seat) -> None:
    page = await seat.open(LIST)
    assert "live.js" in " ".join(one["src"] for one in page.root.all("script"))
    assert "live-worker.js" in page.root.one("body")["data-live"]


async def marked(route: Route) -> None:
    """Answer with the list as a list that follows what drivers do."""
    answer = await route.fetch()
    text = (await answer.text()).replace(
        'id="results"', 'id="results" data-live-on="order. driver."'
    )
    await route.fulfill(
        response=answer, body=text.replace("</h1>", '</h1><span class="live"></span>')
    )


async def follow(page: Page) -> None:
    """Open a list, and have it follow."""
    await page.route(f"**{LIST}", marked)
    await page.goto(LIST)
    await expect(page.locator(".live")).to_have_text("Live", timeout=PATIENCE)


async def asked_again(page: Page) -> asyncio.Event:
    """Open a list that asks for itself again; the event lets the answer come."""
    asked, come = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        if page.url.endswith(LIST):
            asked.set()
            await come.wait()
        await marked(route)

    await page.route(f"**{LIST}", late)
    await page.goto(LIST)
    await asked.wait()
    return come


async def happens(firm: Firm, name: str) -> None:
    """Have something new in the list, and something told."""
    await firm.api.post("/v1/contacts", json={"name": name})
    await driver(firm, name)


@pytest.mark.slow
async def test_two_tabs_show_what_happens_in_neither_of_them(acme: Firm, browse: Tabs) -> None:
    first = await browse(maps=False)
    second = await first.context.new_page()
    for page in (first, second):
        await follow(page)
    await happens(acme, "Ada Lovelace")
    for page in (first, second):
        await page.bring_to_front()
        await expect(page.locator("#results")).to_contain_text("Ada Lovelace", timeout=PATIENCE)


@pytest.mark.slow
async def test_what_happens_while_the_server_restarts_is_shown_afterwards(
    acme: Firm, page: Page
) -> None:
    await follow(page)
    acme.house.edge.services["streams"].close()
    await happens(acme, "Grace Hopper")
    acme.house.edge.services = {**acme.house.edge.services, "streams": Streams()}
    await expect(page.locator("#results")).to_contain_text("Grace Hopper", timeout=PATIENCE)
    await expect(page.locator(".live")).to_have_text("Live", timeout=PATIENCE)


@pytest.mark.slow
async def test_a_page_whose_session_ended_elsewhere_leads_to_the_sign_in(
    acme: Firm, page: Page, troubles: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A list that is just being fetched again may hear of it first.
    troubles.excuse("status of 401")
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.2)
    await follow(page)
    await acme.admin.post("/int/v1/logout")
    await expect(page.locator("#password")).to_be_visible(timeout=PATIENCE)


@pytest.mark.slow
async def test_a_region_under_somebodys_hands_waits(acme: Firm, page: Page) -> None:
    # What was missed while the page came is fetched once, before anybody has it in their hands.
    await follow(page)
    await expect(page.locator("html[data-swapped]")).to_be_attached(timeout=PATIENCE)
    await page.evaluate(
        """document.querySelector("#results").insertAdjacentHTML(
               "beforeend", "<dialog open id=held>Held</dialog>");
           document.addEventListener("pannier:event", () => document.body.id = "told")"""
    )
    await happens(acme, "Ada Lovelace")
    await expect(page.locator("#told")).to_be_visible()
    await expect(page.locator("#held")).to_be_visible()
    await page.evaluate("document.querySelector('#held').close()")
    await expect(page.locator("#results")).to_contain_text("Ada Lovelace", timeout=PATIENCE)


@pytest.mark.slow
async def test_a_region_that_somebody_takes_while_it_is_fetched_waits_too(
    acme: Firm, page: Page
) -> None:
    asked, taken = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        if page.url.endswith(LIST):
            asked.set()
            await taken.wait()
        await marked(route)

    await page.route(f"**{LIST}", late)
    await page.goto(LIST)
    await happens(acme, "Ada Lovelace")
    await asked.wait()
    await page.evaluate(
        """document.querySelector("#results").insertAdjacentHTML(
               "beforeend", "<dialog open id=held>Held</dialog>");
           document.addEventListener("htmx:finally:request", () => document.body.id = "come")"""
    )
    taken.set()
    await expect(page.locator("#come")).to_be_visible()
    await expect(page.locator("#held")).to_be_visible()
    await page.evaluate("document.querySelector('#held').close()")
    await expect(page.locator("#results")).to_contain_text("Ada Lovelace")


@pytest.mark.slow
async def test_a_list_that_was_asked_for_before_somebody_filtered_it_is_not_shown(
    acme: Firm, page: Page
) -> None:
    for name in ("Ada Lovelace", "Grace Hopper"):
        await acme.api.post("/v1/contacts", json={"name": name})
    filtered = await asked_again(page)
    await page.locator("[data-filter]").fill("grace")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.evaluate(
        """document.addEventListener("htmx:finally:request", () => document.body.id = "come")"""
    )
    filtered.set()
    await expect(page.locator("#come")).to_be_visible()
    assert await page.locator("tbody tr").count() == 1


@pytest.mark.slow
async def test_a_row_that_is_marked_while_its_list_is_fetched_stays_so(
    acme: Firm, page: Page
) -> None:
    await acme.api.post("/v1/contacts", json={"name": "Ada Lovelace"})
    taken = await asked_again(page)
    await acme.api.post("/v1/contacts", json={"name": "Grace Hopper"})
    await page.keyboard.press("j")
    row = page.locator("tr[aria-selected=true]")
    await expect(row).to_contain_text("Ada Lovelace")
    taken.set()
    await expect(page.locator("tbody tr")).to_have_count(2)
    await expect(row).to_contain_text("Ada Lovelace")
