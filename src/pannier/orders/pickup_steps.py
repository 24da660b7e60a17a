"""The steps at the pickup in a flow, such as arriving and collecting. Pure rules.

In an order without stops, they come before the other activities. At a stop that is a pickup, the
last of them completes the stop. At other stops they are left out.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from pannier.orders.activities import Activity, Flow


def split_steps(
    activities: Iterable[Activity],
) -> tuple[list[Activity], list[Activity]]:
    """Separate the steps at the pickup from the other activities."""
    activities = list(activities)
    steps = [activity for activity in activities if activity.at is not None]
    return steps, [activity for activity in activities if activity.at is None]


def has_steps(activities: Iterable[Activity]) -> bool:
    return any(activity.at is not None for activity in activities)


def find_entry_codes(activities: Sequence[Activity]) -> tuple[str, ...]:
    """Find the first activities of a flow: those that no other activity leads to.

    If there are steps at the pickup, their first ones too. The other activities may only begin
    without them if no step requires a proof.
    """
    steps, other_activities = split_steps(activities)
    if any(step.require_pod for step in steps):
        return _find_roots(steps)
    return (*_find_roots(other_activities), *_find_roots(steps))


def find_stop_entry_codes(activities: Iterable[Activity]) -> tuple[str, ...]:
    """Find the first activities at a stop. The flow of a pickup contains only possible ones."""
    steps, other_activities = split_steps(activities)
    return (*_find_roots(other_activities), *_find_roots(steps))


def _find_roots(activities: Sequence[Activity]) -> tuple[str, ...]:
    following_codes = {
        code for activity in activities for code in activity.next if code != activity.code
    }
    roots = tuple(activity.code for activity in activities if activity.code not in following_codes)
    return roots or tuple(activity.code for activity in activities[:1])


def drop_steps(flow: Flow, head: Collection[str]) -> Flow:
    """Return a flow without the steps at the pickup. `head` are the codes that precede it."""
    if not has_steps(flow.values()):
        return flow
    _, other_activities = split_steps(flow.values())
    entry_codes = find_entry_codes(
        [activity for activity in other_activities if activity.code not in head]
    )
    codes = {activity.code for activity in other_activities}
    return {
        activity.code: msgspec.structs.replace(
            activity,
            next=entry_codes
            if set(activity.next) - codes
            else tuple(code for code in activity.next if code in codes),
        )
        for activity in other_activities
    }


def to_pickup_flow(flow: Flow) -> Flow:
    """Return the flow of a stop that is a pickup: the last steps at the pickup complete it.

    The other activities stay possible, unless a step requires a proof.
    """
    steps, other_activities = split_steps(flow.values())
    if not steps:
        return flow
    step_codes = {step.code for step in steps}
    pickup_flow: dict[str, Activity] = {}
    if not any(step.require_pod for step in steps):
        first_steps = _find_roots(steps)
        for activity in other_activities:
            next_codes = activity.next if activity.complete else (*activity.next, *first_steps)
            pickup_flow[activity.code] = msgspec.structs.replace(activity, next=next_codes)
    for step in steps:
        is_last = not step_codes.issuperset(step.next)
        pickup_flow[step.code] = msgspec.structs.replace(
            step, complete=is_last, next=() if is_last else step.next
        )
    return pickup_flow


def is_collecting(flow: Mapping[str, Activity], code: str) -> bool:
    """Return whether something is left to do at the pickup after a step."""
    activity = flow[code]
    return activity.at is not None and any(flow[target].at is not None for target in activity.next)
