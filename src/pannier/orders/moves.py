"""Moving an order along its flow: dispatch, start, activities, completion and cancellation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.db import Db
from pannier.errors import Field, NotFound, checked
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.orders import aggregate, assignment, events, flow, gate
from pannier.orders.events import OrderTold
from pannier.orders.flow import Activity, Progress
from pannier.orders.models import TrackingStatus
from pannier.orders.progress import find_stop, load_progress, save_progress
from pannier.orders.quotes import service as quotes
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.queries import Named
from pannier.orders.tracking.service import Happening
from pannier.orders.views import Aggregate
from pannier.payloads.models import Waypoint
from pannier.payments.transactions import service as transactions
from pannier.places.models import Place
from pannier.proofs import service as proofs

# Events of the activities that every flow starts with.
HEAD_EVENTS: Final[dict[str, type[OrderTold]]] = {
    flow.DISPATCHED: events.OrderDispatched,
    flow.STARTED: events.OrderStarted,
}
NOTHING_DELIVERED: Final = "Nothing could be delivered, and the goods went back."


async def dispatch(
    db: Db, held: Aggregate, *, driver: str | None = None, at: datetime | None = None
) -> Aggregate:
    before = await load_progress(db, held)
    flow.activity_of(before, flow.DISPATCHED)
    if driver is not None:
        await assignment.assign(db, held, driver)
    # Read before anything is written, so that all writes go out in one statement.
    choice = await quotes.choice(db, held)
    moved = await _fire(db, held, before, flow.DISPATCHED, at=at)
    await quotes.attach(db, moved, choice)
    return moved


async def start(
    db: Db,
    held: Aggregate,
    *,
    driver: str | None,
    skip_dispatch: bool,
    at: datetime | None = None,
) -> Aggregate:
    """Start an order. With `skip_dispatch`, it is dispatched first if necessary."""
    if skip_dispatch and held.order.dispatched_at is None:
        await dispatch(db, held, driver=driver, at=at)
        driver = None
    before = await load_progress(db, held)
    flow.activity_of(before, flow.STARTED)
    if driver is not None:
        await assignment.assign(db, held, driver)
    if held.order.driver is None:
        raise assignment.DriverRequired
    return await _fire(db, held, before, flow.STARTED, at=at)


async def advance(
    db: Db,
    held: Aggregate,
    code: str,
    *,
    waypoint: str | None = None,
    location: object = None,
    skip_dispatch: bool = False,
    at: datetime | None = None,
) -> Aggregate:
    """Fire an activity at the given stop, or at the current one."""
    match code:
        case flow.DISPATCHED:
            return await dispatch(db, held, at=at)
        case flow.STARTED:
            return await start(db, held, driver=None, skip_dispatch=skip_dispatch, at=at)
    where = None if location is None else checked("location", geo.parse, location)
    if waypoint is not None:
        await be_at(db, held, waypoint)
    return await _fire(db, held, await load_progress(db, held), code, where=where, at=at)


async def complete(db: Db, held: Aggregate, *, at: datetime | None = None) -> Aggregate:
    before = await load_progress(db, held)
    return await _fire(db, held, before, flow.complete(before), at=at)


async def cancel(db: Db, held: Aggregate, *, reason: str | None = None) -> Aggregate:
    """Cancel an open order.

    After a failed delivery attempt, the company's charge for undelivered orders applies.
    """
    before = await load_progress(db, held)
    await _end(db, held, before, reason, undelivered=held.order.undelivered is not None)
    happening = Happening(
        code=flow.CANCELED,
        status="Order cancelled",
        details=reason or "The order was cancelled.",
        location=position(held),
    )
    await tracking.note(db, held.order, happening, number_of(held, None))
    return held


async def _end(
    db: Db, held: Aggregate, before: Progress, reason: str | None, *, undelivered: bool
) -> None:
    """Close an order that was not delivered.

    If it is `undelivered`, the company's settings decide what is owed. A canceled order owes
    nothing that is not paid yet.
    """
    order, moved = held.order, flow.cancel(before)
    if undelivered:
        owed = await transactions.charge_undelivered(db, order.company, order.uuid)
    else:
        owed = await transactions.void_unpaid(db, order.company, order.uuid, reason)
    stands = any(each.is_owed for each in owed)
    price_status = "accepted" if stands else "unpriced"
    await save_progress(db, held, before, moved, cancel_reason=reason, price_status=price_status)
    await events.tell(db, events.OrderCancelled, held, reason=reason)


async def head_for(db: Db, held: Aggregate, destination: str) -> Aggregate:
    """Choose the next stop, by its own identifier or by its place's."""
    before, number = await load_progress(db, held), stop_number(held, destination)
    await aggregate.retry_dispatch(db, held)
    changed = await save_progress(db, held, before, flow.head_for(before, number))
    if changed:
        await events.tell(db, events.OrderUpdated, held, changed=changed)
    return held


