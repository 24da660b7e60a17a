"""`pannier serve`: the database, the API processes and the worker, under one supervisor."""

import asyncio
import gc
import os
import resource
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import click
import uvicorn
import uvloop

from pannier import installation, supervisor
from pannier import worker as background
from pannier.cli import attach
from pannier.cli.commands import shown
from pannier.db.actor import WORKER
from pannier.db.embedded import EmbeddedError, Server
from pannier.files.storage import storage_of
from pannier.installation import Founding, InstallationError
from pannier.kit.passwords import Passwords
from pannier.notifications.channels import channels
from pannier.notifications.sender import senders
from pannier.payments import configuration
from pannier.settings import Settings
from pannier.supervisor import Child
from pannier.web import addresses, logs, porter
from pannier.web.limits import Limiter
from pannier.web.outside import Outside
from pannier.webhooks import crew, dns, guard
from pannier.webhooks.carrier import Carrier
from pannier.webhooks.sender import Sender

BACKLOG: Final = 2048
SPARE_FILES: Final = 512  # for the database, files, sockets to the outside
GRACE_SECONDS: Final = 8  # less than the supervisor's patience
EACH_SECOND, SOON = 1.0, 0.05  # seconds between two looks at what we keep


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The port to listen on.")
@attach.data_option
@click.option("--workers", default=0, help="API processes; half the cores, if not given.")
@click.option("--api-only", is_flag=True, help="No background worker: another machine has it.")
@click.option("--demo", is_flag=True, help="Found a demo company in test mode to play with.")
def serve(
    host: str,
    port: int,
    data: str | None,
    workers: int,
    api_only: bool,
    demo: bool,
) -> None:
    """Start everything: database, API and worker."""
    settings = attach.settings_of(data)
    _check(settings)
    listener = _listen(host, port)
    keeper = _Keeper(settings)
    try:
        founding = asyncio.run(_prepare(settings, keeper.url, demo=demo))
        address = _address(host, listener.getsockname()[1])
        environment = _environment(settings, keeper.url, address)
        greeting = _Greeting(address, founding)
        children = [
            _child("api", number, environment, listener, greeting)
            for number in range(1, _processes(workers) + 1)
        ]
        if not api_only:
            children.append(Child("worker", _command("worker"), environment))

        def look() -> float:
            keeper.keep()
            return EACH_SECOND if greeting.said() else SOON

        supervisor.run(children, keep=look, say=click.echo)
    finally:
        keeper.stop()
    click.echo("Stopped.")


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else, so that a taken one costs nobody time."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as wrong:
        reason = getattr(wrong, "strerror", None) or str(wrong)
        raise InstallationError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --host or --port."
        ) from wrong


def _check(settings: Settings) -> None:
    """Find settings that the children would stumble over, while we can still say so."""
    addresses.proxies(settings.trusted_proxies)
    storage_of(settings)
    configuration.check(settings)
    Outside(settings.ca_bundle)
    guard.networks(settings.webhook_allow_networks)
    dns.trusting(settings.webhook_ca_bundle)


class _Keeper:
    """Keeps the embedded database running; does nothing for an external one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._server: Server | None = None
        if settings.database_url is None:
            click.echo("Starting the database.")
            self._server = self._open()
            if self._server.notice:
                click.echo(self._server.notice)
        self.url = settings.database_url or self._required().url

    def _open(self) -> Server:
        return Server.open(self._settings.folder, user=self._settings.embedded_user)

    def _required(self) -> Server:
        if self._server is None:
            raise InstallationError("There is no database.")
        return self._server

    def keep(self) -> None:
        """Start the database again when it is gone."""
        if self._server is not None and not self._server.alive():
            click.echo("The database has stopped; starting it again.")
            try:
                self._server = self._open()
            except EmbeddedError as trouble:
                click.echo(f"{trouble} Trying again.")

    def stop(self) -> None:
        """Stop the database, when it is ours."""
        if self._server is not None:
            self._server.stop()


def _address(host: str, port: int) -> str:
    """Spell where we can be reached from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - spelled, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Greeting:
    """Says where to look, once an API process has told that it answers."""

    def __init__(self, address: str, founding: Founding | None) -> None:
        self._address, self._founding, self._said = address, founding, False
        # A pipe and not a request of our own: that would stand in the log as anybody's does.
        self._heard, self.told = os.pipe()
        os.set_blocking(self._heard, False)

    def said(self) -> bool:
        """Greet when it is time, once."""
        if not self._said:
            with suppress(BlockingIOError):
                self._said = bool(os.read(self._heard, 1))
                self._greet()
        return self._said

    def _greet(self) -> None:
        click.echo(f"\nPannier is ready.\n\n  API              {self._address}")
        click.echo(f"  Documentation    {self._address}/docs\n")
        if self._founding is not None:
            click.echo(shown(self._founding))
            click.echo(
                f"\n  Try:  curl -H 'Authorization: Bearer {self._founding.api_key}' "
                f"{self._address}/v1/organizations/current\n"
            )
        click.echo("Press Ctrl-C to stop.")


