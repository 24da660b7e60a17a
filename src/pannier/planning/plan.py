"""A plan: routes with times and loads, and the jobs that it leaves out."""

from typing import Literal

import msgspec

from pannier.planning.problem import Loads, VisitKind

# The reason why a job has no shift.
Reason = Literal[
    "no_road", "skill", "too_large", "window", "outside_shifts", "capacity", "removed"
]  # fmt: skip


class PlannedStop(msgspec.Struct, frozen=True, kw_only=True):
    """A visit: its arrival, the begin and end of its work, and the drive to it.

    `loads` are on board on departure.
    """

    job: str
    visit: str
    kind: VisitKind
    point: int
    arrival: int
    begin: int
    end: int
    drive: int
    distance: int
    loads: Loads


class PlannedBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A break, taken on arrival at stop number `before`, or at the end of the route."""

    before: int
    begin: int
    end: int


class PlannedRoute(msgspec.Struct, frozen=True, kw_only=True):
    """The work of a shift. `drive` and `distance` include the drive to its end."""

    shift: str
    start: int
    end: int
    stops: tuple[PlannedStop, ...]
    breaks: tuple[PlannedBreak, ...] = ()
    drive: int
    distance: int
    cost: int

    @property
    def duration(self) -> int:
        """The time from start to end."""
        return self.end - self.start

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs in the order of their first visits."""
        return tuple(dict.fromkeys(stop.job for stop in self.stops))


class LeftOut(msgspec.Struct, frozen=True):
    """A job without a shift, and the reason."""

    job: str
    reason: Reason


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Routes of the shifts that have work, and the jobs that are left out."""

    routes: tuple[PlannedRoute, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def distance(self) -> int:
        return sum(route.distance for route in self.routes)

    @property
    def duration(self) -> int:
        return sum(route.duration for route in self.routes)

    @property
    def cost(self) -> int:
        return sum(route.cost for route in self.routes)
