"""A planning problem: jobs to do, shifts to do them in, and the roads between their places.

Times are seconds after the start of the plan's day, distances are metres, loads are whole numbers.
"""

from typing import Final, Literal

import msgspec

from pannier.maps.folder import Profile

# The quantity to minimise, once as many jobs as possible are assigned.
Aim = Literal["time", "cost", "vehicles", "balance"]
VisitKind = Literal["pickup", "dropoff"]
# Grams, cubic centimetres and pieces.
Loads = tuple[int, int, int]
Capacity = tuple[int | None, int | None, int | None]

# Ten days: no time of a plan is later.
MAX_TIME: Final = 864_000
NO_LOADS: Final[Loads] = (0, 0, 0)
UNLIMITED: Final[Capacity] = (None, None, None)


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """A stop of a job. Its work must begin between `opens` and `closes`.

    `setup` is the time to park and walk. Consecutive visits of one place share it.
    """

    key: str
    point: int
    kind: VisitKind = "dropoff"
    loads: Loads = NO_LOADS
    service: int = 0
    setup: int = 0
    opens: int = 0
    closes: int = MAX_TIME


class PlanJob(msgspec.Struct, frozen=True, kw_only=True):
    """Work for one shift: visits in their order.

    Goods that are dropped but not picked up are on board from the start. A job with a `shift` is
    fixed to it. Jobs of a higher priority are left out last.
    """

    key: str
    visits: tuple[Visit, ...]
    skills: frozenset[str] = frozenset()
    shift: str | None = None
    priority: int = 0


class PlanBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A break that begins between `opens` and `closes`.

    It is left out of a route that begins after it opens or ends before it closes.
    """

    opens: int
    closes: int
    duration: int


class PlanShift(msgspec.Struct, frozen=True, kw_only=True):
    """A driver's working time with a vehicle. Costs are in minor units of the currency.

    Without a `start` it begins at its first visit, without an `end` it ends at its last one.
    """

    key: str
    opens: int
    closes: int
    start: int | None = None
    end: int | None = None
    breaks: tuple[PlanBreak, ...] = ()
    capacity: Capacity = UNLIMITED
    skills: frozenset[str] = frozenset()
    profile: Profile = "car"
    cost_fixed: int = 0
    cost_hour: int = 0
    cost_km: int = 0


class Roads(msgspec.Struct, frozen=True):
    """Metres and seconds from each point (row) to each point; None where no road leads."""

    distances: tuple[tuple[int | None, ...], ...]
    times: tuple[tuple[int | None, ...], ...]


class PresentRoute(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that a shift has at present, in their order."""

    shift: str
    jobs: tuple[str, ...]


class PlanningProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a plan depends on."""

    jobs: tuple[PlanJob, ...]
    shifts: tuple[PlanShift, ...]
    roads: dict[Profile, Roads]
    aim: Aim = "time"
    present: tuple[PresentRoute, ...] = ()
