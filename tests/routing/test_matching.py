"""Recorded positions are matched to the roads that they were taken on."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from devices.gear import device
from devices.test_deriving import derive, send
from devices.walks import at, drive
from orders.shop import Shop
from pannier.devices.trips.queries import TrackFix
from pannier.devices.trips.reports import thin_out
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.routing.configuration import create_router
from pannier.routing.route import TracePoint
from pannier.settings import load
from routing import machines
from routing.machines import Machine
from stage import NOON

BENT = [[-120.2, 38.5], [-120.95, 40.7], [-126.453, 43.252]]
START = 1_768_478_400


def trace(count: int) -> list[TracePoint]:
    """A trace of so many positions, one in ten seconds."""
    return [
        TracePoint(Point(103.8 + number / 1000, 1.3), START + 10 * number)
        for number in range(count)
    ]


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
async def test_a_trace_is_drawn_along_its_roads_and_remembered(
    clock: ManualClock, kind: str
) -> None:
    async with machines.opened(getattr(machines, kind)) as machine:
        router = create_router(load({}, router=kind, router_url=machine.url), clock)
        for _ in range(2):
            line = await router.match(trace(50))
            assert line is not None
            assert (line.coordinates, line.source) == (BENT, kind)
        assert len(machine.asked) == 1
        assert await router.match(trace(190)) is not None
        assert len(machine.asked) == {"osrm": 3, "valhalla": 5}[kind]


@pytest.mark.parametrize(
    ("status", "raw"),
    [
        (400, b'{"code":"NoMatch"}'),
        (400, b'{"code":"TooBig"}'),
        (200, b'{"code":"Ok","matchings":[],"tracepoints":[null,null,null]}'),
        (503, b"{}"),
    ],
    ids=str,
)
async def test_a_trace_off_the_roads_has_no_other_line(
    clock: ManualClock, status: int, raw: bytes
) -> None:
    async with machines.opened(machines.osrm) as machine:
        machine.status, machine.raw = status, raw
        router = create_router(load({}, router="osrm", router_url=machine.url), clock)
        assert await router.match(trace(3)) is None
    assert await create_router(load({}), clock).match(trace(3)) is None


async def test_a_vehicles_trips_are_drawn_along_roads_when_asked_for(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    firm, house = shop.firm, shop.firm.house
    gear, vehicle = await device(firm), await shop.post("vehicles", make="Toyota")
    since = (NOON - timedelta(hours=24)).isoformat()
    await firm.api.post(
        f"/v1/devices/{gear.public_id}/attach", json={"vehicle": vehicle["id"], "since": since}
    )
    # 600 positions in ten minutes.
    await send(house, gear, *drive(-7200, 0, seconds=600, kmh=36), at(-6590, 6000, speed=0))
    await send(house, gear, *(at(-6600 + 60 * n, 6000, speed=0) for n in range(1, 30)))
    await derive(house.database)
    door = f"/int/v1/fleet-module/vehicles/{vehicle['id']}/trips"

    async def look(query: str = "") -> dict[str, Any]:
        (trip,) = (await firm.admin.get(door + query)).json()["trips"]
        track: dict[str, Any] = trip["track"]
        return track

    assert (await look())["source"] == "positions"
    assert machine.asked == []
    assert await look("?track=roads") == {
        "type": "LineString",
        "coordinates": BENT,
        "source": "roads",
    }
    asked = len(machine.asked)
    await look("?track=roads")
    assert len(machine.asked) == asked, "what was matched is remembered"
    house.clock.advance(minutes=11)
    machine.status, machine.raw = 400, b'{"code":"NoMatch"}'
    assert (await look("?track=roads"))["source"] == "positions"


def test_a_long_track_is_thinned_out_evenly_with_both_ends_and_one_position_a_second() -> None:
    track = [TrackFix(100 + number / 1000, 1, number // 2) for number in range(2000)]
    thin = thin_out(track, 101)
    assert len(thin) == 101
    assert (thin[0].at, thin[-1].at) == (0, 999)
    assert {after.at - before.at for before, after in pairwise(thin)} <= {9, 10, 11}
    assert thin_out([], 50) == []
    assert len(thin_out(track[:2], 50)) == 1
