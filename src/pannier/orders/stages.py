"""The stage of an order on the dispatch board, as SQL conditions that match indexes."""

from datetime import datetime
from typing import Final, Literal, get_args

from pannier.orders.models import Order

Stage = Literal[
    "unassigned", "assigned", "dispatched", "in_progress", "attention", "completed"
]  # fmt: skip
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)

OPEN: Final = "completed_at is null and canceled_at is null"
# The deadline of the delivery, or else of the dispatch.
DUE: Final = "least(time_window_end, case when status = 'created' then scheduled_at end)"
# Open, and in progress or due before the end of the day by its schedule or time window.
DUE_TODAY: Final = f"""({OPEN} and (started_at is not null
    or coalesce(scheduled_at, time_window_start, created_at) < :today_end))"""
UNRESOLVED: Final = """issues.company = :company and issues.order_id is not null
    and issues.resolved_at is null and issues.deleted_at is null"""
# A delivery failed and a dispatcher has to decide what happens next.
ON_HOLD: Final = "coalesce(undelivered = 'hold', false)"
# Whether an open order is late, is held, or has an unresolved issue.
ATTENTION: Final = f"""(coalesce({DUE} < :now, false) or {ON_HOLD} or exists (
    select from issues where {UNRESOLVED} and issues.order_id = orders.public_id))"""
# Open orders with an unresolved issue.
ORDERS_WITH_ISSUES: Final = f"""
    select orders.uuid from issues
    join orders on orders.public_id = issues.order_id and orders.company = :company
        and orders.{OPEN.replace(" and ", " and orders.")}
    where {UNRESOLVED}"""
# The same condition for lists, as a union in which each part uses its own index.
NEEDING_ATTENTION: Final = f"""
    select uuid from orders
    where company = :company and deleted_at is null and {OPEN} and {DUE} < :now
    union all
    select uuid from orders
    where company = :company and deleted_at is null and {OPEN} and undelivered = 'hold'
    union all {ORDERS_WITH_ISSUES}"""


def is_late(order: Order, now: datetime) -> bool:
    """Return whether an order is, or was, later than promised."""
    if order.canceled_at is not None:
        return False
    ended_at = order.completed_at or now
    deadlines = [order.time_window_end, order.scheduled_at if order.status == "created" else None]
    return any(moment < ended_at for moment in deadlines if moment is not None)
