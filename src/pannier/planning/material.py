"""The stored data of a plan: the problem with its orders and drivers, and the result.

It is encoded with MessagePack. It has only ids and times: pages load names and addresses.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.planning.plan import Plan
from pannier.planning.plan_out import UnassignedReason
from pannier.planning.problem import PlanningProblem, VisitKind
from pannier.routing.route import Source

# Grams in a kilogram, and cubic centimetres in a cubic metre.
GRAMS: Final = 1_000
CUBIC_CENTIMETRES: Final = 1_000_000


class StopMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """A stop. `waypoint` is None for the pickup or drop-off of an order without stops.

    `promised` is the end of the time window, even if it is over and the plan ignores it.
    """

    key: str
    waypoint: UUID | None
    waypoint_id: str | None
    kind: VisitKind
    place: UUID
    opens: int | None = None
    promised: int | None = None


class OrderMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """An order at the time of planning. `fingerprint` changes with its stops and goods."""

    uuid: UUID
    key: str
    driver: UUID | None
    vehicle: UUID | None
    fingerprint: str
    stops: tuple[StopMaterial, ...]
    is_started: bool = False
    is_fixed: bool = False


class ShiftMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """A driver's shift, with the points where it starts and ends, as longitude and latitude."""

    key: str
    driver: UUID
    driver_id: str
    vehicle: UUID | None
    opens: int
    closes: int
    start: tuple[float, float] | None = None
    end: tuple[float, float] | None = None
    is_from_position: bool = False


class OutsideOrder(msgspec.Struct, frozen=True):
    """An order that cannot be planned, and the reason."""

    uuid: UUID
    key: str
    reason: UnassignedReason


class PlanMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """All data that a plan depends on. The problem's roads are stored separately."""

    origin: datetime
    read_at: datetime
    problem: PlanningProblem
    orders: tuple[OrderMaterial, ...]
    shifts: tuple[ShiftMaterial, ...]
    outside: tuple[OutsideOrder, ...] = ()
    currency: str | None = None
    source: Source = "great_circle"

    def to_moment(self, seconds: int) -> datetime:
        """Convert a time of the plan to a moment."""
        return self.origin + timedelta(seconds=seconds)


class PlanResult(msgspec.Struct, frozen=True, kw_only=True):
    """The plan, and the timetable of the assignment before it."""

    plan: Plan
    present: Plan


encode: Final = msgspec.msgpack.Encoder().encode
decode_material: Final = msgspec.msgpack.Decoder(PlanMaterial).decode
decode_result: Final = msgspec.msgpack.Decoder(PlanResult).decode
