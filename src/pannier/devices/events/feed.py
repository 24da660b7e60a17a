"""The feed: events in the order of arrival, none of which is ever skipped.

Each transaction that stores events writes a batch with its transaction id. Transactions end in
another order than they begin. Readers therefore go by transaction id, and only below the oldest
transaction that is still running. Nothing new can appear below it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices.events import cursors
from pannier.devices.events.choice import Choice
from pannier.devices.events.cursors import Spot
from pannier.devices.events.queries import COLUMNS
from pannier.devices.events.schemas import mark_of
from pannier.devices.models import EventRow

# Limits of one page: events examined if the filters match few, and batches.
LOOKS: Final = 20_000
BATCHES: Final = 200
BEGINNING: Final = Spot(0, 0, None)
HORIZON: Final = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
# Transaction ids from here on come from another server, whose database was restored here.
BEYOND: Final = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


class Batch(msgspec.Struct):
    """The batch of one transaction, and whether all transactions before it have ended."""

    batch: int
    xid: int
    earliest: datetime
    latest: datetime
    events: int
    settled: bool


class Fed(NamedTuple):
    """Some events in the order of arrival, each with its position."""

    events: list[tuple[Spot, EventRow]]
    # Where to continue: after everything examined, even if nothing of it matched.
    next: Spot
    more: bool
    # Whether a newer batch waits for an older transaction to end.
    waiting: bool


async def spot(db: Db, company: UUID, told: str) -> Spot:
    """Resolve a cursor, `beginning` or `now` to a position in the feed."""
    if told in {"", "beginning"}:
        return BEGINNING
    if told == "now":
        return Spot(await db.value(f"select {HORIZON}"), 0, None)
    place = cursors.read_spot(db.database.keys, company, told)
    restored = place.xid > await db.value(f"select {BEYOND}")
    return place._replace(xid=0) if restored else place


async def after(
    db: Db, company: UUID, choosing: Callable[[], Awaitable[Choice]], place: Spot, limit: int
) -> Fed:
    """Read the events after a position.

    The selection is resolved after the batches are read. If a device was attached to a vehicle just
    before it reported, an earlier selection would miss its events.
    """
    batches = await _batches(db, company, place)
    choice = await choosing()
    settled = [batch for batch in batches if batch.settled]
    taken = taken_of(settled)
    rows = await _rows(db, choice, place, taken, limit + 1) if taken else []
    xids = {batch.batch: batch.xid for batch in taken}
    found = [(Spot(xids[row.batch], row.batch, mark_of(row)), row) for row in rows]
    waiting = len(settled) < len(batches)
    if len(found) > limit:
        return Fed(found[:limit], found[limit - 1][0], more=True, waiting=waiting)
    end = Spot(taken[-1].xid, taken[-1].batch, None) if taken else place
    # As many batches as the limit were read, so more may follow.
    more = len(taken) < len(settled) or len(settled) >= BATCHES
    return Fed(found, end, more=more, waiting=waiting)


async def _batches(db: Db, company: UUID, place: Spot) -> list[Batch]:
    """Load the next batches, beginning with the one that the position lies in."""
    beyond = ">" if place.mark is None else ">="
    return await db.many(
        Batch,
        f"""select batch, xid, earliest, latest, events, xid < {HORIZON} as settled
            from device_batches where company = :company and (xid, batch) {beyond} (:xid, :batch)
            order by xid, batch limit :most""",
        company=company,
        xid=place.xid,
        batch=place.batch,
        most=BATCHES,
    )


def taken_of(settled: Sequence[Batch]) -> Sequence[Batch]:
    """Return as many batches as one page may examine, but at least one."""
    total = 0
    for count, batch in enumerate(settled, 1):
        total += batch.events
        if total >= LOOKS:
            return settled[:count]
    return settled


async def _rows(
    db: Db, choice: Choice, place: Spot, taken: Sequence[Batch], limit: int
) -> list[EventRow]:
    """Load the selected events of some batches, in the order of arrival."""
    earliest = min(batch.earliest for batch in taken)
    latest = max(batch.latest for batch in taken)
    where = choice.between(earliest, latest).where()
    where.that(
        "batch = any(:batches) and occurred_at between :earliest and :latest",
        batches=[batch.batch for batch in taken],
        earliest=earliest,
        latest=latest,
    )
    if place.mark is not None:
        where.that(
            "(batch <> :batch or (occurred_at, device_no, event_key) > (:moment, :number, :key))",
            batch=place.batch,
            moment=place.mark.occurred_at,
            number=place.mark.device_no,
            key=place.mark.event_key,
        )
    return await db.many(
        EventRow,
        f"""select {COLUMNS} from device_events {where}
            order by array_position(:batches, batch), occurred_at, device_no, event_key
            limit :most""",
        **where.values,
        most=limit,
    )
