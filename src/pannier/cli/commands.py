"""The short commands: migrate, bootstrap, messages, version."""

import asyncio
from importlib.metadata import version as installed_version
from typing import Final, cast

import click
import msgspec

from pannier import founding, installation
from pannier.cli import attach, tables
from pannier.db import Database
from pannier.founding import Founding
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.notifications import queries as notifications
from pannier.notifications.models import Message
from pannier.settings import Settings
from pannier.web.times import stamp

MOST_MESSAGES: Final = 1000


@click.command()
@attach.data_option
@attach.json_option
def migrate(data: str | None, as_json: bool) -> None:
    """Bring the database up to date."""
    settings = attach.settings_of(data)
    with attach.database_url(settings) as url:
        steps = asyncio.run(installation.bring_up_to_date(url))
    if as_json:
        click.echo(msgspec.json.encode({"steps": steps}))
        return
    for step in steps:
        click.echo(f"Ran {step}.")
    click.echo("The database is up to date.")


@click.command()
@attach.data_option
@attach.json_option
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
        name = another or founding.FIRST_COMPANY
        return await founding.found(
            database,
            hasher,
            settings,
            name=name,
            email=email or founding.FIRST_EMAIL,
            mode=cast("Mode", mode),
            only_first=another is None,
        )

    made = attach.begin(data, job)
    if made is None:
        click.echo(_already_done(as_json=as_json))
    elif as_json:
        click.echo(msgspec.json.encode(made))
    else:
        click.echo(made.in_words())


def _already_done(*, as_json: bool) -> str:
    sentence = "This was done already; --another NAME founds a further company."
    return (
        msgspec.json.encode({"status": "done_already", "detail": sentence}).decode()
        if as_json
        else sentence
    )


@click.command()
@attach.data_option
@click.option("--to", metavar="RECIPIENT", help="Only messages to this number, address or device.")
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_MESSAGES),
    default=20,
    show_default=True,
    help="How many, newest first.",
)
@attach.json_option
def messages(data: str | None, to: str | None, limit: int, as_json: bool) -> None:
    """Read the development drawer, newest first."""

    async def job(database: Database, _: Settings) -> list[Message]:
        async with database.reading() as db:
            return await notifications.latest(db, to, limit)

    found = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode([_spelled(message) for message in found]))
        return
    rows = [(stamp(row.created_at), row.channel, row.recipient, row.body) for row in found]
    tables.show(("TIME", "CHANNEL", "TO", "TEXT"), rows, nothing="There are no messages.")


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
