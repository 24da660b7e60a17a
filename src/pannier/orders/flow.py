"""The activity flow: which moves are legal now, and where they lead. Pure rules.

Every flow starts with the same head: created → dispatched → started. A company's own activities
follow `started`. An order with several stops runs the part below `started` once for each stop. The
completing activity of the last stop completes the order.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from pannier.errors import Conflict
from pannier.orders import pickup_steps
from pannier.orders.activities import Activity, Flow, PodMethod, PodScope
from pannier.payloads.models import Undelivered

# The next step after a failed attempt.
AttemptOutcome = Literal["retry", "return", "hold"]
Decision = Literal["retry", "return"]

CREATED: Final = "created"
DISPATCHED: Final = "dispatched"
STARTED: Final = "started"
COMPLETED: Final = "completed"
CANCELED: Final = "canceled"
FAILED: Final = "failed"
HEAD: Final = (CREATED, DISPATCHED, STARTED)


class IllegalMove(Conflict):
    """The flow does not allow this activity now."""

    code = "illegal_move"
    title = "The order's status does not allow this."
    remedy = "See `allowed` for the activities that are possible now."

    def __init__(self, detail: str, codes: Iterable[str]) -> None:
        names = sorted(set(codes))
        hint = f"Possible now: {', '.join(names)}." if names else "No activity is possible."
        super().__init__(f"{detail} {hint}", allowed=names)


_HEAD_TEXTS: Final = {
    CREATED: ("Order created", "The order was created."),
    DISPATCHED: ("Order dispatched", "The order was sent to the driver."),
    STARTED: ("Order started", "The driver started the order."),
}


# Ends an order with returned goods, whatever its flow.
RETURNED: Final = Activity(
    code="returned", status="Returned", details="The goods are back.", complete=True
)


def prepend_head(activities: Sequence[Activity]) -> Flow:
    """Prepend the common head to a company's activities. A custom head keeps its texts."""
    custom_activities = [activity for activity in activities if activity.code not in HEAD]
    head_activities = {activity.code: activity for activity in activities if activity.code in HEAD}
    next_codes = {
        CREATED: (DISPATCHED,),
        DISPATCHED: (STARTED,),
        STARTED: pickup_steps.find_entry_codes(custom_activities),
    }
    head = [
        msgspec.structs.replace(
            head_activities.get(code) or Activity(code=code, status=texts[0], details=texts[1]),
            next=next_codes[code],
        )
        for code, texts in _HEAD_TEXTS.items()
    ]
    flow = [*head, *custom_activities]
    return {
        activity.code: msgspec.structs.replace(activity, sequence=number)
        for number, activity in enumerate(flow)
    }


def strip_head(flow: Flow) -> Flow:
    """Return the part of a flow that each stop goes through."""
    return {code: activity for code, activity in flow.items() if code not in HEAD}


def require_proofs(flow: Flow, method: PodMethod, scope: PodScope) -> Flow:
    """Require a proof for each activity that completes the order or stop.

    Activities that already require a proof stay unchanged.
    """
    return {
        code: msgspec.structs.replace(
            activity, require_pod=True, pod_method=method, pod_scope=scope
        )
        if activity.complete and not activity.require_pod
        else activity
        for code, activity in flow.items()
    }


class StopProgress(msgspec.Struct, frozen=True):
    """The progress of one stop. `activity` is None before its first activity."""

    flow: Flow
    activity: str | None = None
    undelivered: Undelivered | None = None
    dropoff: bool = True

    @property
    def completed(self) -> bool:
        """Whether the stop's completing activity was fired."""
        return self.activity is not None and self.flow[self.activity].complete

    @property
    def done(self) -> bool:
        """Whether nothing is left to do here: the stop is completed, or its goods are returned."""
        return self.completed or self.undelivered == "return"

    @property
    def is_reachable(self) -> bool:
        """Whether the driver may go there: the stop is neither done nor on hold."""
        return not self.done and self.undelivered is None

    def list_next_codes(self) -> tuple[str, ...]:
        """List the activities that may fire at this stop now."""
        if self.undelivered is not None:
            return ()
        if self.activity is None:
            return pickup_steps.find_stop_entry_codes(self.flow.values())
        return self.flow[self.activity].next


