"""The days and time windows that a recipient can choose. Pure rules."""

from datetime import date, datetime, time, timedelta
from typing import Final, get_args
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings.models import local_time_to_utc
from pannier.accounts.company_settings.recipients import Recipients, Weekday
from pannier.orders.recipient_changes.rules import DeliveryState

WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)


class DeliverySlot(msgspec.Struct, frozen=True):
    """A time window on a day. `code` names it in a form."""

    code: str
    start: datetime
    end: datetime


def accepts_reschedule(recipients: Recipients, state: DeliveryState) -> bool:
    """Return whether the recipient may choose another time: before the driver has left."""
    has_begun = state.order.started_at is not None or state.has_arrived
    return recipients.reschedule_days > 0 and state.is_ahead and not has_begun


def list_slots(recipients: Recipients, zone: ZoneInfo, now: datetime) -> list[DeliverySlot]:
    """List the slots that begin after the notice, the earliest first."""
    today = now.astimezone(zone).date()
    earliest = now + timedelta(hours=recipients.reschedule_notice_hours)
    slots = [
        _make_slot(today + timedelta(days=days), window, zone)
        for days in range(recipients.reschedule_days + 1)
        for window in recipients.windows
    ]
    return [
        slot
        for slot in slots
        if slot.start >= earliest
        and slot.start < slot.end
        and WEEKDAYS[slot.start.astimezone(zone).weekday()] in recipients.weekdays
    ]


def _make_slot(day: date, window: str, zone: ZoneInfo) -> DeliverySlot:
    start, end = (time.fromisoformat(text) for text in window.split("-"))
    return DeliverySlot(
        f"{day}/{window}", local_time_to_utc(day, start, zone), local_time_to_utc(day, end, zone)
    )


def move_dispatch(
    scheduled_at: datetime, previous_start: datetime | None, slot: DeliverySlot, zone: ZoneInfo,
    now: datetime,
) -> datetime:  # fmt: skip
    """Return the time of automatic dispatch for a new slot.

    It keeps its local time and its distance in days from the delivery, but is never after the
    start of the slot.
    """
    local_dispatch = scheduled_at.astimezone(zone)
    reference = (previous_start or scheduled_at).astimezone(zone).date()
    day = local_dispatch.date() + (slot.start.astimezone(zone).date() - reference)
    dispatch_at = local_time_to_utc(day, local_dispatch.time().replace(tzinfo=None), zone)
    return max(min(dispatch_at, slot.start), now)
