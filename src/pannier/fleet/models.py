"""Rows of the fleet."""

from datetime import date, datetime
from typing import Literal, TypeAlias
from uuid import UUID

import msgspec

from pannier.db.row import LocatedRow, MetaRow, PlainRow, RowReference, to_point
from pannier.kit.geo import Point
from pannier.kit.local_time import Weekday
from pannier.maps.folder import Profile

# For classes with a field named `date`.
CalendarDate: TypeAlias = date
VehicleProfile: TypeAlias = Profile
DriverStatus = Literal[
    "available", "active", "inactive", "on_duty", "off_duty", "on_break", "suspended",
    "terminated", "pre_shift", "training", "onboarding", "on_route", "delayed",
    "accident_hold", "on_leave", "no_show", "pending_verification",
]  # fmt: skip
VehicleStatus = Literal[
    "available", "active", "in_use", "maintenance", "out_of_service", "reserved", "retired",
    "staging", "on_route", "idle", "cleaning", "awaiting_parts", "inspection_due",
    "inspection_failed", "accident", "compliance_hold", "stolen", "operational",
    "decommissioned",
]  # fmt: skip
FleetStatus = Literal["active", "inactive"]
Subject = Literal["driver", "vehicle", "device"]
IssueStatus = Literal[
    "open", "pending", "triage", "backlogged", "in_progress", "requires_update", "in_review",
    "re_opened", "awaiting_parts", "awaiting_vendor", "monitoring", "escalated", "duplicate",
    "pending_review", "resolved", "completed", "closed", "wont_fix", "canceled",
]  # fmt: skip
Priority = Literal[
    "low", "medium", "high", "critical", "scheduled_maintenance", "operational_suggestion"
]


class Mobile(MetaRow, kw_only=True):
    """A driver or a vehicle."""

    internal_id: str | None = None
    online: bool = False


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """A break of a shift: it starts between two times of day, and lasts `duration` seconds."""

    earliest: str
    latest: str
    duration: int


class ShiftHours(msgspec.Struct, frozen=True, kw_only=True):
    """Working hours by the company's local time, `HH:MM`.

    An end that is not after the start is on the next day, so equal times mean 24 hours.
    """

    start: str
    end: str
    breaks: list[Break] = msgspec.field(default_factory=list)


class Shift(ShiftHours, frozen=True, kw_only=True):
    """Working hours that begin on these days of every week."""

    days: list[Weekday]


class ShiftException(msgspec.Struct, frozen=True, kw_only=True):
    """The shifts on certain days, instead of the weekly ones. Days without shifts are days off.

    `until` is the last day. None means `date`.
    """

    date: CalendarDate
    until: CalendarDate | None = None
    shifts: list[ShiftHours] = msgspec.field(default_factory=list)


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    """The capacity of a vehicle: kilograms, cubic metres and items. None means no limit."""

    weight: float | None = None
    volume: float | None = None
    items: int | None = None


class Driver(Mobile, kw_only=True):
    """A person who drives for a company."""

    name: str
    email: str | None = None
    phone: str
    drivers_license_number: str | None = None
    license_expiry: date | None = None
    status: DriverStatus = "available"
    vehicle: UUID | None = None
    country: str | None = None
    city: str | None = None
    skills: list[str] = msgspec.field(default_factory=list)
    # None means at any time. An empty list means only on the days of `shift_exceptions`.
    shifts: list[Shift] | None = None
    shift_exceptions: list[ShiftException] = msgspec.field(default_factory=list)
    # The places where work begins and ends.
    start_place: UUID | None = None
    end_place: UUID | None = None
    # Minor units of `currency`.
    cost_per_hour: int | None = None
    currency: str | None = None


class Vehicle(Mobile, kw_only=True):
    """A vehicle of a company."""

    vin: str | None = None
    plate_number: str | None = None
    make: str | None = None
    model: str | None = None
    trim: str | None = None
    year: int | None = None
    color: str | None = None
    type: str | None = None
    fuel_type: str | None = None
    payload_capacity: float | None = None
    # Cubic metres and items. `payload_capacity` is in kilograms.
    capacity_volume: float | None = None
    capacity_items: int | None = None
    profile: VehicleProfile = "car"
    # Minor units of `currency`.
    cost_per_km: int | None = None
    currency: str | None = None
    speed_limit_kmh: int | None = None
    status: VehicleStatus = "available"
    # °C.
    min_temperature: float | None = None
    max_temperature: float | None = None

    @property
    def capacity(self) -> Capacity:
        return Capacity(
            weight=self.payload_capacity, volume=self.capacity_volume, items=self.capacity_items
        )


class Whereabouts(msgspec.Struct, kw_only=True):
    """The newest fix of a driver, vehicle or device, and the position in the last event."""

    subject: UUID
    company: UUID
    kind: Subject
    latitude: float
    longitude: float
    heading: float | None = None
    altitude: float | None = None
    speed: float | None = None
    accuracy: float | None = None
    located_at: datetime
    told_latitude: float | None = None
    told_longitude: float | None = None
    told_at: datetime | None = None
    # When to emit the latest position, because the last event is too recent.
    announce_at: datetime | None = None

    @property
    def location(self) -> Point:
        return Point(self.longitude, self.latitude)

    @property
    def last_emitted(self) -> Point | None:
        """The position in the last event."""
        return to_point(self.told_latitude, self.told_longitude)


class VehicleTenure(msgspec.Struct, kw_only=True):
    """A period in which a vehicle had a driver or device. It is open while `until` is null."""

    uuid: UUID
    company: UUID
    vehicle: UUID
    since: datetime
    until: datetime | None = None


class Drive(VehicleTenure, kw_only=True):
    """A period in which a driver had a vehicle."""

    driver: UUID


class Fleet(MetaRow, kw_only=True):
    """A group of drivers and vehicles, possibly within another fleet."""

    name: str
    task: str | None = None
    status: FleetStatus = "active"
    parent_fleet: UUID | None = None


class Member(PlainRow, kw_only=True):
    """A driver or a vehicle in a fleet."""

    fleet: UUID
    driver: UUID | None
    vehicle: UUID | None


class Issue(LocatedRow, kw_only=True):
    """A reported problem."""

    driver: UUID | None = None
    vehicle: UUID | None = None
    order_id: str | None = None
    title: str | None = None
    report: str
    priority: Priority = "medium"
    type: str | None = None
    category: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)
    status: IssueStatus = "open"
    resolution: str | None = None
    resolved_at: datetime | None = None


class OrderName(RowReference):
    """An order's ids and driver, for issues."""

    driver: UUID | None
