"""Rows of simulations."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.row import PlainRow, to_point
from pannier.kit.geo import Point
from pannier.orders.activities import PodMethod

SimulationOutcome = Literal["delivered", "failed"]
SimulationState = Literal["running", "done", "stopped", "failed"]


class RobotStep(msgspec.Struct, frozen=True):
    """One step: a drive to a place, work there, and an activity or a failed attempt.

    The seconds are those of a real driver.
    """

    activity: str
    drive_seconds: float
    work_seconds: float
    # The stop, if the order has several.
    waypoint: str | None = None
    place: UUID | None = None
    method: PodMethod | None = None
    # The reason of a failed attempt, which is reported instead of the activity.
    reason: str | None = None

    @property
    def seconds(self) -> float:
        return self.drive_seconds + self.work_seconds


class Simulation(PlainRow, kw_only=True):
    """A robot's work on an order. It is leased while it runs."""

    order_uuid: UUID
    driver: UUID
    # How much faster than a real driver. None means without pauses.
    speed: float | None
    outcome: SimulationOutcome
    steps: list[RobotStep]
    # The index of the next step, where and when it began.
    position: int
    latitude: float | None
    longitude: float | None
    step_started_at: datetime
    state: SimulationState
    reason: str | None = None
    due_at: datetime | None
    attempts: int = 0
    finished_at: datetime | None = None

    @property
    def origin(self) -> Point | None:
        """The point where the next step began."""
        return to_point(self.latitude, self.longitude)
