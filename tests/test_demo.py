"""The demo company: everything a visitor looks at is there, and it lives."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pannier.demo import content
from pannier.demo.seeding import seed
from pannier.demo.simulation import STEPS_PER_PLAN_CHECK, DemoSimulation
from pannier.devices.event_types import TYPES
from pannier.devices.writer import Writer
from pannier.files.storage import make_storage
from pannier.kit import geo
from pannier.verification.rules import TEST_CODE
from planning.day import runner
from stage import Firm, House

pytestmark = pytest.mark.slow

NAME = "City"
DISPATCHED = "select count(*) from orders where dispatched_at is not null"
EVENTS = "/int/v1/fleet-module/device-events"


def of(house: House, writer: Writer) -> DemoSimulation:
    storage = make_storage(house.settings)
    return DemoSimulation(house.database, house.settings, storage, writer, name=NAME)


@pytest.fixture
async def city(house: House) -> AsyncIterator[DemoSimulation]:
    writer = Writer(house.database, house.settings)
    made = of(house, writer)
    yield made
    await made.close()
    await writer.close()


@pytest.fixture
async def firm(house: House) -> Firm:
    firm = await house.found(NAME, mode="test")
    async with house.database.transaction() as db:
        await seed(db, firm.uuid)
    return firm


async def board(firm: Firm) -> dict[str, int]:
    columns = (await firm.admin.get("/int/v1/orders/board")).json()["columns"]
    return {column["stage"]: column["count"] for column in columns}


async def whereabouts(firm: Firm) -> dict[str, Any]:
    found = (await firm.admin.get("/int/v1/fleet-module/whereabouts")).json()
    return {unit["name"]: unit["location"] for unit in found["data"]}


async def test_the_city_has_orders_in_each_column_proofs_that_verify_and_a_day_of_device_events(
    firm: Firm, city: DemoSimulation
) -> None:
    await city.step()
    counts = await board(firm)
    assert all(counts.values()), counts
    proofs = (await firm.api.get("/v1/proofs", params={"limit": 100})).json()
    assert {proof["method"] for proof in proofs} == {"signature", "photo", "scan", "sms"}
    for method in ("signature", "photo", "scan", "sms"):
        proof = next(each for each in proofs if each["method"] == method)
        verdict = (await firm.api.get(f"/v1/proofs/{proof['id']}/verify")).json()
        assert verdict["valid"], verdict
    for kind in TYPES:
        found = await firm.admin.get(EVENTS, params={"event_type": kind.name, "limit": 1})
        assert found.json(), kind.name


async def test_drivers_who_carry_an_order_work_now_in_vans_that_are_large_enough(
    firm: Firm, city: DemoSimulation
) -> None:
    await city.step()
    orders = (await firm.api.get("/v1/orders?active=true&limit=100")).json()
    assert orders
    for order in orders:
        warnings = await firm.api.get(f"/v1/orders/{order['id']}/assignment-warnings")
        assert warnings.json() == []
    drivers = (await firm.api.get("/v1/drivers?limit=100")).json()
    assert all(driver["shifts"] and driver["cost_per_hour"] for driver in drivers)
    assert {skill for driver in drivers for skill in driver["skills"]} == {"cold chain", "heavy"}
    vehicles = (await firm.api.get("/v1/vehicles?limit=100")).json()
    assert all(all(vehicle["capacity"].values()) for vehicle in vehicles)


async def test_every_journey_of_the_past_began_where_its_driver_was(
    city: DemoSimulation, house: House
) -> None:
    await city.step()
    nowhere = "select count(*) from tracking_statuses where code = 'started' and latitude is null"
    assert await house.value(nowhere) == 0


async def test_some_could_not_be_handed_over_and_others_can_be_taken(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    await city.step()
    told = {}
    for order in (await firm.api.get("/v1/orders", params={"limit": 100})).json():
        if order["attempts"]:
            attempts = await firm.api.get(f"/v1/orders/{order['id']}/attempts")
            told[attempts.json()[0]["reason"]] = (order, attempts.json()[0])
    assert {reason: order["status"] for reason, (order, _) in told.items()} == {
        "nobody_home": "started",
        "wrong_address": "started",
        "damaged": "canceled",
    }
    assert (told["wrong_address"][0]["undelivered"], len(told["damaged"][1]["proofs"])) == (
        "hold", 1,
    )  # fmt: skip
    await firm.api.post("/v1/drivers/login-with-sms", json={"phone": content.make_driver_phone(0)})
    body = {"phone": content.make_driver_phone(0), "code": TEST_CODE}
    token = (await firm.api.post("/v1/drivers/verify-code", json=body)).json()["token"]
    near = await house.client(token).get("/v1/orders/nearby")
    assert near.status_code == 200, near.text
    assert near.json()


async def test_the_books_have_examples_of_all_money_that_moves(
    firm: Firm, city: DemoSimulation
) -> None:
    await city.step()

    async def count(path: str, **params: Any) -> int:
        answer = await firm.api.get(f"/v1/{path}", params={"limit": 100, **params})
        assert answer.status_code == 200, answer.text
        return len(answer.json())

    for status in ("none", "unpaid", "partially_paid", "paid", "overpaid"):
        assert await count("orders", payment_status=status), status
    for status in ("unpriced", "priced", "accepted"):
        assert await count("orders", price_status=status), status
    for status in ("draft", "overdue", "paid"):
        assert await count("invoices", status=status), status
    kinds = {one["kind"] for one in (await firm.api.get("/v1/invoices")).json()}
    assert kinds == {"invoice", "credit_note"}
    for handed_in in (True, False):
        assert await count("cash/collections", handed_in=handed_in, has_difference=True)
    assert await count("cash/hand-ins", has_difference=True)
    assert await count("cash/remittances")
    balances = (await firm.api.get("/v1/cash/balances")).json()
    assert balances["drivers"]
    assert balances["customers"]
    active = (await firm.api.get("/v1/orders?active=true&limit=100")).json()
    assert [one for one in active if one["cash_to_collect"] and one["started"]]


async def test_a_second_start_adds_nothing_to_the_past(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    await city.step()
    before = await house.value("select count(*) from orders")
    writer = Writer(house.database, house.settings)
    await of(house, writer).step()
    await writer.close()
    assert await house.value("select count(*) from orders") == before
    assert sum((await board(firm)).values()) >= 30
    assert before >= 60


async def test_the_demo_starts_whatever_a_visitor_does_to_its_orders(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    # A visitor's order has a number that the history would use.
    taken = {"internal_id": "DC-1025", "pickup": "60.17,24.94", "dropoff": "60.18,24.95"}
    assert (await firm.api.post("/v1/orders", json=taken)).status_code == 201
    await city.step()
    before = await house.value("select count(*) from orders")
    assert before >= 60
    first, second = "/v1/orders/internal:DC-1021", "/v1/orders/internal:DC-1022"
    assert (await firm.api.delete(first)).status_code == 200
    renamed = await firm.api.patch(second, json={"internal_id": "MINE"})
    assert renamed.status_code == 200, renamed.text
    writer = Writer(house.database, house.settings)
    again = of(house, writer)
    await again.step()
    assert await house.value("select count(*) from orders") == before
    await again.step()
    await again.close()
    await writer.close()
    # It goes on, and adds at most the order of a step.
    assert await house.value("select count(*) from orders") <= before + 1
    copies = "select count(*) from orders where internal_id = 'DC-1025-2'"
    assert await house.value(copies) == 1


async def test_vans_move_orders_are_completed_and_others_are_placed(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    await city.step()
    await city.step()
    before, done = await whereabouts(firm), (await board(firm))["completed"]
    for _ in range(3):
        house.clock.advance(seconds=60)
        await city.step()
    after = await whereabouts(firm)
    ways = [geo.distance(geo.parse(before[name]), geo.parse(after[name])) for name in before]
    assert sum(metres > 150 for metres in ways) >= 5
    placed = await house.value("select count(*) from orders")
    for _ in range(2):
        house.clock.advance(minutes=40)
        await city.step()
    assert (await board(firm))["completed"] > done
    for _ in range(20):
        house.clock.advance(seconds=5)
        await city.step()
    assert await house.value("select count(*) from orders") > placed


async def test_the_planner_assigns_the_orders_of_the_morning(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    await city.step()
    assert await runner(house).step()
    await city.step()
    plans = (await firm.api.get("/v1/plans", params={"state": "accepted"})).json()
    assert len(plans) == 1
    assert plans[0]["summary"]["unassigned"] == 0
    plan = (await firm.api.get(f"/v1/plans/{plans[0]['id']}")).json()
    assert len([route for route in plan["routes"] if route["stops"]]) >= 8
    assert await house.value("select count(*) from orders where driver is not null") >= 90
    house.clock.advance(minutes=12)
    before = await house.value(DISPATCHED)
    for _ in range(STEPS_PER_PLAN_CHECK):
        await city.step()
    assert await house.value(DISPATCHED) > before


async def test_what_a_visitor_calls_off_is_left_alone(
    firm: Firm, city: DemoSimulation, house: House
) -> None:
    await city.step()
    await city.step()
    params = {"status": "enroute", "limit": 100}
    under_way = [each["id"] for each in (await firm.api.get("/v1/orders", params=params)).json()]
    assert under_way
    for order in under_way:
        gone = await firm.api.delete(f"/v1/orders/{order}/cancel")
        assert gone.status_code == 200, gone.text
    house.clock.advance(hours=1)
    await city.step()
    for order in under_way:
        assert (await firm.api.get(f"/v1/orders/{order}")).json()["status"] == "canceled"


async def test_no_other_company_is_touched(acme: Firm, city: DemoSimulation, house: House) -> None:
    await city.step()
    assert await house.value("select count(*) from orders") == 0
    assert (await acme.api.get("/v1/vehicles")).json() == []
