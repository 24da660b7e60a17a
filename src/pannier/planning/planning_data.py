"""What was read for a plan, and the points of its matrices."""

from collections.abc import Mapping
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from pannier.fleet.models import Driver, Vehicle, Whereabouts
from pannier.kit.geo import Point
from pannier.orders.views import OrderAggregate
from pannier.places.models import PlaceRow
from pannier.planning.schemas import PlanIn, StartsFrom


class PlanningData(msgspec.Struct, kw_only=True):
    """What was read for a plan."""

    request: PlanIn
    day: date
    now: datetime
    # The day's midnight, where the plan's times begin.
    origin: datetime
    zone: ZoneInfo
    currency: str | None
    orders: list[OrderAggregate]
    drivers: list[Driver]
    vehicles: Mapping[UUID, Vehicle]
    # By driver.
    positions: Mapping[UUID, Whereabouts]
    # Where drivers start and end.
    places: Mapping[UUID, PlaceRow]
    # Where drivers start and end who have no place of their own.
    default_start: UUID | None = None
    default_end: UUID | None = None
    # The lowest position of each order in its driver's accepted plan.
    sequence: Mapping[UUID, int]
    # Orders that have to go to certain drivers.
    fixed: Mapping[UUID, UUID]
    starts_from: StartsFrom

    def to_seconds(self, moment: datetime) -> int:
        """Return a moment as seconds after the start of the plan's day."""
        return int((moment - self.origin).total_seconds())


class PointIndex:
    """The points of the matrices, each once."""

    def __init__(self) -> None:
        self._numbers: dict[Point, int] = {}

    def add(self, point: Point) -> int:
        """Return the number of a point, which is added if it is new."""
        return self._numbers.setdefault(point, len(self._numbers))

    @property
    def points(self) -> list[Point]:
        return list(self._numbers)
