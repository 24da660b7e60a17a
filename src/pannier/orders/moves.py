"""Moves of an order along its flow: dispatch, start, activities, completion and cancellation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.accounts.company_settings.billing import FeeStage
from pannier.db import Db
from pannier.errors import FieldError, NotFound, parse_field
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.orders import aggregate, assignment, events, flow, gate
from pannier.orders.activities import Activity
from pannier.orders.events import OrderEvent
from pannier.orders.flow import Progress
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.progress import find_stop, load_progress, save_progress
from pannier.orders.quotes import service as quotes
from pannier.orders.quotes import standing
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.queries import TrackingNumberRef
from pannier.orders.tracking.service import StatusDraft
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.payments.transactions import endings
from pannier.payments.transactions.models import Transaction
from pannier.places.models import PlaceRow
from pannier.proofs import service as proofs

# Events of the activities that every flow starts with.
HEAD_EVENTS: Final[dict[str, type[OrderEvent]]] = {
    flow.DISPATCHED: events.OrderDispatched,
    flow.STARTED: events.OrderStarted,
}
NOTHING_DELIVERED: Final = "Nothing was delivered, and the goods were returned."


async def dispatch(
    db: Db, order: OrderAggregate, *, driver: str | None = None, occurred_at: datetime | None = None
) -> OrderAggregate:
    progress = await load_progress(db, order)
    flow.get_activity(progress, flow.DISPATCHED)
    if driver is not None:
        await assignment.assign(db, order, driver)
    # Read before anything is written, so that all writes go out in one statement.
    price_options = await quotes.load_quote_options(db, order)
    order = await _fire_next_activity(db, order, progress, flow.DISPATCHED, occurred_at=occurred_at)
    await quotes.attach_price(db, order, price_options)
    return order


async def start(
    db: Db,
    order: OrderAggregate,
    *,
    driver: str | None,
    skip_dispatch: bool,
    occurred_at: datetime | None = None,
) -> OrderAggregate:
    """Start an order. With `skip_dispatch`, it is dispatched first if necessary."""
    if skip_dispatch and order.row.dispatched_at is None:
        await dispatch(db, order, driver=driver, occurred_at=occurred_at)
        driver = None
    progress = await load_progress(db, order)
    flow.get_activity(progress, flow.STARTED)
    if driver is not None:
        await assignment.assign(db, order, driver)
    if order.row.driver is None:
        raise assignment.DriverRequired
    return await _fire_next_activity(db, order, progress, flow.STARTED, occurred_at=occurred_at)


async def fire_activity(
    db: Db,
    order: OrderAggregate,
    code: str,
    *,
    waypoint: str | None = None,
    location: object = None,
    skip_dispatch: bool = False,
    occurred_at: datetime | None = None,
) -> OrderAggregate:
    """Fire an activity at the given stop, or at the current one."""
    match code:
        case flow.DISPATCHED:
            return await dispatch(db, order, occurred_at=occurred_at)
        case flow.STARTED:
            return await start(
                db, order, driver=None, skip_dispatch=skip_dispatch, occurred_at=occurred_at
            )
    point = None if location is None else parse_field("location", geo.parse, location)
    if waypoint is not None:
        await ensure_destination(db, order, waypoint)
    return await _fire_next_activity(
        db, order, await load_progress(db, order), code, location=point, occurred_at=occurred_at
    )


async def complete(
    db: Db, order: OrderAggregate, *, occurred_at: datetime | None = None
) -> OrderAggregate:
    progress = await load_progress(db, order)
    return await _fire_next_activity(
        db, order, progress, flow.get_completing_code(progress), occurred_at=occurred_at
    )


async def cancel(
    db: Db,
    order: OrderAggregate,
    *,
    reason: str | None = None,
    refunds: bool = False,
    has_fee: bool = True,
) -> OrderAggregate:
    """Cancel an open order.

    The company's cancellation fee applies if `has_fee`, or after a failed delivery attempt its
    charge for undelivered orders. With `refunds`, payments beyond it are refunded whatever the
    settings say.
    """
    row, progress = order.row, await load_progress(db, order)
    if row.undelivered is not None:
        order_transactions = await endings.charge_undelivered_order(db, row.company, row.uuid)
    else:
        order_transactions = await endings.charge_canceled_order(
            db,
            row.company,
            row.uuid,
            get_fee_stage(row) if has_fee else None,
            reason,
            refunds=refunds,
        )
    await _close_order(db, order, progress, reason, order_transactions)
    status_draft = StatusDraft(
        code=flow.CANCELED,
        status="Order canceled",
        details=reason or "The order was canceled.",
        location=get_driver_position(order),
    )
    await tracking.record_status(db, order.row, status_draft, get_tracking_number(order, None))
    return order


def get_fee_stage(order: Order) -> FeeStage:
    """Return the stage that decides the cancellation fee."""
    if order.started_at is not None:
        return "started"
    return "created" if order.dispatched_at is None else "dispatched"


async def _close_order(
    db: Db,
    order: OrderAggregate,
    progress: Progress,
    reason: str | None,
    order_transactions: Sequence[Transaction],
) -> None:
    """Close an order that was not delivered, with its transactions as they are now."""
    columns = standing.to_payment_columns(order.row, order_transactions)
    if columns["price_status"] == "priced":
        # Its quotes can no longer be accepted.
        columns["price_status"] = "unpriced"
    await save_progress(db, order, progress, flow.cancel(progress), cancel_reason=reason, **columns)
    await events.emit(db, events.OrderCancelled, order, reason=reason)


async def set_destination(db: Db, order: OrderAggregate, destination: str) -> OrderAggregate:
    """Set the next stop, by its own identifier or by its place's."""
    progress, stop_index = await load_progress(db, order), get_stop_index(order, destination)
    await aggregate.clear_dispatch_delay(db, order)
    changed_fields = await save_progress(
        db, order, progress, flow.set_destination(progress, stop_index)
    )
    if changed_fields:
        await events.emit(db, events.OrderUpdated, order, changed=changed_fields)
    return order


