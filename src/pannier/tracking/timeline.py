"""The statuses that a recipient sees, in neutral words. Pure rules.

Statuses that every order has use our texts, in the reader's language. A company's own statuses keep
the company's label. Notes on a status are never shown.
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
# The order of the stages in the progress bar.
STAGES: Final[Sequence[Stage]] = ("placed", "dispatched", "on_the_way", "delivered")


def steps(
    told: Sequence[TrackingStatus], speech: Speech, *, pickup: bool, whole: UUID | None
) -> list[Step]:
    """List the statuses to show.

    Once the recipient's stop is done, later statuses of the whole order concern other recipients.
    They are left out, unless they were entered manually.
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
    """Return the stage of the delivery for this recipient."""
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
    """Return what happens after a failed attempt, or nothing."""
    if now == "returning":
        return speech.say("next.return")
    if now != "failed":
        return ""
    return speech.say("next.hold" if any(leg.undelivered for leg in own) else "next.retry")


def reached(now: Stage) -> int:
    """Return how many dots of the progress bar are filled."""
    return STAGES.index(now) + 1 if now in STAGES else len(STAGES) - 1
