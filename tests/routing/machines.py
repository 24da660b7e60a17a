"""Somebody else's machine on the loopback: speaks as its documents say, or as it is told to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web

# Three points, as the documentation of the format has them: 38.5, -120.2 and so on.
BENT_LINE = "_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI"

Said = Callable[[web.Request], Any]


@dataclass
class Machine:
    """Answers every request with what `says` makes of it, and writes down who asked for what."""

    says: Said
    url: str = ""
    asked: list[web.Request] = field(default_factory=list)
    status: int = 200
    raw: bytes | None = None
    # Closed while it takes its time.
    open: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        self.open.set()

    async def crowd(self, size: int) -> None:
        """Wait until so many requests have come."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.asked) >= size)

    async def serve(self, request: web.Request) -> web.Response:
        async with self.arrived:
            self.asked.append(request)
            self.arrived.notify_all()
        await self.open.wait()
        said = msgspec.json.encode(self.says(request)) if self.raw is None else self.raw
        return web.Response(body=said, status=self.status, content_type="application/json")


@asynccontextmanager
async def opened(says: Said) -> AsyncIterator[Machine]:
    """Start a machine, and stop it afterwards."""
    machine = Machine(says)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", machine.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    machine.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield machine
    finally:
        machine.open.set()
        await runner.cleanup()


def osrm(request: web.Request) -> dict[str, Any]:
    """Answer as OSRM does: 30 km and 15 minutes for each leg, and to each point of a table."""
    stops = request.path.rpartition("/")[2].split(";")
    if request.path.startswith("/table/"):
        assert len(str(request.url)) < 8_000, "longer ones are refused by servers"
        rows = [int(number) for number in request.query["sources"].split(";")]
        columns = [int(number) for number in request.query["destinations"].split(";")]
        same = [[stops[row] == stops[column] for column in columns] for row in rows]
        return {
            "code": "Ok",
            "distances": [[0 if each else 30_000.4 for each in row] for row in same],
            "durations": [[0 if each else 900.2 for each in row] for row in same],
            "sources": [{"distance": 2.5, "name": "", "location": [0, 0]} for _ in rows],
            "destinations": [{"distance": 2.5, "name": "", "location": [0, 0]} for _ in columns],
        }
    if request.path.startswith("/match/"):
        assert len(str(request.url)) < 8_000, "longer ones are refused by servers"
        # The last position of each trace lies on no road.
        on_road = [{"distance": 3, "matchings_index": 0} for _ in stops[1:]]
        matching = {"geometry": BENT_LINE, "confidence": 0.9}
        return {"code": "Ok", "matchings": [matching], "tracepoints": [*on_road, None]}
    legs = [{"distance": 30_000.4, "duration": 900.2, "steps": [], "summary": "", "weight": 900.2}]
    route = {"legs": legs * (len(stops) - 1), "distance": 0, "duration": 0, "weight": 0}
    if request.query.get("geometries") == "polyline6":
        route["geometry"] = BENT_LINE
    return {"code": "Ok", "routes": [route], "waypoints": []}


def valhalla(request: web.Request) -> dict[str, Any]:
    """Answer as Valhalla does, in kilometres: 30 km and 15 minutes for each leg."""
    asked = msgspec.json.decode(request.query["json"])
    if request.path.endswith("/sources_to_targets"):
        assert len(str(request.url)) < 8_000, "longer ones are refused by servers"
        cells = [
            [
                {"distance": 0 if start == end else 30.0004, "time": 0 if start == end else 900.2}
                for end in asked["targets"]
            ]
            for start in asked["sources"]
        ]
        return {"sources_to_targets": cells, "units": "kilometers"}
    legs = [{"summary": {"length": 30.0004, "time": 900.2}, "shape": BENT_LINE}]
    if request.path.endswith("/trace_route"):
        assert len(str(request.url)) < 8_000, "longer ones are refused by servers"
        assert asked["shape_match"] == "map_snap"
        return {"trip": {"legs": legs, "status": 0, "units": "kilometers"}}
    count = len(asked["locations"]) - 1
    return {"trip": {"legs": legs * count, "status": 0, "units": "kilometers"}}


def nominatim(request: web.Request) -> Any:
    """Know one house, by its address and by its point."""
    house = {
        "lat": "1.2840",
        "lon": "103.8510",
        "addresstype": "building",
        "name": "One Raffles Place",
        "display_name": "One Raffles Place, 1, Raffles Place, Singapore",
        "address": {
            "house_number": "1",
            "road": "Raffles Place",
            "city": "Singapore",
            "postcode": "048616",
            "country_code": "sg",
        },
    }
    if request.path == "/reverse":
        known = request.query["lat"].startswith("1.28")
        return house if known else {"error": "Unable to geocode"}
    return [house] if "raffles" in request.query["q"].lower() else []


def photon(request: web.Request) -> dict[str, Any]:
    """Know the same house, and a street of that name elsewhere."""
    query = request.query
    known = "raffles" in query.get("q", "").lower() or query.get("lat", "").startswith("1.28")
    if not known:
        return {"type": "FeatureCollection", "features": []}
    house = {
        "type": "house",
        "housenumber": "1",
        "street": "Raffles Place",
        "city": "Singapore",
        "postcode": "048616",
        "countrycode": "SG",
    }
    street = {"type": "street", "name": "Raffles Street", "city": "Hobart", "countrycode": "AU"}
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [103.851, 1.284]},
                "properties": house,
            },
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [147.3, -42.9]},
                "properties": street,
            },
        ],
    }
