"""`pannier parked`: list and retry failed background work."""

import click
import msgspec

from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.parked import queries, service
from pannier.parked.models import ParkedWork
from pannier.parked.schemas import ParkedOut
from pannier.settings import Settings
from pannier.web.times import to_rfc3339


@click.group(cls=Group)
def parked() -> None:
    """List and retry failed background work."""


@parked.command("list")
@access.data_option
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@access.json_option
def list_parked_work(data: str | None, limit: int, as_json: bool) -> None:
    """List failed work of the whole installation, latest first."""

    async def load(database: Database, _: Settings) -> list[ParkedWork]:
        async with database.reading() as db:
            return await queries.list_all_parked_work(db, limit)

    parked_work = access.run(data, load)
    if as_json:
        click.echo(msgspec.json.encode([ParkedOut.from_row(row) for row in parked_work]))
        return
    rows = [
        (row.public_id, row.step, row.subject, to_rfc3339(row.retry_at) or "manual", row.error)
        for row in parked_work
    ]
    header = ("ID", "STEP", "SUBJECT", "RETRY AT", "ERROR")
    tables.print_table(header, rows, empty_text="No failed work.")


@parked.command("retry")
@access.data_option
@access.json_option
def retry_parked(data: str | None, as_json: bool) -> None:
    """Retry all failed work now."""

    async def retry_work(database: Database, _: Settings) -> int:
        async with database.transaction() as db:
            return await service.schedule_all_retries(db)

    count = access.run(data, retry_work)
    message = f"Retrying {count} {'job' if count == 1 else 'jobs'}."
    click.echo(msgspec.json.encode({"retried": count}) if as_json else message)
