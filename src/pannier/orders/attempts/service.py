"""Recording failed delivery attempts, and deciding what happens next."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.db import Db
from pannier.errors import Field, Invalid, checked
from pannier.kit import geo, moments
from pannier.kit.geo import Point
from pannier.orders import events, flow, gate, moves
from pannier.orders.attempts import queries
from pannier.orders.attempts.queries import ATTEMPTS
from pannier.orders.attempts.schemas import AttemptIn, DecisionIn
from pannier.orders.configs import service as configs
from pannier.orders.flow import IllegalMove, Progress, Then
from pannier.orders.gate import Demand, PodRequired
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus
from pannier.orders.progress import load_progress, save_progress
from pannier.orders.reasons import FailureReason
from pannier.orders.tracking import queries as tracking_queries
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.service import Happening
from pannier.orders.views import Aggregate
from pannier.payloads.models import Waypoint
from pannier.proofs import queries as proof_queries
from pannier.proofs import service as proofs
from pannier.proofs.models import Proof

# What recipients read about the next step.
NEXT: Final[dict[Then, str]] = {
    "retry": "There will be another attempt.",
    "hold": "What happens next is being decided.",
    "return": "It goes back to the sender.",
}


async def fail(db: Db, held: Aggregate, given: AttemptIn) -> Aggregate:
    """Record a failed attempt at the given stop, or at the current one."""
    where = None if given.location is None else checked("location", geo.parse, given.location)
    if given.waypoint is not None:
        await moves.be_at(db, held, given.waypoint)
    before = await load_progress(db, held)
    flow.fail(before, "retry")
    reason = await _reason(db, held.order, given.reason)
    moved = flow.fail(before, given.then or reason.then)
    captured, stop = await _load_captured_proofs(db, held, reason), held.whole.stop
    attempt = await _written(db, held, given, reason, where or moves.position(held), captured)
    changed = await save_progress(db, held, before, moved, failed=1)
    await _tell(db, held, changed, attempt, stop)
    status = await _noted(db, held, stop, attempt, given.occurred_at)
    await proofs.use(db, captured, status.uuid)
    return held


async def _written(
    db: Db,
    held: Aggregate,
    given: AttemptIn,
    reason: FailureReason,
    where: Point | None,
    captured: Sequence[Proof],
) -> DeliveryAttempt:
    order, stop = held.order, held.whole.stop
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
    """Record the tracking status that recipients read about a failed attempt."""
    place = held.whole.payload.dropoff if stop is None else stop.place
    happening = Happening(
        code=flow.FAILED,
        status=attempt.label,
        details=NEXT[attempt.outcome],
        place=None if place is None else held.shown.places[place],
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
    before = await load_progress(db, held)
    number = _waiting(held, before, given.waypoint)
    moved = flow.decide(before, number, given.then)
    stop = None if number is None else held.whole.waypoints[number]
    attempt = await queries.last(db, held.order, None if stop is None else stop.uuid)
    if attempt is not None:
        attempt, _ = await ATTEMPTS.change(db, attempt, outcome=given.then, decided_at=db.now)
    await _tell(db, held, await save_progress(db, held, before, moved), attempt, stop)
    return held


def _waiting(held: Aggregate, progress: Progress, waypoint: str | None) -> int | None:
    """Find the stop to decide about; None for an order without stops.

    Defaults to the only stop that waits for a decision.
    """
    stops = progress.stops
    if waypoint is not None:
        return moves.stop_number(held, waypoint)
    if not stops:
        return None
    waiting = [number for number, stop in enumerate(stops) if stop.undelivered == "hold"]
    waiting = waiting or [number for number, stop in enumerate(stops) if stop.undelivered]
    if len(waiting) > 1:
        raise Invalid(fields=[Field("waypoint", "Several stops are waiting. Send the id of one.")])
    if not waiting:
        raise IllegalMove("No stop is waiting for a decision.", flow.following(progress))
    return waiting[0]


async def _reason(db: Db, order: Order, code: str) -> FailureReason:
    """Find a reason in the flow version that the order started with."""
    known = await configs.reasons_of(db, order)
    found = next((reason for reason in known if reason.code == code), None)
    if found is None:
        names = ", ".join(reason.code for reason in known)
        raise Invalid(fields=[Field("reason", f"must be one of: {names}.")])
    return found


async def _load_captured_proofs(db: Db, held: Aggregate, reason: FailureReason) -> list[Proof]:
    """Load the proofs of this attempt. Some reasons require a photo."""
    order, stop = held.order, held.whole.stop
    since = await tracking_queries.last_activity(
        db, order.company, order.uuid, order.uuid if stop is None else stop.uuid
    )
    unused = await proof_queries.unused(db, order.company, order.uuid)
    captured = [proof for proof in unused if _belongs(proof, held, since)]
    if reason.photo and all(proof.method not in {"photo", "override"} for proof in captured):
        raise PodRequired("photo", [_photo_of(order, stop)])
    return captured


def _photo_of(order: Order, stop: Waypoint | None) -> Demand:
    if stop is None:
        return Demand("order", order.public_id, "photo")
    return Demand("waypoint", stop.public_id, "photo")


def _belongs(proof: Proof, held: Aggregate, since: datetime | None) -> bool:
    """Return whether a proof is of the stop, its items, or a new photo of the order.

    These proofs count for nothing later: the next attempt needs new ones.
    """
    order, stop = held.order, held.whole.stop
    if stop is None or proof.subject_uuid == stop.uuid:
        return True
    items = held.whole.entities
    if any(item.uuid == proof.subject_uuid and item.destination == stop.uuid for item in items):
        return True
    meant = proof.method == "photo" and proof.activity in {None, flow.FAILED}
    return meant and proof.subject_uuid == order.uuid and gate.fresh(proof, flow.FAILED, since)


async def _tell(
    db: Db,
    held: Aggregate,
    changed: Sequence[str],
    attempt: DeliveryAttempt | None,
    stop: Waypoint | None,
) -> None:
    """Emit one event for a failed attempt or a decision."""
    told = None if attempt is None else events.AttemptTold.of(attempt, stop)
    names = changed or ["payload"]
    await events.tell(db, events.OrderUpdated, held, changed=names, attempt=told)
