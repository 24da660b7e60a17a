"""Device events through JetStream, against the same events without it.

*Throughput.* A gateway sends batches of 500 positions of many devices on four connections. With
JetStream, the API process publishes them to a nats-server with file storage, and a worker stores
them. The floor is an installation without NATS, in which the API process stores them itself. In
both cases a worker also derives trips and alerts. The time ends when the last event can be read.
The ratio is the total CPU per event, divided by the floor's: above 1, JetStream costs more CPU.

*Backlog.* Senders continue while no worker runs. The figures are how many events JetStream accepts
per second, and how many a returning worker stores per second. They have no floor.
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
from devices import BATCH_PATH, BenchFleet, build_positions, register_fleet
from stand import BenchProcess, Figure, HttpConnection, Stand

EVENTS: Final = stand.read_size("events", 40_000, tiny=1000)
BATCH_SIZE: Final = 500
CONNECTIONS: Final = 4
SENDERS: Final = stand.read_size("senders", 40, tiny=4)
NATS_SERVER: Final = Path(sys.executable).with_name("nats-server")
NATS_CONFIGURATION: Final = """
server_name: bench
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", max_mem: 64MB, max_file: 4GB }}
"""


class StreamInstallation(NamedTuple):
    """The processes of an installation, and its database."""

    url: str
    postmaster: int
    api: BenchProcess
    worker: BenchProcess | None
    nats: BenchProcess | None
    fleet: BenchFleet

    def read_cpu_seconds(self) -> list[float]:
        """Read the CPU seconds of API, worker, PostgreSQL and NATS."""
        return [
            self.api.read_cpu_seconds(),
            self.worker.read_cpu_seconds() if self.worker else 0.0,
            stand.read_children_cpu_seconds(self.postmaster),
            self.nats.read_cpu_seconds() if self.nats else 0.0,
        ]

    def stop(self) -> None:
        """Stop the processes, so that they do not affect later measurements."""
        for process in (self.api, self.worker, self.nats):
            if process is not None:
                process.stop()


class StreamCost(NamedTuple):
    """Elapsed seconds for some events, and CPU seconds of each process."""

    events: int
    seconds: float
    cpu_seconds: list[float]

    @property
    def rate(self) -> float:
        """Events per second."""
        return self.events / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds per event."""
        return sum(self.cpu_seconds) / self.events

    def __str__(self) -> str:
        api, worker, database, nats = (each / self.events * 1e6 for each in self.cpu_seconds)
        return (
            f"{self.rate:,.0f} events/s; CPU per event: API {api:.1f}, worker {worker:.1f}, "
            f"PostgreSQL {database:.1f}, NATS {nats:.1f} µs"
        )


