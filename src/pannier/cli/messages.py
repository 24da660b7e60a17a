"""`pannier messages`: list messages that no provider sent."""

from typing import Final

import click
import msgspec

from pannier.cli import access, tables
from pannier.db import Database
from pannier.notifications import queries as notifications
from pannier.notifications.models import MessageRow
from pannier.settings import Settings
from pannier.web.times import to_rfc3339

MAX_MESSAGES: Final = 1000


@click.command()
@access.data_option
@click.option(
    "--to", metavar="RECIPIENT", help="Only messages to this phone number, email address or device."
)
@access.number_option("--limit", 1, MAX_MESSAGES, 20, "Maximum number of messages, newest first.")
@access.json_option
def messages(data: str | None, to: str | None, limit: int, as_json: bool) -> None:
    """List messages that no provider sent."""

    async def load(database: Database, _: Settings) -> list[MessageRow]:
        async with database.reading() as db:
            return await notifications.list_latest_messages(db, to, limit)

    message_rows = access.run(data, load)
    if as_json:
        click.echo(msgspec.json.encode([_to_json(message) for message in message_rows]))
        return
    rows = [
        (to_rfc3339(row.created_at), row.channel, row.recipient, row.body) for row in message_rows
    ]
    tables.print_table(("TIME", "CHANNEL", "TO", "TEXT"), rows, empty_text="No messages.")


def _to_json(message: MessageRow) -> dict[str, str]:
    return {
        "channel": message.channel,
        "to": message.recipient,
        "text": message.body,
        "created_at": to_rfc3339(message.created_at),
    }
