"""Orders through the whole stack, against the fewest database writes that could do the same.

*Cycles.* One cycle is five requests: place an order between two existing places with a driver and
an item, dispatch it, start it, mark it en route, and complete it. One API process serves eight
connections. The floor is asyncpg alone, without HTTP. It writes copies of the rows that one cycle
leaves, in five transactions. It reads and checks nothing. The ratio is the time, or the CPU time,
divided by the floor's.

*Large orders.* One request places an order with 200 stops and 1,000 items. The floor is a fixed
limit. A ratio below 1 means that it is met.

*Writers.* Sixteen concurrent writers commit small transactions, each with an event. Pannier
notifies its worker after the commit. The floor sends PostgreSQL's NOTIFY inside the transaction,
which serializes commits. The ratio is Pannier's rate, divided by that rate. Higher is better.
"""

import asyncio
import resource
import time
from collections.abc import Iterable
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import asyncpg
import msgspec

import stand
from pannier.db import connect
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring

CYCLES = stand.read_size("cycles", 120, tiny=8)
STOPS = stand.read_size("stops", 200, tiny=4)
ITEMS = stand.read_size("items", 1000, tiny=10)
WRITERS = 16
COMMITS = stand.read_size("writes", 4000, tiny=64)
CONNECTIONS = 8
CYCLES_PER_ROUND = CYCLES // CONNECTIONS * CONNECTIONS
ROUNDS = stand.read_size("rounds", 3, tiny=1)
# A machine's speed changes within seconds. Short rounds are therefore repeated more often, and each
# is compared with the floor of its own round.
CYCLE_ROUNDS = stand.read_size("cycle_rounds", 9, tiny=1)
MAX_LARGE_ORDER_SECONDS = 0.3  # for one request
UPDATES = {
    "orders": """update orders set status = $2, activity = $3, dispatched_at = $4, updated_at = $5,
                 version = $6 where uuid = $1""",
    "payloads": """update payloads set order_uuid = $2, state = $3, updated_at = $4, version = $5
                   where uuid = $1""",
}


class BareStatement(NamedTuple):
    """A statement that writes one row."""

    sql: str
    values: list[Any]


class OrderEventBody(msgspec.Struct):
    """The data of a small event."""

    public_id: str
    uuid: UUID


class CycleCost(msgspec.Struct):
    """Elapsed and CPU seconds of some cycles."""

    seconds: float
    cpu: float


