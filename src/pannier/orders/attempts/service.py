"""Recording of failed delivery attempts, and decisions about the next step."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Db
from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit import device_times, geo
from pannier.kit.geo import Point
from pannier.orders import events, flow, gate, moves
from pannier.orders.attempts import queries
from pannier.orders.attempts.queries import ATTEMPTS
from pannier.orders.attempts.schemas import AttemptIn, DecisionIn
from pannier.orders.configs import service as configs
from pannier.orders.flow import AttemptOutcome, IllegalMove, Progress
from pannier.orders.gate import PodRequired, ProofRequirement
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus
from pannier.orders.progress import load_progress, save_progress
from pannier.orders.reasons import FailureReason
from pannier.orders.tracking import queries as tracking_queries
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.service import StatusDraft
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.proofs import queries as proof_queries
from pannier.proofs import service as proofs
from pannier.proofs.models import Proof

# The next step, as recipients read it.
NEXT_STEP_TEXTS: Final[dict[AttemptOutcome, str]] = {
    "retry": "There will be another attempt.",
    "hold": "The next step is being decided.",
    "return": "It goes back to the sender.",
}


async def record_failed_attempt(db: Db, order: OrderAggregate, data: AttemptIn) -> OrderAggregate:
    """Record a failed attempt at the given stop, or at the current one."""
    location = None if data.location is None else parse_field("location", geo.parse, data.location)
    if data.waypoint is not None:
        await moves.ensure_destination(db, order, data.waypoint)
    progress = await load_progress(db, order)
    flow.fail(progress, "retry")
    reason = await _get_reason(db, order.row, data.reason)
    new_progress = flow.fail(progress, data.then or reason.then)
    captured_proofs = await _load_captured_proofs(db, order, reason)
    stop = order.payload_aggregate.stop
    attempt = await _create_attempt(
        db, order, data, reason, location or moves.get_driver_position(order), captured_proofs
    )
    changed_fields = await save_progress(db, order, progress, new_progress, failed_attempts=1)
    await _emit_update(db, order, changed_fields, attempt, stop)
    status = await _record_status(db, order, stop, attempt, data.occurred_at)
    await proofs.mark_proofs_used(db, captured_proofs, status.uuid)
    await _raise_alert(db, order, attempt)
    return order


async def _raise_alert(db: Db, order: OrderAggregate, attempt: DeliveryAttempt) -> None:
    cause = AlertCause(
        kind="delivery_failed",
        subject=order.row.public_id,
        subject_uuid=order.row.uuid,
        id=attempt.public_id,
        details={"reason": attempt.label, "then": attempt.outcome, "number": attempt.number},
    )
    await alerts.raise_alert(db, order.row.company, cause)


async def _create_attempt(
    db: Db,
    order: OrderAggregate,
    data: AttemptIn,
    reason: FailureReason,
    location: Point | None,
    captured_proofs: Sequence[Proof],
) -> DeliveryAttempt:
    row, stop = order.row, order.payload_aggregate.stop
    device_time = device_times.limit_to_range(data.occurred_at, earliest=row.created_at, now=db.now)
    return await ATTEMPTS.create(
        db,
        row.company,
        order_uuid=row.uuid,
        waypoint=None if stop is None else stop.uuid,
        number=(row if stop is None else stop).attempts + 1,
        reason=reason.code,
        label=reason.label,
        remarks=data.remarks,
        outcome=data.then or reason.then,
        occurred_at=device_time.time,
        clock_skew=device_time.skew,
        proofs=[proof.public_id for proof in captured_proofs],
        latitude=location.latitude if location else None,
        longitude=location.longitude if location else None,
        actor_kind=db.actor.kind,
        actor_id=db.actor.id,
        actor_name=db.actor.name,
    )


async def _record_status(
    db: Db,
    order: OrderAggregate,
    stop: Waypoint | None,
    attempt: DeliveryAttempt,
    occurred_at: datetime | None,
) -> TrackingStatus:
    """Record the tracking status that recipients read about a failed attempt."""
    place = order.payload_aggregate.payload.dropoff if stop is None else stop.place
    status_draft = StatusDraft(
        code=flow.FAILED,
        status=attempt.label,
        details=NEXT_STEP_TEXTS[attempt.outcome],
        place=None if place is None else order.related.places[place],
        location=attempt.location,
        occurred_at=occurred_at,
        meta={
            "attempt": attempt.public_id,
            "number": attempt.number,
            "then": attempt.outcome,
        },
    )
    return await tracking.record_status(
        db, order.row, status_draft, moves.get_tracking_number(order, stop)
    )


async def apply_decision(db: Db, order: OrderAggregate, data: DecisionIn) -> OrderAggregate:
    """Apply a dispatcher's decision to a stop that waits for one."""
    progress = await load_progress(db, order)
    stop_index = _find_waiting_stop_index(order, progress, data.waypoint)
    new_progress = flow.decide(progress, stop_index, data.then)
    stop = None if stop_index is None else order.payload_aggregate.waypoints[stop_index]
    attempt = await queries.find_last_attempt(db, order.row, None if stop is None else stop.uuid)
    if attempt is not None:
        attempt, _ = await ATTEMPTS.change(db, attempt, outcome=data.then, decided_at=db.now)
    await _emit_update(
        db, order, await save_progress(db, order, progress, new_progress), attempt, stop
    )
    await alerts.close_alerts(db, order.row.company, "delivery_failed", [order.row.uuid])
    return order


