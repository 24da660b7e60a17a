"""`pannier migrate`: migrate the database."""

import asyncio

import click
import msgspec

from pannier import installation
from pannier.cli import common


@click.command()
@common.data_option
@common.json_option
def migrate(data: str | None, as_json: bool) -> None:
    """Run pending database migrations."""
    settings = common.load_or_create_settings(data)
    with common.serve_database(settings) as url:
        steps = asyncio.run(installation.run_migrations(url))
    if as_json:
        click.echo(msgspec.json.encode({"steps": steps}))
        return
    for step in steps:
        click.echo(f"Ran {step}.")
    click.echo("Database is up to date.")
