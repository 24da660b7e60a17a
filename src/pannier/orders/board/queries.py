"""Database reads of the dispatch board. The work is bounded, however many orders there are."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, add_times
from pannier.orders import flow, queries, tracker, views
from pannier.orders.activities import Flow, PodMethod
from pannier.orders.board.schemas import MAX_COUNT, Board, BoardFilters, BoardStageColumn, Card
from pannier.orders.driver_days.forecasts import load_forecasts
from pannier.orders.flow import Progress
from pannier.orders.models import Order
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.stages import (
    ATTENTION,
    DUE,
    OPEN,
    ORDERS_WITH_ISSUES,
    STAGES,
    UNRESOLVED,
    is_late,
)
from pannier.orders.views import OrderAggregate
from pannier.proofs.queries import list_captured_methods

# Limit of orders read per group, newest first.
MAX_ORDERS_PER_GROUP: Final = 200
GROUP_COLUMNS: Final = "uuid, public_id, driver, status, time_window_end, scheduled_at, undelivered"


class BoardGroup(NamedTuple):
    """A group of orders with a common index: their column, and how they are sorted."""

    stage: str
    condition: str
    moment: str = "created_at"


# A late order of the first three groups appears under `attention` instead.
GROUPS: Final = (
    BoardGroup(
        f"case when {ATTENTION} then null when driver is null then 'unassigned' "
        "else 'assigned' end",
        f"status = '{flow.CREATED}'",
    ),
    BoardGroup(f"case when not {ATTENTION} then 'dispatched' end", f"status = '{flow.DISPATCHED}'"),
    BoardGroup(
        f"case when not {ATTENTION} then 'in_progress' end", f"started_at is not null and {OPEN}"
    ),
    BoardGroup("'attention'", f"{OPEN} and {DUE} < :now", DUE),
    BoardGroup("'attention'", f"{OPEN} and uuid in ({ORDERS_WITH_ISSUES})"),
    BoardGroup("'attention'", f"{OPEN} and undelivered = 'hold'"),
    BoardGroup(
        "'completed'", "completed_at >= :day_from and completed_at < :day_until", "completed_at"
    ),
)


async def load_board(db: Db, company: UUID, filters: BoardFilters) -> Board:
    orders_by_stage = await _find_orders(db, company, filters)
    uuids = [uuid for column in orders_by_stage.values() for uuid in column.uuids[: filters.limit]]
    rows = await ORDERS.load_many(db, company, uuids)
    related = await views.load_related(db, company, list(rows.values()))
    issue_counts = await _count_issues(db, company, [row.public_id for row in rows.values()])
    forecasts = await load_forecasts(db, company, rows.values(), related)
    captured_methods = await list_captured_methods(db, company, rows)
    progress_by_order = {
        uuid: await load_progress(db, OrderAggregate(row, related)) for uuid, row in rows.items()
    }
    return Board(
        [
            BoardStageColumn(
                stage=stage,
                count=min(len(orders_by_stage[stage].uuids), MAX_COUNT),
                more=orders_by_stage[stage].more or len(orders_by_stage[stage].uuids) > MAX_COUNT,
                cards=[
                    Card(
                        order=related.order_out(rows[uuid]),
                        late=is_late(rows[uuid], db.now),
                        forecast=forecasts.get(uuid),
                        issues=issue_counts.get(rows[uuid].public_id, 0),
                        progress=tracker.progress_percent(progress_by_order[uuid]),
                        proofs=_list_proof_methods(progress_by_order[uuid]),
                        captured=sorted(captured_methods.get(uuid, ())),
                    )
                    for uuid in orders_by_stage[stage].uuids[: filters.limit]
                    if uuid in rows
                ],
            )
            for stage in STAGES
        ]
    )


class ColumnOrders(NamedTuple):
    """The orders of a column, and whether there may be more."""

    uuids: Sequence[UUID]
    more: bool


async def _find_orders(db: Db, company: UUID, filters: BoardFilters) -> dict[str, ColumnOrders]:
    """Find the newest orders of each group, by column."""
    groups = [group for group in GROUPS if not filters.attention or group.stage == "'attention'"]
    # The selected groups cover all orders that need attention, each with its own index.
    base_filters = (
        msgspec.structs.replace(filters, attention=None) if filters.attention else filters
    )
    where = add_times(await queries.build_where(db, company, base_filters), Order, filters)
    settings = await company_settings.load(db, company)
    day = settings.get_day_bounds(filters.on or db.now.astimezone(settings.zone).date())
    where.values |= {"now": db.now, "day_from": day[0], "day_until": day[1]}
    group_queries = (
        f"""(select {group_number} as group_number, {group.stage} as stage, uuid, latest from (
            select {GROUP_COLUMNS}, {group.moment} as latest from orders
            {where} and {group.condition} order by latest desc, uuid desc
            limit {MAX_ORDERS_PER_GROUP}) orders)"""
        for group_number, group in enumerate(groups)
    )
    rows = await db.fetch_tuples(" union all ".join(group_queries), **where.values)
    full_groups = {
        group
        for number, group in enumerate(groups)
        if sum(row[0] == number for row in rows) == MAX_ORDERS_PER_GROUP
    }
    columns: defaultdict[str, dict[UUID, None]] = defaultdict(dict)
    for _, stage, uuid, _ in sorted(rows, key=lambda row: (row[3], row[2]), reverse=True):
        columns[stage][uuid] = None
    return {
        stage: ColumnOrders(
            list(columns[stage]), any(stage in group.stage for group in full_groups)
        )
        for stage in STAGES
    }


async def _count_issues(db: Db, company: UUID, orders: list[str]) -> dict[str, int]:
    """Count the unresolved issues of each order."""
    rows = await db.fetch_tuples(
        f"""select order_id, count(*) from issues
            where {UNRESOLVED} and order_id = any(:orders) group by order_id""",
        company=company,
        orders=orders,
    )
    return dict(rows)


def _list_proof_methods(progress: Progress) -> list[PodMethod]:
    """List the proof methods that an order's flow requires, each once."""
    flows: Iterable[Flow] = [stop.flow for stop in progress.stops] or [progress.flow]
    methods = (
        activity.pod_method
        for stop_flow in flows
        for activity in stop_flow.values()
        if activity.require_pod and activity.pod_method is not None
    )
    return list(dict.fromkeys(methods))
