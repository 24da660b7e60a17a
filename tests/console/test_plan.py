"""Planning routes at the console: a day is planned, looked at, changed, accepted and undone."""

import asyncio
import json
import re
from typing import Any

import pytest

from console.reading import Page, sent_by
from console.seat import Seat
from pannier.console import assets
from pannier.console.overlay import COLOURS
from pannier.console.plan_chart import COLOR_COUNT, DriverLane, split_lanes
from pannier.console.plan_view import MAX_LISTED_STOPS, MAX_UNASSIGNED, PlanView
from planning.day import TOMORROW, Yard, at, place
from stage import Firm, House

HOME = "/console/plan"
pytestmark = pytest.mark.slow


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


async def planned(yard: Yard, house: House, **more: Any) -> dict[str, Any]:
    """Plan four orders for two drivers."""
    await yard.drivers(2)
    await yard.deliveries(4)
    return await yard.done(house, **more)


async def test_a_plan_is_requested_by_the_form_and_its_page_shows_the_progress(
    yard: Yard, seat: Seat
) -> None:
    await yard.drivers(2)
    await yard.deliveries(3)
    page = await seat.open(HOME)
    assert "No plans yet." in page.main.text
    form = page.form(HOME)
    assert form["day"] == "2026-01-15"
    page = await seat.sent(HOME, {**form, "day": TOMORROW, "service_time": "5", "aim": "balance"})
    assert page.heading == "Route planning Friday, 16 January 2026"
    assert page.root.one("div", id="plan")["data-live-every"] == "1"
    [plan] = await yard.get("plans")
    assert (plan["state"], plan["aim"]) == ("queued", "balance")
    request = (await yard.get(f"plans/{plan['id']}"))["request"]
    assert request["service_time"] == 300
    page = await seat.sent(f"{HOME}/{plan['id']}/cancel")
    assert "This plan was canceled." in page.main.text


async def test_the_page_of_a_plan_shows_routes_by_driver_beside_the_current_assignment(
    yard: Yard, house: House, seat: Seat
) -> None:
    plan = await planned(yard, house)
    page = await seat.open(f"{HOME}/{plan['id']}")
    assert page.heading.endswith("Friday, 16 January 2026")
    [route] = plan["routes"]
    lane = page.main.one("li", class_="lane")
    assert f"1 {route['driver']['name']} 4 orders" in lane.one("summary").text
    stops = lane.one("ol").all("li")
    assert len(stops) == len(lane.one("svg", class_="track").all("a")) == 8
    assert stops[0].text.startswith("08:00 to 08:00 Pickup ")
    assert "currently 0 (+4)" in page.main.one("dl").text
    features = json.loads(page.root.one("script", id="geo").text)["features"]
    assert {one["properties"]["color"] for one in features} == {"route1"}
    drawn = await seat.open(f"{HOME}/{plan['id']}/map")
    assert json.loads(drawn.root.one("script", id="geo").text)["features"] == features
    idle = page.main.one("div", class_="idle")
    assert idle.one("span", class_="chip").text == plan["idle"][0]["driver"]["name"]
    assert "open" not in lane.one("details").attributes
    page = await seat.open(f"{HOME}/{plan['id']}?driver={route['driver']['id']}")
    assert "open" in page.main.one("li", class_="lane").one("details").attributes
    page = await seat.open(f"{HOME}/{plan['id']}?side=current")
    assert "No driver has work on this day." in page.main.text


def test_a_page_with_many_stops_lists_those_of_one_driver_at_a_time() -> None:
    routes = [{"stops": [{}] * MAX_LISTED_STOPS}, {"stops": [{}]}]
    few, many = DriverLane(1, {}, routes[:1]), DriverLane(1, {}, routes)
    assert PlanView(None, [few], [], {}).lists_all
    assert not PlanView(None, [many], [], {}).lists_all


def test_drivers_with_many_stops_are_spread_over_pages() -> None:
    lanes = [
        DriverLane(number, {}, [{"stops": [{}] * count}] if count else [])
        for number, count in enumerate([3, 0, 4, 9, 1, 7], 1)
    ]
    pages = split_lanes(lanes, 8)
    assert [[lane.number for lane in page] for page in pages] == [[1, 3], [4], [5, 6]]
    assert split_lanes([], 8) == [[]]