class ApiConnection(stand.HttpConnection):
    """A connection for paths below `/v1`."""

    async def request_json(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request, and return the decoded response."""
        return await super().request_json(method, f"/v1/{path}", body)


class CycleRecords(NamedTuple):
    """The driver and places of every cycle."""

    driver: str
    places: list[str]


async def run_cycle(line: ApiConnection, records: CycleRecords) -> str:
    """Place one order, and complete it."""
    pickup, dropoff = records.places
    order = await line.request_json(
        "POST",
        "orders",
        {
            "pickup": pickup,
            "dropoff": dropoff,
            "driver": records.driver,
            "entities": [{"name": "Box"}],
        },
    )
    path = f"orders/{order['id']}"
    await line.request_json("POST", f"{path}/dispatch")
    await line.request_json("POST", f"{path}/start")
    await line.request_json("POST", f"{path}/update-activity", {"activity": "enroute"})
    await line.request_json("POST", f"{path}/complete")
    return str(order["uuid"])


async def create_cycle_records(line: ApiConnection, phone: str = "+6591234567") -> CycleRecords:
    driver = await line.request_json("POST", "drivers", {"name": "Ada", "phone": phone})
    places = [
        await line.request_json("POST", "places", {"street1": street, "location": where})
        for street, where in (("1 Raffles Place", "1.284,103.851"), ("80 Mandai", "1.404,103.79"))
    ]
    return CycleRecords(driver["id"], [place["id"] for place in places])


async def run_cycles(process: stand.BenchProcess, key: str, records: CycleRecords) -> CycleCost:
    """Run the cycles on all connections."""
    lines = [ApiConnection(process.port, key) for _ in range(CONNECTIONS)]

    async def run_some(line: ApiConnection) -> None:
        for _ in range(CYCLES // CONNECTIONS):
            await run_cycle(line, records)

    before, began = stand.read_cpu_seconds(process.pid), time.perf_counter()
    await asyncio.gather(*(run_some(line) for line in lines))
    return CycleCost(time.perf_counter() - began, stand.read_cpu_seconds(process.pid) - before)


async def load_cycle_rows(url: str, order: str) -> list[tuple[str, dict[str, Any]]]:
    """Load the rows that one cycle left, each with its table, the oldest first."""
    connection = await asyncpg.connect(url)
    uuid = UUID(order)
    queries = {
        "payloads": "select * from payloads where order_uuid = $1",
        "entities": """select e.* from entities e join payloads p on p.uuid = e.payload
                       where p.order_uuid = $1""",
        "orders": "select * from orders where uuid = $1",
        "tracking_numbers": "select * from tracking_numbers where order_uuid = $1",
        "tracking_statuses": "select * from tracking_statuses where order_uuid = $1",
        # All events of an order contain its public ID.
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


def build_transactions(rows: Iterable[tuple[str, dict[str, Any]]]) -> list[list[BareStatement]]:
    """Build one cycle's transactions anew, with new IDs."""
    known = list(rows)
    fresh = {row["uuid"]: uuid4() for _, row in known}
    moments = sorted({row["created_at"] for _, row in known})
    order = next(row for table, row in known if table == "orders")
    payload = next(row for table, row in known if table == "payloads")
    made: list[list[BareStatement]] = []
    for version, moment in enumerate(moments, 1):
        writes = [
            _build_insert(table, row, fresh, order["public_id"])
            for table, row in known
            if row["created_at"] == moment
        ]
        writes += [
            BareStatement("insert into event_queue (event) values ($1)", [fresh[row["uuid"]]])
            for table, row in known
            if table == "events" and row["created_at"] == moment
        ]
        steps = ("status", "activity", "dispatched_at", "updated_at")
        if version > 1:
            values = [fresh[order["uuid"]], *(order[step] for step in steps), version]
            writes.append(BareStatement(UPDATES["orders"], values))
        if version in {3, 5}:
            uuids = [fresh[payload["uuid"]], fresh[order["uuid"]]]
            values = [*uuids, payload["state"], payload["updated_at"], version]
            writes.append(BareStatement(UPDATES["payloads"], values))
        made.append(writes)
    return made


def _build_insert(
    table: str, row: dict[str, Any], fresh: dict[UUID, UUID], order: str
) -> BareStatement:
    values = {name: value for name, value in row.items() if name != "position"}
    for name, value in list(values.items()):
        if isinstance(value, UUID):
            values[name] = fresh.get(value, value)
        elif isinstance(value, bytes):
            values[name] = value.replace(order.encode(), f"order_{uuid4().hex[:16]}".encode())
    values["public_id"] = f"{table}_{uuid4().hex[:16]}"
    values |= {"number": uuid4().hex} if "number" in row else {}
    names = ", ".join(values)
    marks = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    return BareStatement(f"insert into {table} ({names}) values ({marks})", list(values.values()))


async def write_bare(url: str, order: str) -> CycleCost:
    """Write the rows of the cycles; return the cost."""
    rows = await load_cycle_rows(url, order)
    work = [
        [build_transactions(rows) for _ in range(CYCLES // CONNECTIONS)] for _ in range(CONNECTIONS)
    ]
    connections = [await asyncpg.connect(url) for _ in range(CONNECTIONS)]

    async def write_some(connection: Any, cycles: list[list[list[BareStatement]]]) -> None:  # noqa: ANN401 - a connection
        for one in cycles:
            for writes in one:
                await connection.execute("begin")
                for sql, values in writes:
                    await connection.execute(sql, *values)
                await connection.execute("commit")

    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    await asyncio.gather(*map(write_some, connections, work))
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for connection in connections:
        await connection.close()
    return CycleCost(seconds, cpu)


def measure_cycles(test_stand: stand.Stand, process: stand.BenchProcess, key: str) -> None:
    records = asyncio.run(create_cycle_records(ApiConnection(process.port, key)))
    order = asyncio.run(run_cycle(ApiConnection(process.port, key), records))
    rows = asyncio.run(load_cycle_rows(test_stand.url, order))
    asyncio.run(run_cycles(process, key, records))
    rounds = [
        (
            asyncio.run(run_cycles(process, key, records)),
            msgspec.convert(test_stand.run_part("bare", test_stand.url, order), CycleCost),
        )
        for _ in range(CYCLE_ROUNDS)
    ]
    written = sum(len(writes) for writes in build_transactions(rows))
    for what, unit, taken in (
        ("time", "{:.1f} ms", [(whole.seconds, least.seconds) for whole, least in rounds]),
        ("CPU", "{:.2f} ms of CPU", [(whole.cpu, least.cpu) for whole, least in rounds]),
    ):
        ours, theirs = (
            median(several) / CYCLES_PER_ROUND * 1e3 for several in zip(*taken, strict=True)
        )
        test_stand.record(
            stand.Figure(
                what=f"Complete order ({written} rows): {what}",
                measured=unit.format(ours),
                floor=unit.format(theirs),
                ratio=median(whole / least for whole, least in taken),
                aim=stand.aim_at_most(4.5),
            )
        )


async def place_large(line: ApiConnection, records: CycleRecords) -> float:
    """Place a large order, with half of its stops at existing places."""
    known = records.places
    stops = [{"place": known[n // 2 % 2] if n % 2 else f"{n} Orchard Road"} for n in range(STOPS)]
    items = [{"name": f"Box {n}", "destination": n % STOPS} for n in range(ITEMS)]
    began = time.perf_counter()
    await line.request_json("POST", "orders", {"waypoints": stops, "entities": items})
    return time.perf_counter() - began


async def measure_large(test_stand: stand.Stand, process: stand.BenchProcess, key: str) -> None:
    line = ApiConnection(process.port, key)
    records = await create_cycle_records(line, phone="+6591234568")
    await place_large(line, records)
    cpu = process.read_cpu_seconds()
    times = [await place_large(line, records) for _ in range(ROUNDS)]
    spent = (process.read_cpu_seconds() - cpu) / ROUNDS
    test_stand.record(
        stand.Figure(
            what=f"Placing an order with {STOPS} stops and {ITEMS:,} items",
            measured=f"{min(times) * 1e3:.0f} ms, {spent * 1e3:.0f} ms of CPU",
            floor=f"limit {MAX_LARGE_ORDER_SECONDS * 1e3:.0f} ms",
            ratio=min(times) / MAX_LARGE_ORDER_SECONDS,
            aim=stand.aim_at_most(1),
        )
    )


async def run_writers(url: str, when: str) -> float:
    """Commit small transactions concurrently, each with an event; return commits per second.

    With `inside`, every transaction sends a NOTIFY itself. Otherwise the worker is notified after
    the commit only.
    """
    database = await connect(url, clock=SystemClock(), keys=Keyring(stand.SECRET), size=WRITERS)
    async with database.reading() as db:
        company: UUID = await db.fetch_value("select uuid from companies")
    left = iter(range(COMMITS))

    async def write() -> None:
        for _ in left:
            async with database.transaction() as db:
                body = OrderEventBody("order_bench", db.new_uuid())
                await outbox.emit(db, company, Name.ORDER_UPDATED, body, subject=f"{body.uuid}")
                if when == "inside":
                    await db.fetch_value("select pg_notify('bench', '')")
                else:
                    await db.fetch_value("select 1")

    began = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    seconds = time.perf_counter() - began
    await database.close()
    return COMMITS / seconds


def measure_writers(test_stand: stand.Stand) -> None:
    rates: dict[str, list[float]] = {"inside": [], "after": []}
    for _ in range(ROUNDS):
        for when, found in rates.items():
            found.append(test_stand.run_part("writers", test_stand.url, when))
    inside, after = (max(found) for found in rates.values())
    test_stand.record(
        stand.Figure(
            what=f"{WRITERS} concurrent writers, notification after the commit",
            measured=f"{after:.0f} commits per second",
            floor=f"{inside:.0f} with NOTIFY in the transaction",
            ratio=after / inside,
        )
    )


def measure(test_stand: stand.Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    process = test_stand.start_api(test_stand.url)
    measure_cycles(test_stand, process, key)
    asyncio.run(measure_large(test_stand, process, key))
    measure_writers(test_stand)


if __name__ == "__main__":
    stand.run(measure, bare=write_bare, writers=run_writers)
