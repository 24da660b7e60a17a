"""Verbs that move an order along its flow: each checks, changes, writes down and tells."""

from datetime import datetime
from typing import Any, Final

from pannier.db import Db
from pannier.errors import Field, NotFound, checked
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.orders import aggregate, assignment, events, flow, gate
from pannier.orders.aggregate import Aggregate
from pannier.orders.events import OrderTold
from pannier.orders.flow import Activity, Progress
from pannier.orders.journey import Journey
from pannier.orders.models import TrackingStatus
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import service as quotes
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.queries import Named
from pannier.orders.tracking.service import Happening
from pannier.payloads.models import Waypoint
from pannier.payloads.progress import advance_payload, advance_stop
from pannier.payments.transactions import service as transactions
from pannier.places.models import Place
from pannier.proofs import service as proofs

# What the head's activities are told as, and when they happened.
HEAD_EVENTS: Final[dict[str, type[OrderTold]]] = {
    flow.DISPATCHED: events.OrderDispatched,
    flow.STARTED: events.OrderStarted,
}
HEAD_TIMES: Final = {flow.DISPATCHED: "dispatched_at", flow.STARTED: "started_at"}
MOVING: Final = ("status", "current_waypoint")
NOTHING_DELIVERED: Final = "Nothing could be delivered, and the goods went back."


async def dispatch(
    db: Db, held: Aggregate, *, driver: str | None = None, at: datetime | None = None
) -> Aggregate:
    """Hand an order to its driver."""
    journey = await Journey.of(db, held)
    flow.activity_of(journey.progress, flow.DISPATCHED)
    if driver is not None:
        await assignment.assign(db, held, driver)
    # Asked before there is more to write: so all of that goes out in one statement.
    choice = await quotes.choice(db, held)
    moved = await _fire(db, journey, flow.DISPATCHED, at=at)
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
    journey = await Journey.of(db, held)
    flow.activity_of(journey.progress, flow.STARTED)
    if driver is not None:
        await assignment.assign(db, held, driver)
    if held.order.driver is None:
        raise assignment.DriverRequired
    return await _fire(db, journey, flow.STARTED, at=at)


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
        await _be_at(db, held, waypoint)
    return await _fire(db, await Journey.of(db, held), code, where=where, at=at)


async def complete(db: Db, held: Aggregate, *, at: datetime | None = None) -> Aggregate:
    """Let the completing activity happen."""
    journey = await Journey.of(db, held)
    return await _fire(db, journey, flow.complete(journey.progress), at=at)


async def cancel(db: Db, held: Aggregate, *, reason: str | None = None) -> Aggregate:
    """End an open order without delivering it.

    One that a driver tried to deliver in vain costs what an undelivered one does.
    """
    flow.cancel((await Journey.of(db, held)).progress)
    await _end(db, held, reason, undelivered=held.order.undelivered is not None)
    happening = Happening(
        code=flow.CANCELED,
        status="Order cancelled",
        details=reason or "The order was cancelled.",
        location=position(held),
    )
    await tracking.note(db, held.order, happening, number_of(held, None))
    return held


async def _end(db: Db, held: Aggregate, reason: str | None, *, undelivered: bool = False) -> None:
    """Close an order that is not delivered.

    What is owed for one that was `undelivered` is the company's setting; a cancelled one owes
    nothing that is not paid.
    """
    await _save_payload(db, held, state="closed")
    order = held.order
    if undelivered:
        owed = await transactions.charge_undelivered(db, order.company, order.uuid)
    else:
        owed = await transactions.void_unpaid(db, order.company, order.uuid, reason)
    stands = any(each.is_owed for each in owed)
    held.order, _ = await ORDERS.change(
        db,
        order,
        status=flow.CANCELED,
        canceled_at=db.now,
        cancel_reason=reason,
        price_status="accepted" if stands else "unpriced",
    )
    await events.tell(db, events.OrderCancelled, held.order, held.shown, reason=reason)


async def head_for(db: Db, held: Aggregate, destination: str) -> Aggregate:
    """Choose the stop to go to next, by the stop or by its place."""
    journey = await Journey.of(db, held)
    number = stop_number(journey, destination)
    flow.head_for(journey.progress, number)
    return await _headed(db, journey, number)