async def test_the_page_of_a_large_plan_stays_small_and_reaches_every_driver_and_order(
    yard: Yard, house: House, seat: Seat
) -> None:
    await yard.drivers(5)
    await yard.deliveries(70)
    await asyncio.gather(
        *(
            yard.order(
                pickup=place(30),
                dropoff=place(21),
                required_skills=["crane"],
                scheduled_at=at("08:00"),
            )
            for _ in range(MAX_UNASSIGNED + 1)
        )
    )
    plan = await yard.done(house, aim="balance")
    drivers, listed, addresses, sizes = set(), [], [f"{HOME}/{plan['id']}"], []
    for address in addresses:
        page = await seat.open(address)
        sizes.append(len(page.text))
        drivers |= {one["data-driver"] for one in page.main.all("li", class_="lane")}
        left_out = page.main.one("section", id="unassigned").one("ul")
        listed += [one["data-order"] for one in left_out.all("a") if "data-order" in one.attributes]
        nexts = [one["href"] for one in page.main.all("a") if one.attributes.get("rel") == "next"]
        addresses += [
            one.partition("#")[0] for one in nexts if one.partition("#")[0] not in addresses
        ]
    assert len(sizes) > 2
    assert max(sizes) < 100_000
    assert drivers == {route["driver"]["id"] for route in plan["routes"]}
    assert set(listed) == {one["order"] for one in plan["unassigned"]}
    page = await seat.open(f"{HOME}/{plan['id']}?driver={plan['routes'][-1]['driver']['id']}")
    [shown] = [one for one in page.main.all("details") if "open" in one.attributes]
    assert shown.one("ol").all("li")


async def test_stops_that_will_be_late_are_marked_everywhere(
    yard: Yard, house: House, seat: Seat
) -> None:
    await yard.drivers(1)
    await yard.deliveries(2)
    late = await yard.order(
        pickup=place(30), dropoff=place(21), internal_id="SO-90", scheduled_at=at("08:00"),
        time_window_end=at("08:10"),
    )  # fmt: skip
    plan = await yard.done(house, service_time=1200)
    driver = plan["routes"][0]["driver"]["id"]
    moves = [{"order": late["id"], "driver": driver, "position": 4}]
    edited = await yard.firm.api.patch(f"/v1/plans/{plan['id']}", json={"moves": moves})
    assert edited.json()["summary"]["late_stops"] == 1, edited.text
    page = await seat.open(f"{HOME}/{plan['id']}")
    banner = page.main.one("section", class_="banner")
    assert "will be late" in banner.text
    assert ": Driver 0 arrives" in banner.text
    assert "after the time window" in banner.text
    assert page.main.all("rect", class_="late")
    assert [one for one in page.main.all("li") if "SO-90" in one.text and "late" in one.text]
    features = json.loads(page.root.one("script", id="geo").text)["features"]
    assert [one for one in features if one["properties"].get("late")]


async def move(seat: Seat, plan: dict[str, Any], order: str, driver: str) -> Page:
    """Save a move from the page that shows what it changes."""
    here = f"{HOME}/{plan['id']}"
    page = await seat.open(f"{here}/move?order={order}&driver={driver}")
    assert "working time" in page.main.text
    [form] = [form for form in page.main.all("form") if form["method"] == "post"]
    return await seat.sent(f"{here}/move", sent_by(form))


async def test_an_order_is_moved_and_locked_without_script(
    yard: Yard, house: House, seat: Seat
) -> None:
    plan = await planned(yard, house)
    [route], [idle] = plan["routes"], plan["idle"]
    order = route["stops"][0]["order"]
    page = await move(seat, plan, order, idle["driver"]["id"])
    assert f"to {idle['driver']['name']}." in page.root.one("div", id="toasts").text
    edited = await yard.get(f"plans/{plan['id']}")
    assert [len(one["stops"]) for one in edited["routes"]] == [6, 2]
    here = f"{HOME}/{plan['id']}"
    await seat.sent(f"{here}/lock", {"order": order})
    assert (await yard.get(f"plans/{plan['id']}"))["locked"] == [order]
    again = await seat.sent(f"{here}/again")
    assert "Waiting for a worker" in again.main.text
    [newest, _] = await yard.get("plans")
    assert (newest["based_on"], newest["locked"]) == (plan["id"], [order])
    await seat.sent(f"{here}/lock", {"order": order})
    assert (await yard.get(f"plans/{plan['id']}"))["locked"] == []
    page = await seat.sent(f"{here}/lock", {"order": order, "version": "1"})
    assert "This plan was changed after you opened it." in page.text
    page = await move(seat, plan, order, "none")
    assert (
        "A dispatcher removed the order from the plan."
        in page.main.one("section", id="unassigned").text
    )


async def test_accepting_asks_what_it_takes_from_whom_and_can_be_undone(
    yard: Yard, house: House, seat: Seat
) -> None:
    busy, _ = await yard.drivers(2)
    orders = await yard.deliveries(3)
    await yard.assign(orders[0], busy)
    plan = await yard.done(house)
    driver = next(one["driver"] for one in (*plan["routes"], *plan["idle"])
                  if one["driver"]["id"] != busy["id"])  # fmt: skip
    here = f"{HOME}/{plan['id']}"
    await move(seat, plan, orders[0]["id"], driver["id"])
    question = Page((await seat.send(f"{here}/accept", {"sure": ""})).text)
    assert (
        f"1 order is reassigned from {busy['name']} (1). You can undo this later."
        in question.main.text
    )
    assert "2 orders had no driver." in question.main.text
    page = await seat.sent(f"{here}/accept")
    assert "Accepted 12:00" in page.main.text
    assert (await yard.get(f"orders/{orders[0]['id']}"))["driver_assigned"]["id"] == driver["id"]
    page = await seat.sent(f"{here}/revert")
    assert "Orders have their previous drivers again." in page.main.text
    assert (await yard.get(f"orders/{orders[0]['id']}"))["driver_assigned"]["id"] == busy["id"]


