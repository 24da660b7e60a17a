"""What a recipient is told of what happened: in neutral words. Pure rules.

Stations that every order has are said in our words, in the reader's language; those that a company
named itself, in its own. What was noted beside them is never shown.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from pannier.orders import flow
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.tracker import Leg
from pannier.tracking.schemas import Stage, Step
from pannier.tracking.words import Speech

KNOWN: Final = {
    flow.CREATED: "step.created",
    flow.DISPATCHED: "step.dispatched",
    flow.STARTED: "step.started",
    "enroute": "step.enroute",
    "driver_enroute": "step.enroute",
    flow.CANCELED: "canceled",
    flow.RETURNED.code: "returned",
}
# How far along the way each stage is, for the line of dots.
STAGES: Final[Sequence[Stage]] = ("placed", "dispatched", "on_the_way", "delivered")


def steps(
    told: Sequence[TrackingStatus], speech: Speech, *, pickup: bool, whole: UUID | None
) -> list[Step]:
    """Say what happened.

    When a stop is done, what becomes of the whole order, by its own number, is others' affair.
    """
    return [_step(status, speech, pickup=pickup) for status in _own(told, whole)]


def _own(told: Sequence[TrackingStatus], whole: UUID | None) -> Iterator[TrackingStatus]:
    done = False
    for status in told:
        if not (done and status.tracking_number == whole and not status.manual):
            yield status
        done = done or status.complete


def _step(status: TrackingStatus, speech: Speech, *, pickup: bool) -> Step:
    code, more = status.code, ""
    if code == flow.FAILED:
        words, more = (
            speech.say("failed_pickup" if pickup else "failed"),
            speech.reason(status.status),
        )
    elif code in KNOWN:
        words = speech.say(KNOWN[code])
    elif status.complete:
        words = speech.say("collected" if pickup else "delivered")
    else:
        words = status.status
    return Step(code=code, words=words, more=more, at=status.occurred_at)


def stage(
    order: Order, told: Sequence[TrackingStatus], own: Sequence[Leg], *, coming: bool
) -> Stage:
    """Tell where it stands for the recipient."""
    if any(leg.undelivered == "return" for leg in own):
        return "returning" if order.open else "returned"
    if (own and all(leg.done for leg in own)) or order.completed_at is not None:
        return "delivered"
    if order.canceled_at is not None:
        return "canceled"
    if any(leg.undelivered for leg in own) or (told and told[-1].code == flow.FAILED):
        return "failed"
    if coming:
        return "next_stop"
    if order.started_at is not None:
        return "on_the_way"
    return "placed" if order.dispatched_at is None else "dispatched"


def coming_next(now: Stage, own: Sequence[Leg], speech: Speech) -> str:
    """Say what happens after an attempt that failed."""
    if now == "returning":
        return speech.say("next.return")
    if now != "failed":
        return ""
    return speech.say("next.hold" if any(leg.undelivered for leg in own) else "next.retry")


def reached(now: Stage) -> int:
    """Count the dots of the line that are filled."""
    return STAGES.index(now) + 1 if now in STAGES else len(STAGES) - 1