class Progress(msgspec.Struct, frozen=True):
    """The progress of an order: its last activity, and the progress of its stops."""

    flow: Flow
    activity: str = CREATED
    canceled: bool = False
    stops: tuple[StopProgress, ...] = ()
    current: int | None = None
    # Used only for an order without stops. `collecting`: steps at the pickup are left.
    undelivered: Undelivered | None = None
    collecting: bool = False

    @property
    def completed(self) -> bool:
        """Whether everything was delivered, and undelivered goods are back."""
        if self.activity == RETURNED.code and self.has_returns:
            return all(stop.done for stop in self.stops)
        if self.stops:
            return all(stop.completed for stop in self.stops)
        return self.undelivered is None and self.flow[self.activity].complete

    @property
    def has_returns(self) -> bool:
        """Whether any undelivered goods are returned."""
        return "return" in self._failures

    @property
    def outcome(self) -> Undelivered | None:
        """The combined outcome of failed attempts. A hold takes precedence over a return."""
        return "hold" if "hold" in self._failures else "return" if self.has_returns else None

    @property
    def _failures(self) -> tuple[Undelivered | None, ...]:
        return (self.undelivered, *(stop.undelivered for stop in self.stops))

    @property
    def is_returning(self) -> bool:
        """Whether only the return of goods is left."""
        return self.has_returns and self.open and all(stop.done for stop in self.stops)

    @property
    def open(self) -> bool:
        """Whether the order is neither completed nor canceled."""
        return not (self.canceled or self.completed)

    @property
    def status(self) -> str:
        """The public status of the order."""
        if self.canceled:
            return CANCELED
        return COMPLETED if self.completed else self.activity

    @property
    def destination(self) -> StopProgress | None:
        """The stop the driver is at or heading for."""
        return None if self.current is None else self.stops[self.current]


def create_progress(flow: Flow, stops: Sequence[Flow] = ()) -> Progress:
    """Return the progress of a new order."""
    stop_progresses = tuple(StopProgress(stop_flow) for stop_flow in stops)
    return Progress(
        flow,
        stops=stop_progresses,
        current=0 if stop_progresses else None,
        collecting=not stop_progresses and pickup_steps.has_steps(flow.values()),
    )


def list_next_codes(progress: Progress) -> tuple[str, ...]:
    """List the activities that may fire now."""
    if not progress.open:
        return ()
    if progress.is_returning:
        return (RETURNED.code,)
    stop = progress.destination
    if progress.undelivered is not None:
        return ()
    if stop is None and progress.activity == STARTED and not progress.collecting:
        return pickup_steps.drop_steps(progress.flow, HEAD)[STARTED].next
    if stop is None or progress.activity in {CREATED, DISPATCHED}:
        return progress.flow[progress.activity].next
    return stop.list_next_codes()


def get_activity(progress: Progress, code: str) -> Activity:
    """Find an activity that may fire now, or raise IllegalMove."""
    codes = list_next_codes(progress)
    if code not in codes:
        raise IllegalMove(f"{code} cannot follow {progress.status}.", codes)
    if progress.is_returning:
        return RETURNED
    stop = progress.destination
    if stop is not None and code not in HEAD:
        return stop.flow[code]
    return progress.flow[code]


def fire(progress: Progress, code: str) -> Progress:
    """Return the progress after firing an activity."""
    get_activity(progress, code)
    if progress.is_returning:
        return _finish_return(progress)
    if progress.destination is None or code in HEAD:
        collecting = progress.collecting and (
            code in HEAD or pickup_steps.is_collecting(progress.flow, code)
        )
        return msgspec.structs.replace(progress, activity=code, collecting=collecting)
    return _fire_at_stop(progress, code)


def _fire_at_stop(progress: Progress, code: str) -> Progress:
    """Fire an activity at the current stop. When the stop is done, move on to the next one."""
    current_index = progress.current or 0
    stops = list(progress.stops)
    stops[current_index] = msgspec.structs.replace(stops[current_index], activity=code)
    # Between two stops the order is `started`, whatever the last stop's activity was.
    new_progress = msgspec.structs.replace(progress, activity=STARTED, stops=tuple(stops))
    if stops[current_index].done and new_progress.open:
        return msgspec.structs.replace(
            new_progress, current=_choose_next_stop(stops, current_index)
        )
    return msgspec.structs.replace(new_progress, activity=code)


