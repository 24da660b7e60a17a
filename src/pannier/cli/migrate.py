"""`pannier migrate`: migrate the database."""

import asyncio

import click
import msgspec

from pannier import installation
from pannier.cli import attach


@click.command()
@attach.data_option
@attach.json_option
def migrate(data: str | None, as_json: bool) -> None:
    """Run pending database migrations."""
    settings = attach.settings_of(data)
    with attach.database_url(settings) as url:
        steps = asyncio.run(installation.bring_up_to_date(url))
    if as_json:
        click.echo(msgspec.json.encode({"steps": steps}))
        return
    for step in steps:
        click.echo(f"Ran {step}.")
    click.echo("Database is up to date.")