async def _be_at(db: Db, held: Aggregate, waypoint: str) -> None:
    """Head for the stop that is named, if the driver is not there already."""
    journey = await Journey.of(db, held)
    number = stop_number(journey, waypoint)
    if number != journey.progress.current:
        flow.head_for(journey.progress, number)
        await _headed(db, journey, number)


async def _headed(db: Db, journey: Journey, number: int) -> Aggregate:
    held, before = journey.held, journey.whole
    if number != journey.progress.current:
        await _save_payload(db, held, current_waypoint=before.waypoints[number].uuid)
        await aggregate.changed(db, held, before=before)
    return held


def stop_number(journey: Journey, destination: str) -> int:
    """Find a stop of the order by its own identifier or by its place's; there, one that is left."""
    uuid, stops = ids.as_uuid(destination), journey.whole.waypoints
    places = journey.held.shown.payloads.places
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
    journey: Journey,
    code: str,
    *,
    where: Point | None = None,
    at: datetime | None = None,
) -> Aggregate:
    """Let an activity happen that the flow allows and whose proofs are there."""
    held, activity = journey.held, flow.activity_of(journey.progress, code)
    if code == flow.DISPATCHED:
        assignment.check_ready(held)
    stop = journey.stop_of(code)
    proved = await gate.looked_at(db, held.order, activity, stop, held.whole.entities)
    gate.check(activity, proved)
    moved = flow.fire(journey.progress, code)
    if moved.canceled:
        await _end(db, held, NOTHING_DELIVERED, undelivered=True)
    else:
        await _move(db, journey, moved, code, stop)
    status = await note(db, held, activity, stop, where, at)
    await proofs.use(db, proved.serving, status.uuid)
    return held


async def _move(
    db: Db, journey: Journey, moved: Progress, code: str, stop: Waypoint | None
) -> None:
    """Write down where the order and its stop stand now, and tell that once."""
    held, before, whole = journey.held, journey.order, journey.whole
    if stop is not None and journey.progress.current is not None:
        done = moved.stops[journey.progress.current].done
        await _save_stop(db, held, stop, activity=code, completed_at=db.now if done else None)
    await _save_payload(db, held, **_standing(held, moved))
    columns: dict[str, Any] = {"status": moved.status, "activity": moved.activity}
    if code in HEAD_TIMES:
        columns[HEAD_TIMES[code]] = db.now
    if moved.completed:
        columns["completed_at"] = db.now
    held.order, named = await ORDERS.change(db, before, soon=True, **columns)
    if not named and held.whole != whole:
        # From one stop to the next, an order may stand where it stood.
        held.order = await ORDERS.touch(db, held.order)
    differs = (before.status != held.order.status, journey.progress.current != moved.current)
    changed = [name for name, new in zip(MOVING, differs, strict=True) if new]
    # By an event of its own, or as a change of what it changed.
    kind = events.OrderCompleted if moved.completed else HEAD_EVENTS.get(code)
    if kind is not None:
        await events.tell(db, kind, held.order, held.shown)
    elif changed:
        await events.tell(db, events.OrderUpdated, held.order, held.shown, changed=changed)


def _standing(held: Aggregate, moved: Progress) -> dict[str, Any]:
    """Tell what a move changes of the payload."""
    columns: dict[str, Any] = {}
    if moved.current is not None:
        columns["current_waypoint"] = held.whole.waypoints[moved.current].uuid
    if moved.completed:
        columns["state"] = "closed"
    elif moved.activity not in {flow.CREATED, flow.DISPATCHED}:
        columns["state"] = "begun"
    return columns


async def _save_payload(db: Db, held: Aggregate, **columns: Any) -> None:  # noqa: ANN401 - columns
    saved = await advance_payload(db, held.whole.payload, soon=True, **columns)
    held.put(saved, held.whole.waypoints)


async def _save_stop(db: Db, held: Aggregate, stop: Waypoint, **columns: Any) -> None:  # noqa: ANN401 - columns
    saved = await advance_stop(db, stop, soon=True, **columns)
    stops = [saved if each.uuid == stop.uuid else each for each in held.whole.waypoints]
    held.put(held.whole.payload, stops)


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
    number = held.shown.payloads.numbers[subject.uuid]
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
    return None if uuid is None else held.shown.payloads.places[uuid]


def position(held: Aggregate) -> Point | None:
    """Tell where the driver was seen last, once the journey has begun."""
    if held.order.started_at is None or held.order.driver is None:
        return None
    seen = held.shown.whereabouts.get(held.order.driver)
    return None if seen is None else seen.location
