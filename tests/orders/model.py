"""What an order should do, without a database: each action answers the order after it, or refuses.

The flow itself is asked of `pannier.orders.flow`, which has a machine of its own in `test_flow.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from pannier.orders import flow
from pannier.orders.activities import Flow
from pannier.orders.flow import IllegalMove, Progress, StopProgress

# An event's name, and what tells it apart: the changed fields, or the activity's code.
Told = tuple[str, Any]


class Refusal(Exception):  # noqa: N818 - an answer, not an error
    """What the door should say instead."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@dataclass(frozen=True)
class Model:
    """An order as it should be, and what the last action should have told."""

    progress: Progress
    subflows: dict[str, Flow]
    adhoc: bool = False
    driver: str | None = None
    vehicle: str | None = None
    notes: str | None = None
    scheduled_at: str | None = None
    # Whether the way ends where further stops are added.
    ends_there: bool = False
    told: tuple[Told, ...] = ()

    @property
    def state(self) -> str:
        """Where the payload stands."""
        if not self.progress.open:
            return "closed"
        before = self.progress.activity in {flow.CREATED, flow.DISPATCHED}
        return "open" if before else "begun"

    @property
    def dispatched(self) -> bool:
        return self.progress.activity != flow.CREATED

    @property
    def started(self) -> bool:
        return self.progress.activity not in {flow.CREATED, flow.DISPATCHED}

    def after(self, name: str, detail: Any = None, **changes: Any) -> Self:
        """Change, and tell it by this event."""
        return replace(self, told=(*self.told, (name, detail)), **changes)

    def updated(self, **changes: Any) -> Self:
        """Change fields, and tell those that differ, if any do."""
        differing = {name for name, value in changes.items() if getattr(self, name) != value}
        shown = {"driver": "driver_assigned", "vehicle": "vehicle_assigned"}
        if not differing:
            return self
        return self.after("order.updated", {shown.get(name, name) for name in differing}, **changes)

    def fire(self, code: str) -> Self:
        activity = flow.get_activity(self.progress, code)
        if activity.require_pod:
            raise Refusal(422, "pod_required")
        moved = flow.fire(self.progress, code)
        name = "completed" if moved.completed else code
        after = replace(self, progress=moved)
        if moved.completed or code in flow.HEAD:
            after = after.after(f"order.{name}")
        elif changed := _moved(self.progress, moved):
            after = after.after("order.updated", changed)
        return after.after("tracking_status.created", code)

    def dispatch(self, driver: str | None = None, vehicle: str | None = None) -> Self:
        flow.get_activity(self.progress, flow.DISPATCHED)
        after = self if driver is None else self.assign(driver, vehicle)
        if after.driver is None and not after.adhoc:
            raise Refusal(409, "driver_required")
        return after.fire(flow.DISPATCHED)

    def start(self, *, skip_dispatch: bool = False) -> Self:
        after = self.dispatch() if skip_dispatch and not self.dispatched else self
        flow.get_activity(after.progress, flow.STARTED)
        if after.driver is None:
            raise Refusal(409, "driver_required")
        return after.fire(flow.STARTED)

    def advance(self, code: str, number: int | None) -> Self:
        """Let an activity happen, at the stop of this number or at the present one."""
        if code == flow.DISPATCHED:
            return self.dispatch()
        if code == flow.STARTED:
            return self.start()
        elsewhere = number is not None and number != self.progress.current
        return (self.head_for(number or 0) if elsewhere else self).fire(code)

    def complete(self) -> Self:
        return self.fire(flow.get_completing_code(self.progress))

    def cancel(self) -> Self:
        after = self.after("order.cancelled", progress=flow.cancel(self.progress))
        return after.after("tracking_status.created", flow.CANCELED)

    def head_for(self, number: int) -> Self:
        if not self.progress.stops:
            raise Refusal(404, "not_found")
        moved = flow.set_destination(self.progress, number)
        if moved.current == self.progress.current:
            return self
        return self.after("order.updated", {"current_waypoint"}, progress=moved)

    def assign(self, driver: str, vehicle: str | None) -> Self:
        if not self.progress.open:
            raise IllegalMove("", ())
        if driver == self.driver:
            return self
        return self.updated(driver=driver, vehicle=vehicle).after("driver.assigned")

    def unassign(self) -> Self:
        if not self.progress.open:
            raise IllegalMove("", ())
        if self.started or (self.dispatched and not self.adhoc):
            raise IllegalMove("", ["assign-driver"])
        return self.updated(driver=None, vehicle=None)

    def write(self, notes: str | None) -> Self:
        return self.updated(notes=notes)

    def schedule(self, moment: str | None) -> Self:
        if not self.progress.open:
            raise Refusal(409, "order_closed")
        if self.dispatched and moment != self.scheduled_at:
            raise IllegalMove("", ())
        return self.updated(scheduled_at=moment)

    def add_stop(self, subflow: str | None) -> Self:
        """Put a stop at the end; between pickup and dropoff, which become stops, if it is new."""
        if self.state == "closed":
            raise Refusal(409, "payload_closed")
        there = self.progress.stops
        if self.state == "begun" and not there:
            raise Refusal(409, "payload_begun")
        own = StopProgress(flow.strip_head(self.progress.flow))
        new = own if subflow is None else StopProgress(self.subflows[subflow])
        stops = (*there, new) if there else (own, new, own)
        grown = Progress(
            self.progress.flow,
            self.progress.activity,
            stops=stops,
            current=self.progress.current or 0,
        )
        after = replace(self, progress=grown)
        for _ in range(len(stops) - len(there)):
            after = after.after("tracking_number.created")
        # The next one at the end is where this one is; before a dropoff, it is not the last.
        changed = {"payload"} if self.ends_there else {"payload", "distance", "time"}
        changed |= set() if there else {"current_waypoint"}
        return replace(after.after("order.updated", changed), ends_there=bool(there))


def _moved(before: Progress, after: Progress) -> set[str]:
    differs = {
        "status": before.status != after.status,
        "current_waypoint": before.current != after.current,
    }
    return {name for name, new in differs.items() if new}


Action = Callable[[Model], Model]
