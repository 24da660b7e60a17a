"""Vehicles and drivers on their pages: where they are now, their day, what they carry."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import expect

from console.browser import Tabs
from console.seat import Seat
from contract.test_device_rules import past, send, spelled
from devices.garage import Garage
from devices.test_deriving import derive
from devices.walks import at, drive
from fleet.test_signin import PHONE, signed_in
from stage import Firm, House


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


@pytest.fixture
async def van(acme: Firm, house: House, garage: Garage) -> dict[str, Any]:
    """A van that drove for five minutes, an hour ago."""
    device, vehicle = await garage.device(), await garage.vehicle(plate_number="SGX 1")
    since = {"vehicle": vehicle["id"], "since": spelled(at(-86_400, 0).at)}
    await acme.api.post(f"/v1/devices/{device['id']}/attach", json=since)
    await send(garage, device, past(drive(0, 0, seconds=300, kmh=36)))
    await derive(house.database)
    return vehicle


async def test_a_vehicle_shows_its_trips_its_bar_and_its_way(
    van: dict[str, Any], seat: Seat
) -> None:
    page = await seat.open(f"/console/vehicles/{van['id']}")
    bar = page.main.one("section", class_="day").all("svg", role="img")[0]
    assert [stretch["class"] for stretch in bar.all("rect")][1] == "green"
    assert bar.all("title")[0].text.startswith("Moving ")
    assert "3.0 km" in page.main.one("section", class_="day").text
    # On a phone it is wider than the screen: the keyboard gets there too.
    assert page.main.one("div", aria_label="Trips")["tabindex"] == "0"
    features = json.loads(page.root.one("script", id="geo").text)["features"]
    assert [one["properties"]["kind"] for one in features] == ["line", "point"]
    assert "Devices" in page.main.text
    assert "Position update" in page.main.text


async def test_another_day_has_an_address_and_what_is_no_day_shows_today(
    van: dict[str, Any], seat: Seat
) -> None:
    home = f"/console/vehicles/{van['id']}"
    (before,) = [link for link in (await seat.open(home)).links() if "?on=" in link]
    page = await seat.open(before)
    assert "No trips on this day." in page.main.text
    assert len([link for link in page.links() if "?on=" in link]) == 2
    assert "Today" in (await seat.open(f"{home}?on=yesterday")).main.text


async def test_what_nobody_has_heard_of_for_long_is_said_to_be_old(
    van: dict[str, Any], seat: Seat
) -> None:
    page = await seat.open(f"/console/vehicles/{van['id']}")
    assert "No location updates since" in page.main.one("div", id="now").text


async def test_a_driver_shows_the_orders_of_today_and_open_issues(
    garage: Garage, seat: Seat
) -> None:
    driver = await garage.driver(name="Ada", vehicle=(await garage.vehicle())["id"])
    order = await garage.order(driver=driver["id"])
    await garage.issue(title="Rear door", driver=driver["id"])
    settled = await garage.issue(title="Flat tyre", driver=driver["id"])
    await garage.post(f"issues/{settled['id']}/resolve")
    page = await seat.open(f"/console/drivers/{driver['id']}")
    assert f"/console/orders/{order['id']}" in page.links()
    assert "Rear door" in page.main.text
    assert "Flat tyre" not in page.main.text


@pytest.mark.slow
async def test_sign_ins_of_a_driver_are_listed_and_ended(
    acme: Firm, garage: Garage, seat: Seat
) -> None:
    driver = await garage.driver(phone=PHONE)
    token = (await signed_in(acme))["token"]
    home = f"/console/drivers/{driver['id']}"
    page = await seat.open(home)
    ending = page.main.one("input", name="token")["value"]
    page = await seat.sent(f"{home}/tokens/end", {"token": ending})
    assert "No active sessions" in page.main.text
    assert (await acme.house.client(token).get("/v1/drivers/me")).status_code == 401
    dispatcher, viewer = await Seat.of(acme, "dispatcher"), await Seat.of(acme, "viewer")
    assert "Sessions" in (await dispatcher.open(home)).main.text
    assert "Sessions" not in (await viewer.open(home)).main.text
    refused = await viewer.sent(f"{home}/tokens/end")
    assert "This requires the dispatcher role" in refused.main.one("p", role="alert").text


@pytest.mark.slow
async def test_a_border_is_drawn_by_its_corners_and_saved(garage: Garage, browse: Tabs) -> None:
    page = await browse()
    # Without a graphics card, a map costs as much as it has pixels.
    await page.set_viewport_size({"width": 640, "height": 480})
    await page.goto("/console/service-areas/new")
    await page.get_by_label("Name").fill("East")
    corners = page.locator(".drawing textarea")
    await corners.fill("103.8, 1.3\n103.9, 1.3\n103.9, 1.4")
    await corners.blur()
    await expect(page.get_by_label("Boundary")).to_have_value(re.compile("Polygon"))
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("East")
    (area,) = await garage.get("service-areas")
    assert area["border"]["coordinates"][0][0][0] == [103.8, 1.3]
