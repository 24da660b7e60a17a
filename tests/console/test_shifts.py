"""Shifts, skills, costs and capacities at the console."""

from typing import Any

import pytest

from console.reading import Page
from console.seat import Seat
from fleet.depot import Depot
from stage import Firm

SHIFT = {
    "days": ["mon", "tue", "wed", "fri"], "start": "08:00", "end": "16:00",
    "breaks": [{"earliest": "11:00", "latest": "13:00", "duration": 1800},
               {"earliest": "14:30", "latest": "15:00", "duration": 600}],
}  # fmt: skip
NIGHT = {"days": ["sat"], "start": "22:00", "end": "06:00", "breaks": []}
HOLIDAYS = {"date": "2026-07-06", "until": "2026-07-17", "shifts": []}
FAIR = {
    "date": "2026-05-01", "until": None,
    "shifts": [{"start": "08:00", "end": "12:00", "breaks": []},
               {"start": "17:00", "end": "21:00",
                "breaks": [{"earliest": "18:00", "latest": "19:00", "duration": 900}]}],
}  # fmt: skip


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


async def edited(seat: Seat, driver: dict[str, Any], **fields: Any) -> tuple[str, dict[str, Any]]:
    """Open the form of a driver's shifts, and fill in some fields."""
    home = f"/console/drivers/{driver['id']}/shifts"
    form = (await seat.open(home)).form(home)
    return home, {**form, **fields}


async def hours(depot: Depot, driver: dict[str, Any]) -> tuple[Any, Any]:
    found = await depot.get(f"drivers/{driver['id']}")
    return found["shifts"], found["shift_exceptions"]


async def test_a_driver_gets_shifts_with_breaks_and_days_off(depot: Depot, seat: Seat) -> None:
    driver = await depot.driver()
    home, form = await edited(seat, driver)
    assert form["works"] == "any_time"
    rows = {
        "works": "weekly", "shifts[0].days": SHIFT["days"], "shifts[0].start": "08:00",
        "shifts[0].end": "16:00", "shifts[0].breaks": "11:00-13:00 30, 14:30 - 15:00 10 min",
        "shifts[4].days": ["sat"], "shifts[4].start": "22:00", "shifts[4].end": "06:00",
        "shift_exceptions[0].date": "2026-05-01", "shift_exceptions[0].start": "08:00",
        "shift_exceptions[0].end": "12:00",
        "shift_exceptions[1].date": "2026-07-06", "shift_exceptions[1].until": "2026-07-17",
        "shift_exceptions[2].date": "2026-05-01", "shift_exceptions[2].start": "17:00",
        "shift_exceptions[2].end": "21:00", "shift_exceptions[2].breaks": "18:00-19:00 15",
    }  # fmt: skip
    page = await seat.sent(home, {**form, **rows}, on=f"/console/drivers/{driver['id']}")
    assert await hours(depot, driver) == ([SHIFT, NIGHT], [FAIR, HOLIDAYS])
    (days, week), saturday = page.rows()[:2]
    assert days == "Mon to Wed, Fri"
    assert week.startswith("08:00 to 16:00")
    assert "30 min between 11:00 and 13:00, 10 min between 14:30 and 15:00" in week
    assert saturday == ["Sat", "22:00 to 06:00 (next day)"]
    assert "08:00 to 12:00, 17:00 to 21:00" in page.main.text


async def test_shifts_that_are_saved_as_they_were_stay_the_same(depot: Depot, seat: Seat) -> None:
    driver = await depot.driver(shifts=[SHIFT, NIGHT], shift_exceptions=[FAIR, HOLIDAYS])
    home, form = await edited(seat, driver)
    # A browser sends all that are checked.
    form["shifts[0].days"] = SHIFT["days"]
    answer = await seat.send(home, form)
    assert answer.status_code == 303, Page(answer.text).main.text
    assert await hours(depot, driver) == ([SHIFT, NIGHT], [FAIR, HOLIDAYS])


async def test_a_driver_who_works_at_any_time_has_no_weekly_shifts(
    depot: Depot, seat: Seat
) -> None:
    driver = await depot.driver(shifts=[SHIFT])
    home, form = await edited(seat, driver, works="any_time")
    page = await seat.sent(home, form)
    assert await hours(depot, driver) == (None, [])
    assert "Works at any time." in page.main.text


async def test_rows_are_added_and_removed_before_anything_is_saved(
    depot: Depot, seat: Seat
) -> None:
    driver = await depot.driver(shifts=[SHIFT, NIGHT])
    home, form = await edited(seat, driver, do="remove:shifts[0]")
    page = Page((await seat.send(home, form)).text)
    assert page.form(home)["shifts[0].start"] == "22:00"
    more = Page((await seat.send(home, {**page.form(home), "do": "add:shifts"})).text)
    assert more.form(home)["shifts[1].start"] == ""
    assert (await hours(depot, driver))[0] == [SHIFT, NIGHT]


