"""A worker on a machine with a wrong clock harms nobody."""

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from aiohttp import web

import copier
import program
import stage
from devices.garage import Garage
from faults import postmen
from pannier.db import clock, connect
from pannier.devices import partitions
from pannier.kit.clock import SystemClock
from pannier.kit.crypto import Keyring
from pannier.notifications import service as notifications
from stage import Firm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SHIFTED = Path(__file__).parent.parent / "shifted.py"
MESSAGES = 12
COUNTED = ("events", "device_events", "tokens", "audit_entries", "messages", "webhook_attempts")


@dataclass
class Phones:
    """An SMS provider that takes a while, so that leases are held meanwhile."""

    url: str = ""
    received: Counter[str] = field(default_factory=Counter)

    async def receive(self, request: web.Request) -> web.Response:
        self.received[(await request.json())["message"]] += 1
        await asyncio.sleep(1)
        return web.Response()


@pytest.fixture
async def phones() -> AsyncIterator[Phones]:
    made = Phones()
    app = web.Application()
    app.router.add_post("/{path:.*}", made.receive)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    made.url = f"json://{host}:{port}/{{to}}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def url(server_url: str) -> AsyncIterator[str]:
    """A database of the test's own, as processes of several machines share one."""
    name = f"wrong_clock_{os.getpid()}"
    yield await stage.create_migrated(server_url, name)
    await stage.admin(server_url, f"drop database {name} with (force)")


@pytest.fixture
async def firm(url: str, tmp_path: Path) -> AsyncIterator[Firm]:
    """A company on a machine whose clock is right, with a day's work behind it."""
    system: Any = SystemClock()
    database = await connect(url, clock=system, keys=Keyring(stage.SECRET))
    house = await stage.build(database, system, str(tmp_path))
    firm = await house.found("Acme")
    await partitions.step(database)
    garage = Garage(firm)
    tracker = await garage.device()
    await garage.seen(tracker)
    yield firm
    await house.edge.services["webhook_client"].close()
    await database.close()


class Worker:
    """A worker in a process of its own, whose machine's clock is ahead."""

    def __init__(self, folder: Path, ahead: timedelta, **settings: str) -> None:
        self.port = program.free_port()
        self._log = folder / "worker.log"
        with self._log.open("w") as log:
            self.process = copier.start(
                [str(SHIFTED), str(ahead.total_seconds()), "worker"],
                env=program.environment(folder, worker_port=str(self.port), **settings),
                stdout=subprocess.DEVNULL,
                stderr=log.fileno(),
            )

    def said(self) -> list[str]:
        """List the events of its log."""
        lines = self._log.read_text().splitlines()
        return [msgspec.json.decode(line)["event"] for line in lines if line.startswith("{")]

    def await_said(self, event: str, times: int = 1) -> None:
        """Wait until its log has said something so often."""
        deadline = time.monotonic() + program.PATIENCE
        while self.said().count(event) < times:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def stop(self) -> int:
        """Ask it to stop, and return its exit code."""
        self.process.terminate()
        return self.process.wait(program.PATIENCE)


@contextmanager
def working(folder: Path, ahead: timedelta, **settings: str) -> Iterator[Worker]:
    """Have a worker run."""
    folder.mkdir(exist_ok=True)
    worker = Worker(folder, ahead, **settings)
    try:
        yield worker
    finally:
        worker.stop()


async def counts(firm: Firm) -> dict[str, int]:
    return {table: await firm.house.value(f"select count(*) from {table}") for table in COUNTED}


async def all_sent(firm: Firm) -> None:
    """Wait until no message is due."""
    async with asyncio.timeout(program.PATIENCE):
        while await firm.house.value("select count(*) from messages where state = 'due'"):  # noqa: ASYNC110 - another process sends them
            await asyncio.sleep(0.1)


