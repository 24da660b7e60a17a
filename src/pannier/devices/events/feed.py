"""The feed: events in the order of arrival, none of which is ever skipped.

Each transaction that stores events writes a batch with its transaction id. Transactions end in
another order than they begin. Readers therefore go by transaction id, and only below the oldest
transaction of this database that is still running. Nothing new can appear below it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices.events import cursors
from pannier.devices.events.choice import EventChoice
from pannier.devices.events.cursors import FeedPosition
from pannier.devices.events.horizon import HORIZON
from pannier.devices.events.queries import COLUMNS
from pannier.devices.events.schemas import to_mark
from pannier.devices.models import DeviceEventRow

# Limits of one page: events examined if the filters match few, and batches.
MAX_EXAMINED: Final = 20_000
MAX_BATCHES: Final = 200
FEED_START: Final = FeedPosition(0, 0, None)
# Transaction ids from here on come from another server, whose database was restored here.
FOREIGN_XIDS_FROM: Final = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


class FeedBatch(msgspec.Struct):
    """The batch of one transaction, and whether all transactions before it have ended."""

    batch: int
    xid: int
    earliest: datetime
    latest: datetime
    events: int
    settled: bool


class FeedPage(NamedTuple):
    """Some events in the order of arrival, each with its position."""

    events: list[tuple[FeedPosition, DeviceEventRow]]
    # Where to continue: after everything examined, even if nothing of it matched.
    next: FeedPosition
    more: bool
    # Whether a newer batch waits for an older transaction to end.
    waiting: bool


async def resolve_position(db: Db, company: UUID, cursor: str) -> FeedPosition:
    """Resolve a cursor, `beginning` or `now` to a position in the feed."""
    if cursor in {"", "beginning"}:
        return FEED_START
    if cursor == "now":
        return FeedPosition(await db.fetch_value(f"select {HORIZON}"), 0, None)
    position = cursors.decode_position(db.database.keys, company, cursor)
    is_restored = position.xid > await db.fetch_value(f"select {FOREIGN_XIDS_FROM}")
    return position._replace(xid=0) if is_restored else position


async def read_page(
    db: Db,
    company: UUID,
    resolve_choice: Callable[[], Awaitable[EventChoice]],
    position: FeedPosition,
    limit: int,
) -> FeedPage:
    """Read the page of events after a position.

    The selection is resolved after the batches are read. If a device was attached to a vehicle just
    before it reported, an earlier selection would miss its events.
    """
    batches = await _load_batches(db, company, position)
    selection = await resolve_choice()
    settled_batches = [batch for batch in batches if batch.settled]
    page_batches = take_batches(settled_batches)
    rows = (
        await _load_events(db, selection, position, page_batches, limit + 1) if page_batches else []
    )
    xids = {batch.batch: batch.xid for batch in page_batches}
    positioned_rows = [
        (FeedPosition(xids[row.batch], row.batch, to_mark(row)), row) for row in rows
    ]
    has_unsettled = len(settled_batches) < len(batches)
    if len(positioned_rows) > limit:
        return FeedPage(
            positioned_rows[:limit], positioned_rows[limit - 1][0], more=True, waiting=has_unsettled
        )
    end = (
        FeedPosition(page_batches[-1].xid, page_batches[-1].batch, None)
        if page_batches
        else position
    )
    # The number of batches may be the limit, so more may follow.
    has_more = len(page_batches) < len(settled_batches) or len(settled_batches) >= MAX_BATCHES
    return FeedPage(positioned_rows, end, more=has_more, waiting=has_unsettled)


async def _load_batches(db: Db, company: UUID, position: FeedPosition) -> list[FeedBatch]:
    """Load the next batches, beginning with the one that the position lies in."""
    operator = ">" if position.mark is None else ">="
    return await db.fetch_all(
        FeedBatch,
        f"""select batch, xid, earliest, latest, events, xid < {HORIZON} as settled
            from device_batches where company = :company and (xid, batch) {operator} (:xid, :batch)
            order by xid, batch limit :limit""",
        company=company,
        xid=position.xid,
        batch=position.batch,
        limit=MAX_BATCHES,
    )


def take_batches(batches: Sequence[FeedBatch]) -> Sequence[FeedBatch]:
    """Return the first batches: as many as one page may examine, but at least one."""
    total = 0
    for count, batch in enumerate(batches, 1):
        total += batch.events
        if total >= MAX_EXAMINED:
            return batches[:count]
    return batches


async def _load_events(
    db: Db, selection: EventChoice, position: FeedPosition, batches: Sequence[FeedBatch], limit: int
) -> list[DeviceEventRow]:
    """Load the selected events of some batches, in the order of arrival."""
    earliest = min(batch.earliest for batch in batches)
    latest = max(batch.latest for batch in batches)
    where = selection.limit_spans(earliest, latest).build_where()
    where.add(
        "batch = any(:batches) and occurred_at between :earliest and :latest",
        batches=[batch.batch for batch in batches],
        earliest=earliest,
        latest=latest,
    )
    if position.mark is not None:
        where.add(
            "(batch <> :batch or (occurred_at, device_no, event_key) > (:moment, :number, :key))",
            batch=position.batch,
            moment=position.mark.occurred_at,
            number=position.mark.device_no,
            key=position.mark.event_key,
        )
    return await db.fetch_all(
        DeviceEventRow,
        f"""select {COLUMNS} from device_events {where}
            order by array_position(:batches, batch), occurred_at, device_no, event_key
            limit :limit""",
        **where.values,
        limit=limit,
    )
