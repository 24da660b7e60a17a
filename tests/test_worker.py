"""The worker runs its steps side by side, whatever one of them does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import httpx
import msgspec
import pytest

from pannier import worker as background
from pannier.cli import worker_server
from pannier.db import connect
from pannier.db.monitored_connection import close_connections, open_connection
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock, SystemClock
from pannier.worker import Job, Worker
from program import PATIENCE, free_port
from stage import Firm, House

NEVER = 3600.0


class Data(msgspec.Struct):
    id: str


async def until(condition: Callable[[], bool]) -> None:
    """Let the other tasks run until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what we wait for has no event of its own
            await asyncio.sleep(0.01)


@asynccontextmanager
async def working(house: House, jobs: Sequence[Job]) -> AsyncIterator[Worker]:
    worker = Worker(house.database, jobs)
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(running, PATIENCE)


async def test_a_step_that_has_work_runs_on_and_an_idle_one_waits(house: House) -> None:
    left, idle = [3], [0]

    async def busy() -> bool:
        left[0] -= 1
        return left[0] > 0

    async def resting() -> bool:
        idle[0] += 1
        return False

    async with working(house, [Job("a", busy, NEVER), Job("b", resting, NEVER)]):
        await until(lambda: left[0] == 0)
    assert idle[0] <= 2


@pytest.mark.slow
async def test_a_failing_step_neither_stops_the_others_nor_itself(house: House) -> None:
    tries, good = [0], asyncio.Event()

    async def failing() -> bool:
        tries[0] += 1
        raise RuntimeError("out of order")

    async def working_step() -> bool:
        good.set()
        return False

    jobs = [Job("bad", failing, 0.01), Job("good", working_step, 0.01)]
    async with working(house, jobs):
        await asyncio.wait_for(good.wait(), 10)
        await until(lambda: tries[0] >= 2)


async def test_a_committed_event_wakes_the_worker_at_once(acme: Firm, house: House) -> None:
    looks = [0]

    async def look() -> bool:
        looks[0] += 1
        return False

    async with working(house, [Job("relay", look, NEVER, outbox.CHANNEL)]):
        await until(lambda: looks[0] >= 1)
        for _ in range(200):  # the worker begins to listen a moment after it starts
            before = looks[0]
            async with house.database.transaction() as db:
                await outbox.emit(db, acme.uuid, Name.ORDER_CREATED, Data("o"), subject="o")
            await asyncio.sleep(0.05)
            if looks[0] > before:
                break
        else:
            raise AssertionError("no event woke the worker")


async def test_a_worker_is_unhealthy_while_its_heartbeat_hangs(
    house: House, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(background, "HEARTBEAT_TIMEOUT_SECONDS", 1.0)
    settings = msgspec.structs.replace(house.settings, worker_port=free_port())
    async with (
        worker_server.open_server(settings) as door,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.worker_port}") as client,
    ):

        async def answers(status: int) -> None:
            async with asyncio.timeout(PATIENCE):
                while (await client.get("/healthz")).status_code != status:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)

        other = await open_connection(database_url)
        async with working(house, []) as worker:
            with door.expose(house.database, worker):
                async with other.transaction():
                    await other.execute("lock table heartbeats")
                    await answers(503)
                await answers(200)
                async with other.transaction():
                    await other.execute("lock table heartbeats")
                    await answers(503)
            # It was stopped, perhaps until the clock is set: that is no reason to restart it.
            await answers(200)
        await close_connections(other)


async def test_metrics_count_requests_by_route(acme: Firm) -> None:
    await acme.api.get("/v1/organizations/current")
    metrics = await acme.house.client(acme.house.metrics_token).get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert 'route="/v1/organizations/current",status="2xx"' in metrics.text


async def test_a_heartbeat_from_the_future_is_no_sign_of_life(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    clock.advance(days=120)
    await Worker(house.database, []).record_heartbeat()
    clock.advance(days=-120)
    assert "No worker" in (await acme.admin.get("/status")).json()["checks"]["worker"]
    await Worker(house.database, []).record_heartbeat()
    assert (await acme.admin.get("/status")).json()["checks"]["worker"] == "ok"


async def test_a_worker_stops_where_the_clock_is_too_wrong_and_gives_no_sign_of_life(
    house: House, database_url: str
) -> None:
    class Wrong(SystemClock):
        def now(self) -> datetime:
            return super().now() + timedelta(seconds=150)

    database = await connect(database_url, clock=Wrong(), keys=house.database.keys, size=2)
    try:
        await asyncio.wait_for(Worker(database, []).run(), 30)
        assert await house.value("select count(*) from heartbeats") == 0
    finally:
        await database.close()
