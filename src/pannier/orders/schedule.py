"""Parsing of an order's schedule: a moment, or a date and time in a time zone."""

from datetime import datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import UnsetType

from pannier.accounts.company_settings import models, rules
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import FieldError, Invalid, parse_field
from pannier.orders.action_schemas import ScheduleIn


async def parse_schedule(db: Db, company: UUID, data: ScheduleIn) -> datetime | None:
    """Parse the auto-dispatch time, in the company's time zone by default.

    None means that the order is dispatched by hand.
    """
    if not isinstance(data.scheduled_at, UnsetType):
        return data.scheduled_at
    if data.date is None:
        raise Invalid(fields=[FieldError("scheduled_at", "This field is required.")])
    zone_name = data.time_zone or (await company_settings.load(db, company)).time_zone
    zone = parse_field("time_zone", _parse_zone, zone_name)
    time_of_day = parse_field("time", _parse_time_of_day, data.time or "00:00")
    return models.local_time_to_utc(data.date, time_of_day, zone)


def _parse_zone(name: str) -> ZoneInfo:
    return ZoneInfo(rules.parse_time_zone(name))


def _parse_time_of_day(text: str) -> time:
    try:
        return time.fromisoformat(text.zfill(5))
    except ValueError:
        raise ValueError("must be a time of day, such as 09:30.") from None