async def test_a_plan_that_is_out_of_date_says_what_has_changed_and_can_be_made_again(
    yard: Yard, house: House, seat: Seat
) -> None:
    await yard.drivers(1)
    order, _ = await yard.deliveries(2, internal_id=None)
    plan = await yard.done(house)
    await yard.act(order, "cancel")
    answer = await seat.send(f"{HOME}/{plan['id']}/accept")
    page = Page(answer.text)
    assert answer.status_code == 409
    banner = page.main.one("section", class_="banner")
    number = order["tracking_number"]["tracking_number"]
    assert f"{number}: The order was canceled." in banner.text
    assert banner.one("form")["action"] == f"{HOME}/{plan['id']}/again"


async def test_a_plan_of_chosen_orders_is_made_again_without_those_that_ended(
    yard: Yard, house: House, seat: Seat
) -> None:
    [driver] = await yard.drivers(1)
    ended, still_open = await yard.deliveries(2)
    names = [ended["id"], still_open["id"]]
    fixed = [{"order": ended["id"], "driver": driver["id"]}]
    plan = await yard.done(house, orders=names, fixed=fixed)
    await yard.act(ended, "cancel")
    page = await seat.sent(f"{HOME}/{plan['id']}/again")
    assert "Waiting for a worker" in page.main.text
    [newest, _] = await yard.get("plans")
    request = (await yard.get(f"plans/{newest['id']}"))["request"]
    assert (request["orders"], request["fixed"]) == ([still_open["id"]], [])
    await yard.act(still_open, "cancel")
    page = await seat.sent(f"{HOME}/{plan['id']}/again")
    alert = page.main.one("p", class_="banner", role="alert")
    assert alert.text == "All orders of this plan are completed or canceled."


async def test_a_plan_that_cannot_be_made_again_says_why(
    yard: Yard, house: House, seat: Seat
) -> None:
    await yard.drivers(1)
    [order] = await yard.deliveries(1)
    plan = await yard.done(house)
    await yard.act(order, "cancel")
    page = await seat.sent(f"{HOME}/{plan['id']}/again")
    assert page.main.one("p", class_="banner", role="alert").text == (
        "No open orders are due on this day."
    )


def test_routes_have_the_same_colors_in_the_schedule_and_on_the_map() -> None:
    style = (assets.STATIC / "plan.css").read_text()
    pairs = re.findall(r"--(route\d): light-dark\((#\w{6}), (#\w{6})\)", style)
    light, dark = COLOURS["light"], COLOURS["dark"]
    assert pairs == [(name, light[name], dark[name]) for name in light if "route" in name]
    assert len(pairs) == COLOR_COUNT


async def test_two_plans_are_compared_by_figures_and_drivers(
    yard: Yard, house: House, seat: Seat
) -> None:
    first = await planned(yard, house)
    second = await yard.done(house, aim="vehicles")
    order = second["routes"][0]["stops"][0]["order"]
    await move(seat, second, order, second["idle"][0]["driver"]["id"])
    page = await seat.open(f"{HOME}/compare?plan={first['id']}&plan={second['id']}")
    table, drivers = page.main.all("table")
    assert "Drivers 1 2 +1" in table.text
    number = (await yard.get(f"orders/{order}"))["tracking_number"]["tracking_number"]
    assert f"Added: {number}" in drivers.text
    assert f"Removed: {number}" in drivers.text
    page = await seat.open(f"{HOME}/compare?plan={first['id']}", 422)
    assert "Select two plans to compare them." in page.text


async def test_a_viewer_sees_plans_and_changes_nothing(
    yard: Yard, house: House, acme: Firm
) -> None:
    plan = await planned(yard, house)
    viewer = await Seat.of(acme, "viewer")
    for address in (HOME, f"{HOME}/{plan['id']}"):
        page = await viewer.open(address)
        methods = [form["method"] for form in page.main.all("form") if form.all("button")]
        assert "post" not in methods
        assert not [one for one in page.main.within() if one["data-order"]]
    answer = await viewer.send(f"{HOME}/{plan['id']}/accept", on=HOME)
    assert answer.status_code == 303
    assert (await yard.get(f"plans/{plan['id']}"))["state"] == "done"


async def test_a_day_without_orders_is_explained_in_the_form(seat: Seat) -> None:
    page = await seat.open(HOME)
    page = Page((await seat.send(HOME, page.form(HOME))).text)
    assert "No open orders are due on this day." in page.main.text
    page = Page((await seat.send(HOME, {**page.form(HOME), "day": "2026-01-01"})).text)
    assert page.main.one("small", id="f-day-note").text == "must not be in the past."


async def test_nobody_opens_the_plan_of_another_company(
    yard: Yard, house: House, rival: Firm
) -> None:
    plan = await planned(yard, house)
    stranger = await Seat.of(rival)
    for address in (plan["id"], f"{plan['id']}/move", f"compare?plan={plan['id']}&plan=plan_x"):
        await stranger.open(f"{HOME}/{address}", 404)
