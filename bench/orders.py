"""Orders through the whole stack, against the least that could be done, in the same run.

*Cycles.* One cycle is five requests: place an order between two known places with a driver and an
item, dispatch it, start it, let it be on its way, complete it. The server is one process, asked
over loopback by eight connections. Its floor is asyncpg alone, on eight connections of a process
without any HTTP: in five transactions it writes copies of the very rows that one cycle leaves in
the same tables (inserts for payload, item, order, numbers, statuses and events, and the updates of
order and payload in between), reads nothing and decides nothing.

*Large.* An order with 200 stops and 1,000 items, placed by one request.

*Writers.* Sixteen at once, each in small transactions that write an event: with PostgreSQL's NOTIFY
inside each transaction, for which commits queue one behind the other, and with a notice after the
commit, as the house does it.
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

CYCLES = stand.size("cycles", 120, tiny=8)
STOPS = stand.size("stops", 200, tiny=4)
ITEMS = stand.size("items", 1000, tiny=10)
WRITERS = 16
WRITES = stand.size("writes", 4000, tiny=64)
CONNECTIONS = 8
IN_A_ROUND = CYCLES // CONNECTIONS * CONNECTIONS
ROUNDS = stand.size("rounds", 3, tiny=1)
# More of the short ones, each compared with the floor of its own round: a machine changes its pace
# from one second to the next, and the best of each says which of them met the better second.
CYCLE_ROUNDS = stand.size("cycle_rounds", 9, tiny=1)
LONGEST = 0.3  # seconds for a large order
UPDATES = {
    "orders": """update orders set status = $2, activity = $3, dispatched_at = $4, updated_at = $5,
                 version = $6 where uuid = $1""",
    "payloads": """update payloads set order_uuid = $2, state = $3, updated_at = $4, version = $5
                   where uuid = $1""",
}


class Statement(NamedTuple):
    """One row to write."""

    sql: str
    values: list[Any]


class Told(msgspec.Struct):
    """The data of a small event."""

    public_id: str
    uuid: UUID


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


async def cast_of(line: Line, phone: str = "+6591234567") -> Cast:
    driver = await line.ask("POST", "drivers", {"name": "Ada", "phone": phone})
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
        writes += [
            Statement("insert into event_queue (event) values ($1)", [fresh[row["uuid"]]])
            for table, row in known
            if table == "events" and row["created_at"] == moment
        ]
        steps = ("status", "activity", "dispatched_at", "updated_at")
        if version > 1:
            values = [fresh[order["uuid"]], *(order[step] for step in steps), version]
            writes.append(Statement(UPDATES["orders"], values))
        if version in {3, 5}:
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
    rounds = [
        (
            asyncio.run(measured(process, key, cast)),
            msgspec.convert(here.result("bare", here.url, order), Figures),
        )
        for _ in range(CYCLE_ROUNDS)
    ]
    written = sum(len(writes) for writes in transactions(rows))
    for what, unit, taken in (
        ("time", "{:.1f} ms", [(whole.seconds, least.seconds) for whole, least in rounds]),
        ("CPU", "{:.2f} ms of CPU", [(whole.cpu, least.cpu) for whole, least in rounds]),
    ):
        ours, theirs = (median(several) / IN_A_ROUND * 1e3 for several in zip(*taken, strict=True))
        here.tell(
            stand.Figure(
                what=f"An order's whole way, {written} rows: its {what}",
                measured=unit.format(ours),
                floor=unit.format(theirs),
                ratio=median(whole / least for whole, least in taken),
                aim=stand.at_most(4.5),
            )
        )


async def place_large(line: Line, cast: Cast) -> float:
    """Place an order with many stops and items, half of the stops at places that are known."""
    known = cast.places
    stops = [{"place": known[n // 2 % 2] if n % 2 else f"{n} Orchard Road"} for n in range(STOPS)]
    items = [{"name": f"Box {n}", "destination": n % STOPS} for n in range(ITEMS)]
    began = time.perf_counter()
    await line.ask("POST", "orders", {"waypoints": stops, "entities": items})
    return time.perf_counter() - began


async def bench_large(here: stand.Stand, process: stand.Process, key: str) -> None:
    line = Line(process.port, key)
    cast = await cast_of(line, phone="+6591234568")
    await place_large(line, cast)
    cpu = process.cpu()
    times = [await place_large(line, cast) for _ in range(ROUNDS)]
    spent = (process.cpu() - cpu) / ROUNDS
    here.tell(
        stand.Figure(
            what=f"An order with {STOPS} stops and {ITEMS:,} items is placed",
            measured=f"{min(times) * 1e3:.0f} ms, {spent * 1e3:.0f} ms of CPU",
            floor=f"{LONGEST * 1e3:.0f} ms promised",
            ratio=min(times) / LONGEST,
            aim=stand.at_most(1),
        )
    )


async def writers(url: str, when: str) -> float:
    """Write small transactions side by side, each with an event; answer how many a second.

    The worker is told of each: by the transaction itself, or after its commit.
    """
    database = await connect(url, clock=SystemClock(), keys=Keyring(stand.SECRET), size=WRITERS)
    async with database.reading() as db:
        company: UUID = await db.fetch_value("select uuid from companies")
    left = iter(range(WRITES))

    async def write() -> None:
        for _ in left:
            async with database.transaction() as db:
                told = Told("order_bench", db.new_uuid())
                await outbox.emit(db, company, Name.ORDER_UPDATED, told, subject=f"{told.uuid}")
                if when == "inside":
                    await db.fetch_value("select pg_notify('bench', '')")
                else:
                    await db.fetch_value("select 1")

    began = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    seconds = time.perf_counter() - began
    await database.close()
    return WRITES / seconds


def bench_writers(here: stand.Stand) -> None:
    rates: dict[str, list[float]] = {"inside": [], "after": []}
    for _ in range(ROUNDS):
        for when, found in rates.items():
            found.append(here.result("writers", here.url, when))
    inside, after = (max(found) for found in rates.values())
    here.tell(
        stand.Figure(
            what=f"{WRITERS} writers at once, the worker told after each commit",
            measured=f"{after:.0f} commits a second",
            floor=f"{inside:.0f} when each transaction notifies",
            ratio=after / inside,
        )
    )


def measure(here: stand.Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    process = here.api(here.url)
    bench_cycles(here, process, key)
    asyncio.run(bench_large(here, process, key))
    bench_writers(here)


if __name__ == "__main__":
    stand.run(measure, bare=bare, writers=writers)
