"""`pannier worker`: background work, on its own or under `pannier serve`."""

import asyncio
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Final

import click
import uvloop

from pannier import installation
from pannier import worker as background
from pannier.cli import access, checks, worker_server
from pannier.db import Database
from pannier.db.actor import WORKER
from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.database import TRANSIENT_ERRORS
from pannier.devices.brokers.consumers import create_consumers
from pannier.devices.writer import Writer
from pannier.files.storage import Storage, make_storage
from pannier.installation import DatabaseUnavailableError
from pannier.invoices.attachments import AttachmentRenderer
from pannier.notifications.channels import open_channels
from pannier.notifications.sender import make_senders
from pannier.robots import queue as simulations
from pannier.routing.configuration import create_router
from pannier.settings import Settings
from pannier.web import logs
from pannier.webhooks import membership
from pannier.webhooks.sender import WebhookSender
from pannier.webhooks.webhook_client import WebhookClient

if TYPE_CHECKING:
    from pannier.robots.runner import RobotRunner

GRACE_SECONDS: Final = 8  # shorter than the supervisor's timeout
MIN_WAIT_SECONDS, MAX_WAIT_SECONDS = 0.5, 10.0  # seconds between two attempts to open the database


@click.command()
@access.data_option
@click.option("--supervised", is_flag=True, hidden=True, help="Set by `pannier serve`.")
@click.option("--demo", is_flag=True, hidden=True, help="Simulate the demo company's city.")
def worker(data: str | None, supervised: bool, demo: bool) -> None:
    """Run only the background worker, next to any number of `serve --api-only`.

    It waits while the database is unavailable. With PANNIER_WORKER_PORT, it serves /healthz and
    /metrics.
    """
    settings = access.load_or_create_settings(data)
    # Report an invalid setting at the start, not in the log of every attempt.
    checks.check_settings(settings)
    logs.configure(settings.log_level, settings.log_format)
    with access.serve_database(settings) as url:
        uvloop.run(
            _work(settings, url, demo=demo) if supervised else _work_unsupervised(settings, url)
        )


async def _work_unsupervised(settings: Settings, url: str) -> None:
    """Work without a supervisor. Report the start and health ourselves."""
    async with worker_server.open_server(settings) as server:
        await _work(settings, url, server)


async def _work(
    settings: Settings,
    url: str,
    server: worker_server.WorkerServer | None = None,
    *,
    demo: bool = False,
) -> None:
    stop = background.create_stop_event()
    database = await _open_database(stop, settings, url)
    if database is None:
        return
    try:
        while not stop.is_set():
            await _await_clock(database, stop)
            await _work_until(stop, database, settings, url, server, demo=demo)
            if database.is_outdated:
                await installation.check_migrations(database)
    finally:
        await database.close()


async def _work_until(
    stop: asyncio.Event,
    database: Database,
    settings: Settings,
    url: str,
    server: worker_server.WorkerServer | None,
    *,
    demo: bool,
) -> None:
    """Work until stopped or until the clock is wrong, then release leased work."""
    if stop.is_set():
        return
    sender = WebhookSender(
        database,
        WebhookClient(settings),
        membership.SharedMembership(url),
        max_in_flight=settings.webhook_concurrency,
    )
    storage = make_storage(settings)
    attachments = AttachmentRenderer(database, storage)
    outgoing = make_senders(database, open_channels(settings), attachments.load)
    writer = Writer(database, settings)
    brokers = list(create_consumers(url, database, settings, writer))
    remaining_seconds = 0.0
    try:
        jobs = list(
            background.list_jobs(database, settings, outgoing, storage, sender, brokers, stop=stop)
        )
        jobs += _list_simulation_jobs(database, settings, storage, writer)
        if demo:
            jobs.append(_make_demo_job(database, settings, storage, writer))
        running_worker = background.Worker(database, jobs)
        logs.log.info("worker started")
        with nullcontext() if server is None else server.expose(database, running_worker):
            if server is not None:
                click.echo("The worker has started. Press Ctrl-C to stop.")
            await background.run(running_worker, stop)
        remaining_seconds = max(GRACE_SECONDS - running_worker.seconds_since_stop(), 0)
    finally:
        await asyncio.gather(
            sender.close(grace=remaining_seconds),
            *(channel.close(grace=remaining_seconds) for channel in outgoing),
            *(broker.close() for broker in brokers),
        )
        await writer.close()


def _list_simulation_jobs(
    database: Database, settings: Settings, storage: Storage, writer: Writer
) -> list[background.Job]:
    """List the jobs that move the robots of test companies, and forget old simulations."""
    router = create_router(settings, database.clock)
    runner: RobotRunner | None = None

    async def step() -> bool:
        nonlocal runner
        if runner is None:
            if not await simulations.is_any_due(database):
                return False
            # Imported with the first simulation: most workers never run one.
            from pannier.robots.runner import RobotRunner  # noqa: PLC0415 - see above

            runner = RobotRunner(database, storage, router, writer)
        return await runner.step()

    return [
        background.Job(simulations.STEP, step, background.EVERY_SECOND, simulations.CHANNEL),
        background.Job(
            "old simulations", lambda: simulations.purge(database), background.EVERY_HOUR
        ),
    ]


def _make_demo_job(
    database: Database, settings: Settings, storage: Storage, writer: Writer
) -> background.Job:
    # Imported here, because only a demo needs it and its imaging library.
    from pannier.demo.simulation import STEP_SECONDS, DemoSimulation  # noqa: PLC0415 - see above

    city = DemoSimulation(database, settings, storage, writer)
    return background.Job("demo city", city.step, STEP_SECONDS)


async def _open_database(stop: asyncio.Event, settings: Settings, url: str) -> Database | None:
    """Open the database as soon as it responds. Return None if `stop` is set first."""
    open_task = asyncio.create_task(_retry_open(settings, url))
    stop_task = asyncio.create_task(stop.wait())
    stop_task.add_done_callback(lambda _: open_task.cancel())
    try:
        return await open_task
    except asyncio.CancelledError:
        if stop.is_set():
            return None
        raise
    finally:
        stop_task.cancel()


async def _retry_open(settings: Settings, url: str) -> Database:
    """Open the database. Retry with growing pauses until it responds."""
    pause = MIN_WAIT_SECONDS
    while True:
        try:
            return await access.open_migrated_database(settings, url, actor=WORKER)
        except DatabaseUnavailableError as error:
            logs.log.warning("waiting for the database", reason=str(error))
        await asyncio.sleep(pause)
        pause = min(pause * 2, MAX_WAIT_SECONDS)


async def _await_clock(database: Database, stop: asyncio.Event) -> None:
    """Wait until this machine's clock agrees with the database's, or until `stop` is set."""
    await _measure_clock(database)
    while not (database.clock.is_safe() or stop.is_set()):
        logs.log.error("worker waits until the clock is set")
        await background.wait_for_event(stop, background.HEARTBEAT_SECONDS)
        await _measure_clock(database)


async def _measure_clock(database: Database) -> None:
    """Compare the clocks. If the database is unavailable, keep the last measurement."""
    with suppress(*TRANSIENT_ERRORS, *DRIVER_ERRORS, OSError):
        await database.measure_clock()
