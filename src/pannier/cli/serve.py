"""`pannier serve`: the database, the API processes and the worker under one supervisor."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

import click

from pannier import installation, supervisor
from pannier.cli import attach, checks
from pannier.db import Database, embedded
from pannier.db.actor import COMMAND
from pannier.db.embedded import EmbeddedError, Location, Server
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.supervisor import Child

if TYPE_CHECKING:
    from pannier.founding import Founding

BACKLOG: Final = 2048
MOST_PROCESSES: Final = 256
CITY: Final = "Demo data appears within a minute and keeps changing while this runs.\n"
EACH_SECOND, SOON = 1.0, 0.05  # seconds between two calls of `poll`


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@attach.number_option("--port", 0, 65535, 8000, "Port to listen on.")
@attach.data_option
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_PROCESSES),
    help="API processes; half the cores by default.",
)
@click.option("--api-only", is_flag=True, help="Do not start the background worker.")
@click.option("--demo", is_flag=True, help="Create a demo company in test mode with live data.")
def serve(
    host: str,
    port: int,
    data: str | None,
    workers: int | None,
    api_only: bool,
    demo: bool,
) -> None:
    """Start everything: database, API and worker."""
    settings = attach.settings_of(data)
    checks.check(settings)
    for sentence in checks.unknown_names():
        click.echo(f"{sentence} Ignored.", err=True)
    with _listen(host, port) as listener, closing(_Keeper(settings)) as keeper:
        address = _address(host, listener.getsockname()[1])
        environment = _environment(settings, keeper.url, address)
        lives = demo and not api_only
        with closing(_Start(settings, keeper, address, demo=demo, lives=lives)) as start:
            children = [
                _child("api", number, environment, listener, start)
                for number in range(1, _processes(workers) + 1)
            ]
            if not api_only:
                command = _command("worker", "--supervised", *(["--demo"] if demo else []))
                # The worker starts later, because users wait only for the API.
                children.append(Child("worker", command, environment, wanted=start.greeted))
            supervisor.run(children, keep=start.look, say=click.echo)
            start.show()
    click.echo("Stopped.")


def _listen(host: str, port: int) -> socket.socket:
    """Bind the port first, so that a port in use fails at once."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, ValueError) as wrong:
        reason = getattr(wrong, "strerror", None) or "not a host name or address"
        raise InstallationError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --host or --port."
        ) from wrong


class _Keeper:
    """Keeps the embedded database running; does nothing for an external one."""

    _place: Location | None = None
    _server: Server | None = None

    def __init__(self, settings: Settings) -> None:
        self._data, self.url = settings.folder, settings.database_url or ""
        if not self.url:
            # The URL is known before the database runs.
            self._place = embedded.find(self._data, user=settings.embedded_user)
            self.url = self._place.url

    def start(self) -> None:
        """Start the embedded database."""
        if self._place is not None:
            click.echo("Starting the database…")
            self._server = Server.at(self._place, self._data)
            if self._server.notice:
                click.echo(self._server.notice)

    def keep(self) -> None:
        """Restart the embedded database if it has stopped."""
        if self._place is not None and self._server is not None and not self._server.alive():
            click.echo("The database has stopped. Restarting it.")
            try:
                self._server = Server.at(self._place, self._data)
            except EmbeddedError as trouble:
                click.echo(f"{trouble} Retrying.")

    def close(self) -> None:
        """Stop the embedded database."""
        if self._server is not None:
            self._server.stop()


