"""`pannier serve`: database, API, worker and routing engine under one supervisor."""

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
from pannier.cli import access, checks
from pannier.cli.engines import RoutingEngines
from pannier.db import Database, embedded
from pannier.db.actor import COMMAND
from pannier.db.embedded import EmbeddedError, Location, Server
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.supervisor import Child

if TYPE_CHECKING:
    from pannier.provisioning import CompanyCredentials

LISTEN_BACKLOG: Final = 2048
MAX_PROCESSES: Final = 256
DEMO_NOTICE: Final = "Demo data appears within a minute and keeps changing while this runs.\n"
POLL_SECONDS, STARTUP_POLL_SECONDS = 1.0, 0.05  # seconds between two calls of `poll`


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@access.number_option("--port", 0, 65535, 8000, "Port to listen on.")
@access.data_option
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_PROCESSES),
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
    settings = access.load_or_create_settings(data)
    checks.check_settings(settings)
    for sentence in checks.find_unknown_variables():
        click.echo(f"{sentence} Ignored.", err=True)
    with (
        _bind_port(host, port) as listener,
        closing(_EmbeddedDatabase(settings)) as embedded_database,
        closing(RoutingEngines(settings)) as engines,
    ):
        address = _format_address(host, listener.getsockname()[1])
        environment = {
            **_make_environment(settings, embedded_database.url, address),
            **engines.build_environment(),
        }
        has_demo_data = demo and not api_only
        with closing(
            _Startup(settings, embedded_database, address, demo=demo, has_demo_data=has_demo_data)
        ) as startup:
            children = [
                _make_child("api", number, environment, listener, startup)
                for number in range(1, _count_processes(workers) + 1)
            ]
            if not api_only:
                command = _make_command("worker", "--supervised", *(["--demo"] if demo else []))
                # The worker starts later, because users wait only for the API.
                children.append(
                    Child("worker", command, environment, should_run=startup.is_announced)
                )
            children += engines.make_children()
            supervisor.run(children, maintain=startup.poll, report=click.echo)
            startup.print_credentials()
    click.echo("Stopped.")


