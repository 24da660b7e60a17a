"""The fleet at the console: vehicles, drivers, fleets, issues, places, areas, zones."""

from typing import Any

import pytest

from console.reading import Page
from console.seat import Seat
from fleet.depot import Depot
from proofs import drawn
from stage import Firm

BORDER = (
    '{"type": "Polygon", "coordinates": [[[103.8, 1.3], [103.9, 1.3], [103.9, 1.4], [103.8, 1.3]]]}'
)


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


async def area(firm: Firm, **more: Any) -> dict[str, Any]:
    around = {"location": {"latitude": 1.35, "longitude": 103.8}, "radius": 2000}
    made = await firm.api.post("/v1/service-areas", json={"name": "Centre", **around, **more})
    found: dict[str, Any] = made.json()
    return found


async def test_lists_call_drivers_and_vehicles_by_what_people_know_them_by(
    depot: Depot, seat: Seat
) -> None:
    vehicle = await depot.vehicle(plate_number="SGX 1234 A")
    driver = await depot.driver(name="Ada", vehicle=vehicle["id"])
    ((plate, name, *_),) = (await seat.open("/console/vehicles")).rows()
    assert (plate, name) == ("SGX 1234 A", "Ada")
    page = await seat.open("/console/drivers")
    assert f"/console/vehicles/{vehicle['id']}" in page.links()
    assert "SGX 1234 A" in page.rows()[0]
    assert f"/console/drivers/{driver['id']}" in page.links()


