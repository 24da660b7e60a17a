"""Validation of the flows that companies define. Pure rules."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pannier.orders.activities import Activity
from pannier.orders.flow import CANCELED, HEAD, RETURNED
from pannier.orders.pickup_steps import find_entry_codes

MAX_ACTIVITIES: Final = 100
# These texts are stored with every order and sent in events.
MAX_TEXT_LENGTHS: Final = {"status": 200, "details": 2000, "color": 50}
MAX_EVENTS: Final = 50
MAX_EVENT_LENGTH: Final = 100
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Fault(NamedTuple):
    """An error in a flow: its message, and the position of the faulty activity."""

    message: str
    position: int | None = None


def find_faults(
    activities: Sequence[Activity],
    *,
    is_stop_flow: bool = False,
    former_codes: Collection[str] = (),
) -> list[Fault]:
    """List the faults of a flow, or of a sub-flow for stops.

    `former_codes` are codes of the previous version, which stay valid even if reserved since.
    """
    codes = [activity.code for activity in activities]
    custom_activities = [activity for activity in activities if activity.code not in HEAD]
    if not custom_activities:
        message = "A flow needs at least one activity besides created, dispatched and started."
        return [Fault(message)]
    if len(activities) > MAX_ACTIVITIES:
        return [Fault(f"A flow can have at most {MAX_ACTIVITIES} activities.")]
    flow_faults = [
        Fault(message, position)
        for position, activity in enumerate(activities)
        for message in _find_activity_faults(activity, former_codes)
    ]
    flow_faults += [
        Fault(f"The code {code} is used twice.", len(codes) - 1 - codes[::-1].index(code))
        for code in sorted(set(codes))
        if codes.count(code) > 1
    ]
    flow_faults += [
        Fault(f"{code} cannot be used in a stop flow.", position)
        for position, code in enumerate(codes)
        if is_stop_flow and code in HEAD
    ]
    flow_faults += [
        Fault(f"{activity.code} leads to {code}, which does not exist.", position)
        for position, activity in enumerate(activities)
        if activity.code not in HEAD
        for code in activity.next
        if code not in codes or code in HEAD
    ]
    flow_faults += _find_step_faults(activities, is_stop_flow=is_stop_flow)
    return flow_faults or [
        Fault(message, None if code is None else codes.index(code))
        for code, message in _find_shape_faults(custom_activities)
    ]


def _find_step_faults(activities: Sequence[Activity], *, is_stop_flow: bool) -> Iterable[Fault]:
    """Find misplaced steps at the pickup."""
    steps = {activity.code for activity in activities if activity.at is not None}
    for position, activity in enumerate(activities):
        if activity.code in steps and (is_stop_flow or activity.code in HEAD or activity.complete):
            yield Fault(f"{activity.code} cannot be a step at the pickup.", position)
        if activity.code not in steps | set(HEAD) and not steps.isdisjoint(activity.next):
            yield Fault(f"{activity.code} cannot lead back to the pickup.", position)


def _find_activity_faults(activity: Activity, former_codes: Collection[str]) -> Iterable[str]:
    if _CODE.fullmatch(activity.code) is None:
        yield (
            f"{activity.code!r} is not a valid code. Use lower-case letters, digits and "
            "underscores."
        )
    if activity.code == CANCELED:
        yield "canceled is not an activity: every open order can be canceled."
    if activity.code == RETURNED.code and activity.code not in former_codes:
        yield "returned is a built-in code for returned goods. Choose another code."
    if activity.code in HEAD and (activity.complete or activity.require_pod):
        yield f"{activity.code} can neither complete the order nor require a proof."
    if activity.require_pod and activity.pod_method is None:
        yield f"{activity.code} requires a proof but has no pod_method."
    if activity.complete and activity.next:
        yield f"{activity.code} completes the order or stop, so no activity can follow."
    yield from _find_length_faults(activity)


def _find_length_faults(activity: Activity) -> Iterable[str]:
    """Find texts and lists that are too long."""
    for name, max_length in MAX_TEXT_LENGTHS.items():
        if len(getattr(activity, name) or "") > max_length:
            yield f"{name} can have at most {max_length} characters."
    if len(activity.next) > MAX_ACTIVITIES:
        yield f"At most {MAX_ACTIVITIES} activities can follow."
    if len(activity.events) > MAX_EVENTS or any(
        len(event) > MAX_EVENT_LENGTH for event in activity.events
    ):
        yield f"Send at most {MAX_EVENTS} events of at most {MAX_EVENT_LENGTH} characters each."


def _find_shape_faults(activities: Sequence[Activity]) -> list[tuple[str | None, str]]:
    """Find unreachable activities and dead ends."""
    if not any(activity.complete for activity in activities):
        return [(None, "No activity completes the order: set complete on the last one.")]
    edges = {activity.code: set(activity.next) for activity in activities}
    reverse_edges: dict[str, set[str]] = {code: set() for code in edges}
    for code, next_codes in edges.items():
        for target in next_codes:
            reverse_edges[target].add(code)
    reachable_codes = _find_reachable_codes(edges, find_entry_codes(activities))
    completing_codes = _find_reachable_codes(
        reverse_edges, [activity.code for activity in activities if activity.complete]
    )
    unreachable_faults = [
        (code, f"{code} cannot be reached.") for code in edges if code not in reachable_codes
    ]
    dead_ends = [code for code in edges if code not in completing_codes]
    return [
        *unreachable_faults,
        *((code, f"{code} leads to no completing activity.") for code in dead_ends),
    ]


def _find_reachable_codes(edges: Mapping[str, set[str]], roots: Iterable[str]) -> set[str]:
    codes, pending_codes = set(roots), list(roots)
    while pending_codes:
        for code in edges[pending_codes.pop()] - codes:
            codes.add(code)
            pending_codes.append(code)
    return codes
