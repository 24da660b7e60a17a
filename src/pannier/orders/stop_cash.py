"""Marking of the cash on delivery of a stop as collected."""

from uuid import UUID

from pannier.db import Db
from pannier.orders import events
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.payloads.progress import update_payload_progress, update_stop_progress


async def mark_cash_collected(db: Db, order: OrderAggregate, stop: UUID | None) -> None:
    """Mark the cash of a stop as collected, or that of a locked order without stops.

    This prices nothing again, because the cash due stays the same.
    """
    payload, stops = order.payload_aggregate.payload, order.payload_aggregate.waypoints
    if stop is None:
        payload = await update_payload_progress(db, payload, cash_collected=True)
    else:
        stops = [
            await update_stop_progress(db, row, cash_collected=True) if row.uuid == stop else row
            for row in stops
        ]
    order.put(payload, stops)
    order.row = await ORDERS.touch(db, order.row)
    if order.row.deleted_at is not None:
        return
    await events.emit(db, events.OrderUpdated, order, changed=["payload", "cash_to_collect"])
