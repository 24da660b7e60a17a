"""Building the shifts of a plan from drivers and their vehicles. Pure rules."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from pannier.fleet import shifts
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.shifts import BreakWindow, WorkingInterval
from pannier.kit.geo import Point
from pannier.kit.local_time import MINUTES_A_DAY, parse_minute, to_utc
from pannier.planning.material import CUBIC_CENTIMETRES, GRAMS, ShiftMaterial
from pannier.planning.planning_data import PlanningData, PointIndex
from pannier.planning.problem import UNLIMITED, Capacity, PlanBreak, PlanShift
from pannier.planning.schemas import HoursIn

# An older position does not show where a driver is now.
MAX_POSITION_AGE: Final = timedelta(minutes=30)
# A shift with fewer seconds left is over.
MIN_SHIFT_SECONDS: Final = 300
# The prefix of a skill that only one driver's shifts have. No skill of an order begins with it.
DRIVER_SKILL_PREFIX: Final = "\x00"
# Larger capacities count as unlimited. Sums of larger loads could overflow.
MAX_AMOUNT: Final = 10**11


class _Ends(NamedTuple):
    """Where a shift starts and ends, and whether it starts at a live position."""

    start: Point | None
    end: Point | None
    is_from_position: bool


def list_intervals(
    driver: Driver, day: date, zone: ZoneInfo, hours: HoursIn
) -> list[WorkingInterval]:
    """List a driver's working times on a day: the shifts, or else the default hours."""
    if shifts.list_hours(driver.shifts, driver.shift_exceptions, day) is not None:
        return shifts.list_working_intervals(driver.shifts, driver.shift_exceptions, day, zone)
    start, end = parse_minute(hours.start), parse_minute(hours.end)
    length = (end - start) % MINUTES_A_DAY or MINUTES_A_DAY
    return [WorkingInterval(to_utc(day, start, zone), to_utc(day, start + length, zone))]


def make_driver_skill(driver: UUID) -> str:
    """Make the skill that only the shifts of one driver have."""
    return DRIVER_SKILL_PREFIX + str(driver)


def build_shifts(
    data: PlanningData, points: PointIndex
) -> Iterator[tuple[ShiftMaterial, PlanShift]]:
    """Yield the shifts of all drivers that are not over."""
    for driver in data.drivers:
        intervals = list_intervals(driver, data.day, data.zone, data.request.default_hours)
        for number, interval in enumerate(intervals, 1):
            shift = _build_shift(data, points, driver, interval, f"{driver.public_id}/{number}")
            if shift is not None:
                yield shift


def _build_shift(
    data: PlanningData, points: PointIndex, driver: Driver, interval: WorkingInterval, key: str
) -> tuple[ShiftMaterial, PlanShift] | None:
    opens, closes = data.to_seconds(interval.start), data.to_seconds(interval.end)
    now = data.to_seconds(data.now)
    has_begun = data.starts_from == "now" and now > opens
    opens = max(opens, now) if has_begun else opens
    if closes - opens < MIN_SHIFT_SECONDS:
        return None
    vehicle = None if driver.vehicle is None else data.vehicles.get(driver.vehicle)
    ends = _find_ends(data, driver, has_begun=has_begun)
    shift = PlanShift(
        key=key,
        opens=opens,
        closes=closes,
        start=None if ends.start is None else points.add(ends.start),
        end=None if ends.end is None else points.add(ends.end),
        breaks=tuple(_list_breaks(data, interval.breaks, opens, closes)),
        capacity=UNLIMITED if vehicle is None else to_capacity(vehicle),
        skills=frozenset({*driver.skills, make_driver_skill(driver.uuid)}),
        profile="car" if vehicle is None else vehicle.profile,
        cost_hour=_to_cost(driver.cost_per_hour, driver.currency, data.currency),
        cost_km=0
        if vehicle is None
        else _to_cost(vehicle.cost_per_km, vehicle.currency, data.currency),
    )
    material = ShiftMaterial(
        key=key,
        driver=driver.uuid,
        driver_id=driver.public_id,
        vehicle=None if vehicle is None else vehicle.uuid,
        opens=data.to_seconds(interval.start),
        closes=closes,
        start=_to_coordinates(ends.start),
        end=_to_coordinates(ends.end),
        is_from_position=ends.is_from_position,
    )
    return material, shift


def _find_ends(data: PlanningData, driver: Driver, *, has_begun: bool) -> _Ends:
    """Find where a shift starts and ends. A shift in progress starts at the driver's position."""
    start = _find_location(data, driver.start_place or data.default_start)
    end = _find_location(data, driver.end_place or data.default_end)
    if not has_begun:
        return _Ends(start, end, is_from_position=False)
    position = data.positions.get(driver.uuid)
    if position is not None and position.located_at >= data.now - MAX_POSITION_AGE:
        return _Ends(position.location, end, is_from_position=True)
    has_started_work = any(
        order.row.driver == driver.uuid and order.row.started_at is not None
        for order in data.orders
    )
    return _Ends(None if has_started_work else start, end, is_from_position=False)


def _find_location(data: PlanningData, place: UUID | None) -> Point | None:
    row = None if place is None else data.places.get(place)
    return None if row is None else row.location


def _to_coordinates(point: Point | None) -> tuple[float, float] | None:
    return None if point is None else (point.longitude, point.latitude)


def _list_breaks(
    data: PlanningData, breaks: tuple[BreakWindow, ...], opens: int, closes: int
) -> Iterator[PlanBreak]:
    """Yield the breaks that can still be taken within the shift."""
    for pause in breaks:
        duration = int(pause.duration.total_seconds())
        earliest = max(data.to_seconds(pause.earliest), opens)
        latest = min(data.to_seconds(pause.latest), closes - duration)
        if earliest <= latest:
            yield PlanBreak(opens=earliest, closes=latest, duration=duration)


def to_capacity(vehicle: Vehicle) -> Capacity:
    """Return a vehicle's capacity in whole units of the problem, rounded down."""
    capacity = vehicle.capacity
    return (
        _to_amount(capacity.weight, GRAMS),
        _to_amount(capacity.volume, CUBIC_CENTIMETRES),
        capacity.items,
    )


def _to_amount(limit: float | None, unit: int) -> int | None:
    # Through Decimal, because 0.29 * 100 is 28.999….
    amount = None if limit is None else int(Decimal(str(limit)) * unit)
    return None if amount is None or amount > MAX_AMOUNT else amount


def _to_cost(cost: int | None, currency: str | None, plan_currency: str | None) -> int:
    """Return a cost in the plan's currency. Costs in other currencies count as zero."""
    return 0 if cost is None or currency != plan_currency else cost
