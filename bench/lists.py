"""Order lists at any depth, and searches for drivers and zones around a point.

*Pages.* The bench requests page 1,000 of the orders and page 1 in turns, for all orders and for one
status. The floor is page 1. A ratio of 1 means that depth costs nothing.

*Nearby.* The bench searches for drivers near a point and for zones that contain it. The floor is a
shapely STRtree in memory that holds only the shapes. The ratio says how many times the floor's
duration a search takes, including HTTP and the database.
"""

import asyncio
import math
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import shapely

import stand
from orders import ApiConnection, create_cycle_records, run_cycle
from pannier.db import Database
from pannier.places.models import ZoneRow

ORDERS = stand.read_size("orders", 200000, tiny=300)
DRIVERS = stand.read_size("drivers", 5000, tiny=20)
ZONES = stand.read_size("zones", 1000, tiny=5)
REPEATS = stand.read_size("repeats", 150, tiny=2)
PAGE_SIZE = 30
# The cursor is found in steps of three pages; few orders have few pages.
DEEP_PAGE = min(1000, ORDERS // 2 // PAGE_SIZE) // 3 * 3 + 1
VERTICES = 100
# Singapore, in degrees.
WEST, SOUTH, EAST, NORTH = 103.6, 1.2, 104.05, 1.48

Request = Callable[[], Awaitable[object]]


def render_uuid_sql(kind: str) -> str:
    """Render SQL for a UUIDv7 of row `i`; as in Pannier, later rows have later ones."""
    noise = f"substr(md5('{kind}' || i), 1, 12)"
    return f"(lpad(to_hex(1893456000000 + i * 1000), 12, '0') || '70008000' || {noise})::uuid"


async def insert_orders(url: str, count: int = ORDERS) -> None:
    """Insert many orders at once, each with a payload and a tracking number."""
    connection = await asyncpg.connect(url, command_timeout=300)
    row: Any = await connection.fetchrow("select * from orders limit 1")
    payload: Any = await connection.fetchrow("select * from payloads limit 1")
    series = f"generate_series(1::bigint, {count}) i"
    moment = "timestamptz '2030-01-01' + i * interval '1 second'"
    status = "(array['completed', 'completed', 'completed', 'canceled', 'dispatched'])[i % 5 + 1]"
    order, moved, number = (
        render_uuid_sql("order"),
        render_uuid_sql("payload"),
        render_uuid_sql("number"),
    )
    # Indexes are rebuilt afterwards. The rows are consistent, so foreign keys need no check.
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


async def find_cursor(database: Database, company: UUID, number: int, **filters: Any) -> str:  # noqa: ANN401 - any filter
    """Return the cursor of a page, found in steps of three pages."""
    from pannier.orders import queries
    from pannier.orders.filters import OrderFilters

    cursor: str | None = None
    async with database.reading() as db:
        for _ in range((number - 1) // 3):
            asked = OrderFilters(limit=3 * PAGE_SIZE, cursor=cursor, **filters)
            cursor = (await queries.list_orders(db, company, asked)).next_cursor
    assert cursor is not None
    return cursor


async def measure_medians(*requests: Request) -> list[float]:
    """Send requests in turns; return the median seconds of each."""
    taken: list[list[float]] = [[] for _ in requests]
    for turn in range(REPEATS + 10):
        for request, times in zip(requests, taken, strict=True):
            began = time.perf_counter()
            await request()
            if turn >= 10:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


async def measure_pages(test_stand: stand.Stand, port: int, key: str) -> None:
    began = time.perf_counter()
    await insert_orders(test_stand.url)
    print(f"{ORDERS:,} orders inserted in {time.perf_counter() - began:.0f} s")
    line, database = ApiConnection(port, key), await stand.open_database(test_stand.url)
    company = await load_company_id(database)
    for name, query, filters in (
        ("all orders", "", {}),
        ("status=completed", "&status=completed", {"status": ["completed"]}),
    ):
        first = f"orders?limit={PAGE_SIZE}{query}"
        last = f"{first}&cursor={await find_cursor(database, company, DEEP_PAGE, **filters)}"
        assert len(await line.request_json("GET", last)) == PAGE_SIZE
        one, deep = await measure_medians(
            partial(line.request_json, "GET", first), partial(line.request_json, "GET", last)
        )
        test_stand.record(
            stand.Figure(
                what=f"Page {DEEP_PAGE:,} of {ORDERS:,} orders, {name}",
                measured=f"{deep * 1e3:.2f} ms",
                floor=f"{one * 1e3:.2f} ms for page 1",
                ratio=deep / one,
                aim=stand.aim_at_most(1.20),
            )
        )
    await database.close()


def draw_border(longitude: float, latitude: float, radius: float) -> list[tuple[float, float]]:
    """Draw a border that a circle cannot replace."""
    turns = [2 * math.pi * step / VERTICES for step in range(VERTICES)]
    corners = [
        (
            longitude + radius * (1 + 0.2 * math.sin(7 * turn)) * math.cos(turn),
            latitude + radius * (1 + 0.2 * math.sin(7 * turn)) * math.sin(turn),
        )
        for turn in turns
    ]
    return [*corners, corners[0]]


def scatter_points(count: int) -> list[tuple[float, float]]:
    """Scatter points over the city, longitude first; the same in every run."""
    dice = random.Random(7)  # noqa: S311 - not a secret
    return [(dice.uniform(WEST, EAST), dice.uniform(SOUTH, NORTH)) for _ in range(count)]


async def insert_drivers(url: str) -> None:
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
            for record, (longitude, latitude) in zip(records, scatter_points(DRIVERS), strict=True)
        ],
        columns=["subject", "company", "kind", "latitude", "longitude", "located_at"],
    )
    await connection.execute("analyze drivers, whereabouts")
    await connection.close()


