"""The figures of days, and the days to compute."""

from datetime import date, datetime
from typing import Final
from uuid import UUID

import msgspec

NO_COMPANY: Final = UUID(int=0)


class DatedFigures(msgspec.Struct, kw_only=True):
    """Figures of a company's day. Right after they are computed, they get its company and day."""

    company: UUID = NO_COMPANY
    day: date = date.min


class DayFigures(DatedFigures, kw_only=True):
    """The orders, attempts and proofs of a company's day."""

    computed_at: datetime
    created: int = 0
    completed: int = 0
    canceled: int = 0
    failed_attempts: int = 0
    # Completed orders with a time window, and those of them that were on time.
    with_window: int = 0
    on_time: int = 0
    # Orders that ended after an attempt to deliver, and those whose first attempt succeeded.
    attempted: int = 0
    first_attempt: int = 0
    proofs_scan: int = 0
    proofs_signature: int = 0
    proofs_photo: int = 0
    proofs_sms: int = 0
    proofs_override: int = 0


class MoneyFigures(DatedFigures, kw_only=True):
    """The money of a company's day in one currency, in whole minor units."""

    currency: str
    transactions: int = 0
    revenue: int = 0
    refunded: int = 0


class DriverFigures(DatedFigures, kw_only=True):
    """The orders of a driver on a company's day."""

    driver: UUID
    completed: int = 0
    failed_attempts: int = 0
    with_window: int = 0
    on_time: int = 0
    attempted: int = 0
    first_attempt: int = 0


class TripFigures(DatedFigures, kw_only=True):
    """The trips of a company's day, in metres and seconds."""

    trips: int = 0
    distance: int = 0
    moving: int = 0
    idle: int = 0


class DriverTripFigures(DatedFigures, kw_only=True):
    """The trips of a driver on a company's day, in metres and seconds."""

    driver: UUID
    trips: int = 0
    distance: int = 0
    # On trips, and on the short stops between them.
    worked: int = 0


class CostFigures(DatedFigures, kw_only=True):
    """What the trips of a company's day cost in one currency, in whole minor units."""

    currency: str
    distance_cost: int = 0
    time_cost: int = 0


class WebhookFigures(DatedFigures, kw_only=True):
    """The webhook deliveries of a company's day."""

    deliveries: int = 0
    attempts: int = 0
    succeeded: int = 0
    disabled: int = 0
    # A histogram of the times until deliveries succeeded; see `histogram.py`.
    delays: list[int] = msgspec.field(default_factory=list)


class DeviceFigures(DatedFigures, kw_only=True):
    """The devices of a company's day, without drivers' phones."""

    devices: int = 0
    heard: int = 0
    device_hours: int = 0
    silent_hours: int = 0
    readings: int = 0
    refused: int = 0


class QueuedDay(msgspec.Struct):
    """A day whose figures a worker has leased."""

    uuid: UUID
    company: UUID
    day: date
    touches: int
    attempts: int


class ReportCalendar(msgspec.Struct):
    """By which time zone and figures a company's days were computed."""

    company: UUID
    time_zone: str
    figures: int