async def test_a_worker_four_months_ahead_deletes_nothing_and_signs_nobody_out(
    firm: Firm, url: str, tmp_path: Path
) -> None:
    before, ahead = await counts(firm), timedelta(days=120)
    assert before["device_events"]
    tables = await firm.house.value("select count(*) from pg_inherits")
    with working(tmp_path / "wrong", ahead, database_url=url, secret=stage.SECRET) as worker:
        await asyncio.to_thread(worker.await_said, "worker waits until the clock is set", 2)
        assert "clock differs from the database's" in worker.said()
        token = {"Authorization": f"Bearer {firm.house.metrics_token}"}
        async with httpx.AsyncClient(headers=token, timeout=program.PATIENCE) as client:
            told = (await client.get(f"http://127.0.0.1:{worker.port}/metrics")).text
        skew = next(line for line in told.splitlines() if line.startswith("pannier_clock_skew"))
        assert abs(float(skew.split()[1]) - ahead.total_seconds()) < 60
        assert worker.stop() == 0
    assert await counts(firm) == before
    assert await firm.house.value("select count(*) from pg_inherits") == tables
    assert await firm.house.value("select count(*) from heartbeats") == 0
    assert (await firm.admin.get("/int/v1/sessions")).status_code == 200


async def test_workers_that_are_ahead_send_no_message_twice(
    firm: Firm, phones: Phones, url: str, tmp_path: Path
) -> None:
    settings = {"database_url": url, "secret": stage.SECRET, "sms_url": phones.url}
    texts = [f"Parcel {number} is on its way." for number in range(MESSAGES)]
    assert timedelta(seconds=50) < clock.UNSAFE_SKEW < timedelta(seconds=150)
    with (
        working(tmp_path / "right", timedelta(), **settings),
        working(tmp_path / "wrong", timedelta(seconds=50), **settings) as wrong,
        working(tmp_path / "stopped", timedelta(seconds=150), **settings) as stopped,
    ):
        await asyncio.to_thread(wrong.await_said, "worker started")
        await asyncio.to_thread(stopped.await_said, "worker waits until the clock is set")
        async with firm.house.database.transaction() as db:
            for text in texts:
                await notifications.queue_message(db, firm.uuid, "sms", "+6591234567", text)
        await all_sent(firm)
    assert {text: phones.received[text] for text in texts} == dict.fromkeys(texts, 1)


async def test_a_worker_fifty_seconds_ahead_sends_no_delivery_twice(
    server_url: str, tmp_path: Path
) -> None:
    async with postmen.opened(server_url, tmp_path) as office:
        for number in range(8):
            await office.register(f"box_{number}", slowest=2000)
        ahead = (str(SHIFTED), "50", "worker")
        pair = [office.hire(), office.hire(ahead)]
        await office.lanes_shared(*pair)
        await office.tell(10)
        await office.all_done(program.PATIENCE)
        ledger = await office.ledger()
    assert len(ledger.deliveries) == office.told * office.endpoints
    assert (ledger.duplicates, ledger.interrupted, ledger.lost) == (0, set(), [])


async def test_a_worker_half_a_minute_ahead_works_by_the_databases_time(
    firm: Firm, phones: Phones, url: str, tmp_path: Path
) -> None:
    settings = {"database_url": url, "secret": stage.SECRET, "sms_url": phones.url}
    with working(tmp_path / "wrong", timedelta(seconds=30), **settings):
        async with firm.house.database.transaction() as db:
            await notifications.queue_message(db, firm.uuid, "sms", "+6591234567", "On its way.")
        await all_sent(firm)
        # By its own clock it would have been sent half a minute from now.
        assert await firm.house.value("select bool_and(sent_at <= clock_timestamp()) from messages")


def test_the_doctor_says_by_how_much_a_clock_is_wrong(database_url: str, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(SHIFTED), "150", "doctor", "--json"],
        env=program.environment(tmp_path, database_url=database_url),
        capture_output=True,
        timeout=program.PATIENCE,
        check=False,
    )
    (clock,) = [row for row in msgspec.json.decode(found.stdout) if row["name"] == "clock"]
    assert clock["verdict"] == "wrong"
    assert "differs from the database's by 2 minutes." in clock["words"]
    assert "no worker runs on this machine" in clock["words"]