async def test_a_driver_is_made_with_a_vehicle_and_brought_online(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    vehicle = await depot.vehicle()
    form = (await seat.open("/console/drivers/new")).sheet()
    given = {"name": "Ada", "phone": "+6591234567", "vehicle": vehicle["id"]}
    made = await seat.send("/console/drivers/new", {**form, **given})
    home = made.headers["Location"]
    page = await seat.sent(f"{home}/bring-online")
    assert "Driver is online." in page.root.one("div", id="toasts").text
    (driver,) = await depot.get("drivers")
    assert (driver["online"], driver["vehicle"]) == (True, vehicle["id"])
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    mine = [entry for entry in log if entry["subject"] == driver["id"]]
    assert {entry["actor_type"] for entry in mine} == {"operator"}


async def test_a_phone_that_somebody_has_is_refused_in_words(depot: Depot, seat: Seat) -> None:
    driver = await depot.driver()
    answer = await seat.send("/console/drivers/new", {"name": "Eve", "phone": driver["phone"]})
    assert answer.status_code == 409
    assert Page(answer.text).main.one("p", role="alert").text


async def test_an_issue_shows_the_photos_it_was_reported_with(depot: Depot, seat: Seat) -> None:
    photo = drawn.text(drawn.photo())
    issue = await depot.post("issues/with-photos", report="The box is torn.", photos=[photo])
    page = await seat.open(f"/console/issues/{issue['id']}")
    small = page.main.one("div", class_="thumbs").one("img").attributes["src"] or ""
    assert small.startswith("/files/file_")
    answer = await depot.firm.house.client().get(small)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")


async def test_an_issue_is_resolved_and_reopened(depot: Depot, seat: Seat) -> None:
    issue = await depot.issue(title="Rear door")
    home = f"/console/issues/{issue['id']}"
    assert f"{home}/resolve" in [
        form["action"] for form in (await seat.open(home)).root.all("form")
    ]
    page = await seat.sent(f"{home}/resolve", {"resolution": "The hinge was replaced."})
    assert "The hinge was replaced." in page.main.text
    again = await seat.sent(f"{home}/resolve", {"resolution": "Twice."})
    assert "reopen it first" in again.main.one("p", role="alert").text
    await seat.sent(f"{home}/reopen")
    assert (await depot.get(f"issues/{issue['id']}"))["status"] == "re_opened"


@pytest.mark.slow
async def test_a_fleet_takes_members_in_and_lets_them_go(depot: Depot, seat: Seat) -> None:
    fleet, driver = await depot.fleet(), await depot.driver(name="Ada")
    vehicle = await depot.vehicle(plate_number="SGX 9")
    home = f"/console/fleets/{fleet['id']}"
    await seat.sent(f"{home}/drivers", {"driver": driver["id"]})
    page = await seat.sent(f"{home}/vehicles", {"vehicle": vehicle["id"]})
    assert "Ada" in page.main.text
    assert "SGX 9" in page.main.text
    await seat.sent(f"{home}/drivers/{driver['id']}/remove")
    found = await depot.get(f"fleets/{fleet['id']}")
    assert (found["drivers"], found["vehicles"]) == ([], [vehicle["id"]])
    refused = await seat.sent(f"{home}/drivers", {"driver": ""})
    assert refused.main.one("p", role="alert").text


async def test_a_place_keeps_its_point_as_it_was_typed(depot: Depot, seat: Seat) -> None:
    form = (await seat.open("/console/places/new")).sheet()
    given = {"name": "Shop", "street1": "1 Raffles Place", "location": "1.284, 103.851"}
    made = await seat.send("/console/places/new", {**form, **given})
    (place,) = await depot.get("places")
    assert place["location"]["coordinates"] == [103.851, 1.284]
    home = made.headers["Location"]
    assert (await seat.open(f"{home}/edit")).sheet()["location"] == "1.284, 103.851"
    assert "Location" in (await seat.open(home)).main.one("x-map")["data-label"]


async def test_a_service_area_is_made_of_a_border_and_a_zone_within_it(
    depot: Depot, seat: Seat
) -> None:
    form = (await seat.open("/console/service-areas/new")).sheet()
    made = await seat.send("/console/service-areas/new", {**form, "name": "East", "border": BORDER})
    home = made.headers["Location"]
    page = await seat.open(home)
    (onward,) = [link for link in page.links() if link.startswith("/console/zones/new")]
    form = (await seat.open(onward)).sheet()
    assert form["service_area"] == "East"
    assert form["service_area~id"] == f"{home.rpartition('/')[2]} East"
    await seat.send("/console/zones/new", {**form, "name": "Harbour", "border": BORDER})
    assert "Harbour" in (await seat.open(home)).main.text
    ((name, within, *_),) = (await seat.open("/console/zones")).rows()
    assert (name, within) == ("Harbour", "East")
    (zone,) = await depot.get("zones")
    assert zone["trigger_on_entry"] is False


async def test_what_is_there_already_lies_under_what_is_drawn(acme: Firm, seat: Seat) -> None:
    made = await area(acme, name="East")
    page = await seat.open("/console/service-areas/new")
    assert "East" in page.root.one("script", id="geo").text
    page = await seat.open(f"/console/service-areas/{made['id']}/edit")
    assert "East" not in page.root.one("script", id="geo").text


async def test_a_border_that_is_none_is_refused_beside_it(seat: Seat) -> None:
    given = {"name": "East", "border": "somewhere"}
    answer = await seat.send("/console/service-areas/new", given)
    assert answer.status_code == 422
    assert "not valid JSON" in Page(answer.text).root.one("small", id="f-border-note").text


async def test_areas_are_for_admins_to_draw(acme: Firm) -> None:
    dispatcher = await Seat.of(acme, "dispatcher")
    assert (
        "/console/service-areas/new"
        not in (await dispatcher.open("/console/service-areas")).links()
    )
    refused = await dispatcher.sent(
        "/console/service-areas/new", {"name": "East", "border": BORDER}
    )
    assert "This requires the admin role" in refused.main.one("p", role="alert").text


@pytest.mark.slow
async def test_a_viewer_looks_at_the_fleet_and_changes_nothing(acme: Firm, depot: Depot) -> None:
    viewer = await Seat.of(acme, "viewer")
    made = {
        "vehicles": await depot.vehicle(),
        "drivers": await depot.driver(),
        "fleets": await depot.fleet(),
        "issues": await depot.issue(),
        "places": await depot.post("places", name="Shop", street1="1 Raffles Place"),
        "service-areas": await area(acme),
    }
    for resource, record in made.items():
        assert f"/console/{resource}/new" not in (await viewer.open(f"/console/{resource}")).links()
        page = await viewer.open(f"/console/{resource}/{record['id']}")
        assert page.main.all("form") == [], resource
        await viewer.send(f"/console/{resource}/{record['id']}/delete")
    assert len(await depot.get("drivers")) == 1
