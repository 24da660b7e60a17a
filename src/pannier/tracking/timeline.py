"""The statuses that a recipient sees, in neutral words. Pure rules.

Statuses that every order has use our texts, in the reader's language. A company's own statuses keep
the company's label. Notes on a status are never shown.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from pannier.orders import flow
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.tracker import TrackedLeg
from pannier.tracking.localization import Localizer
from pannier.tracking.schemas import Stage, TrackingStep

STEP_TEXTS: Final = {
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


def list_steps(
    statuses: Sequence[TrackingStatus],
    localizer: Localizer,
    *,
    is_pickup: bool,
    order_number: UUID | None,
) -> list[TrackingStep]:
    """List the statuses to show.

    Once the recipient's stop is done, later statuses of the whole order concern other recipients.
    They are left out, unless they were entered manually.
    """
    return [
        _to_step(status, localizer, is_pickup=is_pickup)
        for status in _list_own_statuses(statuses, order_number)
    ]


def _list_own_statuses(
    statuses: Sequence[TrackingStatus], order_number: UUID | None
) -> Iterator[TrackingStatus]:
    is_done = False
    for status in statuses:
        if not (is_done and status.tracking_number == order_number and not status.manual):
            yield status
        is_done = is_done or status.complete


def _to_step(status: TrackingStatus, localizer: Localizer, *, is_pickup: bool) -> TrackingStep:
    code, details = status.code, ""
    if code == flow.FAILED:
        label, details = (
            localizer.translate("failed_pickup" if is_pickup else "failed"),
            localizer.translate_failure_reason(status.status),
        )
    elif code in STEP_TEXTS:
        label = localizer.translate(STEP_TEXTS[code])
    elif status.complete:
        label = localizer.translate("collected" if is_pickup else "delivered")
    else:
        label = localizer.translate_activity(status.status)
    return TrackingStep(code=code, label=label, details=details, at=status.occurred_at)


def derive_stage(
    order: Order, statuses: Sequence[TrackingStatus], legs: Sequence[TrackedLeg], *, is_next: bool
) -> Stage:
    """Return the stage of the delivery for this recipient."""
    if any(leg.undelivered == "return" for leg in legs):
        return "returning" if order.open else "returned"
    if (legs and all(leg.done for leg in legs)) or order.completed_at is not None:
        return "delivered"
    if order.canceled_at is not None:
        return "canceled"
    if any(leg.undelivered for leg in legs) or (statuses and statuses[-1].code == flow.FAILED):
        return "failed"
    if is_next:
        return "next_stop"
    if order.started_at is not None:
        return "on_the_way"
    return "placed" if order.dispatched_at is None else "dispatched"


def describe_next_step(stage: Stage, legs: Sequence[TrackedLeg], localizer: Localizer) -> str:
    """Describe the next step after a failed attempt. Return an empty text in other stages."""
    if stage == "returning":
        return localizer.translate("next.return")
    if stage != "failed":
        return ""
    return localizer.translate(
        "next.hold" if any(leg.undelivered for leg in legs) else "next.retry"
    )


def count_filled_dots(stage: Stage) -> int:
    """Count the filled dots of the progress bar."""
    return STAGES.index(stage) + 1 if stage in STAGES else len(STAGES) - 1
