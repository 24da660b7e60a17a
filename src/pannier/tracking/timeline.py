"""What a recipient is told of what happened: in neutral words. Pure rules.

Stations that every order has are said in our words, in the reader's language; those that a company
named itself, in its own. What was noted beside them is never shown.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from pannier.orders import flow
from pannier.orders.models import Order, TrackingStatus
from pannier.tracking.schemas import Stage, Step
from pannier.tracking.words import Speech

FAILED: Final = "failed"
KNOWN: Final = {
    flow.CREATED: "step.created",
    flow.DISPATCHED: "step.dispatched",
    flow.STARTED: "step.started",
    "enroute": "step.enroute",
    "driver_enroute": "step.enroute",
    "canceled": "canceled",
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
    if status.complete:
        words = speech.say("collected" if pickup else "delivered")
    elif code == FAILED:
        words, more = speech.say("failed_pickup" if pickup else "failed"), status.status
    else:
        words = speech.say(KNOWN[code]) if code in KNOWN else status.status
    return Step(code=code, words=words, more=more, at=status.occurred_at)


def stage(
    order: Order, told: Sequence[TrackingStatus], *, done: bool, coming: bool, started: bool
) -> Stage:
    """Tell where it stands for the recipient."""
    if done or order.completed_at is not None:
        return "delivered"
    if order.canceled_at is not None:
        return "canceled"
    if told and told[-1].code == FAILED:
        return "failed"
    if coming:
        return "next_stop"
    if started:
        return "on_the_way"
    return "placed" if order.dispatched_at is None else "dispatched"


def reached(now: Stage) -> int:
    """Count the dots of the line that are filled."""
    if now in STAGES:
        return STAGES.index(now) + 1
    return {"next_stop": 3, "failed": 3, "canceled": 1}[now]