async def insert_zones(database: Database, company: UUID, area: str) -> list[ZoneRow]:
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
                    {"type": "Polygon", "coordinates": [to_lists(draw_border(*spot, 0.008))]}
                ),
            )
            for number, spot in enumerate(scatter_points(ZONES))
        ]
        await zones.insert_all(db, rows)
    return rows


def to_lists(corners: list[tuple[float, float]]) -> list[list[float]]:
    return [list(corner) for corner in corners]


async def measure_nearby(test_stand: stand.Stand, port: int, key: str) -> None:
    from pannier.kit.geo import Point
    from pannier.places.queries import find_zones

    line, database = ApiConnection(port, key), await stand.open_database(test_stand.url)
    company = await load_company_id(database)
    await insert_drivers(test_stand.url)
    area = await line.request_json(
        "POST", "service-areas", {"name": "City", "location": "1.34,103.82", "radius": 60000}
    )
    rows = await insert_zones(database, company, area["id"])
    longitude, latitude = 103.82, 1.34
    spot = shapely.Point(longitude, latitude)
    people = shapely.STRtree(shapely.points(scatter_points(DRIVERS)))
    shapes = shapely.from_geojson([msgspec.json.encode(row.border) for row in rows])
    shapely.prepare(shapes)
    tree = shapely.STRtree(shapes)

    async def query_nearest() -> object:
        found = people.query(spot, predicate="dwithin", distance=0.09)
        away = shapely.distance(people.geometries[found], spot)
        return found[away.argsort()[:PAGE_SIZE]]

    async def query_containing() -> object:
        return tree.query(spot, predicate="covered_by")

    async def find_in_database() -> list[ZoneRow]:
        async with database.reading() as db:
            return await find_zones(db, company, Point(longitude, latitude))

    where = f"{latitude},{longitude}"
    bare_near, bare_within, direct, nearest, located = await measure_medians(
        query_nearest,
        query_containing,
        find_in_database,
        lambda: line.request_json("GET", f"drivers?nearby={where}&limit={PAGE_SIZE}"),
        lambda: line.request_json("GET", f"zones?location={where}"),
    )
    found = len(await find_in_database())
    await database.close()
    for name, whole, least in (
        (f"Nearest of {DRIVERS:,} drivers, over HTTP", nearest, bare_near),
        (f"{found} of {ZONES:,} zones, over HTTP", located, bare_within),
        (f"{found} of {ZONES:,} zones, without HTTP", direct, bare_within),
    ):
        test_stand.record(
            stand.Figure(
                what=name,
                measured=f"{whole * 1e3:.2f} ms",
                floor=f"{least * 1e6:.0f} µs for a tree in memory",
                ratio=whole / least,
            )
        )


async def load_company_id(database: Database) -> UUID:
    async with database.reading() as db:
        company: UUID = await db.fetch_value("select uuid from companies")
    return company


async def place_first_order(line: ApiConnection) -> None:
    """Place the order that the others copy."""
    await run_cycle(line, await create_cycle_records(line))


def measure(test_stand: stand.Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    process = test_stand.start_api(test_stand.url)
    asyncio.run(place_first_order(ApiConnection(process.port, key)))
    asyncio.run(measure_pages(test_stand, process.port, key))
    asyncio.run(measure_nearby(test_stand, process.port, key))


if __name__ == "__main__":
    stand.run(measure)
