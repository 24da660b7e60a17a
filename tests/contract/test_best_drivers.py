"""Decisions §11: `best-drivers` finds who takes an order best, and `optimize` sorts its stops."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES
from planning.day import FRIDAYS, TOMORROW, Yard, at, place
from stage import Firm, House


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


async def best(yard: Yard, order: dict[str, Any], **body: Any) -> list[dict[str, Any]]:
    found: Any = await yard.post(f"orders/{order['id']}/best-drivers", **body)
    return list(found)


async def refused(yard: Yard, path: str, **body: Any) -> tuple[int, str]:
    answer = await yard.firm.api.post(f"/v1/orders/{path}", json=body)
    return answer.status_code, answer.json()["code"]


async def test_the_driver_who_passes_by_takes_an_order_best(yard: Yard) -> None:
    near = await yard.driver(name="Near", shifts=FRIDAYS)
    far = await yard.driver(name="Far", shifts=FRIDAYS)
    idle = await yard.driver(name="Idle", shifts=FRIDAYS)
    for driver, dropoff in ((near, MANDAI), (far, CHANGI)):
        made = await yard.order(pickup=RAFFLES, dropoff=dropoff, scheduled_at=at("08:00"))
        await yard.assign(made, driver)
    order = await yard.order(pickup=RAFFLES, dropoff=MANDAI, scheduled_at=at("08:00"))
    found = await best(yard, order)
    assert [each["driver"]["id"] for each in found] == [near["id"], idle["id"], far["id"]]
    first = found[0]
    assert first["in_time"]
    assert (first["distance"], first["drive_time"], first["stops"]) == (0, 0, 4)
    assert first["time"] == 30 + 180
    assert first["arrives_at"] >= at("08:00")[:-1]
    assert first["roads"] == "great_circle"
    [only] = await best(yard, order, drivers=[far["id"]])
    assert only["driver"] == {"id": far["id"], "name": "Far"}
    assert await yard.get(f"orders/{order['id']}") == order


async def test_an_order_that_has_a_driver_is_compared_as_if_it_had_none(yard: Yard) -> None:
    first = await yard.driver(shifts=FRIDAYS)
    order = await yard.order(scheduled_at=at("08:00"), driver=first["id"])
    [found] = await best(yard, order)
    assert found["stops"] == 2
    assert found["distance"] > 0


async def test_skills_and_capacity_decide_who_can_and_windows_who_is_late(yard: Yard) -> None:
    van = await yard.vehicle(capacity={"items": 1})
    await yard.driver(name="Small", shifts=FRIDAYS, skills=["cold"], vehicle=van["id"])
    await yard.driver(name="Warm", shifts=FRIDAYS)
    busy = await yard.driver(name="Busy", shifts=FRIDAYS, skills=["cold"])
    window = {"time_window_start": at("09:00"), "time_window_end": at("09:05")}
    own = await yard.order(pickup=RAFFLES, dropoff=CHANGI, **window)
    await yard.assign(own, busy)
    order = await yard.order(
        required_skills=["cold"],
        entities=[{"name": "Ice"}, {"name": "Ice"}],
        pickup=RAFFLES,
        dropoff=MANDAI,
        **window,
    )
    [found] = await best(yard, order)
    assert found["driver"]["id"] == busy["id"]
    assert not found["in_time"]
    assert found["lateness"] > 0


async def test_only_an_open_order_that_has_not_started_is_compared(yard: Yard, rival: Firm) -> None:
    driver = await yard.driver()
    order = await yard.order(driver=driver["id"])
    path = f"{order['id']}/best-drivers"
    assert await refused(Yard(rival), path) == (404, "not_found")
    await yard.act(order, "start", skip_dispatch=True)
    assert (await refused(yard, path))[0] == 409
    await yard.act(order, "cancel")
    assert await refused(yard, path) == (409, "order_closed")
    lost = await yard.order(dropoff="Nowhere in particular")
    assert (await refused(yard, f"{lost['id']}/best-drivers"))[0] == 422


async def test_today_routes_begin_where_the_drivers_are(yard: Yard) -> None:
    drivers = [await yard.driver(name=name) for name in ("There", "Here")]
    for driver, where in zip(drivers, (CHANGI, RAFFLES), strict=True):
        location = {"latitude": where["latitude"], "longitude": where["longitude"]}
        await yard.post(f"drivers/{driver['id']}/track", **location)
    order = await yard.order(pickup=RAFFLES, dropoff=MANDAI)
    here, there = await best(yard, order)
    assert [here["driver"]["name"], there["driver"]["name"]] == ["Here", "There"]
    assert here["arrives_at"] == "2026-01-15T12:00:00.000Z"
    assert there["distance"] - here["distance"] > 10_000


def stop(number: int, **more: Any) -> dict[str, Any]:
    return {"place": place(number), **more}


async def names(yard: Yard, order: dict[str, Any]) -> list[str]:
    read = await yard.get(f"orders/{order['id']}")
    return [each["place"]["street1"] for each in read["payload"]["waypoints"]]


async def test_the_stops_of_an_order_are_sorted_with_the_pickup_first(yard: Yard) -> None:
    stops = [stop(number) for number in (4, 1, 3, 0, 2)]
    order = await yard.order(waypoints=[{"place": RAFFLES, "type": "pickup"}, *stops])
    sorted_order = await yard.act(order, "optimize")
    assert await names(yard, order) == [
        "1 Raffles Place", *(f"{number} Orchard Road" for number in range(5))
    ]  # fmt: skip
    assert sorted_order["distance"] < order["distance"]
    assert (await yard.names())[-1] == "order.updated"
    events = len(await yard.names())
    assert await yard.act(order, "optimize") == sorted_order
    assert len(await yard.names()) == events


async def test_time_windows_come_before_short_ways(yard: Yard) -> None:
    late = {"time_window_start": at("14:00"), "time_window_end": at("15:00")}
    early = {"time_window_start": at("09:00"), "time_window_end": at("10:00")}
    order = await yard.order(
        waypoints=[{"place": RAFFLES, "type": "pickup"}, stop(0, **late), stop(4, **early)],
        scheduled_at=at("08:00"),
    )
    await yard.act(order, "optimize")
    assert await names(yard, order) == ["1 Raffles Place", "4 Orchard Road", "0 Orchard Road"]


async def test_an_order_that_has_gone_past_is_not_sorted(yard: Yard, rival: Firm) -> None:
    driver = await yard.driver()
    order = await yard.order(waypoints=[RAFFLES, stop(3), stop(0)], driver=driver["id"])
    path = f"{order['id']}/optimize"
    assert await refused(Yard(rival), path) == (404, "not_found")
    answer = await yard.firm.api.post(f"/v1/orders/{path}", headers={"If-Match": '"99"'})
    assert answer.status_code == 412
    await yard.act(order, "start", skip_dispatch=True)
    assert await refused(yard, path) == (409, "payload_begun")
    await yard.act(order, "cancel")
    assert await refused(yard, path) == (409, "order_closed")


async def test_an_order_of_two_ends_is_sorted_already(yard: Yard) -> None:
    order = await yard.order()
    sorted_order = await yard.act(order, "optimize")
    assert (sorted_order["id"], sorted_order["version"]) == (order["id"], order["version"])


async def test_a_viewer_compares_and_sorts_nothing(yard: Yard, house: House) -> None:
    order = await yard.order()
    made = {"kind": "api", "name": "Reader", "scopes": ["orders:read"]}
    key = (await yard.firm.admin.post("/int/v1/keys", json=made)).json()["key"]
    for action in ("best-drivers", "optimize"):
        path = f"/v1/orders/{order['id']}/{action}"
        assert (await house.client(key).post(path, json={})).status_code == 403
        assert (await house.client().post(path, json={})).status_code == 401


async def test_the_day_of_an_order_is_that_of_its_schedule(yard: Yard) -> None:
    friday = await yard.driver(shifts=FRIDAYS)
    order = await yard.order(scheduled_at=at("09:00"))
    [found] = await best(yard, order)
    assert found["driver"]["id"] == friday["id"]
    assert found["arrives_at"].startswith(TOMORROW)
