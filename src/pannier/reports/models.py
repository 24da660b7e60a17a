"""The figures of days, and the days to compute."""

from datetime import date, datetime
from uuid import UUID

import msgspec


class DayFigures(msgspec.Struct, kw_only=True):
    """The orders, attempts and proofs of a company's day."""

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


class MoneyFigures(msgspec.Struct, kw_only=True):
    """The money of a company's day in one currency, in whole minor units."""

    currency: str
    transactions: int = 0
    revenue: int = 0
    refunded: int = 0


class DriverFigures(msgspec.Struct, kw_only=True):
    """The orders of a driver on a company's day."""

    driver: UUID
    completed: int = 0
    failed_attempts: int = 0
    with_window: int = 0
    on_time: int = 0
    attempted: int = 0
    first_attempt: int = 0


class StoredDay(DayFigures, kw_only=True):
    """The figures of a day as they were computed last."""

    company: UUID
    day: date
    computed_at: datetime


class StoredMoney(MoneyFigures, kw_only=True):
    """The money of a day as it was computed last."""

    company: UUID
    day: date


class StoredDriver(DriverFigures, kw_only=True):
    """The orders of a driver's day as they were computed last."""

    company: UUID
    day: date


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
