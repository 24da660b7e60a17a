"""Quotes by many rates, against the bare look-up of the zones around the stops, in the same run.

Rates hold in zones with borders of 100 vertices, ten in each, half of them in another currency than
the one that is asked for: so five match, however many there are. `GET /v1/service-quotes` is asked
by one connection, one request after the other, of one process over loopback; each request reads
its key, the company's settings and whether the rates are still the present ones. Without HTTP the
same is priced from memory. The floor is a shapely STRtree that is already built and holds nothing
but the borders, asked for two points.

*All.* More and more rates, of which the same five match.

*Matching.* The largest number of rates, of which more and more match.

*Edits.* A rate is changed through one process, and the very next request of this process and of
another one must be answered by it; what is measured is that request.
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
from lists import as_lists, company_of, ring
from orders import Line
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
REPEATS = stand.size("repeats", 300, tiny=3)
EDITS = stand.size("edits", 30, tiny=2)
IN_EACH = 10
COLUMNS = 40
LIMIT = 0.003  # seconds for half of the requests
Ask = Callable[[], Awaitable[object]]


def spot(number: int) -> tuple[float, float]:
    """Put zones on a grid, so that each point lies in one."""
    return 100 + number % COLUMNS * 0.05, number // COLUMNS * 0.05


def way(number: int) -> tuple[Point, Point]:
    """Go a short way inside a zone."""
    longitude, latitude = spot(number)
    return Point(longitude, latitude), Point(longitude + 0.005, latitude + 0.005)


def query(number: int) -> str:
    """Ask for quotes of a short way inside a zone."""
    begin, end = (f"{point.latitude},{point.longitude}" for point in way(number))
    return f"service-quotes?pickup={begin}&dropoff={end}&currency=SGD"


class City:
    """A company with zones and rates, which grow."""

    def __init__(self, database: Database, company: UUID, area: ServiceArea) -> None:
        self.database, self.company, self._area = database, company, area
        self.zones: list[ZoneRow] = []
        self.rates = 0

    async def grow(self, rates: int) -> None:
        """Make zones with ten rates each, until there are so many rates."""
        while self.rates < rates:
            count = min(100, (rates - self.rates) // IN_EACH)
            await self.add([[i % 2 == 0 for i in range(IN_EACH)]] * count)

    async def add(self, wanted: list[list[bool]]) -> None:
        """Make a zone for each list; its rates are in the currency that is asked for, or not."""
        async with self.database.transaction() as db:
            made = [self._zone(len(self.zones) + number) for number in range(len(wanted))]
            await zones.insert_all(db, made)
            rates = [
                self._rate(zone, number, ours=ours)
                for zone, each in zip(made, wanted, strict=True)
                for number, ours in enumerate(each)
            ]
            await RATES.insert_all(db, rates)
        self.zones += made
        self.rates += len(rates)

    def _zone(self, number: int) -> ZoneRow:
        drawn = {"type": "Polygon", "coordinates": [as_lists(ring(*spot(number), 0.02))]}
        return ZoneRow(
            public_id=f"zone_{uuid4().hex[:16]}",
            name=f"Zone {number}",
            service_area=self._area.uuid,
            **self._row(),
            **borders.parse_zone_border(drawn),
        )

    def _rate(self, zone: ZoneRow, number: int, *, ours: bool) -> ServiceRate:
        return ServiceRate(
            public_id=f"service_{uuid4().hex[:16]}",
            service_name=f"{zone.name}, tier {number}",
            service_type="standard",
            currency="SGD" if ours else "EUR",
            zone=zone.uuid,
            rate_calculation_method="per_meter",
            base_fee=500 + number,
            per_meter_flat_rate_fee=Decimal("80.5"),
            **self._row(),
        )

    def _row(self) -> dict[str, Any]:
        now = self._area.created_at
        return {"uuid": uuid4(), "company": self.company, "created_at": now, "updated_at": now}


async def city_of(database: Database) -> City:
    """Give the company the area that its zones are in."""
    company = await company_of(database)
    square = [[90.0, -10.0], [120.0, -10.0], [120.0, 10.0], [90.0, 10.0], [90.0, -10.0]]
    border = borders.parse_area_border({"type": "Polygon", "coordinates": [square]})
    async with database.transaction() as db:
        area = await areas.create(db, company, name="City", **border)
    return City(database, company, area)


async def medians(*asks: Ask) -> list[float]:
    """Ask for things in turns; the median seconds of each."""
    taken: list[list[float]] = [[] for _ in asks]
    for turn in range(REPEATS + 5):
        for ask, times in zip(asks, taken, strict=True):
            began = time.perf_counter()
            await ask()
            if turn >= 5:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


async def bench_look_up(
    here: stand.Stand, city: City, process: stand.Process, line: Line, number: int, said: str
) -> None:
    """Tell what quotes inside a zone cost, with HTTP, without it, and the bare look-up."""
    found = len(await line.ask("GET", query(number)))
    shapes = shapely.from_geojson([msgspec.json.encode(zone.border) for zone in city.zones])
    shapely.prepare(shapes)
    tree = shapely.STRtree(shapes)
    stops = way(number)
    measured = route.measure_great_circle(stops)
    assert measured is not None
    spots = shapely.points([[point.longitude, point.latitude] for point in stops])
    async with city.database.reading() as db:
        pricing = await quoting.load_pricing(db, city.company)
    shipment = Shipment(at=pricing.now, stops=stops, route=measured)

    async def bare() -> object:
        return tree.query(spots, predicate="covered_by")

    async def priced() -> object:
        return await pricing.find_quotes(shipment, RateCriteria(currency="SGD"))

    least, alone = await medians(bare, priced)
    before = process.cpu()
    (asked,) = await medians(lambda: line.ask("GET", query(number)))
    spent = process.cpu() - before
    rate = found * (REPEATS + 5) / spent
    here.tell(
        stand.Figure(
            what=f"{said}, by HTTP",
            measured=f"p50 {asked * 1e3:.2f} ms, {rate:,.0f} quotes per CPU second",
            floor=f"{LIMIT * 1e3:.0f} ms",
            ratio=asked / LIMIT,
            aim=stand.at_most(1) if found == MATCHES[1] else None,
        )
    )
    here.tell(
        stand.Figure(
            what=f"{said}, in memory",
            measured=f"{alone * 1e6:.0f} µs",
            floor=f"{least * 1e6:.0f} µs of a tree in memory",
            ratio=alone / least,
        )
    )


async def bench_edits(here: stand.Stand, city: City, lines: list[Line]) -> None:
    """Change a rate, and ask everybody at once."""
    (quote, *_) = await lines[0].ask("GET", query(0))
    taken = []
    for fee in range(1, EDITS + 1):
        await lines[0].ask("PATCH", f"service-rates/{quote['service_rate']}", {"base_fee": fee})
        for line in lines:
            began = time.perf_counter()
            told = await line.ask("GET", query(0))
            taken.append(time.perf_counter() - began)
            (seen,) = [q for q in told if q["service_rate"] == quote["service_rate"]]
            assert seen["items"][0]["amount"] == fee, "A process did not see an edit."
    here.tell(
        stand.Figure(
            what=f"The first request after an edit among {city.rates:,} rates",
            measured=f"p50 {statistics.median(taken) * 1e3:.1f} ms; {len(taken)} of {len(taken)} "
            "saw it, in two processes",
        )
    )


async def bench(here: stand.Stand, processes: list[stand.Process], key: str) -> None:
    database = await stand.connected(here.url)
    city, lines = await city_of(database), [Line(process.port, key) for process in processes]
    for size in SIZES:
        await city.grow(size)
        said = f"5 of {city.rates:,} rates in {len(city.zones):,} zones"
        await bench_look_up(here, city, processes[0], lines[0], 0, said)
    for count in MATCHES:
        await city.add([[True] * count])
        said = f"{count} of {city.rates:,} rates that match"
        await bench_look_up(here, city, processes[0], lines[0], len(city.zones) - 1, said)
    await bench_edits(here, city, lines)
    await database.close()


def measure(here: stand.Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    processes = [here.api(here.url) for _ in range(2)]
    asyncio.run(bench(here, processes, key))


if __name__ == "__main__":
    stand.run(measure)
