"""Verbs that move an order along its flow: each checks, changes, writes down and tells."""

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

# What the head's activities are told as, and when they happened.
HEAD_EVENTS: Final[dict[str, type[OrderTold]]] = {
    flow.DISPATCHED: events.OrderDispatched,
    flow.STARTED: events.OrderStarted,
}
NOTHING_DELIVERED: Final = "Nothing could be delivered, and the goods went back."


async def dispatch(
    db: Db, held: Aggregate, *, driver: str | None = None, at: datetime | None = None
) -> Aggregate:
    """Hand an order to its driver."""
    before = await load_progress(db, held)
    flow.activity_of(before, flow.DISPATCHED)
    if driver is not None:
        await assignment.assign(db, held, driver)
    # Asked before there is more to write: so all of that goes out in one statement.
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
    """Begin the journey; an order that was not handed out is, when the caller says so."""
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
    """Let an activity happen, at the stop that is named or at the present one."""
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
    """Let the completing activity happen."""
    before = await load_progress(db, held)
    return await _fire(db, held, before, flow.complete(before), at=at)


async def cancel(db: Db, held: Aggregate, *, reason: str | None = None) -> Aggregate:
    """End an open order without delivering it.

    One that a driver tried to deliver in vain costs what an undelivered one does.
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
    """Close an order that is not delivered.

    What is owed for one that was `undelivered` is the company's setting; a cancelled one owes
    nothing that is not paid.
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
    """Choose the stop to go to next, by the stop or by its place."""
    before, number = await load_progress(db, held), stop_number(held, destination)
    await aggregate.retry_dispatch(db, held)
    changed = await save_progress(db, held, before, flow.head_for(before, number))
    if changed:
        await events.tell(db, events.OrderUpdated, held, changed=changed)
    return held


async def be_at(db: Db, held: Aggregate, waypoint: str) -> None:
    """Head for the stop that is named, if the driver is not there already."""
    if stop_number(held, waypoint) != held.whole.current:
        await head_for(db, held, waypoint)


def stop_number(held: Aggregate, destination: str) -> int:
    """Find a stop of the order by its own identifier or by its place's; there, one that is left."""
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
    """Let an activity happen that the flow allows and whose proofs are there."""
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
    """Tell of a move once: by an event of its own, or as a change of what it changed."""
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
    """Write down what happened, and where: as reported, where the driver is, or at the place."""
    happening = Happening(
        code=activity.code,
        status=activity.status or activity.code,
        details=activity.details,
        # What went back was not delivered.
        complete=activity.complete and activity is not flow.RETURNED,
        place=_place(held, activity, stop),
        location=where or position(held),
        occurred_at=at,
    )
    return await tracking.note(db, held.order, happening, number_of(held, stop))


def number_of(held: Aggregate, stop: Waypoint | None) -> Named:
    """Name the number of the stop, or of the order itself."""
    subject = held.order if stop is None else stop
    number = held.shown.numbers[subject.uuid]
    return Named(number.uuid, number.number, None if stop is None else stop.public_id)


def _place(held: Aggregate, activity: Activity, stop: Waypoint | None) -> Place | None:
    """Choose the place of an activity: its stop, the start, the end, or where goods go back to."""
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
    """Tell where the driver was seen last, once the journey has begun."""
    if held.order.started_at is None or held.order.driver is None:
        return None
    seen = held.shown.whereabouts.get(held.order.driver)
    return None if seen is None else seen.location