def _address(host: str, port: int) -> str:
    """Return the URL that reaches us from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - printed, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Start:
    """Prepares the database while processes load, opens the gate, and prints the addresses."""

    def __init__(
        self, settings: Settings, keeper: _Keeper, address: str, *, demo: bool, lives: bool
    ) -> None:
        self._settings, self._keeper, self._address = settings, keeper, address
        self._demo, self._lives = demo, lives
        self._founding: Founding | None = None
        self._prepared = self._said = False
        # Processes wait for a byte in the gate, and leave it there for processes that start later.
        # Closing a pipe cannot be the signal: processes would go on when we are killed.
        self.gate, self._bar = socket.socketpair()
        # A pipe, because a request of our own would appear in the access log.
        self._heard, self.told = os.pipe()
        os.set_blocking(self._heard, False)

    def look(self) -> float:
        """Do what is due, and return the seconds until the next call."""
        if not self._prepared:
            self._prepare()
        self._keeper.keep()
        self._hear()
        return EACH_SECOND if self._said else SOON

    def greeted(self) -> bool:
        """Tell whether a process accepts requests and the addresses were printed."""
        return self._said

    def close(self) -> None:
        """Close the gate and the pipe."""
        self.gate.close()
        self._bar.close()
        os.close(self._heard)
        os.close(self.told)

    def _prepare(self) -> None:
        self._keeper.start()
        self._founding = asyncio.run(_founded(self._settings, self._keeper.url, demo=self._demo))
        self._bar.send(b"!")
        self._prepared = True

    def _hear(self) -> None:
        """Print the addresses once a process reports that it accepts requests."""
        if not self._said:
            with suppress(BlockingIOError):
                self._said = bool(os.read(self._heard, 1))
                self._greet()

    def _greet(self) -> None:
        click.echo(f"\nPannier is ready.\n\n  Console          {self._address}/console")
        click.echo(f"  API              {self._address}")
        click.echo(f"  Documentation    {self._address}/docs\n")
        self.show()
        if self._lives:
            click.echo(CITY)
        click.echo("Press Ctrl-C to stop.")

    def show(self) -> None:
        """Print the credentials, which are shown only once; at shutdown if not before."""
        if self._founding is not None:
            click.echo(self._founding.in_words())
            click.echo(
                f"\n  Try:  curl -H 'Authorization: Bearer {self._founding.api_key}' "
                f"{self._address}/v1/organizations/current\n"
            )
            self._founding = None


async def _founded(settings: Settings, url: str, *, demo: bool) -> "Founding | None":
    """Migrate, and create the first company on the first start."""
    for step in await installation.bring_up_to_date(url):
        click.echo(f"Migrated: {step}.")
    database = await installation.open_database(settings, url, actor=COMMAND)
    try:
        await installation.check_secret(database)
        if demo or not await installation.is_founded(database):
            return await _found(settings, database, demo=demo)
    finally:
        await database.close()
    return None


async def _found(settings: Settings, database: Database, *, demo: bool) -> "Founding | None":
    # Imported here, because accounts and orders load slowly and later starts need neither.
    from pannier import founding  # noqa: PLC0415 - see above
    from pannier.kit.passwords import Passwords  # noqa: PLC0415 - see above

    hasher = Passwords(memory_kib=settings.password_memory)
    if demo:
        return await founding.found_demo(database, hasher, settings)
    return await founding.found(database, hasher, settings)


def _environment(settings: Settings, url: str, address: str) -> Mapping[str, str]:
    """Return the environment of child processes: data, database, secret and our URL."""
    # One for each port: a second `serve` on the same data directory uses another one.
    metrics = settings.folder / "metrics" / address.rpartition(":")[2]
    shutil.rmtree(metrics, ignore_errors=True)
    metrics.mkdir(parents=True)
    return {
        "PANNIER_BASE_URL": address,
        **os.environ,
        "PANNIER_DATA": str(settings.folder),
        # All processes use the same secret, even one that restarts during a rotation.
        "PANNIER_SECRET": settings.secret or "",
        "PANNIER_OLD_SECRETS": settings.old_secrets or "",
        "PANNIER_DATABASE_URL": url,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
    }


def _processes(wish: int | None) -> int:
    return wish or max(1, (os.cpu_count() or 1) // 2)


def _command(*words: str) -> Sequence[str]:
    return [sys.executable, "-m", "pannier", *words]


def _child(
    name: str,
    number: int,
    environment: Mapping[str, str],
    listener: socket.socket,
    start: _Start,
) -> Child:
    descriptors = listener.fileno(), start.told, start.gate.fileno()
    return Child(
        f"{name} {number}", _command("api", *map(str, descriptors)), environment, descriptors
    )
