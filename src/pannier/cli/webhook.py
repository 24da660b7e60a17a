"""`pannier webhook`: replay deliveries."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, get_args
from uuid import UUID

import click
import msgspec

from pannier.cli import access
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.settings import Settings
from pannier.web import times
from pannier.web.times import Moment
from pannier.webhooks import replays
from pannier.webhooks.entries import ReplayFilter, ReplayIn
from pannier.webhooks.models import DeliveryState

MAX_BATCH: Final = 10_000


def _parse_time(_: click.Context, __: click.Parameter, text: str | None) -> datetime | None:
    try:
        return msgspec.convert(text, Moment | None, dec_hook=times.read)
    except msgspec.ValidationError:
        raise click.BadParameter(
            "write it as 2026-01-31T09:30:00Z, with its offset, "
            f"between the years {times.EARLIEST_YEAR} and {times.LATEST_YEAR}."
        ) from None


@click.group(cls=Group)
def webhook() -> None:
    """Replay webhook deliveries."""


@webhook.command("replay")
@access.data_option
@access.company_option
@click.option("--webhook", "endpoint", metavar="ID", help="Only to this webhook.")
@click.option(
    "--event", "events", multiple=True, metavar="NAME", help="Only this event. Repeatable."
)
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(get_args(DeliveryState)),
    help="Repeatable; failed by default.",
)
@click.option(
    "--since", callback=_parse_time, metavar="TIME", help="Created at or after this time."
)
@click.option("--until", callback=_parse_time, metavar="TIME", help="Created before this time.")
@access.number_option("--batch", 1, MAX_BATCH, MAX_BATCH, "Maximum number of deliveries per batch.")
@click.option("--dry-run", is_flag=True, help="Count without sending.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@access.json_option
def replay_deliveries(
    data: str | None,
    company: str | None,
    endpoint: str | None,
    events: tuple[str, ...],
    states: tuple[DeliveryState, ...],
    since: datetime | None,
    until: datetime | None,
    batch: int,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Resend matching deliveries, oldest first, after confirmation."""
    if as_json and not (yes or dry_run):
        raise click.UsageError("--json needs --yes or --dry-run.")
    report = _discard_sentence if as_json else click.echo
    replay_filter = ReplayFilter(
        webhook=endpoint,
        event=list(events) or None,
        state=list(states) or None,
        since=since,
        until=until,
    )

    async def replay_matches(database: Database, _: Settings) -> tuple[int, int]:
        async with database.reading() as db:
            owner = (await access.get_company(db, company)).uuid
            count = await replays.replay_deliveries(
                db, owner, ReplayIn(filter=replay_filter, dry_run=True)
            )
        report(_describe_matches(count.matched))
        if count.matched and not dry_run and (yes or click.confirm("Replay them?")):
            replay_data = ReplayIn(filter=replay_filter, limit=batch)
            return count.matched, await _replay_batches(
                database, owner, replay_data, count.matched, report
            )
        return count.matched, 0

    match_count, replay_count = access.run(data, replay_matches)
    if as_json:
        click.echo(msgspec.json.encode({"matched": match_count, "replayed": replay_count}))


def _discard_sentence(_: str) -> None:
    """Print nothing: with JSON, only the result is printed."""


def _describe_matches(number: int) -> str:
    return f"{number} {'delivery matches' if number == 1 else 'deliveries match'}."


async def _replay_batches(
    database: Database, owner: UUID, batch: ReplayIn, total: int, report: Callable[[str], None]
) -> int:
    """Replay in batches, each in its own transaction, and return the number of deliveries.

    Each batch starts after the last one, so that a delivery that fails again is not replayed twice.
    """
    replayed_count = 0
    while True:
        async with database.transaction() as db:
            batch_result = await replays.replay_deliveries(db, owner, batch)
        replayed_count, batch.after = replayed_count + batch_result.replayed, batch_result.last
        if batch_result.last is not None:
            report(f"Replayed {replayed_count} of {max(total, replayed_count)}.")
        if batch_result.last is None or not batch_result.remaining:
            return replayed_count
