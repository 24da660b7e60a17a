"""Database reads of the dispatch board. The work is bounded, however many orders there are."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.orders import flow, queries, tracker, views
from pannier.orders.board.schemas import COUNTED, Board, BoardFilters, Card, Column
from pannier.orders.flow import PodMethod, Progress
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.stages import ATTENTION, DUE, OPEN, STAGES, TROUBLED, UNRESOLVED, late
from pannier.orders.views import Aggregate

# The newest orders that are read for each part of the board.
LOOK: Final = 200
SEEN: Final = "uuid, public_id, driver, status, time_window_end, scheduled_at, undelivered"


class Kind(NamedTuple):
    """A group of orders with a common index: their column, and how they are sorted."""

    stage: str
    condition: str
    moment: str = "created_at"


# A late order of the first three groups appears under `attention` instead.
KINDS: Final = (
    Kind(
        f"case when {ATTENTION} then null when driver is null then 'unassigned' "
        "else 'assigned' end",
        f"status = '{flow.CREATED}'",
    ),
    Kind(f"case when not {ATTENTION} then 'dispatched' end", f"status = '{flow.DISPATCHED}'"),
    Kind(f"case when not {ATTENTION} then 'in_progress' end", f"started_at is not null and {OPEN}"),
    Kind("'attention'", f"{OPEN} and {DUE} < :now", DUE),
    Kind("'attention'", f"{OPEN} and uuid in ({TROUBLED})"),
    Kind("'attention'", f"{OPEN} and undelivered = 'hold'"),
    Kind("'completed'", "completed_at >= :day_from and completed_at < :day_until", "completed_at"),
)


async def board(db: Db, company: UUID, filters: BoardFilters) -> Board:
    found = await _looked(db, company, filters)
    wanted = [uuid for column in found.values() for uuid in column.uuids[: filters.limit]]
    rows = await ORDERS.among(db, company, wanted)
    shown = await views.shown(db, company, list(rows.values()))
    troubles = await _troubles(db, company, [row.public_id for row in rows.values()])
    steps = {uuid: await load_progress(db, Aggregate(row, shown)) for uuid, row in rows.items()}
    return Board(
        [
            Column(
                stage=stage,
                count=min(len(found[stage].uuids), COUNTED),
                more=found[stage].more or len(found[stage].uuids) > COUNTED,
                cards=[
                    Card(
                        order=shown.order(rows[uuid]),
                        late=late(rows[uuid], db.now),
                        issues=troubles.get(rows[uuid].public_id, 0),
                        progress=tracker.share(steps[uuid]),
                        proofs=_proofs(steps[uuid]),
                    )
                    for uuid in found[stage].uuids[: filters.limit]
                    if uuid in rows
                ],
            )
            for stage in STAGES
        ]
    )


class Found(NamedTuple):
    """The orders of a column, and whether there may be more."""

    uuids: Sequence[UUID]
    more: bool


async def _looked(db: Db, company: UUID, filters: BoardFilters) -> dict[str, Found]:
    """Find the newest orders of each group, by column."""
    kinds = [kind for kind in KINDS if not filters.attention or kind.stage == "'attention'"]
    # The chosen groups already cover everything that needs attention, each with its own index.
    asked = msgspec.structs.replace(filters, attention=None) if filters.attention else filters
    where = await queries.narrowed(db, company, asked)
    settings = await company_settings.of(db, company)
    day = settings.day(filters.on or db.now.astimezone(settings.zone).date())
    where.values |= {"now": db.now, "day_from": day[0], "day_until": day[1]}
    looks = (
        f"""(select {number} as kind, {kind.stage} as stage, uuid, latest from (
            select {SEEN}, {kind.moment} as latest from orders
            {where} and {kind.condition} order by latest desc, uuid desc limit {LOOK}) orders)"""
        for number, kind in enumerate(kinds)
    )
    rows = await db.tuples(" union all ".join(looks), **where.values)
    full = {kind for kind in range(len(kinds)) if sum(row[0] == kind for row in rows) == LOOK}
    columns: defaultdict[str, dict[UUID, None]] = defaultdict(dict)
    for _, stage, uuid, _ in sorted(rows, key=lambda row: (row[3], row[2]), reverse=True):
        columns[stage][uuid] = None
    return {
        stage: Found(list(columns[stage]), any(stage in kinds[kind].stage for kind in full))
        for stage in STAGES
    }


async def _troubles(db: Db, company: UUID, orders: list[str]) -> dict[str, int]:
    """Count the unresolved issues of orders."""
    rows = await db.tuples(
        f"""select order_id, count(*) from issues
            where {UNRESOLVED} and order_id = any(:orders) group by order_id""",
        company=company,
        orders=orders,
    )
    return dict(rows)


def _proofs(steps: Progress) -> list[PodMethod]:
    """List the proof methods that an order's flow requires, each once."""
    flows: Iterable[flow.Flow] = [stop.flow for stop in steps.stops] or [steps.flow]
    asked = (
        activity.pod_method
        for each in flows
        for activity in each.values()
        if activity.require_pod and activity.pod_method is not None
    )
    return list(dict.fromkeys(asked))
