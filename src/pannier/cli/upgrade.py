"""`pannier upgrade`: say what an upgrade will do, and do it."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import asyncpg
import click
import msgspec

from pannier import installation
from pannier.cli import access
from pannier.db import heartbeats, migrate, migration_effects, versions
from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.heartbeats import Process
from pannier.db.migrate import Migration
from pannier.db.monitored_connection import (
    MonitoredConnection,
    close_connections,
    open_connection,
    refuse_transaction_pooling,
)
from pannier.errors import SetupError

# A process that has sent no heartbeat for this long does not run.
MAX_HEARTBEAT_AGE: Final = timedelta(seconds=30)
TABLE_SIZE: Final = """
    select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(to_regclass($1)), 0)
    from pg_partition_tree(to_regclass($1))"""
UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")
UNIT_FACTOR: Final = 1024


class TableEffect(msgspec.Struct):
    """An effect of a step on an existing table, and the table's size."""

    table: str
    verb: str
    bytes: int


class PendingStep(msgspec.Struct):
    """A pending migration, and what it will do."""

    name: str
    oldest_version: str
    # Whether its statements run one by one, without blocking others.
    in_background: bool
    creates: Sequence[str]
    effects: Sequence[TableEffect]


class UpgradeReport(msgspec.Struct):
    """What an upgrade will do."""

    version: str
    # The latest applied migration; 0 if there is none.
    migration: int
    pending: list[PendingStep]
    # The oldest version that may run beside the upgraded database.
    oldest_version: str
    processes: list[Process]

    @property
    def outdated_processes(self) -> list[Process]:
        """The running processes that are too old to stay."""
        return [
            process
            for process in self.processes
            if versions.is_older(process.version, self.oldest_version)
        ]


@click.command()
@access.data_option
@click.option("--check", is_flag=True, help="Only say what the upgrade will do.")
@access.json_option
def upgrade(data: str | None, check: bool, as_json: bool) -> None:
    """Say what an upgrade of the database will do, and do it.

    If a running process is too old to stay, nothing is changed and the exit code is 1.
    """
    settings = access.load_existing_settings(data)
    with access.serve_database(settings) as url:
        report = asyncio.run(_load_report(url))
        if not as_json:
            _print_report(report)
        elif check:
            click.echo(msgspec.json.encode(report))
        if report.outdated_processes:
            raise SetupError(
                f"Processes older than {report.oldest_version} are running. Stop them first."
            )
        if check:
            return
        steps = asyncio.run(installation.run_migrations(url))
    if as_json:
        click.echo(msgspec.json.encode({"steps": steps}))
        return
    click.echo("Database is up to date.")


async def _load_report(url: str) -> UpgradeReport:
    try:
        connection = await open_connection(url, name="pannier upgrade")
    except (*installation.TRANSIENT_ERRORS, asyncpg.PostgresError, *DRIVER_ERRORS) as error:
        raise installation.to_installation_error(error) from error
    try:
        await refuse_transaction_pooling(connection, url)
        return await _build_report(connection)
    finally:
        await close_connections(connection)


async def _build_report(connection: MonitoredConnection) -> UpgradeReport:
    applied_steps = await migrate.load_applied_steps(connection)
    pending_steps = migrate.list_pending_steps(applied_steps, migrate.list_migrations())
    oldest_versions = [step.oldest_version for step in applied_steps.values()]
    oldest_versions += [step.oldest_version for step in pending_steps]
    return UpgradeReport(
        versions.read_version(),
        max(applied_steps, default=0),
        [await _describe_step(connection, step) for step in pending_steps],
        versions.find_required_version(filter(None, oldest_versions)),
        await _load_processes(connection),
    )


async def _describe_step(connection: MonitoredConnection, step: Migration) -> PendingStep:
    effects = [
        TableEffect(table, verb, int(await connection.fetchval(TABLE_SIZE, table)))
        for table, verb in migration_effects.list_effects(step)
    ]
    return PendingStep(
        step.name,
        step.oldest_version or versions.FIRST_VERSION,
        step.runs_outside_transaction,
        migration_effects.list_created_tables(step),
        effects,
    )


async def _load_processes(connection: MonitoredConnection) -> list[Process]:
    """Load the running processes. A database of an earlier release knows none."""
    if await connection.fetchval("select to_regclass('api_heartbeats') is null"):
        return []
    rows = await connection.fetch(heartbeats.PROCESSES, MAX_HEARTBEAT_AGE)
    return [msgspec.convert(dict(row), Process) for row in rows]


def _print_report(report: UpgradeReport) -> None:
    click.echo(f"Pannier {report.version}. The database is at step {report.migration:04}.")
    if not report.pending:
        click.echo("No migrations are pending.")
    for step in report.pending:
        click.echo(f"  {step.name}: {_describe_work(step)}.")
    click.echo(f"Processes of version {report.oldest_version} or later may keep running.")
    for process in report.processes:
        verdict = "must be stopped first" if process in report.outdated_processes else "may stay"
        version = process.version or "an earlier version"
        click.echo(f"  {process.kind} {process.name}, {version}: {verdict}")
    if not report.processes:
        click.echo("  No running process is known.")


def _describe_work(step: PendingStep) -> str:
    actions = [f"creates {', '.join(step.creates)}"] if step.creates else []
    actions += [
        f"{effect.verb} {effect.table} ({_format_size(effect.bytes)})" for effect in step.effects
    ]
    manner = " in the background" if step.in_background else ""
    return ("; ".join(actions) or "changes no existing table") + manner


def _format_size(size: float) -> str:
    unit = 0
    while size >= UNIT_FACTOR and unit < len(UNITS) - 1:
        size, unit = size / UNIT_FACTOR, unit + 1
    return f"{size:.0f} {UNITS[unit]}"
