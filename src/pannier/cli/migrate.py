"""`pannier migrate`: migrate the database."""

import asyncio

import click
import msgspec

from pannier import installation
from pannier.cli import access


@click.command()
@access.data_option
@access.json_option
def migrate(data: str | None, as_json: bool) -> None:
    """Run pending database migrations."""
    settings = access.load_or_create_settings(data)
    with access.serve_database(settings) as url:
        steps = asyncio.run(installation.run_migrations(url))
    if as_json:
        click.echo(msgspec.json.encode({"steps": steps}))
        return
    for step in steps:
        click.echo(f"Ran {step}.")
    click.echo("Database is up to date.")
