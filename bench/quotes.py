"""Quotes by many service rates, against a bare search for the zones around the stops.

Each zone has a border of 100 vertices and ten rates. Half of the rates are in another currency, so
five match in every zone.

*Over HTTP.* One connection sends `GET /v1/service-quotes` requests to one process. Each request
reads its key, the company's settings and the version of the rates. The floor is a fixed limit for
the median. A ratio below 1 means that it is met.

*In memory.* The same quotes are priced without HTTP. The floor is a shapely STRtree in memory that
holds only the borders, searched for two points. The ratio is how many times the floor's duration
pricing takes.

*Growth.* The first runs increase the number of rates, of which five match. The later runs increase
the number of matching rates.

*Edits.* One process changes a rate. The next request to this process and to another one must use
the new rate. The figure is the duration of that request.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import msgspec
import shapely

import stand
from lists import draw_border, load_company_id, to_lists
from orders import ApiConnection
from pannier.db import Database
from pannier.kit.geo import Point
from pannier.places import borders
from pannier.places.models import ServiceArea, ZoneRow
from pannier.places.queries import areas, zones
from pannier.rates.matching import RateCriteria
from pannier.rates.models import ServiceRate
from pannier.rates.queries import RATES
from pannier.rates.quotes import quoting
from pannier.rates.shipment import Shipment
from pannier.routing import route

SIZES = [100, 1_000, 10_000] if not stand.TINY else [20, 40]
MATCHES = [1, 5, 20, 100] if not stand.TINY else [1, 5]
REPEATS = stand.read_size("repeats", 300, tiny=3)
EDITS = stand.read_size("edits", 30, tiny=2)
RATES_PER_ZONE = 10
GRID_COLUMNS = 40
MAX_MEDIAN_SECONDS = 0.003  # for half of the requests
Request = Callable[[], Awaitable[object]]


def locate_zone(number: int) -> tuple[float, float]:
    """Return the center of a zone on a grid, so that each point lies in one zone."""
    return 100 + number % GRID_COLUMNS * 0.05, number // GRID_COLUMNS * 0.05


def build_trip(number: int) -> tuple[Point, Point]:
    """Return the two ends of a short trip inside a zone."""
    longitude, latitude = locate_zone(number)
    return Point(longitude, latitude), Point(longitude + 0.005, latitude + 0.005)


def build_query(number: int) -> str:
    """Build the request for quotes of a short trip inside a zone."""
    begin, end = (f"{point.latitude},{point.longitude}" for point in build_trip(number))
    return f"service-quotes?pickup={begin}&dropoff={end}&currency=SGD"


class RateCity:
    """A company whose zones and rates grow."""

    def __init__(self, database: Database, company: UUID, area: ServiceArea) -> None:
        self.database, self.company, self._area = database, company, area
        self.zones: list[ZoneRow] = []
        self.rates = 0

    async def grow(self, rates: int) -> None:
        """Insert zones with ten rates each, until there are `rates` rates."""
        while self.rates < rates:
            count = min(100, (rates - self.rates) // RATES_PER_ZONE)
            await self.add_zones([[i % 2 == 0 for i in range(RATES_PER_ZONE)]] * count)

    async def add_zones(self, wanted: list[list[bool]]) -> None:
        """Insert a zone for each list; each item says if the rate has the requested currency."""
        async with self.database.transaction() as db:
            made = [self._build_zone(len(self.zones) + number) for number in range(len(wanted))]
            await zones.insert_all(db, made)
            rates = [
                self._build_rate(zone, number, ours=ours)
                for zone, each in zip(made, wanted, strict=True)
                for number, ours in enumerate(each)
            ]
            await RATES.insert_all(db, rates)
        self.zones += made
        self.rates += len(rates)

    def _build_zone(self, number: int) -> ZoneRow:
        drawn = {
            "type": "Polygon",
            "coordinates": [to_lists(draw_border(*locate_zone(number), 0.02))],
        }
        return ZoneRow(
            public_id=f"zone_{uuid4().hex[:16]}",
            name=f"Zone {number}",
            service_area=self._area.uuid,
            **self._build_common_fields(),
            **borders.parse_zone_border(drawn),
        )

    def _build_rate(self, zone: ZoneRow, number: int, *, ours: bool) -> ServiceRate:
        return ServiceRate(
            public_id=f"service_{uuid4().hex[:16]}",
            service_name=f"{zone.name}, tier {number}",
            service_type="standard",
            currency="SGD" if ours else "EUR",
            zone=zone.uuid,
            rate_calculation_method="per_meter",
            base_fee=500 + number,
            per_meter_flat_rate_fee=Decimal("80.5"),
            **self._build_common_fields(),
        )

    def _build_common_fields(self) -> dict[str, Any]:
        now = self._area.created_at
        return {"uuid": uuid4(), "company": self.company, "created_at": now, "updated_at": now}


async def create_city(database: Database) -> RateCity:
    """Create the service area of the zones."""
    company = await load_company_id(database)
    square = [[90.0, -10.0], [120.0, -10.0], [120.0, 10.0], [90.0, 10.0], [90.0, -10.0]]
    border = borders.parse_area_border({"type": "Polygon", "coordinates": [square]})
    async with database.transaction() as db:
        area = await areas.create(db, company, name="City", **border)
    return RateCity(database, company, area)


async def measure_medians(*requests: Request) -> list[float]:
    """Send requests in turns; return the median seconds of each."""
    taken: list[list[float]] = [[] for _ in requests]
    for turn in range(REPEATS + 5):
        for request, times in zip(requests, taken, strict=True):
            began = time.perf_counter()
            await request()
            if turn >= 5:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


async def measure_quotes(
    test_stand: stand.Stand,
    city: RateCity,
    process: stand.BenchProcess,
    line: ApiConnection,
    number: int,
    label: str,
) -> None:
    """Measure quotes inside a zone over HTTP and in memory, and the bare search."""
    found = len(await line.request_json("GET", build_query(number)))
    shapes = shapely.from_geojson([msgspec.json.encode(zone.border) for zone in city.zones])
    shapely.prepare(shapes)
    tree = shapely.STRtree(shapes)
    stops = build_trip(number)
    measured = route.measure_great_circle(stops)
    assert measured is not None
    spots = shapely.points([[point.longitude, point.latitude] for point in stops])
    async with city.database.reading() as db:
        pricing = await quoting.load_pricing(db, city.company)
    shipment = Shipment(effective_at=pricing.now, stops=stops, route=measured)

    async def look_up_zones() -> object:
        return tree.query(spots, predicate="covered_by")

    async def price_in_memory() -> object:
        return await pricing.find_quotes(shipment, RateCriteria(currency="SGD"))

    least, alone = await measure_medians(look_up_zones, price_in_memory)
    before = process.read_cpu_seconds()
    (asked,) = await measure_medians(lambda: line.request_json("GET", build_query(number)))
    spent = process.read_cpu_seconds() - before
    rate = found * (REPEATS + 5) / spent
    test_stand.record(
        stand.Figure(
            what=f"{label}, over HTTP",
            measured=f"p50 {asked * 1e3:.2f} ms, {rate:,.0f} quotes per CPU second",
            floor=f"limit {MAX_MEDIAN_SECONDS * 1e3:.0f} ms",
            ratio=asked / MAX_MEDIAN_SECONDS,
            aim=stand.aim_at_most(1) if found == MATCHES[1] else None,
        )
    )
    test_stand.record(
        stand.Figure(
            what=f"{label}, in memory",
            measured=f"{alone * 1e6:.0f} µs",
            floor=f"{least * 1e6:.0f} µs for a tree in memory",
            ratio=alone / least,
        )
    )


async def measure_edits(
    test_stand: stand.Stand, city: RateCity, lines: list[ApiConnection]
) -> None:
    """Change a rate, and request quotes from every process at once."""
    (quote, *_) = await lines[0].request_json("GET", build_query(0))
    taken = []
    for fee in range(1, EDITS + 1):
        await lines[0].request_json(
            "PATCH", f"service-rates/{quote['service_rate']}", {"base_fee": fee}
        )
        for line in lines:
            began = time.perf_counter()
            answered = await line.request_json("GET", build_query(0))
            taken.append(time.perf_counter() - began)
            (seen,) = [q for q in answered if q["service_rate"] == quote["service_rate"]]
            assert seen["items"][0]["amount"] == fee, "A process used an old rate."
    test_stand.record(
        stand.Figure(
            what=f"The first request after an edit among {city.rates:,} rates",
            measured=f"p50 {statistics.median(taken) * 1e3:.1f} ms; {len(taken)} of {len(taken)} "
            "used the new rate, in two processes",
        )
    )


async def measure_all(
    test_stand: stand.Stand, processes: list[stand.BenchProcess], key: str
) -> None:
    database = await stand.open_database(test_stand.url)
    city, lines = (
        await create_city(database),
        [ApiConnection(process.port, key) for process in processes],
    )
    for size in SIZES:
        await city.grow(size)
        label = f"5 of {city.rates:,} rates in {len(city.zones):,} zones"
        await measure_quotes(test_stand, city, processes[0], lines[0], 0, label)
    for count in MATCHES:
        await city.add_zones([[True] * count])
        label = f"{count} matching of {city.rates:,} rates"
        await measure_quotes(test_stand, city, processes[0], lines[0], len(city.zones) - 1, label)
    await measure_edits(test_stand, city, lines)
    await database.close()


def measure(test_stand: stand.Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    processes = [test_stand.start_api(test_stand.url) for _ in range(2)]
    asyncio.run(measure_all(test_stand, processes, key))


if __name__ == "__main__":
    stand.run(measure)
