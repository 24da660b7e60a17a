"""Recorded positions are matched to the roads that they were taken on."""

import pytest

from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.routing.configuration import create_router
from pannier.routing.route import TracePoint
from pannier.settings import load
from routing import machines

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
