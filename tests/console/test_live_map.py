"""The live map: what moves, how old that is, one of it followed; list and map show the same."""

import asyncio
import json
import re
from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import Route, expect

from console.browser import PATIENCE
from console.reading import Page
from console.seat import Seat
from fleet.depot import Depot
from stage import Firm

# A promise of the moment when a request of the list itself has ended.
REFRESHED = """() => { window.refreshed = new Promise((done) => document.addEventListener(
    "htmx:finally:request", ({ target }) => target.id === "fleet" && done())); }"""
HERE = {"latitude": 1.35, "longitude": 103.8}


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


async def van(depot: Depot, plate: str, **fix: Any) -> dict[str, Any]:
    made = await depot.vehicle(plate_number=plate)
    await depot.post(f"vehicles/{made['id']}/track", **{**HERE, **fix})
    return made


def drawn(page: Page) -> dict[str, dict[str, Any]]:
    """What the map draws: the properties of each feature, by its label."""
    features = json.loads(page.root.one("script", id="geo").text)["features"]
    return {one["properties"]["label"]: one["properties"] for one in features}


def listed(page: Page) -> list[str]:
    return [row.one("b").text for row in page.main.one("ul", class_="units").all("li")]


async def test_list_and_map_tell_the_same_and_say_how_old_it_is(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    await van(depot, "FAST", speed=12.5, heading=90)
    await van(depot, "SLOW", speed=0)
    await depot.vehicle(plate_number="DARK")
    acme.house.clock.advance(seconds=40)
    page = await seat.open("/console/map")
    assert listed(page) == ["FAST", "SLOW", "DARK"]
    rows = [row.text for row in page.main.one("ul", class_="units").all("li")]
    assert "45 km/h 40 s ago" in rows[0]
    assert "Stopped 40 s ago" in rows[1]
    points = drawn(page)
    assert set(points) == {"FAST", "SLOW"}
    assert (points["FAST"]["color"], points["FAST"]["heading"]) == ("green", 90)


async def test_a_state_is_chosen_by_its_count_and_narrows_list_and_map(
    depot: Depot, seat: Seat
) -> None:
    await van(depot, "FAST", speed=12.5)
    await van(depot, "SLOW", speed=0)
    page = await seat.open("/console/map")
    chips = [chip.text for chip in page.main.one("nav", class_="states").all("a")]
    assert chips == ["All 2", "Moving 1", "Stopped 1"]
    page = await seat.open("/console/map?state=standing")
    assert (listed(page), set(drawn(page))) == (["SLOW"], {"SLOW"})
    assert listed(await seat.open("/console/map?query=fas")) == ["FAST"]


async def test_one_is_followed_with_what_is_known_of_it_and_a_warning_when_that_is_old(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    made = await van(depot, "SLOW", speed=0)
    acme.house.clock.advance(minutes=15)
    page = await seat.open(f"/console/map?follow={made['id']}")
    about = page.main.one("section", class_="followed").text
    assert "No location updates since" in about
    assert drawn(page)["SLOW"]["followed"] is True
    assert f"/console/vehicles/{made['id']}" in page.links()


@pytest.mark.slow
async def test_of_a_large_fleet_as_much_is_shown_as_a_page_holds(depot: Depot, seat: Seat) -> None:
    for number in range(125):
        await depot.vehicle(plate_number=f"SGX {number:04} A", location=HERE)
    answer = await seat.client.get("/console/map")
    assert len(answer.content) < 100_000
    page = Page(answer.text)
    assert (len(listed(page)), len(drawn(page))) == (50, 120)
    assert "50 of 125 listed, 120 on the map. Search to find others." in page.main.text


async def test_zones_are_drawn_unless_they_are_hidden(acme: Firm, seat: Seat) -> None:
    around = {"location": HERE, "radius": 2000}
    area = (await acme.api.post("/v1/service-areas", json={"name": "East", **around})).json()
    zone = {"name": "Harbour", "service_area": area["id"], **around}
    await acme.api.post("/v1/zones", json=zone)
    assert drawn(await seat.open("/console/map"))["Harbour"]["kind"] == "area"
    assert drawn(await seat.open("/console/map?areas=none")) == {}


async def test_what_cannot_be_asked_is_said_and_a_fleet_of_nothing_too(seat: Seat) -> None:
    page = await seat.open("/console/map?state=flying")
    assert page.main.one("p", role="alert").text
    assert "No vehicles or drivers yet" in (await seat.open("/console/map")).main.text


async def test_nobody_sees_the_fleet_of_others(depot: Depot, rival: Firm) -> None:
    await van(depot, "FAST", speed=12.5)
    assert listed(await (await Seat.of(rival)).open("/console/map")) == []


@pytest.mark.slow
async def test_a_click_in_the_list_follows_without_loading_the_map_again(
    depot: Depot, page: Tab
) -> None:
    made = await van(depot, "FAST", speed=12.5, heading=90)
    await van(depot, "SLOW", speed=0)
    await page.goto("/console/map")
    await page.evaluate("window.same = true")
    await page.get_by_role("link", name="FAST").click()
    await expect(page.locator(".followed")).to_contain_text("FAST")
    assert made["id"] in page.url
    assert await page.evaluate("window.same")
    await page.get_by_placeholder("Plate, driver or vehicle").fill("slow")
    await expect(page.locator(".units li")).to_have_count(1)
    assert "query=slow" in page.url
    await page.go_back()
    await expect(page.locator(".followed")).to_contain_text("FAST")


@pytest.mark.slow
async def test_a_refresh_that_was_under_way_leaves_what_was_clicked_meanwhile(
    depot: Depot, page: Tab
) -> None:
    made = await van(depot, "FAST", speed=12.5, heading=90)
    clicked, asked = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await clicked.wait()
        await route.continue_()

    await page.goto("/console/map")
    await page.route(re.compile("/console/map$"), hold)
    await page.evaluate("document.querySelector('#fleet').dataset.liveEvery = 1")
    await asked.wait()
    await page.get_by_role("link", name="FAST").click()
    await expect(page.locator(".followed")).to_contain_text("FAST")
    await page.evaluate(REFRESHED)
    clicked.set()
    await page.evaluate("window.refreshed")
    await expect(page.locator(".followed")).to_contain_text("FAST")
    assert made["id"] in page.url


@pytest.mark.slow
async def test_the_map_follows_a_vehicle_although_its_moves_are_no_events(
    depot: Depot, page: Tab
) -> None:
    made = await van(depot, "SLOW", speed=0)
    await page.goto("/console/map")
    await expect(page.locator(".live").first).to_have_text("Live", timeout=PATIENCE)
    await page.evaluate("delete document.querySelector('#fleet').dataset.liveEvery")
    await depot.post(f"vehicles/{made['id']}/track", latitude=1.36, longitude=103.8, speed=12.5)
    await expect(page.locator(".units")).to_contain_text("45 km/h", timeout=PATIENCE)
    assert len(await depot.told("vehicle.updated")) == 1