def start_nats(test_stand: Stand) -> tuple[str, BenchProcess]:
    """Start a nats-server with file storage; return its URL and process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = test_stand.folder / f"nats-{port}"
    folder.mkdir()
    file = folder / "nats.conf"
    file.write_text(NATS_CONFIGURATION.format(port=port, folder=folder / "jetstream"))
    process = test_stand.start_program([str(NATS_SERVER), "-c", str(file)])
    ends = time.monotonic() + stand.TIMEOUT_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.02)
        else:
            return f"nats://127.0.0.1:{port}", process


def start_installation(
    test_stand: Stand, nats: tuple[str, BenchProcess] | None = None, *, working: bool = True
) -> StreamInstallation:
    """Start an installation with a company and its gateway."""
    url = test_stand.create_database()
    company = asyncio.run(stand.provision_company(url))
    more = {"nats_url": nats[0]} if nats else {}
    api = test_stand.start_api(url, **more)
    worker = test_stand.start_worker(url, **more) if working else None
    fleet = asyncio.run(register_fleet(url, api.port, company.api_key))
    (postmaster,) = test_stand.folder.rglob("postmaster.pid")
    return StreamInstallation(
        url, int(postmaster.read_text().split()[0]), api, worker, nats[1] if nats else None, fleet
    )


def encode_batches(fleet: BenchFleet, name: str) -> list[msgspec.Raw]:
    """Encode all events in batches, with IDs of their own."""
    events = build_positions(fleet, EVENTS)
    for number, event in enumerate(events):
        event["event_id"] = f"{name}-{number}"
    return [
        msgspec.Raw(msgspec.json.encode(events[at : at + BATCH_SIZE]))
        for at in range(0, EVENTS, BATCH_SIZE)
    ]


async def send_batches(
    installation: StreamInstallation, batches: list[msgspec.Raw], connections: int
) -> int:
    """Send batches; return how many events were stored when they were accepted."""
    lines = [
        HttpConnection(installation.api.port, installation.fleet.token) for _ in range(connections)
    ]
    left = iter(batches)
    stored = accepted = 0

    async def send_next(line: HttpConnection) -> None:
        nonlocal stored, accepted
        answer = await line.request_json("POST", BATCH_PATH, next(left))
        stored += answer["accepted"]
        accepted += answer["accepted"] + answer.get("pending", 0)

    await stand.run_requests(lines, len(batches), send_next)
    assert accepted == EVENTS, f"{accepted} of {EVENTS} were accepted"
    return stored


async def wait_until_readable(url: str, count: int) -> None:
    """Wait until `count` events can be read."""
    connection = await asyncpg.connect(url)
    stored = "select count(*) from device_events where class = 0"
    while await connection.fetchval(stored) < count:  # noqa: ASYNC110 - another process stores them
        await asyncio.sleep(0.02)
    await connection.close()


def measure_installation(installation: StreamInstallation, name: str) -> StreamCost:
    """Send all events, and wait until they can be read."""
    batches = encode_batches(installation.fleet, name)
    before, began = installation.read_cpu_seconds(), time.perf_counter()
    asyncio.run(send_batches(installation, batches, CONNECTIONS))
    asyncio.run(wait_until_readable(installation.url, EVENTS))
    seconds = time.perf_counter() - began
    after = installation.read_cpu_seconds()
    return StreamCost(
        EVENTS, seconds, [end - begin for begin, end in zip(before, after, strict=True)]
    )


def measure_backlog(test_stand: Stand) -> None:
    """Send while no worker runs, then start one."""
    nats = start_nats(test_stand)
    alone = start_installation(test_stand, nats, working=False)
    batches = encode_batches(alone.fleet, "behind")
    before, began = alone.read_cpu_seconds(), time.perf_counter()
    stored = asyncio.run(send_batches(alone, batches, SENDERS))
    seconds = time.perf_counter() - began
    assert stored == 0, f"{stored} events were stored without a worker"
    spent = [end - begin for begin, end in zip(before, alone.read_cpu_seconds(), strict=True)]
    test_stand.record(
        Figure(
            what=f"Accepted by JetStream without a worker, {SENDERS} senders",
            measured=str(StreamCost(EVENTS, seconds, spent)),
        )
    )
    began, before = time.perf_counter(), alone.read_cpu_seconds()
    back = alone._replace(worker=test_stand.start_worker(alone.url, nats_url=nats[0]))
    asyncio.run(wait_until_readable(back.url, EVENTS))
    seconds = time.perf_counter() - began
    spent = [end - begin for begin, end in zip(before, back.read_cpu_seconds(), strict=True)]
    test_stand.record(
        Figure(
            what="Backlog stored by one returning worker, including its start",
            measured=str(StreamCost(EVENTS, seconds, spent)),
        )
    )


def measure(test_stand: Stand) -> None:
    """Measure both installations, then a backlog."""
    plain = start_installation(test_stand)
    straight = measure_installation(plain, "straight")
    plain.stop()
    test_stand.record(Figure(what="Without JetStream, batches of 500", measured=str(straight)))
    between = start_installation(test_stand, start_nats(test_stand))
    streamed = measure_installation(between, "streamed")
    between.stop()
    test_stand.record(
        Figure(
            what="Through JetStream, batches of 500",
            measured=str(streamed),
            floor=str(straight),
            ratio=streamed.cpu / straight.cpu,
        )
    )
    measure_backlog(test_stand)


if __name__ == "__main__":
    stand.run(measure)