async def ensure_destination(db: Db, order: OrderAggregate, waypoint: str) -> None:
    """Make a stop the destination, unless it is the current one."""
    if get_stop_index(order, waypoint) != order.payload_aggregate.current_index:
        await set_destination(db, order, waypoint)


def get_stop_index(order: OrderAggregate, destination: str) -> int:
    """Return the index of a stop, by its own identifier or by its place's.

    If several stops are at the place, the first one that is not done wins.
    """
    uuid, stops = ids.parse_uuid(destination), order.payload_aggregate.waypoints
    places = order.related.places
    for index, stop in enumerate(stops):
        if destination == stop.public_id or uuid == stop.uuid:
            return index
    indexes_at_place = [
        index
        for index, stop in enumerate(stops)
        if destination == places[stop.place].public_id or uuid == stop.place
    ]
    open_indexes = [index for index in indexes_at_place if not stops[index].done]
    if indexes_at_place:
        return (open_indexes or indexes_at_place)[0]
    raise NotFound(fields=[FieldError("waypoint", "The order has no such stop.")])


async def _fire_next_activity(
    db: Db,
    order: OrderAggregate,
    progress: Progress,
    code: str,
    *,
    location: Point | None = None,
    occurred_at: datetime | None = None,
) -> OrderAggregate:
    """Fire an activity that the flow allows and whose proofs are complete."""
    activity = flow.get_activity(progress, code)
    if code == flow.DISPATCHED:
        assignment.check_driver_ready(order)
    stop = find_stop(order, progress, code)
    proof_match = await gate.match_unused_proofs(
        db, order.row, activity, stop, order.payload_aggregate.entities
    )
    gate.check_proofs(activity, proof_match)
    new_progress = flow.fire(progress, code)
    if new_progress.completed:
        await aggregate.price_unmeasured_order(db, order)
    if new_progress.canceled:
        order_transactions = await endings.charge_undelivered_order(
            db, order.row.company, order.row.uuid
        )
        await _close_order(db, order, progress, NOTHING_DELIVERED, order_transactions)
    else:
        changed_fields = await save_progress(db, order, progress, new_progress)
        await _emit_move(db, order, new_progress, code, changed_fields)
    status = await record_activity(db, order, activity, stop, location, occurred_at)
    await proofs.mark_proofs_used(db, proof_match.used_proofs, status.uuid)
    return order


async def _emit_move(
    db: Db, order: OrderAggregate, new_progress: Progress, code: str, changed_fields: Sequence[str]
) -> None:
    """Emit one event for a move: a specific one, or an update of the changed fields."""
    event_type = events.OrderCompleted if new_progress.completed else HEAD_EVENTS.get(code)
    if event_type is not None:
        await events.emit(db, event_type, order)
    elif changed_fields:
        await events.emit(db, events.OrderUpdated, order, changed=changed_fields)


async def record_activity(
    db: Db,
    order: OrderAggregate,
    activity: Activity,
    stop: Waypoint | None,
    location: Point | None,
    occurred_at: datetime | None = None,
) -> TrackingStatus:
    """Record an activity and its location.

    Without a reported location, the driver's position is recorded, or else the place.
    """
    status_draft = StatusDraft(
        code=activity.code,
        status=activity.status or activity.code,
        details=activity.details,
        # Returned goods were not delivered.
        complete=activity.complete and activity is not flow.RETURNED,
        place=_choose_place(order, activity, stop),
        location=location or get_driver_position(order),
        occurred_at=occurred_at,
    )
    return await tracking.record_status(
        db, order.row, status_draft, get_tracking_number(order, stop)
    )


def get_tracking_number(order: OrderAggregate, stop: Waypoint | None) -> TrackingNumberRef:
    """Return the tracking number of the stop, or of the order itself."""
    subject = order.row if stop is None else stop
    number = order.related.numbers[subject.uuid]
    return TrackingNumberRef(number.uuid, number.number, None if stop is None else stop.public_id)


def _choose_place(
    order: OrderAggregate, activity: Activity, stop: Waypoint | None
) -> PlaceRow | None:
    """Choose the place of an activity: its stop, the pickup, the drop-off or the return place."""
    payload, uuid = order.payload_aggregate.payload, None
    if stop is not None:
        uuid = stop.place
    elif activity is flow.RETURNED:
        uuid = payload.return_place or payload.pickup
    elif activity.code in flow.HEAD:
        uuid = payload.pickup
    elif activity.complete:
        uuid = payload.dropoff
    return None if uuid is None else order.related.places[uuid]


def get_driver_position(order: OrderAggregate) -> Point | None:
    """Return the driver's last position, once the order has started."""
    if order.row.started_at is None or order.row.driver is None:
        return None
    last_position = order.related.whereabouts.get(order.row.driver)
    return None if last_position is None else last_position.location
