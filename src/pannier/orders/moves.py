"""Verbs that move an order along its flow: each checks, changes, writes down and tells."""

from typing import Any, Final

import msgspec

from pannier.db import Db
from pannier.errors import Field, NotFound, checked
from pannier.fleet.models import point
from pannier.kit import geo, ids
from pannier.kit.geo import Point
from pannier.orders import assignment, events, flow, gate, queries
from pannier.orders import journey as journeys
from pannier.orders.events import OrderTold
from pannier.orders.flow import Activity, Progress
from pannier.orders.journey import Journey
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.queries import ORDERS, Links
from pannier.orders.tracking import queries as tracking_queries
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.queries import Named
from pannier.orders.tracking.service import Happening
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import PAYLOADS, WAYPOINTS, Whole
from pannier.places.models import Place
from pannier.places.queries import places
from pannier.proofs import service as proofs

# What the head's activities are told as, and when they happened.
HEAD_EVENTS: Final[dict[str, type[OrderTold]]] = {
    flow.DISPATCHED: events.OrderDispatched,
    flow.STARTED: events.OrderStarted,
}
HEAD_TIMES: Final = {flow.DISPATCHED: "dispatched_at", flow.STARTED: "started_at"}
MOVING: Final = ("status", "current_waypoint")


async def dispatch(db: Db, order: Order, *, driver: str | None = None) -> Order:
    """Hand an order to its driver."""
    journey = await journeys.taken(db, order)
    flow.activity_of(journey.progress, flow.DISPATCHED)
    return await _fire(db, await _assigned(db, journey, driver), flow.DISPATCHED)


async def start(db: Db, order: Order, *, driver: str | None, skip_dispatch: bool) -> Order:
    """Begin the journey; an order that was not handed out is, when the caller says so."""
    if skip_dispatch and order.dispatched_at is None:
        order = await dispatch(db, order, driver=driver)
        driver = None
    journey = await journeys.taken(db, order)
    flow.activity_of(journey.progress, flow.STARTED)
    journey = await _assigned(db, journey, driver)
    if journey.order.driver is None:
        raise assignment.DriverRequired
    return await _fire(db, journey, flow.STARTED)


async def _assigned(db: Db, journey: Journey, driver: str | None) -> Journey:
    if driver is None:
        return journey
    order = await assignment.assign(db, journey.order, driver)
    return msgspec.structs.replace(journey, order=order)


async def advance(
    db: Db,
    order: Order,
    code: str,
    *,
    waypoint: str | None = None,
    location: object = None,
    skip_dispatch: bool = False,
) -> Order:
    """Let an activity happen, at the stop that is named or at the present one."""
    match code:
        case flow.DISPATCHED:
            return await dispatch(db, order)
        case flow.STARTED:
            return await start(db, order, driver=None, skip_dispatch=skip_dispatch)
    where = None if location is None else checked("location", geo.parse, location)
    journey = await journeys.taken(db, order)
    if waypoint is not None:
        journey = await _at(db, journey, waypoint)
    return await _fire(db, journey, code, where=where)


async def complete(db: Db, order: Order) -> Order:
    """Let the completing activity happen."""
    journey = await journeys.taken(db, order)
    return await _fire(db, journey, flow.complete(journey.progress))


async def cancel(db: Db, order: Order, *, reason: str | None = None) -> Order:
    """End an open order without delivering it."""
    journey = await journeys.taken(db, order)
    flow.cancel(journey.progress)
    saved, _ = await ORDERS.change(
        db, order, status=flow.CANCELED, canceled_at=db.now, cancel_reason=reason
    )
    await PAYLOADS.change(db, journey.whole.payload, state="closed")
    links = await queries.links(db, saved.company, saved.uuid)
    await events.tell(db, events.OrderCancelled, saved, links, reason=reason)
    happening = Happening(
        code=flow.CANCELED,
        status="Order cancelled",
        details=reason or "The order was cancelled.",
        location=_position(saved, links),
    )
    await tracking.note(db, saved, happening, _number(links))
    return saved


async def head_for(db: Db, order: Order, destination: str) -> Order:
    """Choose the stop to go to next, by the stop or by its place."""
    journey = await journeys.taken(db, order)
    number = await stop_number(db, journey, destination)
    moved = flow.head_for(journey.progress, number)
    if moved.current == journey.progress.current:
        return order
    chosen = journey.whole.waypoints[number]
    await PAYLOADS.change(db, journey.whole.payload, current_waypoint=chosen.uuid)
    saved = await touched(db, order)
    links = await queries.links(db, saved.company, saved.uuid)
    await events.tell(db, events.OrderUpdated, saved, links, changed=["current_waypoint"])
    return saved


async def touched(db: Db, order: Order) -> Order:
    """Count a change of something that an order shows but that is not a column of its own."""
    changes = {"updated_at": db.now, "version": order.version + 1}
    await db.update("orders", order.uuid, **changes)
    return msgspec.structs.replace(order, **changes)


async def _at(db: Db, journey: Journey, waypoint: str) -> Journey:
    """Head for the stop that is named, if the driver is not there already."""
    number = await stop_number(db, journey, waypoint)
    if number == journey.progress.current:
        return journey
    order = await head_for(db, journey.order, waypoint)
    return await journeys.taken(db, order)