async def be_at(db: Db, held: Aggregate, waypoint: str) -> None:
    """Head for the given stop, unless it is the current one."""
    if stop_number(held, waypoint) != held.whole.current:
        await head_for(db, held, waypoint)


def stop_number(held: Aggregate, destination: str) -> int:
    """Find a stop by its own identifier or by its place's.

    If several stops are at the place, the first one that is not done wins.
    """
    uuid, stops = ids.as_uuid(destination), held.whole.waypoints
    places = held.shown.places
    for number, stop in enumerate(stops):
        if destination == stop.public_id or uuid == stop.uuid:
            return number
    here = [
        number
        for number, stop in enumerate(stops)
        if destination == places[stop.place].public_id or uuid == stop.place
    ]
    left = [number for number in here if not stops[number].done]
    if here:
        return (left or here)[0]
    raise NotFound(fields=[Field("waypoint", "The order has no such stop.")])


async def _fire(
    db: Db,
    held: Aggregate,
    before: Progress,
    code: str,
    *,
    where: Point | None = None,
    at: datetime | None = None,
) -> Aggregate:
    """Fire an activity that the flow allows and whose proofs are complete."""
    activity = flow.activity_of(before, code)
    if code == flow.DISPATCHED:
        assignment.check_ready(held)
    stop = find_stop(held, before, code)
    proved = await gate.looked_at(db, held.order, activity, stop, held.whole.entities)
    gate.check(activity, proved)
    moved = flow.fire(before, code)
    if moved.canceled:
        await _end(db, held, before, NOTHING_DELIVERED, undelivered=True)
    else:
        changed = await save_progress(db, held, before, moved)
        await _tell(db, held, moved, code, changed)
    status = await note(db, held, activity, stop, where, at)
    await proofs.use(db, proved.serving, status.uuid)
    return held


async def _tell(
    db: Db, held: Aggregate, moved: Progress, code: str, changed: Sequence[str]
) -> None:
    """Emit one event for a move: its own, or an update of the changed fields."""
    kind = events.OrderCompleted if moved.completed else HEAD_EVENTS.get(code)
    if kind is not None:
        await events.tell(db, kind, held)
    elif changed:
        await events.tell(db, events.OrderUpdated, held, changed=changed)


async def note(
    db: Db,
    held: Aggregate,
    activity: Activity,
    stop: Waypoint | None,
    where: Point | None,
    at: datetime | None = None,
) -> TrackingStatus:
    """Record an activity and its location.

    The location is as reported, or else the driver's position or the place.
    """
    happening = Happening(
        code=activity.code,
        status=activity.status or activity.code,
        details=activity.details,
        # Returned goods were not delivered.
        complete=activity.complete and activity is not flow.RETURNED,
        place=_place(held, activity, stop),
        location=where or position(held),
        occurred_at=at,
    )
    return await tracking.note(db, held.order, happening, number_of(held, stop))


def number_of(held: Aggregate, stop: Waypoint | None) -> Named:
    """Return the tracking number of the stop, or of the order itself."""
    subject = held.order if stop is None else stop
    number = held.shown.numbers[subject.uuid]
    return Named(number.uuid, number.number, None if stop is None else stop.public_id)


def _place(held: Aggregate, activity: Activity, stop: Waypoint | None) -> Place | None:
    """Choose the place of an activity: its stop, the pickup, the dropoff or the return place."""
    payload, uuid = held.whole.payload, None
    if stop is not None:
        uuid = stop.place
    elif activity is flow.RETURNED:
        uuid = payload.return_place or payload.pickup
    elif activity.code in flow.HEAD:
        uuid = payload.pickup
    elif activity.complete:
        uuid = payload.dropoff
    return None if uuid is None else held.shown.places[uuid]


def position(held: Aggregate) -> Point | None:
    """Return the driver's last position, once the order has started."""
    if held.order.started_at is None or held.order.driver is None:
        return None
    seen = held.shown.whereabouts.get(held.order.driver)
    return None if seen is None else seen.location
