"""Ways are measured along roads by an engine, and along great circles when it is away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from maps.two_cities import use_cities
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.accounts.company_settings.models import Pace
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.orders import roads
from pannier.routing import breaker, route
from pannier.routing.configuration import create_router
from pannier.routing.router import Router
from pannier.settings import SettingsError, load
from routing import machines
from routing.machines import Machine
from stage import Firm, House

HERE, THERE, BEYOND = Point(103.851, 1.284), Point(103.79, 1.404), Point(103.988, 1.357)
PACE = Pace()


@asynccontextmanager
async def engine(clock: ManualClock, kind: str = "osrm", **settings: str) -> AsyncIterator[Any]:
    """A router, and the machine that it asks."""
    async with machines.opened(getattr(machines, kind)) as machine:
        chosen = load({}, router=kind, router_url=machine.url, **settings)
        yield create_router(chosen, clock), machine


async def source(router: Router, *points: Point) -> str:
    way = await router.measure(points or (HERE, THERE), PACE)
    assert way is not None
    return way.source


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
async def test_an_engine_measures_the_sum_of_the_legs(clock: ManualClock, kind: str) -> None:
    async with engine(clock, kind) as (router, machine):
        way = await router.measure([HERE, THERE, BEYOND], PACE)
    assert (way.distance, way.time, way.source) == (60_001, 1_800, kind)
    assert [round(leg.distance) for leg in way.legs] == [30_000, 30_000]
    assert len(machine.asked) == 1


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
async def test_a_way_of_very_many_stops_is_asked_for_in_pieces(
    clock: ManualClock, kind: str
) -> None:
    stops = [Point(103.8 + number / 1000, 1.3) for number in range(150)]
    async with engine(clock, kind) as (router, machine):
        way = await router.measure(stops, PACE)
    assert len(way.legs) == 149
    assert way.distance == round(149 * 30_000.4)
    assert len(machine.asked) == {"osrm": 2, "valhalla": 8}[kind]


async def test_the_same_way_is_asked_for_once_in_ten_minutes(clock: ManualClock) -> None:
    async with engine(clock) as (router, machine):
        for _ in range(3):
            assert await source(router) == "osrm"
        assert len(machine.asked) == 1
        clock.advance(minutes=11)
        assert await source(router) == "osrm"
        assert len(machine.asked) == 2


@pytest.mark.parametrize(
    ("status", "raw"),
    [
        (500, b"{}"),
        (200, b"<html>"),
        (200, b'{"code":"Ok","routes":[]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[]}]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":-1,"duration":9}]}]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":12000,"duration":-9}]}]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":10,"duration":9}]}]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":1e300,"duration":9}]}]}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":"far","duration":9}]}]}'),
        (200, b" " * 300_000),
        (400, b'{"code":"InvalidQuery"}'),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_an_engine_that_fails_or_lies_is_not_believed(
    clock: ManualClock, status: int, raw: bytes
) -> None:
    async with engine(clock) as (router, machine):
        machine.status, machine.raw = status, raw
        way = await router.measure([HERE, THERE], PACE)
    great_circle = route.measure_great_circle([HERE, THERE], PACE)
    assert msgspec.structs.replace(way, firm=True) == great_circle
    assert way.source == "great_circle"


@pytest.mark.slow
async def test_an_engine_that_takes_too_long_is_not_waited_for(clock: ManualClock) -> None:
    async with engine(clock, router_seconds="1") as (router, machine):
        machine.open.clear()
        assert await source(router) == "great_circle"
        assert len(machine.asked) == 1


async def test_an_engine_that_keeps_failing_is_left_alone_for_a_while(clock: ManualClock) -> None:
    async with engine(clock) as (router, machine):
        machine.status = 502
        for _ in range(breaker.MAX_FAILURES + 5):
            assert await source(router) == "great_circle"
        assert len(machine.asked) == breaker.MAX_FAILURES
        clock.advance(seconds=31)
        assert await source(router) == "great_circle"
        assert await source(router) == "great_circle"
        assert len(machine.asked) == breaker.MAX_FAILURES + 1, "one finds out how things are"
        machine.status = 200
        clock.advance(seconds=31)
        assert await source(router) == "osrm"


async def test_our_own_engine_is_asked_again_within_seconds(
    clock: ManualClock, tmp_path: Path
) -> None:
    use_cities(tmp_path, ("car",))
    where = {"router": "embedded", "data": str(tmp_path)}
    async with machines.opened(machines.osrm) as machine:
        router = create_router(load({}, router_url=f"car={machine.url}", **where), clock)
        machine.status = 503  # it starts
        for _ in range(breaker.MAX_FAILURES + 1):
            assert await source(router) == "great_circle"
        machine.status = 200
        assert await source(router) == "great_circle"
        clock.advance(seconds=3)
        assert await source(router) == "osrm"


@pytest.mark.parametrize(
    ("status", "raw"),
    [
        (400, b'{"code":"NoRoute"}'),
        (400, b'{"code":"TooBig"}'),
        (200, b'{"code":"Ok","routes":[{"legs":[{"distance":1,"duration":1}]}]}'),
    ],
)
async def test_where_no_road_leads_the_engine_is_well_all_the_same(
    clock: ManualClock, status: int, raw: bytes
) -> None:
    async with engine(clock) as (router, machine):
        machine.status, machine.raw = status, raw
        for number in range(breaker.MAX_FAILURES + 1):
            assert await source(router, HERE, Point(104.0, 1 + number / 10)) == "great_circle"
        machine.status, machine.raw = 200, None
        assert await source(router, HERE, BEYOND) == "osrm"


@pytest.mark.parametrize("wrong", [None, "osrm.internal", "ftp://osrm", "http://osrm?key=1"])
def test_an_address_that_cannot_be_right_is_told_at_the_start(
    clock: ManualClock, wrong: str | None
) -> None:
    with pytest.raises(SettingsError, match="PANNIER_ROUTER_URL"):
        create_router(load({}, router="osrm", router_url=wrong), clock)


async def measure(house: House) -> int:
    """Let the worker measure all there is."""
    router, count = create_router(house.settings, house.clock), 0
    while await roads.step(house.database, router):
        count += 1
    return count


async def test_an_order_is_measured_by_road_before_it_is_placed_and_again_after_a_change(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    order = await shop.order()
    assert (order["distance"], order["time"], order["route_source"]) == (30_000, 900, "osrm")
    assert len(machine.asked) == 1
    assert await measure(shop.firm.house) == 0
    # What does not change the way does not measure it again.
    await shop.patch(
        f"orders/{order['id']}", notes="Ring twice", dropoff=order["payload"]["dropoff"]
    )
    assert await measure(shop.firm.house) == 0
    changed = await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert changed["route_source"] == "great_circle"
    assert await measure(shop.firm.house) == 1
    assert (await shop.get(f"orders/{order['id']}"))["route_source"] == "osrm"


async def test_an_order_whose_way_changes_while_the_engine_is_asked_is_measured_again(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    house = shop.firm.house
    order = await shop.order()
    await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    waypoints = [{"place": each} for each in (RAFFLES, MANDAI, CHANGI)]
    machine.open.clear()
    asking = asyncio.create_task(measure(house))
    await machine.crowd(2)
    await shop.patch(f"orders/{order['id']}", waypoints=waypoints)
    machine.open.set()
    assert await asking == 2
    order = await shop.get(f"orders/{order['id']}")
    assert (order["distance"], order["route_source"]) == (60_001, "osrm")
    assert len(machine.asked) == 3


async def test_while_the_engine_is_away_orders_wait_and_are_measured_when_it_is_back(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    machine.status = 503
    order = await shop.order()
    assert await measure(shop.firm.house) == 1
    assert (await shop.get(f"orders/{order['id']}"))["route_source"] == "great_circle"
    machine.status = 200
    assert await measure(shop.firm.house) == 0, "not at once"
    shop.firm.house.clock.advance(minutes=5)
    assert await measure(shop.firm.house) == 1
    assert (await shop.get(f"orders/{order['id']}"))["route_source"] == "osrm"


async def test_where_no_road_leads_the_engine_is_asked_once_until_the_stops_change(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    house = shop.firm.house
    machine.status, machine.raw = 400, b'{"code":"NoRoute"}'
    order = await shop.order()
    assert order["route_source"] == "great_circle"
    assert await measure(house) == 0
    await shop.patch(f"orders/{order['id']}", notes="Ring twice")
    assert await measure(house) == 0
    machine.status, machine.raw = 200, None
    await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert await measure(house) == 1
    assert (await shop.get(f"orders/{order['id']}"))["route_source"] == "osrm"


async def test_arrivals_and_the_way_that_is_left_come_from_the_engine(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, _ = roadside
    order = await shop.started()
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.85)
    tracked = await shop.get(f"orders/{order['id']}/tracker")
    assert tracked["route_source"] == "osrm"
    # By way of the pickup, whose steps are not over.
    assert (tracked["time_remaining"], tracked["distance_remaining"]) == (1800, 60_001)
    assert (await shop.get(f"orders/{order['id']}/distance-and-time"))["source"] == "osrm"


async def test_how_far_and_how_fast_without_an_engine_is_the_companys_word(shop: Shop) -> None:
    before = await shop.order()
    await shop.firm.admin.patch(
        "/int/v1/settings", json={"routing": {"detour_factor": 2.6, "speed_kmh": 100}}
    )
    after = await shop.order()
    assert after["distance"] == pytest.approx(2 * before["distance"], abs=1)
    assert after["time"] == pytest.approx(before["time"], abs=1)
    assert before["route_source"] == after["route_source"] == "great_circle"


async def test_an_order_on_a_bicycle_arrives_as_a_bicycle_does(shop: Shop) -> None:
    van = await shop.post("vehicles", profile="van")
    bicycle = await shop.post("vehicles", profile="bicycle")
    order = await shop.started(vehicle=van["id"])
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.85)
    by_van = await shop.get(f"orders/{order['id']}/tracker")
    await shop.patch(f"orders/{order['id']}", vehicle=bicycle["id"])
    by_bicycle = await shop.get(f"orders/{order['id']}/tracker")
    assert by_bicycle["distance_remaining"] == by_van["distance_remaining"]
    slower = route.DEFAULT_PACE.speed_kmh / route.BICYCLE_SPEED_KMH
    assert by_bicycle["time_remaining"] == pytest.approx(by_van["time_remaining"] * slower, abs=2)
    measured = await shop.get(f"orders/{order['id']}/distance-and-time")
    assert measured["time"] == pytest.approx(order["time"] * slower, abs=2)
    # What its price was based on stays.
    assert (await shop.get(f"orders/{order['id']}"))["time"] == order["time"]


async def sign_in(firm: Firm, driver: dict[str, Any]) -> httpx.AsyncClient:
    """Sign a driver in, as the driver's application does."""
    body = {"phone": driver["phone"]}
    assert (await firm.api.post("/v1/drivers/login-with-sms", json=body)).is_success
    text = await firm.house.value(
        "select body from messages order by created_at desc, uuid desc limit 1"
    )
    code = "".join(letter for letter in text if letter.isdigit())[:6]
    answer = await firm.api.post("/v1/drivers/verify-code", json={**body, "code": code})
    return firm.house.client(answer.json()["token"])


