"""`pannier sweep`: list and allow sweeps that stopped."""

import click
import msgspec

from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.db import Database, sweep_guard
from pannier.db.sweep_guard import StoppedSweep
from pannier.errors import SetupError
from pannier.settings import Settings


@click.group(cls=Group)
def sweep() -> None:
    """List and allow deletions of expired data that stopped."""


@sweep.command("list")
@access.data_option
@access.json_option
def list_sweeps(data: str | None, as_json: bool) -> None:
    """List the sweeps that stopped, because they would delete most of a table."""

    async def load(database: Database, _: Settings) -> list[StoppedSweep]:
        async with database.reading() as db:
            return await sweep_guard.list_stopped_sweeps(db)

    stopped_sweeps = access.run(data, load)
    if as_json:
        click.echo(msgspec.json.encode(stopped_sweeps))
        return
    rows = [
        (
            stopped.sweep,
            f"{stopped.expired_rows:,} or more",
            f"{stopped.total_rows:,}",
            "allowed" if stopped.allowed else "stopped",
        )
        for stopped in stopped_sweeps
    ]
    tables.print_table(
        ("SWEEP", "EXPIRED ROWS", "ALL ROWS", "STATE"), rows, empty_text="No sweep has stopped."
    )


@sweep.command("allow")
@click.argument("name")
@access.data_option
def allow_sweep(name: str, data: str | None) -> None:
    """Allow a stopped sweep for a day. It deletes the expired rows within the next hour."""

    async def allow(database: Database, _: Settings) -> bool:
        async with database.transaction() as db:
            return await sweep_guard.allow(db, name)

    if not access.run(data, allow):
        raise SetupError(f"The sweep {name} has not stopped. See `pannier sweep list`.")
    click.echo(f"Allowed {name} for a day.")
