"""Verbs of failed attempts: give one up, and decide what happens then."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.db import Db
from pannier.errors import Field, Invalid, checked
from pannier.kit import geo, moments
from pannier.kit.geo import Point
from pannier.orders import events, flow, gate, moves
from pannier.orders.aggregate import Aggregate
from pannier.orders.attempts import queries
from pannier.orders.attempts.queries import ATTEMPTS
from pannier.orders.attempts.schemas import AttemptIn, DecisionIn
from pannier.orders.configs import service as configs
from pannier.orders.flow import IllegalMove, Progress, Then
from pannier.orders.gate import Demand, PodRequired
from pannier.orders.journey import Journey
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus
from pannier.orders.queries import ORDERS
from pannier.orders.reasons import FailureReason
from pannier.orders.tracking import queries as tracking_queries
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.service import Happening
from pannier.payloads.models import Waypoint
from pannier.payloads.progress import advance_payload, advance_stop
from pannier.proofs import queries as proof_queries
from pannier.proofs import service as proofs
from pannier.proofs.models import Proof

# What recipients read of what happens next.
NEXT: Final[dict[Then, str]] = {
    "retry": "There will be another attempt.",
    "hold": "What happens next is being decided.",
    "return": "It goes back to the sender.",
}
TOLD: Final[tuple[str, ...]] = ("status", "attempts", "undelivered", "current_waypoint")


async def fail(db: Db, held: Aggregate, given: AttemptIn) -> Aggregate:
    """Give up an attempt at the stop that is named, or at the present one."""
    where = None if given.location is None else checked("location", geo.parse, given.location)
    if given.waypoint is not None:
        await _be_at(db, held, given.waypoint)
    journey = await Journey.of(db, held)
    flow.fail(journey.progress, "retry")
    reason = await _reason(db, held.order, given.reason)
    moved = flow.fail(journey.progress, given.then or reason.then)
    captured, stop = await _captured(db, journey, reason), journey.stop
    attempt = await _written(db, journey, given, reason, where or moves.position(held), captured)
    await _save(db, journey, moved, stop, attempt, failed=1)
    status = await _noted(db, held, stop, attempt, given.occurred_at)
    await proofs.use(db, captured, status.uuid)
    return held


async def _written(
    db: Db,
    journey: Journey,
    given: AttemptIn,
    reason: FailureReason,
    where: Point | None,
    captured: Sequence[Proof],
) -> DeliveryAttempt:
    order, stop = journey.order, journey.stop
    when = moments.happened(given.occurred_at, earliest=order.created_at, now=db.now)
    return await ATTEMPTS.create(
        db,
        order.company,
        order_uuid=order.uuid,
        waypoint=None if stop is None else stop.uuid,
        number=(order if stop is None else stop).attempts + 1,
        reason=reason.code,
        label=reason.label,
        remarks=given.remarks,
        outcome=given.then or reason.then,
        occurred_at=when.at,
        clock_skew=when.skew,
        proofs=[proof.public_id for proof in captured],
        latitude=where.latitude if where else None,
        longitude=where.longitude if where else None,
        actor_kind=db.actor.kind,
        actor_id=db.actor.id,
        actor_name=db.actor.name,
    )


async def _noted(
    db: Db,
    held: Aggregate,
    stop: Waypoint | None,
    attempt: DeliveryAttempt,
    at: datetime | None,
) -> TrackingStatus:
    """Write down what people read of an attempt that failed."""
    place = held.whole.payload.dropoff if stop is None else stop.place
    happening = Happening(
        code=flow.FAILED,
        status=attempt.label,
        details=NEXT[attempt.outcome],
        place=None if place is None else held.shown.payloads.places[place],
        location=attempt.location,
        occurred_at=at,
        meta={
            "attempt": attempt.public_id,
            "number": attempt.number,
            "then": attempt.outcome,
        },
    )
    return await tracking.note(db, held.order, happening, moves.number_of(held, stop))


async def decide(db: Db, held: Aggregate, given: DecisionIn) -> Aggregate:
    """Say what happens to something that could not be handed over."""
    journey = await Journey.of(db, held)
    number = _waiting(journey, given.waypoint)
    moved = flow.decide(journey.progress, number, given.then)
    stop = None if number is None else held.whole.waypoints[number]
    attempt = await queries.last(db, held.order, None if stop is None else stop.uuid)
    if attempt is not None:
        attempt, _ = await ATTEMPTS.change(db, attempt, outcome=given.then, decided_at=db.now)
    await _save(db, journey, moved, stop, attempt)
    return held


async def _be_at(db: Db, held: Aggregate, waypoint: str) -> None:
    """Head for the stop that is named, if the driver is not there already."""
    journey = await Journey.of(db, held)
    if moves.stop_number(journey, waypoint) != journey.progress.current:
        await moves.head_for(db, held, waypoint)


def _waiting(journey: Journey, waypoint: str | None) -> int | None:
    """Find what is decided: the stop that is named, the one that waits, or an order as a whole."""
    stops = journey.progress.stops
    if waypoint is not None:
        return moves.stop_number(journey, waypoint)
    if not stops:
        return None
    waiting = [number for number, stop in enumerate(stops) if stop.undelivered == "hold"]
    waiting = waiting or [number for number, stop in enumerate(stops) if stop.undelivered]
    if len(waiting) > 1:
        raise Invalid(fields=[Field("waypoint", "Several stops wait: say which one is meant.")])
    if not waiting:
        raise IllegalMove("Nothing waits for a decision.", flow.following(journey.progress))
    return waiting[0]


async def _reason(db: Db, order: Order, code: str) -> FailureReason:
    """Find a reason among those that the order began with."""
    known = await configs.reasons_of(db, order)
    found = next((reason for reason in known if reason.code == code), None)
    if found is None:
        names = ", ".join(reason.code for reason in known)
        raise Invalid(fields=[Field("reason", f"There is no such reason; there are: {names}.")])
    return found


async def _captured(db: Db, journey: Journey, reason: FailureReason) -> list[Proof]:
    """Find what was captured in this attempt, with a photo if the reason needs one."""
    order, stop = journey.order, journey.stop
    since = await tracking_queries.last_activity(
        db, order.company, order.uuid, order.uuid if stop is None else stop.uuid
    )
    unused = await proof_queries.unused(db, order.company, order.uuid)
    captured = [proof for proof in unused if _belongs(proof, journey, since)]
    if reason.photo and all(proof.method not in {"photo", "override"} for proof in captured):
        raise PodRequired("photo", [_photo_of(order, stop)])
    return captured


def _photo_of(order: Order, stop: Waypoint | None) -> Demand:
    if stop is None:
        return Demand("order", order.public_id, "photo")
    return Demand("waypoint", stop.public_id, "photo")


def _belongs(proof: Proof, journey: Journey, since: datetime | None) -> bool:
    """Tell whether a proof is of the stop or its items, or else a new photo of the order.

    It proves nothing later: whoever tries again captures anew.
    """
    order, stop = journey.order, journey.stop
    if stop is None or proof.subject_uuid == stop.uuid:
        return True
    items = journey.whole.entities
    if any(item.uuid == proof.subject_uuid and item.destination == stop.uuid for item in items):
        return True
    meant = proof.method == "photo" and proof.activity in {None, flow.FAILED}
    return meant and proof.subject_uuid == order.uuid and gate.fresh(proof, flow.FAILED, since)


async def _save(
    db: Db,
    journey: Journey,
    moved: Progress,
    stop: Waypoint | None,
    attempt: DeliveryAttempt | None,
    *,
    failed: int = 0,
) -> None:
    """Write down where the order and its stop stand now, and tell that once."""
    held, before = journey.held, journey.order
    stops, payload, heading = held.whole.waypoints, held.whole.payload, journey.stop
    if stop is not None and moved.current is not None:
        number = stops.index(stop)
        saved = await advance_stop(
            db,
            stop,
            activity=moved.stops[number].activity,
            undelivered=moved.stops[number].undelivered,
            attempts=stop.attempts + failed,
        )
        stops = [saved if each.uuid == stop.uuid else each for each in stops]
        heading = stops[moved.current]
        payload = await advance_payload(db, payload, current_waypoint=heading.uuid)
        held.put(payload, stops)
    held.order, named = await ORDERS.change(
        db,
        before,
        status=moved.status,
        activity=moved.activity,
        attempts=before.attempts + failed,
        undelivered=moved.outcome,
    )
    if not named:
        held.order = await ORDERS.touch(db, held.order)
    if journey.progress.current != moved.current:
        named = [*named, "current_waypoint"]
    changed = [name for name in TOLD if name in named] or ["payload"]
    told = None if attempt is None else events.AttemptTold.of(attempt, stop)
    await events.tell(
        db, events.OrderUpdated, held.order, held.shown, changed=changed, attempt=told
    )
