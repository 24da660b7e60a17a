"""`pannier customer`: export or erase a customer's personal data."""

import shutil
import sys
from pathlib import Path
from typing import IO, Literal, cast

import click
import msgspec

from pannier.cli import access
from pannier.cli.groups import Group
from pannier.customers.queries import CUSTOMERS
from pannier.db import Database
from pannier.files.storage import make_storage
from pannier.privacy import erasure, export
from pannier.settings import Settings


@click.group(cls=Group)
def customer() -> None:
    """Export or erase a customer's data."""


@customer.command("export")
@access.data_option
@access.company_option
@click.option(
    "--format", "file_format", type=click.Choice(["json", "zip"]), default="zip", show_default=True,
    help="JSON, or a ZIP that also contains the images.",
)  # fmt: skip
@click.option("--output", metavar="FILE", help="Output file; - for standard output.")
@click.argument("identifier", metavar="ID")
def export_customer(
    data: str | None, company: str | None, file_format: str, output: str | None, identifier: str
) -> None:
    """Export a customer's data to a file."""

    async def export_data(database: Database, settings: Settings) -> tuple[str, IO[bytes]]:
        async with database.reading() as db:
            row = await CUSTOMERS.get(db, (await access.get_company(db, company)).uuid, identifier)
        chosen_format = cast("Literal['json', 'zip']", file_format)
        return row.public_id, await export.write_export(
            database, make_storage(settings), row, chosen_format
        )

    name, archive = access.run(data, export_data)
    with archive:
        if output == "-":
            shutil.copyfileobj(archive, sys.stdout.buffer)
            return
        target = Path(output or f"{name}.{file_format}")
        _write_file(target, archive)
    click.echo(f"Exported {name} to {target}.")


def _write_file(target: Path, content: IO[bytes]) -> None:
    try:
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)
    except OSError as error:
        raise click.ClickException(f"Cannot write {target}: {error.strerror}.") from None


@customer.command("erase")
@access.data_option
@access.company_option
@click.option("--reason", default="Requested on the command line.", show_default=True)
@access.json_option
@click.argument("identifier", metavar="ID")
def erase_customer(
    data: str | None, company: str | None, reason: str, as_json: bool, identifier: str
) -> None:
    """Close a customer's account and erase their data."""

    async def erase(database: Database, _: Settings) -> str:
        async with database.transaction() as db:
            uuid = (await access.get_company(db, company)).uuid
            row = await CUSTOMERS.lock(db, uuid, identifier)
            await erasure.request_erasure(db, row, reason=reason, closed_by="command line")
        await erasure.erase_completely(database, uuid, row.uuid)
        return row.public_id

    erased_id = access.run(data, erase)
    click.echo(msgspec.json.encode({"erased": erased_id}) if as_json else f"{erased_id} is erased.")
