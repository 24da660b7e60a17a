"""Validation of the flows that companies define. Pure rules."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pannier.orders.flow import CANCELED, HEAD, RETURNED, Activity, entry_codes

MAX_ACTIVITIES: Final = 100
# These texts are stored with every order and sent in events.
MAX_TEXT_LENGTHS: Final = {"status": 200, "details": 2000, "color": 50}
MAX_EVENTS: Final = 50
MAX_EVENT_LENGTH: Final = 100
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Fault(NamedTuple):
    """An error in a flow: its message, and the index of the activity it is about."""

    sentence: str
    at: int | None = None


def find_faults(
    activities: Sequence[Activity], *, stop: bool = False, former_codes: Collection[str] = ()
) -> list[Fault]:
    """List the faults of a flow. `stop` validates a sub-flow.

    `former_codes` lists codes that the flow used before they were reserved.
    """
    codes = [activity.code for activity in activities]
    own = [activity for activity in activities if activity.code not in HEAD]
    if not own:
        words = "A flow needs at least one activity besides created, dispatched and started."
        return [Fault(words)]
    if len(activities) > MAX_ACTIVITIES:
        return [Fault(f"A flow can have at most {MAX_ACTIVITIES} activities.")]
    found = [
        Fault(sentence, number)
        for number, activity in enumerate(activities)
        for sentence in _activity_faults(activity, former_codes)
    ]
    found += [
        Fault(f"The code {code} stands twice.", len(codes) - 1 - codes[::-1].index(code))
        for code in sorted(set(codes))
        if codes.count(code) > 1
    ]
    found += [
        Fault(f"{code} cannot stand in a stop's flow.", number)
        for number, code in enumerate(codes)
        if stop and code in HEAD
    ]
    found += [
        Fault(f"{activity.code} leads to {code}, which does not exist.", number)
        for number, activity in enumerate(activities)
        if activity.code not in HEAD
        for code in activity.next
        if code not in codes or code in HEAD
    ]
    return found or [
        Fault(sentence, None if code is None else codes.index(code))
        for code, sentence in _shape_faults(own)
    ]


def _activity_faults(activity: Activity, former_codes: Collection[str]) -> Iterable[str]:
    if _CODE.fullmatch(activity.code) is None:
        yield f"{activity.code!r} is no code: use small letters, digits and underscores."
    if activity.code == CANCELED:
        yield "canceled is not an activity: every open order can be cancelled."
    if activity.code == RETURNED.code and activity.code not in former_codes:
        yield "returned is built in, for goods that went back: choose another code."
    if activity.code in HEAD and (activity.complete or activity.require_pod):
        yield f"{activity.code} can neither complete the order nor require a proof."
    if activity.require_pod and activity.pod_method is None:
        yield f"{activity.code} requires a proof but has no pod_method."
    if activity.complete and activity.next:
        yield f"{activity.code} completes, so nothing can follow it."
    yield from _length_faults(activity)


def _length_faults(activity: Activity) -> Iterable[str]:
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


def _shape_faults(own: Sequence[Activity]) -> list[tuple[str | None, str]]:
    """Find unreachable activities and dead ends."""
    if not any(activity.complete for activity in own):
        return [(None, "No activity completes the order: set complete on the last one.")]
    forward = {activity.code: set(activity.next) for activity in own}
    backward: dict[str, set[str]] = {code: set() for code in forward}
    for code, following in forward.items():
        for target in following:
            backward[target].add(code)
    reached = _reachable_codes(forward, entry_codes(own))
    ending = _reachable_codes(backward, [activity.code for activity in own if activity.complete])
    lost = [(code, f"{code} cannot be reached.") for code in forward if code not in reached]
    dead = [code for code in forward if code not in ending]
    return [*lost, *((code, f"{code} leads to no completing activity.") for code in dead)]


def _reachable_codes(edges: Mapping[str, set[str]], begin: Iterable[str]) -> set[str]:
    reached, waiting = set(begin), list(begin)
    while waiting:
        for code in edges[waiting.pop()] - reached:
            reached.add(code)
            waiting.append(code)
    return reached
