"""Lists of orders at any depth, and what is near a point, each against its floor in the same run.

*Pages.* Page 1 of the orders against page 1,000, each asked for again and again in turns, of all
orders and of those with one status.

*Where.* The drivers and the zones around a point, against a shapely STRtree that is already built
and holds nothing but the shapes.
"""

import asyncio
import math
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import shapely

import stand
from orders import Line, cast_of, cycle
from pannier.db import Database
from pannier.places.models import ZoneRow

ORDERS = stand.size("orders", 200000, tiny=300)
DRIVERS = stand.size("drivers", 5000, tiny=20)
ZONES = stand.size("zones", 1000, tiny=5)
REPEATS = stand.size("repeats", 150, tiny=2)
LIMIT = 30
# Fewer orders have fewer pages; pages are walked to in threes.
PAGE = min(1000, ORDERS // 2 // LIMIT) // 3 * 3 + 1
VERTICES = 100
# Singapore, in degrees.
WEST, SOUTH, EAST, NORTH = 103.6, 1.2, 104.05, 1.48

Ask = Callable[[], Awaitable[object]]


def uuid_sql(kind: str) -> str:
    """Spell a UUIDv7 of row `i`: later rows have later ones, as those of the house do."""
    noise = f"substr(md5('{kind}' || i), 1, 12)"
    return f"(lpad(to_hex(1893456000000 + i * 1000), 12, '0') || '70008000' || {noise})::uuid"


async def make_orders(url: str) -> None:
    """Write many orders at once, each with a payload and a tracking number of its own."""
    connection = await asyncpg.connect(url, command_timeout=300)
    row: Any = await connection.fetchrow("select * from orders limit 1")
    payload: Any = await connection.fetchrow("select * from payloads limit 1")
    series = f"generate_series(1::bigint, {ORDERS}) i"
    moment = "timestamptz '2030-01-01' + i * interval '1 second'"
    status = "(array['completed', 'completed', 'completed', 'canceled', 'dispatched'])[i % 5 + 1]"
    order, moved, number = uuid_sql("order"), uuid_sql("payload"), uuid_sql("number")
    # Indexes are made anew afterwards, and what was made by rule needs no foreign keys checked.
    await connection.execute("set session_replication_role = replica")
    indexes = await connection.fetch(
        """select indexname, indexdef from pg_indexes where indexdef not like '%UNIQUE%'
           and tablename in ('payloads', 'orders', 'tracking_numbers')"""
    )
    async with connection.transaction():
        for index in indexes:
            await connection.execute(f"drop index {index['indexname']}")
        await connection.execute(
            f"""insert into payloads (uuid, public_id, company, order_uuid, state, pickup, dropoff,
                  meta, created_at, updated_at, version)
                select {moved}, 'payload_' || substr(md5('p' || i), 1, 16), $1, {order}, 'closed',
                  $2, $3, '{{}}', {moment}, {moment}, 1 from {series}""",
            row["company"], payload["pickup"], payload["dropoff"],
        )  # fmt: skip
        await connection.execute(
            f"""insert into orders (uuid, public_id, company, order_config, flow_version, type,
                  status, activity, payload, driver, pod_required, adhoc, meta, created_at,
                  updated_at, version)
                select {order}, 'order_' || substr(md5('o' || i), 1, 16), $1, $2, 1, 'transport',
                  {status}, 'enroute', {moved}, $3, false, false, '{{}}', {moment}, {moment}, 1
                from {series}""",
            row["company"], row["order_config"], row["driver"],
        )  # fmt: skip
        await connection.execute(
            f"""insert into tracking_numbers (uuid, public_id, company, number, order_uuid,
                  subject_type, subject, created_at, updated_at, version)
                select {number}, 'track_' || substr(md5('n' || i), 1, 16), $1, 'BEN-' || i, {order},
                  'order', {order}, {moment}, {moment}, 1 from {series}""",
            row["company"],
        )
        for index in indexes:
            await connection.execute(index["indexdef"])
    await connection.execute("vacuum analyze")
    await connection.close()


async def cursor_of(database: Database, company: UUID, number: int, **filters: Any) -> str:  # noqa: ANN401 - filters
    """Walk to a page in steps that end where pages end, and take the cursor that leads to it."""
    from pannier.orders import queries
    from pannier.orders.schemas import OrderFilters

    cursor: str | None = None
    async with database.reading() as db:
        for _ in range((number - 1) // 3):
            asked = OrderFilters(limit=3 * LIMIT, cursor=cursor, **filters)
            cursor = (await queries.list_orders(db, company, asked)).next_cursor
    assert cursor is not None
    return cursor


async def medians(*asks: Ask) -> list[float]:
    """Ask for things in turns, again and again; the median seconds of each."""
    taken: list[list[float]] = [[] for _ in asks]
    for turn in range(REPEATS + 10):
        for ask, times in zip(asks, taken, strict=True):
            began = time.perf_counter()
            await ask()
            if turn >= 10:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


async def bench_pages(here: stand.Stand, port: int, key: str) -> None:
    began = time.perf_counter()
    await make_orders(here.url)
    print(f"{ORDERS:,} orders made in {time.perf_counter() - began:.0f} s")
    line, database = Line(port, key), await stand.connected(here.url)
    company = await company_of(database)
    for name, query, filters in (
        ("all orders", "", {}),
        ("status=completed", "&status=completed", {"status": ["completed"]}),
    ):
        first = f"orders?limit={LIMIT}{query}"
        last = f"{first}&cursor={await cursor_of(database, company, PAGE, **filters)}"
        assert len(await line.ask("GET", last)) == LIMIT
        one, deep = await medians(lambda: line.ask("GET", first), lambda: line.ask("GET", last))  # noqa: B023 - asked at once
        here.tell(
            stand.Figure(
                what=f"Page {PAGE:,} of {ORDERS:,} orders, {name}",
                measured=f"{deep * 1e3:.2f} ms",
                floor=f"{one * 1e3:.2f} ms for page 1",
                ratio=deep / one,
                aim=stand.at_most(1.20),
            )
        )
    await database.close()


def ring(longitude: float, latitude: float, radius: float) -> list[tuple[float, float]]:
    """Draw a border that no circle could replace."""
    turns = [2 * math.pi * step / VERTICES for step in range(VERTICES)]
    corners = [
        (
            longitude + radius * (1 + 0.2 * math.sin(7 * turn)) * math.cos(turn),
            latitude + radius * (1 + 0.2 * math.sin(7 * turn)) * math.sin(turn),
        )
        for turn in turns
    ]
    return [*corners, corners[0]]


def spots(count: int) -> list[tuple[float, float]]:
    """Throw points over the city, longitude first; the same ones in every run."""
    dice = random.Random(7)  # noqa: S311 - no secret
    return [(dice.uniform(WEST, EAST), dice.uniform(SOUTH, NORTH)) for _ in range(count)]


async def make_drivers(url: str) -> None:
    connection = await asyncpg.connect(url)
    row: Any = await connection.fetchrow("select * from drivers limit 1")
    kept = {name: value for name, value in dict(row).items() if name != "vehicle"}
    records = [
        tuple(
            {
                **kept,
                "uuid": uuid4(),
                "public_id": f"driver_{uuid4().hex[:16]}",
                "phone": f"+659{number:07}",
                "online": True,
            }.values()
        )
        for number in range(DRIVERS)
    ]
    await connection.copy_records_to_table("drivers", records=records, columns=list(kept))
    place = list(kept).index("uuid")
    await connection.copy_records_to_table(
        "whereabouts",
        records=[
            (record[place], row["company"], "driver", latitude, longitude, row["created_at"])
            for record, (longitude, latitude) in zip(records, spots(DRIVERS), strict=True)
        ],
        columns=["subject", "company", "kind", "latitude", "longitude", "located_at"],
    )
    await connection.execute("analyze drivers, whereabouts")
    await connection.close()


async def make_zones(database: Database, company: UUID, area: str) -> list[ZoneRow]:
    from pannier.places import borders
    from pannier.places.queries import areas, zones

    async with database.transaction() as db:
        parent = await areas.get(db, company, area)
        rows = [
            ZoneRow(
                uuid=db.new_uuid(),
                public_id=f"zone_{uuid4().hex[:16]}",
                company=company,
                service_area=parent.uuid,
                name=f"Zone {number}",
                created_at=db.now,
                updated_at=db.now,
                **borders.parse_zone_border(
                    {"type": "Polygon", "coordinates": [as_lists(ring(*spot, 0.008))]}
                ),
            )
            for number, spot in enumerate(spots(ZONES))
        ]
        await zones.insert_all(db, rows)
    return rows


def as_lists(corners: list[tuple[float, float]]) -> list[list[float]]:
    return [list(corner) for corner in corners]


async def bench_where(here: stand.Stand, port: int, key: str) -> None:
    from pannier.kit.geo import Point
    from pannier.places.queries import find_zones

    line, database = Line(port, key), await stand.connected(here.url)
    company = await company_of(database)
    await make_drivers(here.url)
    area = await line.ask(
        "POST", "service-areas", {"name": "City", "location": "1.34,103.82", "radius": 60000}
    )
    rows = await make_zones(database, company, area["id"])
    longitude, latitude = 103.82, 1.34
    spot = shapely.Point(longitude, latitude)
    people = shapely.STRtree(shapely.points(spots(DRIVERS)))
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    shapely.prepare(shapes)
    tree = shapely.STRtree(shapes)

    async def near() -> object:
        found = people.query(spot, predicate="dwithin", distance=0.09)
        away = shapely.distance(people.geometries[found], spot)
        return found[away.argsort()[:LIMIT]]

    async def within() -> object:
        return tree.query(spot, predicate="covered_by")

    async def looked_up() -> list[ZoneRow]:
        async with database.reading() as db:
            return await find_zones(db, company, Point(longitude, latitude))

    where = f"{latitude},{longitude}"
    bare_near, bare_within, direct, nearest, located = await medians(
        near,
        within,
        looked_up,
        lambda: line.ask("GET", f"drivers?nearby={where}&limit={LIMIT}"),
        lambda: line.ask("GET", f"zones?location={where}"),
    )
    found = len(await looked_up())
    await database.close()
    for name, whole, least in (
        (f"The nearest of {DRIVERS:,} drivers by HTTP", nearest, bare_near),
        (f"{found} of {ZONES:,} zones by HTTP", located, bare_within),
        (f"{found} of {ZONES:,} zones without HTTP", direct, bare_within),
    ):
        here.tell(
            stand.Figure(
                what=name,
                measured=f"{whole * 1e3:.2f} ms",
                floor=f"{least * 1e6:.0f} µs of a tree in memory",
                ratio=whole / least,
            )
        )


async def company_of(database: Database) -> UUID:
    async with database.reading() as db:
        company: UUID = await db.fetch_value("select uuid from companies")
    return company


async def first_order(line: Line) -> None:
    """Place the order that the others are copies of."""
    await cycle(line, await cast_of(line))


def measure(here: stand.Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    process = here.api(here.url)
    asyncio.run(first_order(Line(process.port, key)))
    asyncio.run(bench_pages(here, process.port, key))
    asyncio.run(bench_where(here, process.port, key))


if __name__ == "__main__":
    stand.run(measure)
