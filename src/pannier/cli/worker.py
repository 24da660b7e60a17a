"""`pannier worker`: background work, on its own or under `pannier serve`."""

import asyncio
from contextlib import nullcontext
from typing import Final

import click
import uvloop

from pannier import worker as background
from pannier.cli import attach, checks, scrape
from pannier.db import Database
from pannier.db.actor import WORKER
from pannier.devices.streams.listening import streams
from pannier.devices.writer import Writer
from pannier.files.storage import Storage, storage_of
from pannier.installation import DatabaseAwayError
from pannier.notifications.channels import channels
from pannier.notifications.sender import senders
from pannier.settings import Settings
from pannier.web import logs
from pannier.webhooks import crew
from pannier.webhooks.carrier import Carrier
from pannier.webhooks.sender import Sender

GRACE_SECONDS: Final = 8  # shorter than the supervisor's timeout
SHORTEST_WAIT, LONGEST_WAIT = 0.5, 10.0  # seconds between two attempts to open the database


@click.command()
@attach.data_option
@click.option("--supervised", is_flag=True, hidden=True, help="`pannier serve` has started it.")
@click.option("--demo", is_flag=True, hidden=True, help="Let the city of the demo company live.")
def worker(data: str | None, supervised: bool, demo: bool) -> None:
    """Run only the background worker, next to any number of `serve --api-only`.

    It waits for a database that is away. With PANNIER_WORKER_PORT it answers /healthz and /metrics.
    """
    settings = attach.settings_of(data)
    # Report an invalid setting at the start, not in the log of every attempt.
    checks.check(settings)
    logs.configure(settings.log_level, settings.log_format)
    with attach.database_url(settings) as url:
        uvloop.run(_work(settings, url, demo=demo) if supervised else _work_alone(settings, url))


async def _work_alone(settings: Settings, url: str) -> None:
    """Work without a supervisor, which would report our start and our health."""
    async with scrape.door(settings) as door:
        await _work(settings, url, door)


async def _work(
    settings: Settings, url: str, door: scrape.Door | None = None, *, demo: bool = False
) -> None:
    stop = background.stopping()
    database = await _open_unless(stop, settings, url)
    if database is None:
        return
    try:
        while not stop.is_set():
            await background.await_clock(database, stop)
            await _work_until(stop, database, settings, url, door, demo=demo)
    finally:
        await database.close()


async def _work_until(
    stop: asyncio.Event,
    database: Database,
    settings: Settings,
    url: str,
    door: scrape.Door | None,
    *,
    demo: bool,
) -> None:
    """Work until stopped or until the clock is wrong, then release leased work."""
    if stop.is_set():
        return
    sender = Sender(
        database, Carrier(settings), crew.Shared(url), most=settings.webhook_concurrency
    )
    outgoing = senders(database, channels(settings))
    writer = Writer(database, settings)
    brokers = list(streams(url, database, settings, writer))
    patience = 0.0
    try:
        storage = storage_of(settings)
        work = list(background.jobs(database, settings, outgoing, storage, sender, brokers))
        if demo:
            work.append(_city(database, settings, storage, writer))
        running = background.Worker(database, work)
        logs.log.info("worker started")
        with nullcontext() if door is None else door.showing(database, running):
            if door is not None:
                click.echo("The worker has started. Press Ctrl-C to stop.")
            await background.run(running, stop)
        patience = max(GRACE_SECONDS - running.seconds_since_stop(), 0)
    finally:
        await asyncio.gather(
            sender.close(patience=patience),
            *(one.close(patience=patience) for one in outgoing),
            *(broker.close() for broker in brokers),
        )
        await writer.close()


def _city(
    database: Database, settings: Settings, storage: Storage, writer: Writer
) -> background.Job:
    # Imported here, because only a demo needs it and its imaging library.
    from pannier.demo.city import EVERY, City  # noqa: PLC0415 - see above

    city = City(database, settings, storage, writer)
    return background.Job("demo city", city.step, EVERY)


async def _open_unless(stop: asyncio.Event, settings: Settings, url: str) -> Database | None:
    """Open the database as soon as it responds; None if stopped before."""
    opening = asyncio.create_task(_open_patiently(settings, url))
    told = asyncio.create_task(stop.wait())
    told.add_done_callback(lambda _: opening.cancel())
    try:
        return await opening
    except asyncio.CancelledError:
        if stop.is_set():
            return None
        raise
    finally:
        told.cancel()


async def _open_patiently(settings: Settings, url: str) -> Database:
    """Open the database as soon as it responds."""
    wait = SHORTEST_WAIT
    while True:
        try:
            return await attach.begun(settings, url, actor=WORKER)
        except DatabaseAwayError as away:
            logs.log.warning("waiting for the database", reason=str(away))
        await asyncio.sleep(wait)
        wait = min(wait * 2, LONGEST_WAIT)