@pytest.mark.parametrize(
    ("fields", "note", "words"),
    [
        ({"shifts[0].breaks": "at noon"}, "f-shifts-0-breaks-note", "11:00-13:00 30"),
        ({"shifts[0].breaks": "15:50-15:50 30"}, "f-shifts-0-breaks-note", "within the shift"),
        ({"shifts[0].end": ""}, "f-shifts-0-end-note", "required"),
        (
            {"shift_exceptions[0].date": "2026-05-01", "shift_exceptions[1].date": "2026-05-02",
             "shift_exceptions[1].start": "08:00"},
            "f-shift_exceptions-1-end-note", "required",
        ),
        (
            {"shift_exceptions[0].date": "2026-05-03", "shift_exceptions[0].until": "2026-05-01"},
            "f-shift_exceptions-0-until-note", "before",
        ),
    ],
)  # fmt: skip
async def test_a_fault_stands_beside_its_field(
    depot: Depot, seat: Seat, fields: dict[str, str], note: str, words: str
) -> None:
    driver = await depot.driver(shifts=[SHIFT])
    home, form = await edited(seat, driver, **fields)
    answer = await seat.send(home, form)
    assert answer.status_code == 422
    assert words in Page(answer.text).root.one("small", id=note).text
    assert (await hours(depot, driver))[0] == [SHIFT]


async def test_overlapping_shifts_are_refused_at_the_row(depot: Depot, seat: Seat) -> None:
    driver = await depot.driver(shifts=[SHIFT])
    more = {"shifts[1].days": ["fri"], "shifts[1].start": "15:00", "shifts[1].end": "18:00"}
    home, form = await edited(seat, driver, **more)
    page = Page((await seat.send(home, form)).text)
    assert "overlaps shifts[0]" in page.main.one("fieldset", id="list-shifts").text


async def test_shifts_that_somebody_else_changed_are_not_overwritten(
    depot: Depot, seat: Seat
) -> None:
    driver = await depot.driver(shifts=[SHIFT])
    home, form = await edited(seat, driver)
    await depot.patch(f"drivers/{driver['id']}", shifts=[NIGHT])
    answer = await seat.send(home, form)
    assert answer.status_code == 412
    assert "changed after you opened it" in Page(answer.text).main.one("p", role="alert").text
    assert (await hours(depot, driver))[0] == [NIGHT]


async def test_a_viewer_is_not_offered_the_form(acme: Firm, depot: Depot) -> None:
    driver, viewer = await depot.driver(), await Seat.of(acme, "viewer")
    page = await viewer.open(f"/console/drivers/{driver['id']}")
    assert f"/console/drivers/{driver['id']}/shifts" not in page.links()
    answer = await viewer.send(f"/console/drivers/{driver['id']}/shifts", {"works": "weekly"})
    assert answer.status_code == 403


async def saved(seat: Seat, home: str, **fields: str) -> None:
    form = (await seat.open(home)).sheet()
    answer = await seat.send(home, {**form, **fields})
    assert answer.status_code == 303, Page(answer.text).main.text


async def test_a_cost_is_typed_in_major_units_of_the_companys_currency(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"currency": "JPY"})
    driver, vehicle = await depot.driver(), await depot.vehicle()
    drivers, vehicles = f"drivers/{driver['id']}", f"vehicles/{vehicle['id']}"
    await saved(seat, f"/console/{drivers}/edit", cost_per_hour="2400", skills="Heavy\ncold chain")
    found = await depot.get(drivers)
    assert (found["cost_per_hour"], found["currency"]) == (2400, "JPY")
    assert found["skills"] == ["heavy", "cold chain"]
    await saved(seat, f"/console/{drivers}/edit", currency="EUR", cost_per_hour="24.5")
    found = await depot.get(drivers)
    assert (found["cost_per_hour"], found["currency"]) == (2450, "EUR")
    assert (await seat.open(f"/console/{drivers}/edit")).sheet()["cost_per_hour"] == "24.50"
    await saved(seat, f"/console/{vehicles}/edit", cost_per_km="35", profile="van")
    found = await depot.get(vehicles)
    assert (found["cost_per_km"], found["currency"], found["profile"]) == (35, "JPY", "van")
    await saved(seat, f"/console/{vehicles}/edit", cost_per_km="")
    assert (await depot.get(vehicles))["cost_per_km"] is None


