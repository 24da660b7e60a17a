"""`pannier messages`: list messages that no provider sent."""

from typing import Final

import click
import msgspec

from pannier.cli import attach, tables
from pannier.db import Database
from pannier.notifications import queries as notifications
from pannier.notifications.models import Message
from pannier.settings import Settings
from pannier.web.times import stamp

MOST_MESSAGES: Final = 1000


@click.command()
@attach.data_option
@click.option(
    "--to", metavar="RECIPIENT", help="Only messages to this phone number, email address or device."
)
@attach.number_option("--limit", 1, MOST_MESSAGES, 20, "Maximum, newest first.")
@attach.json_option
def messages(data: str | None, to: str | None, limit: int, as_json: bool) -> None:
    """List messages that no provider sent."""

    async def job(database: Database, _: Settings) -> list[Message]:
        async with database.reading() as db:
            return await notifications.latest(db, to, limit)

    found = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode([_spelled(message) for message in found]))
        return
    rows = [(stamp(row.created_at), row.channel, row.recipient, row.body) for row in found]
    tables.show(("TIME", "CHANNEL", "TO", "TEXT"), rows, nothing="No messages.")


def _spelled(message: Message) -> dict[str, str]:
    return {
        "channel": message.channel,
        "to": message.recipient,
        "text": message.body,
        "created_at": stamp(message.created_at),
    }
