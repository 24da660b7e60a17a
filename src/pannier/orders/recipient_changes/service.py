"""Saving of what a recipient asks for. The change is an ordinary one, with an ordinary event."""

from datetime import timedelta
from typing import Any, Final

import msgspec

from pannier.accounts import audit
from pannier.db import Db
from pannier.orders import aggregate
from pannier.orders.views import OrderAggregate
from pannier.payloads import changes
from pannier.payloads.instructions import DeliveryInstructions
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import PayloadAggregate
from pannier.web import budgets
from pannier.web.budgets import Budget

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
    await _save(db, order, stop, delivery_instructions=instructions)
    audit.record(
        db, order.row.company, "order.instructions_changed", order.row.public_id,
        waypoint=stop and stop.public_id, **logged,
    )  # fmt: skip


async def _spend_change(db: Db, order: OrderAggregate, stop: Waypoint | None) -> None:
    target = stop or order.row
    budget = Budget(f"recipient-changes:{target.uuid}", MAX_CHANGES, CHANGES_PERIOD)
    await budgets.spend_in_transaction(db, [budget])


async def _save(
    db: Db,
    order: OrderAggregate,
    stop: Waypoint | None,
    **columns: Any,  # noqa: ANN401 - columns
) -> None:
    """Write columns of the stop, or of an order without stops."""
    previous = order.payload_aggregate
    if stop is None:
        await aggregate.finish_change(db, order, **columns)
        return
    stops = [
        msgspec.structs.replace(row, **columns) if row.uuid == stop.uuid else row
        for row in previous.waypoints
    ]
    new_aggregate = PayloadAggregate(previous.payload, stops, previous.entities)
    await changes.save_aggregate(db, order.related, previous, new_aggregate)
    await aggregate.finish_change(db, order, previous_payload=previous)


def _without_time(instructions: DeliveryInstructions | None) -> dict[str, Any]:
    if instructions is None:
        return {}
    fields = msgspec.structs.asdict(instructions)
    del fields["requested_at"]
    return fields
