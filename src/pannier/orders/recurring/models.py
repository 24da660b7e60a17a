"""Rows of recurring orders."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pannier.db.row import PlainRow, VersionedRow

# `finished`: the rule has no more days.
RecurrenceStatus = Literal["active", "paused", "ended", "finished"]
DayState = Literal["created", "refused", "skipped", "missed"]


class RecurringOrder(VersionedRow, kw_only=True):
    """A rule by which the worker creates orders from a template."""

    name: str
    # None if the template was deleted after the end.
    template: UUID | None
    rule: str
    starts_on: date
    # How many days before its day an order is created.
    lead_days: int
    paused_at: datetime | None = None
    ended_at: datetime | None = None
    # The next day without an order, and when its order is created. None if there is none.
    next_day: date | None = None
    due_at: datetime | None = None

    @property
    def status(self) -> RecurrenceStatus:
        if self.ended_at is not None:
            return "ended"
        if self.paused_at is not None:
            return "paused"
        return "finished" if self.next_day is None else "active"


class RecurringDay(PlainRow, kw_only=True):
    """What happened to one day of a recurring order. Each day has at most one."""

    recurring_order: UUID
    day: date
    state: DayState
    # The order's public id.
    order_id: str | None = None
    # Why the order was refused.
    reason: str | None = None