def _find_waiting_stop_index(
    order: OrderAggregate, progress: Progress, waypoint: str | None
) -> int | None:
    """Return the index of the stop to decide about, or None if the order has no stops.

    If no `waypoint` is given, it is the only stop that waits for a decision.
    """
    stops = progress.stops
    if waypoint is not None:
        return moves.get_stop_index(order, waypoint)
    if not stops:
        return None
    stop_indexes = [index for index, stop in enumerate(stops) if stop.undelivered == "hold"]
    stop_indexes = stop_indexes or [index for index, stop in enumerate(stops) if stop.undelivered]
    if len(stop_indexes) > 1:
        raise Invalid(
            fields=[FieldError("waypoint", "Several stops are waiting. Send the id of one.")]
        )
    if not stop_indexes:
        raise IllegalMove("No stop is waiting for a decision.", flow.list_next_codes(progress))
    return stop_indexes[0]


async def _get_reason(db: Db, order: Order, code: str) -> FailureReason:
    """Find a reason in the flow version that the order started with."""
    reasons = await configs.load_reasons(db, order)
    match = next((reason for reason in reasons if reason.code == code), None)
    if match is None:
        names = ", ".join(reason.code for reason in reasons)
        raise Invalid(fields=[FieldError("reason", f"must be one of: {names}.")])
    return match


async def _load_captured_proofs(
    db: Db, order: OrderAggregate, reason: FailureReason
) -> list[Proof]:
    """Load the proofs of this attempt. Raise PodRequired if the reason requires a photo."""
    row, stop = order.row, order.payload_aggregate.stop
    since = await tracking_queries.find_last_activity_time(
        db, row.company, row.uuid, row.uuid if stop is None else stop.uuid
    )
    unused_proofs = await proof_queries.list_unused_proofs(db, row.company, row.uuid)
    captured_proofs = [proof for proof in unused_proofs if _is_attempt_proof(proof, order, since)]
    if reason.photo and all(proof.method not in {"photo", "override"} for proof in captured_proofs):
        raise PodRequired("photo", [_make_photo_requirement(row, stop)])
    return captured_proofs


def _make_photo_requirement(order: Order, stop: Waypoint | None) -> ProofRequirement:
    if stop is None:
        return ProofRequirement("order", order.public_id, "photo")
    return ProofRequirement("waypoint", stop.public_id, "photo")


def _is_attempt_proof(proof: Proof, order: OrderAggregate, since: datetime | None) -> bool:
    """Return whether a proof is for the stop or its items, or is a new photo of the order.

    The failed attempt uses up these proofs, so the next attempt needs new ones.
    """
    row, stop = order.row, order.payload_aggregate.stop
    if stop is None or proof.subject_uuid == stop.uuid:
        return True
    items = order.payload_aggregate.entities
    if any(item.uuid == proof.subject_uuid and item.destination == stop.uuid for item in items):
        return True
    is_failure_photo = proof.method == "photo" and proof.activity in {None, flow.FAILED}
    return (
        is_failure_photo
        and proof.subject_uuid == row.uuid
        and gate.is_fresh(proof, flow.FAILED, since)
    )


async def _emit_update(
    db: Db,
    order: OrderAggregate,
    changed_fields: Sequence[str],
    attempt: DeliveryAttempt | None,
    stop: Waypoint | None,
) -> None:
    """Emit one event for a failed attempt or a decision."""
    attempt_data = None if attempt is None else events.OrderEventAttempt.from_row(attempt, stop)
    names = changed_fields or ["payload"]
    await events.emit(db, events.OrderUpdated, order, changed=names, attempt=attempt_data)