async def stop_number(db: Db, journey: Journey, destination: str) -> int:
    """Find a stop of the order by its own identifier or by its place's."""
    uuid = ids.as_uuid(destination)
    for number, stop in enumerate(journey.whole.waypoints):
        if destination == stop.public_id or uuid in {stop.uuid, stop.place}:
            return number
    place = await places.find(db, journey.order.company, destination)
    if place is not None:
        for number, stop in enumerate(journey.whole.waypoints):
            if stop.place == place.uuid and stop.completed_at is None:
                return number
    raise NotFound(fields=[Field("waypoint", "The order has no such stop.")])


async def _fire(db: Db, journey: Journey, code: str, *, where: Point | None = None) -> Order:
    """Let an activity happen that the flow allows and whose proofs are there."""
    activity = flow.activity_of(journey.progress, code)
    if code == flow.DISPATCHED:
        await assignment.check_ready(db, journey.order)
    stop = None if code in flow.HEAD else journey.stop
    proved = await gate.looked_at(db, journey.order, activity, stop, journey.whole.entities)
    gate.check(activity, proved)
    moved = flow.fire(journey.progress, code)
    saved = await _saved(db, journey, moved, code, stop)
    links = await queries.links(db, saved.company, saved.uuid)
    await _tell_move(db, journey, saved, links, moved, code)
    status = await _note(db, saved, links, activity, stop, where)
    await proofs.use(db, proved.serving, status.uuid)
    return saved


async def _saved(
    db: Db, journey: Journey, moved: Progress, code: str, stop: Waypoint | None
) -> Order:
    """Write down where the order and its stop stand now."""
    columns: dict[str, Any] = {"status": moved.status, "activity": moved.activity}
    if code in HEAD_TIMES:
        columns[HEAD_TIMES[code]] = db.now
    if moved.completed:
        columns["completed_at"] = db.now
    if stop is not None and journey.progress.current is not None:
        done = moved.stops[journey.progress.current].done
        await WAYPOINTS.change(db, stop, activity=code, completed_at=db.now if done else None)
    await _save_payload(db, journey.whole, moved)
    saved, _ = await ORDERS.change(db, journey.order, **columns)
    return saved


async def _save_payload(db: Db, whole: Whole, moved: Progress) -> Payload:
    columns: dict[str, Any] = {}
    if moved.current is not None:
        columns["current_waypoint"] = whole.waypoints[moved.current].uuid
    if moved.completed:
        columns["state"] = "closed"
    elif moved.activity not in {flow.CREATED, flow.DISPATCHED}:
        columns["state"] = "begun"
    saved, _ = await PAYLOADS.change(db, whole.payload, **columns)
    return saved


async def _tell_move(
    db: Db, before: Journey, saved: Order, links: Links, moved: Progress, code: str
) -> None:
    """Tell a move once: by its own event, or as a change of what it changed."""
    kind = events.OrderCompleted if moved.completed else HEAD_EVENTS.get(code)
    changed = _changed(before, saved, moved)
    if kind is not None:
        await events.tell(db, kind, saved, links)
    elif changed:
        await events.tell(db, events.OrderUpdated, saved, links, changed=changed)


def _changed(before: Journey, saved: Order, moved: Progress) -> list[str]:
    differs = (before.order.status != saved.status, before.progress.current != moved.current)
    return [name for name, new in zip(MOVING, differs, strict=True) if new]


async def note_created(db: Db, order: Order, links: Links, activity: Activity) -> None:
    """Write down that an order was placed."""
    await _note(db, order, links, activity, None, None)


async def _note(
    db: Db,
    order: Order,
    links: Links,
    activity: Activity,
    stop: Waypoint | None,
    where: Point | None,
) -> TrackingStatus:
    """Write down what happened, and where: as reported, where the driver is, or at the place."""
    happening = Happening(
        code=activity.code,
        status=activity.status or activity.code,
        details=activity.details,
        complete=activity.complete,
        place=await _place(db, order, links, activity, stop),
        location=where or _position(order, links),
    )
    number = _number(links)
    if stop is not None:
        number = await tracking_queries.number_of(db, order.company, stop.uuid)
    return await tracking.note(db, order, happening, number)


def _number(links: Links) -> Named:
    """Name the number of the order itself."""
    return Named(links.number, links.tracking_number, None)


async def _place(
    db: Db, order: Order, links: Links, activity: Activity, stop: Waypoint | None
) -> Place | None:
    """Choose the place of an activity: its stop, the start for the head, the end for the last."""
    if stop is not None:
        return (await places.among(db, order.company, [stop.place]))[stop.place]
    if activity.code in flow.HEAD:
        return None if links.pickup is None else links.ends[links.pickup]
    if activity.complete:
        return None if links.dropoff is None else links.ends[links.dropoff]
    return None


def _position(order: Order, links: Links) -> Point | None:
    """Tell where the driver was seen last, once the journey has begun."""
    return None if order.started_at is None else point(links.latitude, links.longitude)
