"""`pannier resume`: let a restored installation work and send again."""

from collections.abc import Mapping
from datetime import datetime

import click
import msgspec

from pannier.backups import waiting
from pannier.backups.waiting import WaitingWork
from pannier.cli import access, tables
from pannier.cli.restore import parse_time
from pannier.db import Database
from pannier.events import relay
from pannier.jobs import silence
from pannier.settings import Settings
from pannier.subscribers import SUBSCRIBERS
from pannier.web.metrics import MAX_COUNTED
from pannier.web.times import to_rfc3339

NOT_SILENT = "The installation is not silent. Nothing was changed."
NOTHING_WAITS = "Nothing is waiting."
QUESTION = "Send and do all this"
RESUMED = "The installation works and sends again. Workers notice it within seconds."


@click.command()
@access.data_option
@click.option("--drop-before", metavar="TIME", help="Drop what was to be sent before this time.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@access.json_option
def resume(data: str | None, drop_before: str | None, yes: bool, as_json: bool) -> None:
    """Let a restored installation work and send again.

    Shows what is waiting, and asks. With --drop-before, webhook deliveries, messages and
    notifications about earlier events are dropped, and orders scheduled earlier are not dispatched.
    Payments and refunds are never dropped.
    """
    moment = parse_time(drop_before)

    async def run(database: Database, _: Settings) -> None:
        async with database.reading() as db:
            if await silence.find_start(db) is None:
                click.echo("{}" if as_json else NOT_SILENT)
                return
        await _relay_events(database)
        dropped_counts = {} if moment is None else await _drop(database, moment, yes=yes)
        work = await waiting.count_waiting(database)
        if not as_json:
            _print_work(work)
        if not yes:
            click.confirm(QUESTION, abort=True)
        async with database.transaction() as db:
            await silence.end(db)
        if as_json:
            click.echo(msgspec.json.encode({"waiting": work, "dropped": dropped_counts}))
        else:
            click.echo(RESUMED)

    access.run(data, run)


async def _relay_events(database: Database) -> None:
    """Turn waiting events into deliveries and notifications, which are then counted and dropped.

    That only writes rows. Nothing is sent, because the worker is silent.
    """
    step = relay.Relay(database, SUBSCRIBERS).step
    while await step():
        pass


async def _drop(database: Database, moment: datetime, *, yes: bool) -> Mapping[str, int]:
    if not yes:
        click.confirm(f"Drop what was to be sent before {to_rfc3339(moment)}", abort=True)
    dropped_counts = await waiting.drop_older(database, moment)
    for name, count in dropped_counts.items():
        click.echo(f"Dropped {name}: {count}.", err=True)
    return dropped_counts


def _print_work(work: Mapping[str, WaitingWork]) -> None:
    rows = [
        (name, _format_count(each.waiting), "" if each.since is None else to_rfc3339(each.since))
        for name, each in work.items()
        if each.waiting
    ]
    tables.print_table(("WAITING", "COUNT", "OLDEST"), rows, empty_text=NOTHING_WAITS)


def _format_count(count: int) -> str:
    return f"{count} or more" if count >= MAX_COUNTED else str(count)