async def test_an_edit_that_leaves_the_cost_alone_does_not_send_it(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    driver = await depot.driver()
    await saved(seat, f"/console/drivers/{driver['id']}/edit", city="Singapore")
    [event] = await depot.told("driver.updated")
    assert event["data"]["changed"] == ["city"]


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"cost_per_hour": "24"}, "f-currency-note"),
        ({"cost_per_hour": "much", "currency": "SGD"}, "f-cost_per_hour-note"),
    ],
)
async def test_a_cost_without_a_currency_or_a_number_is_refused(
    depot: Depot, seat: Seat, fields: dict[str, str], note: str
) -> None:
    driver = await depot.driver()
    home = f"/console/drivers/{driver['id']}/edit"
    form = (await seat.open(home)).sheet()
    answer = await seat.send(home, {**form, **fields})
    assert answer.status_code == 422
    assert Page(answer.text).root.one("small", id=note).text


async def test_a_vehicles_capacity_is_typed_and_shown(depot: Depot, seat: Seat) -> None:
    vehicle = await depot.vehicle(payload_capacity=800)
    home = f"/console/vehicles/{vehicle['id']}"
    fields = {"capacity.volume": "6.5", "capacity.items": "40"}
    await saved(seat, f"{home}/edit", **fields)
    found = await depot.get(f"vehicles/{vehicle['id']}")
    assert found["capacity"] == {"weight": 800, "volume": 6.5, "items": 40}
    assert "6.5" in (await seat.open(home)).main.text


async def test_an_order_shows_why_its_driver_does_not_suit_it(depot: Depot, seat: Seat) -> None:
    driver = await depot.driver(name="Ada", shifts=[])
    order = await depot.order()
    home = f"/console/orders/{order['id']}"
    await saved(seat, f"{home}/edit", required_skills="Tail lift")
    page = await seat.sent(f"{home}/assign", {"driver": driver["id"]})
    assert "Driver assigned." in page.root.one("div", id="toasts").text
    banners = [banner.text.strip() for banner in page.main.all("p", role="status")]
    assert banners == [
        "Ada does not work at this time: today, 12:00.",
        "Ada lacks the skill tail lift.",
    ]
    await depot.patch(f"drivers/{driver['id']}", shifts=None, skills=["tail lift"])
    assert not (await seat.open(home)).main.all("p", role="status")


@pytest.mark.parametrize("verb", ["assign", "dispatch"])
async def test_the_board_warns_of_a_driver_who_is_off_shift(
    depot: Depot, seat: Seat, verb: str
) -> None:
    driver, order = await depot.driver(name="Ada", shifts=[]), await depot.order()
    fields = {"verb": verb, "driver": driver["id"]}
    page = await seat.sent(f"/console/orders/{order['id']}/do", fields, on="/console/orders")
    toast = page.root.one("div", id="toasts").text
    assert "Ada does not work at this time: today, 12:00." in toast
    assert (await depot.get(f"orders/{order['id']}"))["driver_assigned"]["id"] == driver["id"]


async def test_the_planner_warns_of_the_time_that_an_order_is_moved_to(
    depot: Depot, seat: Seat
) -> None:
    every_day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    shift = {"days": every_day, "start": "08:00", "end": "16:00"}
    driver, order = await depot.driver(shifts=[shift]), await depot.order()
    fields = {"verb": "plan", "driver": driver["id"], "at": "2026-01-16T07:00"}
    page = await seat.sent(f"/console/orders/{order['id']}/do", fields, on="/console/orders")
    assert "does not work at this time: tomorrow, 07:00" in page.root.one("div", id="toasts").text
    page = await seat.sent(
        f"/console/orders/{order['id']}/do", fields | {"at": "2026-01-16T09:00"},
        on="/console/orders",
    )  # fmt: skip
    assert "does not work" not in page.root.one("div", id="toasts").text


async def test_several_orders_are_assigned_with_the_warnings_of_each(
    depot: Depot, seat: Seat
) -> None:
    driver = await depot.driver(name="Ada")
    plain, cold = await depot.order(), await depot.order(required_skills=["cold chain"])
    fields = {"verb": "assign", "order": [plain["id"], cold["id"]], "driver": driver["id"]}
    page = await seat.sent("/console/orders/bulk", fields, on="/console/orders")
    assert "2 of 2 done" in page.heading
    assert page.main.text.count("Ada lacks the skill cold chain.") == 1


async def test_a_new_order_names_the_skills_that_it_needs(depot: Depot, seat: Seat) -> None:
    home = "/console/orders/new"
    form = (await seat.open(home)).form(home)
    fields = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79", "required_skills": "Heavy"}
    answer = await seat.send(home, {**form, **fields})
    assert answer.status_code == 303, Page(answer.text).main.text
    [order] = await depot.get("orders")
    assert order["required_skills"] == ["heavy"]
