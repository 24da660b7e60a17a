"""Device events through JetStream, against the same events without it in the same run.

*Through.* A gateway sends batches of 500 positions of many devices, on four connections. The floor
is what an installation does without NATS: the API process stores them itself. Then the API process
hands them to a real nats-server with files, and a worker takes them from there. A worker is at
work both times, for whatever follows from positions. Both count from the first request until the
last event can be read, and tell CPU of the API process, the worker, PostgreSQL and NATS.

*Behind.* Nobody stores while senders go on: they are told that their events are safe. The figure is
how many a second JetStream takes that way, and how many a second a worker stores that comes back.
"""

import asyncio
import socket
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple

import asyncpg
import msgspec

import stand
from devices import BATCH, Fleet, take_in, told
from stand import Figure, Line, Process, Stand

EVENTS: Final = stand.size("events", 40_000, tiny=1000)
SIZE: Final = 500
CONNECTIONS: Final = 4
SENDERS: Final = stand.size("senders", 40, tiny=4)
SERVER: Final = Path(sys.executable).with_name("nats-server")
CONFIGURATION: Final = """
server_name: bench
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", max_mem: 64MB, max_file: 4GB }}
"""


class House(NamedTuple):
    """The processes of an installation, and its database."""

    url: str
    postmaster: int
    api: Process
    worker: Process | None
    nats: Process | None
    fleet: Fleet

    def spent(self) -> list[float]:
        """Read the CPU seconds of each: API, worker, PostgreSQL, NATS."""
        return [
            self.api.cpu(),
            self.worker.cpu() if self.worker else 0.0,
            stand.children_seconds(self.postmaster),
            self.nats.cpu() if self.nats else 0.0,
        ]

    def stop(self) -> None:
        """End them, so that they are not in the way of what is measured next."""
        for process in (self.api, self.worker, self.nats):
            if process is not None:
                process.stop()


class Cost(NamedTuple):
    """What some events took: seconds of a clock, and CPU seconds of each process."""

    events: int
    seconds: float
    spent: list[float]

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds of an event."""
        return sum(self.spent) / self.events

    def __str__(self) -> str:
        api, worker, database, nats = (each / self.events * 1e6 for each in self.spent)
        return (
            f"{self.rate:,.0f} events/s; of CPU an event, API {api:.1f}, worker {worker:.1f}, "
            f"PostgreSQL {database:.1f}, NATS {nats:.1f} µs"
        )


def broker(stand_: Stand) -> tuple[str, Process]:
    """Start a nats-server with JetStream in files, as it comes; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = stand_.folder / f"nats-{port}"
    folder.mkdir()
    file = folder / "nats.conf"
    file.write_text(CONFIGURATION.format(port=port, folder=folder / "jetstream"))
    process = stand_.program([str(SERVER), "-c", str(file)])
    ends = time.monotonic() + stand.PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.02)
        else:
            return f"nats://127.0.0.1:{port}", process


def house(stand_: Stand, nats: tuple[str, Process] | None = None, *, working: bool = True) -> House:
    """Start an installation with a company and its gateway."""
    url = stand_.database()
    company = asyncio.run(stand.found(url))
    more = {"nats_url": nats[0]} if nats else {}
    api = stand_.api(url, **more)
    worker = stand_.worker(url, **more) if working else None
    fleet = asyncio.run(take_in(url, api.port, company.api_key))
    (postmaster,) = stand_.folder.rglob("postmaster.pid")
    return House(
        url, int(postmaster.read_text().split()[0]), api, worker, nats[1] if nats else None, fleet
    )


def bodies(fleet: Fleet, name: str) -> list[msgspec.Raw]:
    """Spell all events in batches, with ids of their own."""
    events = told(fleet, EVENTS)
    for number, event in enumerate(events):
        event["event_id"] = f"{name}-{number}"
    return [
        msgspec.Raw(msgspec.json.encode(events[at : at + SIZE])) for at in range(0, EVENTS, SIZE)
    ]


async def send(house: House, batches: list[msgspec.Raw], connections: int) -> int:
    """Send batches, and tell how many events were said to be stored by then."""
    lines = [Line(house.api.port, house.fleet.token) for _ in range(connections)]
    left = iter(batches)
    stored = taken = 0

    async def one(line: Line) -> None:
        nonlocal stored, taken
        answer = await line.ask("POST", BATCH, next(left))
        stored += answer["accepted"]
        taken += answer["accepted"] + answer.get("pending", 0)

    await stand.spread(lines, len(batches), one)
    assert taken == EVENTS, f"{taken} of {EVENTS} were taken"
    return stored


async def readable(url: str, count: int) -> None:
    """Wait until so many events can be read."""
    connection = await asyncpg.connect(url)
    stored = "select count(*) from device_events where class = 0"
    while await connection.fetchval(stored) < count:  # noqa: ASYNC110 - the event is another's
        await asyncio.sleep(0.02)
    await connection.close()


def through(house: House, name: str) -> Cost:
    """Send everything, and wait until all of it can be read."""
    batches = bodies(house.fleet, name)
    before, began = house.spent(), time.perf_counter()
    asyncio.run(send(house, batches, CONNECTIONS))
    asyncio.run(readable(house.url, EVENTS))
    seconds = time.perf_counter() - began
    after = house.spent()
    return Cost(EVENTS, seconds, [end - begin for begin, end in zip(before, after, strict=True)])


def behind(stand_: Stand) -> None:
    """Have senders go on while nobody stores, and a worker come back."""
    nats = broker(stand_)
    alone = house(stand_, nats, working=False)
    batches = bodies(alone.fleet, "behind")
    before, began = alone.spent(), time.perf_counter()
    stored = asyncio.run(send(alone, batches, SENDERS))
    seconds = time.perf_counter() - began
    assert stored == 0, f"{stored} were stored, and there is nobody who stores"
    spent = [end - begin for begin, end in zip(before, alone.spent(), strict=True)]
    stand_.tell(
        Figure(
            what=f"Taken by JetStream while nobody stores, {SENDERS} senders",
            measured=str(Cost(EVENTS, seconds, spent)),
        )
    )
    began, before = time.perf_counter(), alone.spent()
    back = alone._replace(worker=stand_.worker(alone.url, nats_url=nats[0]))
    asyncio.run(readable(back.url, EVENTS))
    seconds = time.perf_counter() - began
    spent = [end - begin for begin, end in zip(before, back.spent(), strict=True)]
    stand_.tell(
        Figure(
            what="Stored by one worker that comes back, its start included",
            measured=str(Cost(EVENTS, seconds, spent)),
        )
    )


def measure(stand_: Stand) -> None:
    """Measure all of it."""
    plain = house(stand_)
    straight = through(plain, "straight")
    plain.stop()
    stand_.tell(Figure(what="Without JetStream, batches of 500", measured=str(straight)))
    between = house(stand_, broker(stand_))
    streamed = through(between, "streamed")
    between.stop()
    stand_.tell(
        Figure(
            what="Through JetStream, batches of 500",
            measured=str(streamed),
            floor=str(straight),
            ratio=streamed.cpu / straight.cpu,
        )
    )
    behind(stand_)


if __name__ == "__main__":
    stand.run(measure)
