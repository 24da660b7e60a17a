"""Warnings for dispatchers if a driver or a vehicle does not suit an order."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.fleet import capacity, shifts, skills
from pannier.fleet.capacity import UNITS, Load
from pannier.fleet.models import Driver, Vehicle
from pannier.kit.structs import convert_struct
from pannier.locales.times import TimeFormat
from pannier.orders.loads import measure_load
from pannier.orders.models import Order
from pannier.orders.schemas import OrderChange, OrderOut
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import HandoverRow, Waypoint
from pannier.rates.measures import format_number
from pannier.web.compatibility import accept_response_fields

Period = tuple[datetime, datetime]
WarningCode = Literal["driver_off_shift", "skills_missing", "capacity_exceeded"]
LANGUAGE: Final = "en"  # of the warnings


class AssignmentWarning(msgspec.Struct, frozen=True):
    """A reason why a driver or a vehicle may not suit an order. It prevents nothing."""

    code: Annotated[WarningCode, Meta(description="Code of the warning.")]
    message: Annotated[
        str,
        Meta(
            description="Sentence for the dispatcher.",
            examples=["Ada Lovelace does not work at this time: Sat 31 Jan, 18:00."],
        ),
    ]


class AssignedOrderOut(OrderOut, kw_only=True):
    """An order, with warnings about its driver and vehicle."""

    warnings: list[AssignmentWarning]


# A client may send back the order that a change returned.
accept_response_fields(OrderChange, AssignedOrderOut)


async def to_assigned_out(db: Db, order: OrderAggregate) -> AssignedOrderOut:
    """Build the output of an order that was just assigned."""
    warnings = await list_warnings(db, order)
    return convert_struct(order.to_order_out(), AssignedOrderOut, warnings=warnings)


async def list_warnings(db: Db, order: OrderAggregate) -> list[AssignmentWarning]:
    """List the reasons why an order's driver and vehicle may not suit it."""
    row, related = order.row, order.related
    warnings = list[AssignmentWarning]()
    if row.driver is not None:
        driver = related.drivers[row.driver]
        zone = (await company_settings.load(db, row.company)).zone
        warnings += check_hours(
            driver, list_periods(row, order.payload_aggregate.waypoints, db.now), zone, db.now
        )
        warnings += check_skills(driver, row.required_skills)
    if row.vehicle is not None:
        load = measure_load(order.payload_aggregate.entities)
        warnings += check_capacity(related.vehicles[row.vehicle], load)
    return warnings


def list_periods(order: Order, stops: Sequence[Waypoint], now: datetime) -> list[Period]:
    """List the periods in which an order's driver has to work: time windows, or else the due time.

    Overdue work counts as due now.
    """
    open_stops = [stop for stop in stops if not stop.done]
    windows = [window for row in (order, *open_stops) if (window := _to_window(row))]
    due_at = order.scheduled_at or now
    return [
        (max(start, now), max(end, now))
        for start, end in dict.fromkeys(windows or [(due_at, due_at)])
    ]


def _to_window(row: HandoverRow) -> Period | None:
    """Return a time window. If it has only a start or only an end, it is a moment."""
    start, end = row.time_window_start, row.time_window_end
    moments = [moment for moment in (start, end) if moment is not None]
    return (moments[0], moments[-1]) if moments else None


def check_hours(
    driver: Driver, periods: Sequence[Period], zone: ZoneInfo, now: datetime
) -> Iterator[AssignmentWarning]:
    """Warn about the first period in which the driver does not work."""
    for start, end in periods:
        if not shifts.is_working(driver.shifts, driver.shift_exceptions, start, end, zone):
            period = TimeFormat(LANGUAGE, zone, now).format_window(start, end)
            yield AssignmentWarning(
                "driver_off_shift", f"{driver.name} does not work at this time: {period}."
            )
            return


def check_skills(driver: Driver, required_skills: Sequence[str]) -> Iterator[AssignmentWarning]:
    """Warn about skills that the driver lacks."""
    missing_skills = skills.list_missing_skills(required_skills, driver.skills)
    if missing_skills:
        noun = "skill" if len(missing_skills) == 1 else "skills"
        message = f"{driver.name} lacks the {noun} {', '.join(missing_skills)}."
        yield AssignmentWarning("skills_missing", message)


def check_capacity(vehicle: Vehicle, load: Load) -> Iterator[AssignmentWarning]:
    """Warn about a load that exceeds the vehicle's capacity."""
    name = vehicle.plate_number or "the vehicle"
    excesses = [
        f"{format_number(excess.load)} of {format_number(excess.limit)} {UNITS[excess.measure]}"
        for excess in capacity.list_excesses(load, vehicle.capacity)
    ]
    if excesses:
        message = f"The order exceeds the capacity of {name}: {', '.join(excesses)}."
        yield AssignmentWarning("capacity_exceeded", message)