async def test_a_route_is_drawn_along_streets_for_whoever_may_see_the_order(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    order = await shop.started()
    driver = order["driver_assigned"]
    door = f"orders/{order['id']}/route"
    drawn = await shop.get(door)
    along = [[-120.2, 38.5], [-120.95, 40.7], [-126.453, 43.252]]
    assert drawn == {
        "planned": {"type": "LineString", "coordinates": along, "source": "osrm"},
        "remaining": None,
    }
    await shop.post(f"drivers/{driver['id']}/track", latitude=1.3, longitude=103.85)
    # The driver's own, and nobody else's.
    mine = (await (await sign_in(shop.firm, driver)).get(f"/v1/{door}")).json()
    assert mine["remaining"] == mine["planned"] == drawn["planned"]
    assert len(machine.asked) == 3, "what was drawn is remembered"
    stranger = await sign_in(shop.firm, await shop.driver())
    assert (await stranger.get(f"/v1/{door}")).status_code == 404
    machine.status = 503
    await shop.post(f"drivers/{driver['id']}/track", latitude=1.31, longitude=103.86)
    straight = await shop.get(door)
    assert straight["planned"] == drawn["planned"]
    pickup, dropoff = (
        order["payload"][end]["location"]["coordinates"] for end in ("pickup", "dropoff")
    )
    assert straight["remaining"] == {
        "type": "LineString",
        "coordinates": [[103.86, 1.31], pickup, dropoff],
        "source": "great_circle",
    }