async def _prepare(settings: Settings, url: str, *, demo: bool) -> Founding | None:
    """Migrate, and found the first company on the first start."""
    for step in await attach.migrate(url):
        click.echo(f"Migrated: {step}.")
    database = await attach.opened(settings, url)
    try:
        hasher = Passwords(memory_kib=settings.password_memory)
        if demo:
            return await installation.found_demo(database, hasher, settings)
        return await installation.found(database, hasher, settings)
    finally:
        await database.close()


def _environment(settings: Settings, url: str, address: str) -> Mapping[str, str]:
    """Tell the children what we found out: where the data, the database and we ourselves are."""
    # By port: a second `serve` on the same data directory has another one.
    metrics = settings.folder / "metrics" / address.rpartition(":")[2]
    shutil.rmtree(metrics, ignore_errors=True)
    metrics.mkdir(parents=True)
    return {
        "PANNIER_BASE_URL": address,
        **os.environ,
        "PANNIER_DATA": str(settings.folder),
        "PANNIER_DATABASE_URL": url,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
    }


def _processes(wish: int) -> int:
    return wish or max(1, (os.cpu_count() or 1) // 2)


def _command(*words: str) -> Sequence[str]:
    return [sys.executable, "-m", "pannier", *words]


def _child(
    name: str,
    number: int,
    environment: Mapping[str, str],
    listener: socket.socket,
    greeting: _Greeting,
) -> Child:
    descriptors = listener.fileno(), greeting.told
    return Child(
        f"{name} {number}", _command("api", *map(str, descriptors)), environment, descriptors
    )


@click.command(hidden=True)
@click.argument("descriptor", type=int)
@click.argument("told", type=int, required=False)
def api(descriptor: int, told: int | None) -> None:
    """Serve the API on a socket that the supervisor opened, and tell it when that works."""
    settings = attach.settings_of(None)
    logs.configure(settings.log_level, settings.log_format)
    uvloop.run(_serve_api(settings, socket.socket(fileno=descriptor), told))


class _Telling(uvicorn.Server):
    """Tells the supervisor once it accepts requests."""

    def __init__(self, config: uvicorn.Config, told: int | None) -> None:
        super().__init__(config)
        self._told = told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, and say so."""
        await super().startup(sockets)
        if self._told is not None:
            os.write(self._told, b"!")
            os.close(self._told)


async def _serve_api(settings: Settings, listener: socket.socket, told: int | None) -> None:
    # Imported here: all the doors take a second to load, which a worker need not wait for.
    from pannier import app as application  # noqa: PLC0415 - see above

    database = await installation.open_database(settings, settings.database_url or "")
    edge = application.create(
        settings,
        database,
        Limiter(settings.folder / "limits"),
        Passwords(memory_kib=settings.password_memory),
    )
    config = porter.serving(edge, settings, timeout_graceful_shutdown=GRACE_SECONDS)
    _allow_files(settings.connections)
    # What is loaded by now stays for good; the collector need not look at it again.
    gc.collect()
    gc.freeze()
    try:
        await _Telling(config, told).serve(sockets=[listener])
    finally:
        await edge.services["carrier"].close()
        await database.close()


def _allow_files(connections: int) -> None:
    """Ask the system for as many open files as there may be connections, and some for the rest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


@click.command()
@attach.data_option
def worker(data: str | None) -> None:
    """Run the background work alone, beside any number of `serve --api-only`."""
    settings = attach.settings_of(data)
    logs.configure(settings.log_level, settings.log_format)
    with attach.database_url(settings) as url:
        uvloop.run(_work(settings, url))


async def _work(settings: Settings, url: str) -> None:
    # A wrong setting is told at the start, not in the log of every attempt.
    dns.trusting(settings.webhook_ca_bundle)
    database = await attach.opened(settings, url, actor=WORKER)
    sender = Sender(
        database, Carrier(settings), crew.Shared(url), most=settings.webhook_concurrency
    )
    outgoing = senders(database, channels(settings))
    try:
        storage = storage_of(settings)
        work = background.jobs(database, settings, outgoing, storage, sender)
        logs.log.info("worker started")
        await background.run(url, database, work)
    finally:
        await asyncio.gather(
            sender.close(patience=GRACE_SECONDS),
            *(one.close(patience=GRACE_SECONDS) for one in outgoing),
        )
        await database.close()