def _bind_port(host: str, port: int) -> socket.socket:
    """Bind the port first, so that a port in use fails at once."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=LISTEN_BACKLOG)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a host name or address"
        raise InstallationError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --host or --port."
        ) from error


class _EmbeddedDatabase:
    """Keeps the embedded database running; does nothing for an external one."""

    _location: Location | None = None
    _server: Server | None = None

    def __init__(self, settings: Settings) -> None:
        self._data, self.url = settings.folder, settings.database_url or ""
        if not self.url:
            # The URL is known before the database runs.
            self._location = embedded.find_location(self._data, user=settings.embedded_user)
            self.url = self._location.url

    def start(self) -> None:
        """Start the embedded database."""
        if self._location is not None:
            click.echo("Starting the database…")
            self._server = Server.start_at(self._location, self._data)
            if self._server.notice:
                click.echo(self._server.notice)

    def restart_if_stopped(self) -> None:
        """Restart the embedded database if it has stopped."""
        if self._location is not None and self._server is not None and not self._server.is_alive():
            click.echo("The database has stopped. Restarting it.")
            try:
                self._server = Server.start_at(self._location, self._data)
            except EmbeddedError as error:
                click.echo(f"{error} Retrying.")

    def close(self) -> None:
        """Stop the embedded database."""
        if self._server is not None:
            self._server.stop()


def _format_address(host: str, port: int) -> str:
    """Return the URL at which this machine reaches us."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - printed, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Startup:
    """Prepares the database while processes load, opens the gate, and prints the addresses."""

    def __init__(
        self,
        settings: Settings,
        embedded_database: _EmbeddedDatabase,
        address: str,
        *,
        demo: bool,
        has_demo_data: bool,
    ) -> None:
        self._settings, self._embedded_database, self._address = (
            settings,
            embedded_database,
            address,
        )
        self._demo, self._has_demo_data = demo, has_demo_data
        self._credentials: CompanyCredentials | None = None
        self._prepared = self._announced = False
        # Processes wait for a byte in the gate, and leave it there for processes that start later.
        # Closing a pipe cannot be the signal: processes would also continue after our death.
        self.gate, self._gate_writer = socket.socketpair()
        # A pipe, because a request of our own would appear in the access log.
        self._ready_reader, self.ready_writer = os.pipe()
        os.set_blocking(self._ready_reader, False)

    def poll(self) -> float:
        """Run the steps that are due, and return the seconds until the next call."""
        if not self._prepared:
            self._prepare()
        self._embedded_database.restart_if_stopped()
        self._check_ready()
        return POLL_SECONDS if self._announced else STARTUP_POLL_SECONDS

    def is_announced(self) -> bool:
        """Return whether a process accepts requests and the addresses were printed."""
        return self._announced

    def close(self) -> None:
        """Close the gate and the pipe."""
        self.gate.close()
        self._gate_writer.close()
        os.close(self._ready_reader)
        os.close(self.ready_writer)

    def _prepare(self) -> None:
        self._embedded_database.start()
        self._credentials = asyncio.run(
            _prepare_database(self._settings, self._embedded_database.url, demo=self._demo)
        )
        self._gate_writer.send(b"!")
        self._prepared = True

    def _check_ready(self) -> None:
        """Print the addresses once a process reports that it accepts requests."""
        if not self._announced:
            with suppress(BlockingIOError):
                self._announced = bool(os.read(self._ready_reader, 1))
                self._announce_addresses()

    def _announce_addresses(self) -> None:
        click.echo(f"\nPannier is ready.\n\n  Console          {self._address}/console")
        click.echo(f"  API              {self._address}")
        click.echo(f"  Documentation    {self._address}/docs\n")
        self.print_credentials()
        if self._has_demo_data:
            click.echo(DEMO_NOTICE)
        click.echo("Press Ctrl-C to stop.")

    def print_credentials(self) -> None:
        """Print the credentials once: after the start, or at shutdown if that comes first."""
        if self._credentials is not None:
            click.echo(self._credentials.to_text())
            click.echo(
                f"\n  Try:  curl -H 'Authorization: Bearer {self._credentials.api_key}' "
                f"{self._address}/v1/organizations/current\n"
            )
            self._credentials = None


async def _prepare_database(
    settings: Settings, url: str, *, demo: bool
) -> "CompanyCredentials | None":
    """Migrate, and create the first company on the first start."""
    for step in await installation.run_migrations(url):
        click.echo(f"Migrated: {step}.")
    database = await installation.open_database(settings, url, actor=COMMAND)
    try:
        await installation.check_secret(database)
        if demo or not await installation.has_company(database):
            return await _create_company(settings, database, demo=demo)
    finally:
        await database.close()
    return None


async def _create_company(
    settings: Settings, database: Database, *, demo: bool
) -> "CompanyCredentials | None":
    # Imported here, because accounts and orders load slowly and later starts need neither.
    from pannier import provisioning  # noqa: PLC0415 - see above
    from pannier.kit.passwords import Passwords  # noqa: PLC0415 - see above

    hasher = Passwords(memory_kib=settings.password_memory)
    if demo:
        return await provisioning.provision_demo(database, hasher, settings)
    return await provisioning.provision_company(database, hasher, settings)


def _make_environment(settings: Settings, url: str, address: str) -> Mapping[str, str]:
    """Return the environment of child processes: data, database, secret and our URL."""
    # One folder per port, because a second `serve` can use the same data directory.
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


def _count_processes(requested_count: int | None) -> int:
    return requested_count or max(1, (os.cpu_count() or 1) // 2)


def _make_command(*arguments: str) -> Sequence[str]:
    return [sys.executable, "-m", "pannier", *arguments]


def _make_child(
    name: str,
    number: int,
    environment: Mapping[str, str],
    listener: socket.socket,
    startup: _Startup,
) -> Child:
    descriptors = listener.fileno(), startup.ready_writer, startup.gate.fileno()
    return Child(
        f"{name} {number}", _make_command("api", *map(str, descriptors)), environment, descriptors
    )
