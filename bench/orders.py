"""Orders through the whole stack, against the least that could be done, in the same run.

*Cycles.* One cycle is five requests: place an order between two known places with a driver and an
item, dispatch it, start it, let it be on its way, complete it. The server is one process, asked
over loopback by eight connections. Its floor is asyncpg alone, on eight connections of a process
without any HTTP: in five transactions it writes copies of the very rows that one cycle leaves in
the same tables (inserts for payload, item, order, numbers, statuses and events, and the updates of
order and payload in between), reads nothing and decides nothing.

*Pages.* Page 1 of the orders against page 1,000, each asked for again and again in turns, of all
orders and of those with one status.

*Where.* The drivers and the zones around a point, against a shapely STRtree that is already built
and holds nothing but the shapes.
"""

import asyncio
import math
import random
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import asyncpg
import msgspec
import shapely

import stand
from pannier.db import Database
from pannier.places.models import Zone

CYCLES = stand.size("cycles", 120, tiny=8)
ORDERS = stand.size("orders", 200000, tiny=300)
DRIVERS = stand.size("drivers", 5000, tiny=20)
ZONES = stand.size("zones", 1000, tiny=5)
REPEATS = stand.size("repeats", 150, tiny=2)
CONNECTIONS = 8
ROUNDS = stand.size("rounds", 3, tiny=1)
LIMIT = 30
# Fewer orders have fewer pages; pages are walked to in threes.
PAGE = min(1000, ORDERS // 2 // LIMIT) // 3 * 3 + 1
VERTICES = 100
# Singapore, in degrees.
WEST, SOUTH, EAST, NORTH = 103.6, 1.2, 104.05, 1.48
UPDATES = {
    "orders": """update orders set status = $2, activity = $3, dispatched_at = $4, updated_at = $5,
                 version = $6 where uuid = $1""",
    "payloads": """update payloads set order_uuid = $2, state = $3, updated_at = $4, version = $5
                   where uuid = $1""",
}

Ask = Callable[[], Awaitable[object]]


class Statement(NamedTuple):
    """One row to write."""

    sql: str
    values: list[Any]


class Figures(msgspec.Struct):
    """What some cycles took."""

    seconds: float
    cpu: float


class Line(stand.Line):
    """A connection that asks below `/v1`."""

    async def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request, and read the answer."""
        return await super().ask(method, f"/v1/{path}", body)


class Cast(NamedTuple):
    """Who takes part in every cycle."""

    driver: str
    places: list[str]


async def cycle(line: Line, cast: Cast) -> str:
    """Take one order from its placing to its completion."""
    pickup, dropoff = cast.places
    order = await line.ask(
        "POST",
        "orders",
        {
            "pickup": pickup,
            "dropoff": dropoff,
            "driver": cast.driver,
            "entities": [{"name": "Box"}],
        },
    )
    path = f"orders/{order['id']}"
    await line.ask("POST", f"{path}/dispatch")
    await line.ask("POST", f"{path}/start")
    await line.ask("POST", f"{path}/update-activity", {"activity": "enroute"})
    await line.ask("POST", f"{path}/complete")
    return str(order["uuid"])


async def cast_of(line: Line) -> Cast:
    driver = await line.ask("POST", "drivers", {"name": "Ada", "phone": "+6591234567"})
    places = [
        await line.ask("POST", "places", {"street1": street, "location": where})
        for street, where in (("1 Raffles Place", "1.284,103.851"), ("80 Mandai", "1.404,103.79"))
    ]
    return Cast(driver["id"], [place["id"] for place in places])


async def measured(process: stand.Process, key: str, cast: Cast) -> Figures:
    """Let the server go through the cycles."""
    lines = [Line(process.port, key) for _ in range(CONNECTIONS)]

    async def some(line: Line) -> None:
        for _ in range(CYCLES // CONNECTIONS):
            await cycle(line, cast)

    before, began = stand.cpu_seconds(process.pid), time.perf_counter()
    await asyncio.gather(*(some(line) for line in lines))
    return Figures(time.perf_counter() - began, stand.cpu_seconds(process.pid) - before)


async def rows_of_cycle(url: str, order: str) -> list[tuple[str, dict[str, Any]]]:
    """Read what one cycle left: the rows with their tables, the oldest first."""
    connection = await asyncpg.connect(url)
    uuid = UUID(order)
    queries = {
        "payloads": "select * from payloads where order_uuid = $1",
        "entities": """select e.* from entities e join payloads p on p.uuid = e.payload
                       where p.order_uuid = $1""",
        "orders": "select * from orders where uuid = $1",
        "tracking_numbers": "select * from tracking_numbers where order_uuid = $1",
        "tracking_statuses": "select * from tracking_statuses where order_uuid = $1",
        # All of its events name it, as their subject or beside it.
        "events": """select e.* from events e join orders o on o.uuid = $1
                     where position(o.public_id in convert_from(e.body, 'utf8')) > 0""",
    }
    found = [
        (table, dict(row))
        for table, sql in queries.items()
        for row in await connection.fetch(sql, uuid)
    ]
    await connection.close()
    return sorted(found, key=lambda each: each[1]["created_at"])


def transactions(rows: Iterable[tuple[str, dict[str, Any]]]) -> list[list[Statement]]:
    """Spell the writes of one cycle anew, with names of its own, transaction by transaction."""
    known = list(rows)
    fresh = {row["uuid"]: uuid4() for _, row in known}
    moments = sorted({row["created_at"] for _, row in known})
    order = next(row for table, row in known if table == "orders")
    payload = next(row for table, row in known if table == "payloads")
    made: list[list[Statement]] = []
    for version, moment in enumerate(moments, 1):
        writes = [
            _insert(table, row, fresh, order["public_id"])
            for table, row in known
            if row["created_at"] == moment
        ]
        steps = ("status", "activity", "dispatched_at", "updated_at")
        if version > 1:
            values = [fresh[order["uuid"]], *(order[step] for step in steps), version]
            writes.append(Statement(UPDATES["orders"], values))
        if version in {1, 3, 5}:
            uuids = [fresh[payload["uuid"]], fresh[order["uuid"]]]
            values = [*uuids, payload["state"], payload["updated_at"], version]
            writes.append(Statement(UPDATES["payloads"], values))
        made.append(writes)
    return made


def _insert(table: str, row: dict[str, Any], fresh: dict[UUID, UUID], order: str) -> Statement:
    values = {name: value for name, value in row.items() if name != "position"}
    for name, value in list(values.items()):
        if isinstance(value, UUID):
            values[name] = fresh.get(value, value)
        elif isinstance(value, bytes):
            values[name] = value.replace(order.encode(), f"order_{uuid4().hex[:16]}".encode())
    values["public_id"] = f"{table}_{uuid4().hex[:16]}"
    values |= {"number": uuid4().hex} if "number" in row else {}
    values |= {"order_uuid": None} if table == "payloads" else {}
    names = ", ".join(values)
    marks = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    return Statement(f"insert into {table} ({names}) values ({marks})", list(values.values()))


async def bare(url: str, order: str) -> Figures:
    """Write what the cycles leave, and answer what that took."""
    rows = await rows_of_cycle(url, order)
    work = [[transactions(rows) for _ in range(CYCLES // CONNECTIONS)] for _ in range(CONNECTIONS)]
    connections = [await asyncpg.connect(url) for _ in range(CONNECTIONS)]

    async def some(connection: Any, cycles: list[list[list[Statement]]]) -> None:  # noqa: ANN401 - a connection
        for one in cycles:
            for writes in one:
                await connection.execute("begin")
                for sql, values in writes:
                    await connection.execute(sql, *values)
                await connection.execute("commit")

    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    await asyncio.gather(*map(some, connections, work))
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for connection in connections:
        await connection.close()
    return Figures(seconds, cpu)


def bench_cycles(here: stand.Stand, process: stand.Process, key: str) -> None:
    cast = asyncio.run(cast_of(Line(process.port, key)))
    order = asyncio.run(cycle(Line(process.port, key), cast))
    rows = asyncio.run(rows_of_cycle(here.url, order))
    asyncio.run(measured(process, key, cast))
    figures: dict[str, list[Figures]] = {"whole": [], "floor": []}
    for _ in range(ROUNDS):
        figures["whole"].append(asyncio.run(measured(process, key, cast)))
        figures["floor"].append(msgspec.convert(here.result("bare", here.url, order), Figures))
    best = {name: best_of(several) for name, several in figures.items()}
    whole, least = best.values()
    written = sum(len(writes) for writes in transactions(rows))
    for what, ratio, unit in (
        ("time", whole.seconds / least.seconds, "{:.1f} ms"),
        ("CPU", whole.cpu / least.cpu, "{:.2f} ms of CPU"),
    ):
        ours, theirs = (
            1e3 * (each.seconds if what == "time" else each.cpu) for each in (whole, least)
        )
        here.tell(
            stand.Figure(
                what=f"An order's whole way, {written} rows: its {what}",
                measured=unit.format(ours),
                floor=unit.format(theirs),
                ratio=ratio,
            )
        )


def best_of(figures: list[Figures]) -> Figures:
    """Take the best of several rounds, for one cycle."""
    count = CYCLES // CONNECTIONS * CONNECTIONS
    seconds = min(each.seconds for each in figures)
    return Figures(seconds / count, min(each.cpu for each in figures) / count)


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
            cursor = (await queries.orders(db, company, asked)).next_cursor
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
    moment = row["created_at"]
    kept = {name: value for name, value in dict(row).items() if name != "vehicle"}
    records = [
        tuple(
            {
                **kept,
                "uuid": uuid4(),
                "public_id": f"driver_{uuid4().hex[:16]}",
                "phone": f"+659{number:07}",
                "online": True,
                "longitude": longitude,
                "latitude": latitude,
                "located_at": moment,
            }.values()
        )
        for number, (longitude, latitude) in enumerate(spots(DRIVERS))
    ]
    await connection.copy_records_to_table("drivers", records=records, columns=list(kept))
    await connection.execute("analyze drivers")
    await connection.close()


async def make_zones(database: Database, company: UUID, area: str) -> list[Zone]:
    from pannier.places import borders
    from pannier.places.queries import areas, zones

    async with database.transaction() as db:
        parent = await areas.get(db, company, area)
        rows = [
            Zone(
                uuid=db.new_uuid(),
                public_id=f"zone_{uuid4().hex[:16]}",
                company=company,
                service_area=parent.uuid,
                name=f"Zone {number}",
                created_at=db.now,
                updated_at=db.now,
                **msgspec.structs.asdict(
                    borders.of_zone(
                        {"type": "Polygon", "coordinates": [as_lists(ring(*spot, 0.008))]}
                    )
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
    from pannier.places.queries import zones_at

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

    async def looked_up() -> list[Zone]:
        async with database.reading() as db:
            return await zones_at(db, company, Point(longitude, latitude))

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
        company: UUID = await db.value("select uuid from companies")
    return company


def measure(here: stand.Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    process = here.api(here.url)
    bench_cycles(here, process, key)
    asyncio.run(bench_pages(here, process.port, key))
    asyncio.run(bench_where(here, process.port, key))


if __name__ == "__main__":
    stand.run(measure, bare=bare)
