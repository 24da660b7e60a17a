"""Saving of what a recipient asks for. The change is an ordinary one, with an ordinary event."""

from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts import audit
from pannier.db import Db
from pannier.orders import aggregate
from pannier.orders.models import Order
from pannier.orders.recipient_changes.slots import DeliverySlot, move_dispatch
from pannier.orders.views import OrderAggregate
from pannier.payloads import changes
from pannier.payloads.instructions import DeliveryInstructions
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import PayloadAggregate
from pannier.payloads.ratings import DeliveryRating
from pannier.web import budgets
from pannier.web.budgets import Budget
from pannier.web.times import to_rfc3339

# Each change is an event and an entry in the audit log.
MAX_CHANGES: Final = 20
CHANGES_PERIOD: Final = timedelta(days=1)


async def give_instructions(
    db: Db, order: OrderAggregate, stop: Waypoint | None, instructions: DeliveryInstructions | None
) -> None:
    """Save the delivery instructions of a locked order, or of one of its stops.

    Unchanged instructions stay as they are, so that the driver is not told twice.
    """
    target = stop or order.row
    if _without_time(target.delivery_instructions) == _without_time(instructions):
        return
    await _spend_change(db, order, stop)
    logged = {name: value for name, value in _without_time(instructions).items() if value}
    # The audit log is read by more people than the order.
    logged |= {"access_code": "***"} if "access_code" in logged else {}
    previous, columns = order.payload_aggregate, dict[str, Any]()
    if stop is None:
        columns["delivery_instructions"] = instructions
    else:
        await _save_stop(db, order, stop, delivery_instructions=instructions)
    await aggregate.finish_change(db, order, previous_payload=previous, **columns)
    audit.record(
        db, order.row.company, "order.instructions_changed", order.row.public_id,
        waypoint=stop and stop.public_id, **logged,
    )  # fmt: skip


async def rate(
    db: Db, order: OrderAggregate, stop: Waypoint | None, rating: DeliveryRating
) -> None:
    """Save the rating of a locked order, or of one of its stops."""
    if (stop or order.row).rating == rating:
        return
    await _spend_change(db, order, stop)
    previous, columns = order.payload_aggregate, dict[str, Any]()
    if stop is None:
        columns["rating"] = rating
    else:
        await _save_stop(db, order, stop, rating=rating)
    await aggregate.finish_change(db, order, previous_payload=previous, **columns)
    audit.record(
        db, order.row.company, "order.rated", order.row.public_id,
        waypoint=stop and stop.public_id, score=rating.score, comment=rating.comment,
    )  # fmt: skip


async def reschedule(
    db: Db, order: OrderAggregate, stop: Waypoint | None, slot: DeliverySlot, zone: ZoneInfo
) -> None:
    """Move a locked order, whose only delivery is at `stop`, to another time window.

    The window is written where the order has its present one. An order that waits for its
    automatic dispatch is dispatched that much earlier or later.
    """
    row, previous = order.row, order.payload_aggregate
    window = {"time_window_start": slot.start, "time_window_end": slot.end}
    windowed = [target for target in (stop, row) if target is not None and _has_window(target)]
    targets = windowed or [stop or row]
    if all(getattr(target, name) == window[name] for target in targets for name in window):
        return
    await _spend_change(db, order, stop)
    columns: dict[str, Any] = dict(window) if row in targets else {}
    if row.scheduled_at is not None and row.dispatched_at is None:
        start = targets[0].time_window_start
        columns["scheduled_at"] = move_dispatch(row.scheduled_at, start, slot, zone, db.now)
    if stop is not None and stop in targets:
        await _save_stop(db, order, stop, **window)
    await aggregate.finish_change(db, order, previous_payload=previous, **columns)
    audit.record(
        db, row.company, "order.rescheduled", row.public_id,
        waypoint=stop and stop.public_id,
        **{name: to_rfc3339(moment) for name, moment in window.items()},
    )  # fmt: skip


def _has_window(target: Waypoint | Order) -> bool:
    return target.time_window_start is not None or target.time_window_end is not None


async def _spend_change(db: Db, order: OrderAggregate, stop: Waypoint | None) -> None:
    target = stop or order.row
    budget = Budget(f"recipient-changes:{target.uuid}", MAX_CHANGES, CHANGES_PERIOD)
    await budgets.spend_in_transaction(db, [budget])


async def _save_stop(
    db: Db,
    order: OrderAggregate,
    stop: Waypoint,
    **columns: Any,  # noqa: ANN401 - columns
) -> None:
    previous = order.payload_aggregate
    stops = [
        msgspec.structs.replace(row, **columns) if row.uuid == stop.uuid else row
        for row in previous.waypoints
    ]
    new_aggregate = PayloadAggregate(previous.payload, stops, previous.entities)
    await changes.save_aggregate(db, order.related, previous, new_aggregate)


def _without_time(instructions: DeliveryInstructions | None) -> dict[str, Any]:
    if instructions is None:
        return {}
    fields = msgspec.structs.asdict(instructions)
    del fields["requested_at"]
    return fields
