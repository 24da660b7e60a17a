"""The feed: events in the order of their arrival, of which none is ever passed over.

Each transaction that stores events writes down its batch, with its own number. Transactions end in
another order than they begin in; so a reader goes by their numbers, and only below the oldest that
is still at work. Below that nothing appears any more.
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

# Events that one page looks at, if its filters leave few of them; and the batches they come in.
LOOKS: Final = 20_000
BATCHES: Final = 200
BEGINNING: Final = Spot(0, 0, None)
HORIZON: Final = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
# What is numbered from here on is of a server that numbered its transactions by itself, and whose
# database was restored in this one.
BEYOND: Final = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


class Batch(msgspec.Struct):
    """What one transaction stored, and whether all before it have ended too."""

    batch: int
    xid: int
    earliest: datetime
    latest: datetime
    events: int
    settled: bool


class Fed(NamedTuple):
    """Some events in the order of arrival, each with its place."""

    events: list[tuple[Spot, EventRow]]
    # Where to go on: beyond what was looked at, also if nothing of it was meant.
    next: Spot
    more: bool
    # Whether something is there already that must wait for an older transaction to end.
    waiting: bool


async def spot(db: Db, company: UUID, told: str) -> Spot:
    """Read where a reader wants to go on."""
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
    """Read what came after a place.

    What is meant is asked for when it is known what came: where a device is put on a vehicle and
    then heard, a choice made before would pass over what it said.
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
    # Where as many batches were there as are read at once, there are more of them behind.
    more = len(taken) < len(settled) or len(settled) >= BATCHES
    return Fed(found, end, more=more, waiting=waiting)


async def _batches(db: Db, company: UUID, place: Spot) -> list[Batch]:
    """Read the next batches; the one that the place lies in is the first of them."""
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
    """Take as many batches as may be looked at; one, however large it is."""
    total = 0
    for count, batch in enumerate(settled, 1):
        total += batch.events
        if total >= LOOKS:
            return settled[:count]
    return settled


async def _rows(
    db: Db, choice: Choice, place: Spot, taken: Sequence[Batch], limit: int
) -> list[EventRow]:
    """Read those events of some batches that are meant, in the order of arrival."""
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
