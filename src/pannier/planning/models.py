"""Database rows of plans."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.row import PlainRow, VersionedRow
from pannier.planning.problem import Aim, VisitKind

PlanState = Literal["queued", "running", "done", "failed", "canceled", "accepted"]
FailureCode = Literal[
    "no_shifts", "too_many_orders", "too_many_places", "planner_failed", "interrupted"
]


class PlanFailure(msgspec.Struct, frozen=True):
    """The reason why a plan could not be made."""

    code: FailureCode
    message: str


class PlanFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a plan, in metres, seconds and minor units of the currency."""

    orders: int
    unassigned: int
    drivers: int
    distance: int
    drive_time: int
    time: int
    cost: int
    currency: str | None
    late_stops: int
    lateness: int


class PlanRow(VersionedRow, kw_only=True):
    """A plan, without its large columns."""

    state: PlanState
    day: date
    aim: Aim
    max_seconds: int
    based_on: UUID | None = None
    locked: list[str] = msgspec.field(default_factory=list)
    progress: int = 0
    summary: PlanFigures | None = None
    present: PlanFigures | None = None
    failure: PlanFailure | None = None
    read_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    accepted_at: datetime | None = None
    reverted_at: datetime | None = None


class PlanRun(msgspec.Struct):
    """A plan that a worker has leased."""

    plan: UUID
    company: UUID
    attempts: int


class PlannedStopRow(PlainRow, kw_only=True):
    """A stop of an accepted plan. It has no waypoint if its order has no stops."""

    plan: UUID
    day: date
    driver: UUID
    order_uuid: UUID
    waypoint: UUID | None
    type: VisitKind
    position: int
    arrives_at: datetime
    begins_at: datetime
    leaves_at: datetime