def _choose_next_stop(
    stops: Sequence[StopProgress], current_index: int, *, only_later: bool = False
) -> int:
    """Return the index of the next stop: the first reachable one.

    `only_later` prefers stops after the current one. If none is reachable, the current stop stays.
    """
    reachable_stops = [
        index for index, stop in enumerate(stops) if stop.is_reachable and index != current_index
    ]
    later_stops = (
        [index for index in reachable_stops if index > current_index] if only_later else []
    )
    return next(iter([*later_stops, *reachable_stops]), current_index)


def _finish_return(progress: Progress) -> Progress:
    """End an order with returned goods. If nothing was delivered, it is canceled."""
    if any(stop.dropoff and stop.completed for stop in progress.stops):
        return msgspec.structs.replace(progress, activity=RETURNED.code)
    return msgspec.structs.replace(progress, canceled=True)


def fail(progress: Progress, outcome: AttemptOutcome) -> Progress:
    """Return the progress after a failed attempt at the current stop, or for the whole order.

    A retry follows after the remaining stops. A hold waits for a decision. After a return, the
    stop is done and its goods go back.
    """
    codes, stop = list_next_codes(progress), progress.destination
    if not codes or progress.is_returning or progress.activity in {CREATED, DISPATCHED}:
        raise IllegalMove("No delivery is in progress, so none can fail.", codes)
    undelivered = None if outcome == "retry" else outcome
    if stop is None or progress.current is None:
        return msgspec.structs.replace(progress, activity=STARTED, undelivered=undelivered)
    stops = list(progress.stops)
    stops[progress.current] = msgspec.structs.replace(stop, activity=None, undelivered=undelivered)
    return msgspec.structs.replace(
        progress,
        activity=STARTED,
        stops=tuple(stops),
        current=_choose_next_stop(stops, progress.current, only_later=True),
    )


def decide(progress: Progress, stop_index: int | None, decision: Decision) -> Progress:
    """Return the progress after a decision about an undelivered stop, or the whole order."""
    undelivered_state = (
        progress.undelivered if stop_index is None else progress.stops[stop_index].undelivered
    )
    if not progress.open or undelivered_state is None:
        raise IllegalMove("This stop is not waiting for a decision.", list_next_codes(progress))
    undelivered: Undelivered | None = None if decision == "retry" else decision
    if stop_index is None or progress.current is None:
        return msgspec.structs.replace(progress, undelivered=undelivered)
    stops = list(progress.stops)
    stops[stop_index] = msgspec.structs.replace(stops[stop_index], undelivered=undelivered)
    current_index = progress.current
    if not stops[current_index].is_reachable:
        current_index = _choose_next_stop(stops, current_index)
    return msgspec.structs.replace(progress, stops=tuple(stops), current=current_index)


def get_completing_code(progress: Progress) -> str:
    """Return the completing activity that may fire now, or raise IllegalMove."""
    codes = list_next_codes(progress)
    for code in codes:
        if get_activity(progress, code).complete and _is_last_stop(progress):
            return code
    raise IllegalMove("The order is not ready to be completed.", codes)


def _is_last_stop(progress: Progress) -> bool:
    """Return whether a completing activity now also completes the order."""
    if progress.has_returns:
        return progress.is_returning
    return sum(not stop.done for stop in progress.stops) <= 1


def cancel(progress: Progress) -> Progress:
    """Return the progress of an open order after its cancellation."""
    if not progress.open:
        raise IllegalMove(f"A {progress.status} order cannot be canceled.", ())
    return msgspec.structs.replace(progress, canceled=True)


def set_destination(progress: Progress, stop_index: int) -> Progress:
    """Return the progress with another next stop.

    Rejected while work at the current stop is in progress, and for a stop that is done.
    """
    stop = progress.destination
    if stop is None or not progress.open:
        raise IllegalMove("The order has no stops to choose from.", list_next_codes(progress))
    if stop.activity is not None and not stop.done:
        raise IllegalMove(
            "Work at the current stop has begun. Finish it first.", list_next_codes(progress)
        )
    if not 0 <= stop_index < len(progress.stops) or progress.stops[stop_index].done:
        raise IllegalMove("That stop is already done.", list_next_codes(progress))
    if not progress.stops[stop_index].is_reachable:
        raise IllegalMove(
            "That stop is waiting for a dispatcher's decision.", list_next_codes(progress)
        )
    return msgspec.structs.replace(progress, current=stop_index)
