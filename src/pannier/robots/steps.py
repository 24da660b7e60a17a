"""The steps of a simulated driver through the flow of an order. Pure rules."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.kit.geo import Point
from pannier.orders import flow
from pannier.orders.activities import Activity, Flow, PodMethod
from pannier.orders.flow import IllegalMove, Progress
from pannier.orders.reasons import FailureReason
from pannier.orders.views import OrderAggregate
from pannier.robots.models import RobotStep, SimulationOutcome
from pannier.routing.route import Route

# 200 stops with five activities each.
MAX_STEPS: Final = 1000
# Seconds of work: before the driver starts, at a place, and for a further activity there.
PREPARATION_SECONDS, HANDOVER_SECONDS, ACTIVITY_SECONDS = 60.0, 120.0, 30.0
# Seconds of a drive between places whose points are unknown.
UNKNOWN_DRIVE_SECONDS: Final = 600.0
# The robot begins about a kilometre away from the first place.
ORIGIN_OFFSET: Final = (0.007, 0.005)


class DraftStep(NamedTuple):
    """A step without times."""

    activity: Activity
    stop: int | None
    is_at_pickup: bool
    is_failure: bool


def draft_steps(progress: Progress, outcome: SimulationOutcome) -> list[DraftStep]:
    """List the activities that lead from here to the end, or to a failed delivery."""
    drafts: list[DraftStep] = []
    fired: set[tuple[int | None, str]] = set()
    while progress.open:
        code = _choose_code(progress, fired)
        if code is None or len(drafts) >= MAX_STEPS:
            raise IllegalMove(
                "A driver cannot finish this order now.", flow.list_next_codes(progress)
            )
        activity = flow.get_activity(progress, code)
        stop = None if code in flow.HEAD or progress.is_returning else progress.current
        next_progress = flow.fire(progress, code)
        is_failure = outcome == "failed" and not next_progress.open
        is_at_pickup = progress.collecting or progress.activity == flow.STARTED
        drafts.append(DraftStep(activity, stop, is_at_pickup, is_failure))
        if is_failure:
            return drafts
        fired.add((progress.current, code))
        progress = next_progress
    return drafts


def _choose_code(progress: Progress, fired: set[tuple[int | None, str]]) -> str | None:
    """Choose the first activity that leads to the end of the order or stop without a circle."""
    stop = progress.destination
    codes = flow.list_next_codes(progress)
    if progress.is_returning or progress.activity in {flow.CREATED, flow.DISPATCHED}:
        return codes[0] if codes else None
    activities = progress.flow if stop is None else stop.flow
    visited = {code for index, code in fired if index == progress.current}
    for code in codes:
        if _leads_to_end(activities, code, visited):
            return code
    return None


def _leads_to_end(activities: Flow, code: str, visited: set[str]) -> bool:
    """Return whether a completing activity follows, without the visited ones."""
    waiting, visited_codes = [code], set(visited)
    while waiting:
        current = waiting.pop()
        if current in visited_codes:
            continue
        visited_codes.add(current)
        if activities[current].complete:
            return True
        waiting += activities[current].next
    return False


def to_step(order: OrderAggregate, draft: DraftStep, reason: FailureReason | None) -> RobotStep:
    """Return a step at its place, without times. A failed attempt has a reason."""
    payload, waypoints = order.payload_aggregate.payload, order.payload_aggregate.waypoints
    activity, waypoint = draft.activity, None
    if draft.stop is not None:
        place, waypoint = waypoints[draft.stop].place, waypoints[draft.stop].public_id
    elif activity.code in flow.HEAD:
        place = None
    elif activity is flow.RETURNED:
        place = payload.return_place or payload.pickup
    else:
        place = payload.pickup if draft.is_at_pickup and not activity.complete else payload.dropoff
    return RobotStep(
        activity.code,
        drive_seconds=0.0,
        work_seconds=0.0,
        waypoint=waypoint,
        place=place,
        method=_choose_method(draft, reason),
        reason=reason.code if draft.is_failure and reason else None,
    )


def _choose_method(draft: DraftStep, reason: FailureReason | None) -> PodMethod | None:
    """Return the method of the proof that a step needs."""
    if draft.is_failure:
        return "photo" if reason and reason.photo else None
    return draft.activity.pod_method if draft.activity.require_pod else None


def make_origin(point: Point | None) -> Point | None:
    """Return the point where a robot begins, near the first place."""
    if point is None:
        return None
    longitude, latitude = point.longitude + ORIGIN_OFFSET[0], point.latitude + ORIGIN_OFFSET[1]
    return Point(longitude if longitude <= 180 else point.longitude, min(latitude, 90.0))  # noqa: PLR2004 - degrees


def list_destinations(steps: Sequence[RobotStep]) -> list[int]:
    """List the indexes of the steps that need a drive: those at another place than the last."""
    indexes, place = [], None
    for index, step in enumerate(steps):
        if step.place is not None and step.place != place:
            indexes.append(index)
            place = step.place
    return indexes


def add_times(steps: Sequence[RobotStep], route: Route | None) -> list[RobotStep]:
    """Add the seconds of drives and of work. The route leads over all destinations."""
    destinations = list_destinations(steps)
    legs = route.legs if route is not None and len(route.legs) == len(destinations) else ()
    seconds = [leg.time for leg in legs] or [UNKNOWN_DRIVE_SECONDS] * len(destinations)
    drives = dict(zip(destinations, seconds, strict=True))
    return [_add_time(step, drives.get(index)) for index, step in enumerate(steps)]


def _add_time(step: RobotStep, drive_seconds: float | None) -> RobotStep:
    if step.activity == flow.DISPATCHED:
        work_seconds = 0.0
    elif step.activity == flow.STARTED:
        work_seconds = PREPARATION_SECONDS
    else:
        work_seconds = ACTIVITY_SECONDS if drive_seconds is None else HANDOVER_SECONDS
    return RobotStep(
        step.activity,
        drive_seconds=round(drive_seconds or 0.0, 1),
        work_seconds=work_seconds,
        waypoint=step.waypoint,
        place=step.place,
        method=step.method,
        reason=step.reason,
    )
