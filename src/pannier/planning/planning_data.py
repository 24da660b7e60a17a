"""The records that a plan is built from, and the points of its matrices."""

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
    """The records that a plan is built from."""

    request: PlanIn
    day: date
    now: datetime
    # Midnight of the day: the zero of the plan's times.
    origin: datetime
    zone: ZoneInfo
    currency: str | None
    orders: list[OrderAggregate]
    drivers: list[Driver]
    vehicles: Mapping[UUID, Vehicle]
    # The live position of each driver.
    positions: Mapping[UUID, Whereabouts]
    # The places where drivers start and end.
    places: Mapping[UUID, PlaceRow]
    # For drivers without a start or end place.
    default_start: UUID | None = None
    default_end: UUID | None = None
    # The lowest position of each order in its driver's accepted plan.
    sequence: Mapping[UUID, int]
    # The driver of each fixed order.
    fixed: Mapping[UUID, UUID]
    starts_from: StartsFrom

    def to_seconds(self, moment: datetime) -> int:
        """Convert a moment to seconds after the start of the plan's day."""
        return int((moment - self.origin).total_seconds())


class PointIndex:
    """The distinct points of the matrices, by number."""

    def __init__(self) -> None:
        self._numbers: dict[Point, int] = {}

    def add(self, point: Point) -> int:
        """Add a point if it is new, and return its number."""
        return self._numbers.setdefault(point, len(self._numbers))

    @property
    def points(self) -> list[Point]:
        return list(self._numbers)
