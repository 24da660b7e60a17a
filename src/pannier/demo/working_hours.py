"""Working hours, skills and vehicle capacities of the demo's couriers."""

from datetime import date, datetime, timedelta
from typing import Final

from pannier.demo.content import Courier
from pannier.fleet.drivers.hours import (
    BreakFields,
    ShiftExceptionFields,
    ShiftFields,
)
from pannier.fleet.vehicles.schemas import CapacityFields
from pannier.kit.local_time import WEEKDAYS, Weekday

SHIFT_HOURS: Final = 10
# Kilograms, cubic metres and parcels.
BICYCLE: Final = (80, 0.4, 12)
VAN, REFRIGERATED_VAN = (650, 3.3, 60), (540, 2.6, 45)


def make_shifts(number: int, now: datetime) -> list[ShiftFields]:
    """Make a driver's shifts, so that most drivers work when the demo starts.

    They begin one to three hours before the current time of day.
    """
    start = now - timedelta(hours=1 + number % 3)
    earliest, latest = start + timedelta(hours=3), start + timedelta(hours=5)
    pause = BreakFields(earliest=_to_clock(earliest), latest=_to_clock(latest), duration=1800)
    return [
        ShiftFields(
            days=_choose_days(number),
            start=_to_clock(start),
            end=_to_clock(start + timedelta(hours=SHIFT_HOURS)),
            breaks=[pause],
        )
    ]


def make_holiday(first: date) -> ShiftExceptionFields:
    """Make three weeks of days off."""
    return ShiftExceptionFields(date=first, until=first + timedelta(days=20))


def list_skills(courier: Courier) -> list[str]:
    """List a courier's skills, which depend on the vehicle."""
    van_skills = [] if courier.is_on_bicycle else ["heavy"]
    return [*(["cold chain"] if courier.is_refrigerated else []), *van_skills]


def get_capacity(courier: Courier) -> CapacityFields:
    if courier.is_on_bicycle:
        weight, volume, items = BICYCLE
    else:
        weight, volume, items = REFRIGERATED_VAN if courier.is_refrigerated else VAN
    return CapacityFields(weight=weight, volume=volume, items=items)


def _choose_days(number: int) -> list[Weekday]:
    """Choose the days on which shifts begin. Every third driver has Sundays off."""
    return list(WEEKDAYS if number % 3 else WEEKDAYS[:-1])


def _to_clock(moment: datetime) -> str:
    """Format a time of day, rounded down to a quarter of an hour."""
    return f"{moment:%H}:{moment.minute // 15 * 15:02}"
