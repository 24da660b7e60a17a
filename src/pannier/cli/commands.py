"""The short commands: migrate, bootstrap, messages, version."""

import asyncio
from importlib.metadata import version as installed_version
from typing import cast

import click
import msgspec

from pannier import installation
from pannier.cli import attach
from pannier.db import Database
from pannier.installation import Founding
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.notifications import queries as notifications
from pannier.notifications.models import Message
from pannier.settings import Settings
from pannier.web.times import stamp


@click.command()
@attach.data_option
def migrate(data: str | None) -> None:
    """Bring the database up to date."""
    settings = attach.settings_of(data)
    with attach.database_url(settings) as url:
        steps = asyncio.run(attach.migrate(url))
    for step in steps:
        click.echo(f"Ran {step}.")
    click.echo("The database is up to date.")


@click.command()
@attach.data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
@click.option("--another", metavar="NAME", help="Found a further company of this name.")
@click.option("--email", metavar="ADDRESS", help="The admin's e-mail address.")
@click.option("--mode", type=click.Choice(["live", "test"]), default="live", show_default=True)
def bootstrap(
    data: str | None,
    as_json: bool,
    another: str | None,
    email: str | None,
    mode: str,
) -> None:
    """Create the first company, its admin and its keys, and show them once."""

    async def job(database: Database, settings: Settings) -> Founding | None:
        hasher = Passwords(memory_kib=settings.password_memory)
        name = another or installation.FIRST_COMPANY
        return await installation.found(
            database,
            hasher,
            settings,
            name=name,
            email=email or installation.FIRST_EMAIL,
            mode=cast("Mode", mode),
            only_first=another is None,
        )

    founding = attach.work(data, job)
    if founding is None:
        click.echo(_already_done(as_json=as_json))
    elif as_json:
        click.echo(msgspec.json.encode(founding))
    else:
        click.echo(shown(founding))


def _already_done(*, as_json: bool) -> str:
    sentence = "This was done already; --another NAME founds a further company."
    return (
        msgspec.json.encode({"status": "done_already", "detail": sentence}).decode()
        if as_json
        else sentence
    )


def shown(founding: Founding) -> str:
    """Spell a founding for a person."""
    return "\n".join(
        (
            f"  Company          {founding.company}",
            f"  API key          {founding.api_key}",
            f"  Storefront key   {founding.storefront_key}",
            f"  App key          {founding.app_key}",
            f"  Operator         {founding.operator_email}",
            f"  Password         {founding.operator_password}",
            f"  Operator token   {founding.operator_token}",
            "",
            "  Keep these: they are shown this once.",
        )
    )


@click.command()
@attach.data_option
@click.option("--to", metavar="RECIPIENT", help="Only messages to this number, address or device.")
@click.option("--limit", default=20, show_default=True, help="How many, newest first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
def messages(data: str | None, to: str | None, limit: int, as_json: bool) -> None:
    """Read the development drawer, newest first."""

    async def job(database: Database, _: Settings) -> list[Message]:
        async with database.reading() as db:
            return await notifications.latest(db, to, limit)

    found = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode([_spelled(message) for message in found]))
        return
    for message in found:
        click.echo(f"{stamp(message.created_at)}  {message.channel:5}  {message.recipient}")
        click.echo(f"    {message.body}")
    if not found:
        click.echo("There are no messages.")


def _spelled(message: Message) -> dict[str, str]:
    return {
        "channel": message.channel,
        "to": message.recipient,
        "text": message.body,
        "created_at": stamp(message.created_at),
    }


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"pannier {installed_version('pannier')}")
