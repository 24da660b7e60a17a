"""Rules that decide which events a delivery's recipients are notified about. Pure functions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.news import Kind
from pannier.events.catalog import Name
from pannier.payloads.models import Undelivered

# News is not sent after its lifetime, because it may be wrong by then.
LIFETIMES: Final[Mapping[Kind, timedelta]] = {
    "on_its_way": timedelta(hours=1),
    "next_stop": timedelta(minutes=20),
    "delivered": timedelta(days=1),
    "could_not_be_delivered": timedelta(days=1),
    "cancelled": timedelta(days=1),
}
FAILED: Final = "failed"
# Events that are relevant regardless of their data.
ALWAYS_RELEVANT: Final = frozenset(
    {Name.ORDER_DISPATCHED, Name.ORDER_STARTED, Name.ORDER_COMPLETED, Name.ORDER_CANCELLED}
)
# Kinds that each person receives once per order. The others are sent per stop.
ORDER_KINDS: Final[frozenset[Kind]] = frozenset({"on_its_way", "cancelled"})


class EventDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The relevant data of an event, empty if the order was erased before processing."""

    erased: bool = False
    # For a status: the stop, and what happened there.
    waypoint: str | None = None
    code: str = ""
    status: str = ""
    complete: bool = False
    # For a failed attempt: its number at the stop. It is loaded from the database, not from the
    # event. A status that was entered manually has none.
    number: int | None = None
    # For a changed order: the names of the changed fields.
    changed: list[str] = msgspec.field(default_factory=list)
    # For an order: the number of failed attempts.
    attempts: int = 0
    # The record of which the data is a snapshot.
    uuid: UUID | None = None

    def get_attempt_key(self, subject: UUID) -> tuple[UUID, int]:
        """Return the subject and the number of a failed attempt.

        A status that was entered manually is its own subject.
        """
        if self.number is None:
            return self.uuid or subject, 0
        return subject, self.number


class HandoverState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a delivery when the event is processed."""

    # The stop's public id; None if the order has no stops.
    waypoint: str | None
    has_driver: bool
    is_started: bool
    # Whether this is the driver's next stop, also with regard to other orders.
    is_next_stop: bool
    # Whether it was handed over. If that failed: whether it waits for a decision or is returned.
    is_done: bool
    undelivered: Undelivered | None
    # Whether an attempt failed there after the event.
    has_failed_since: bool
    is_canceled: bool


def choose_kind(name: Name, details: EventDetails, handover: HandoverState) -> Kind | None:
    """Choose the kind of news for an event, given the current state of the delivery."""
    if name == Name.TRACKING_STATUS_CREATED:
        return _choose_status_kind(details, handover)
    if handover.is_done or handover.undelivered == "return":
        return None
    if handover.is_canceled:
        return "cancelled" if name == Name.ORDER_CANCELLED else None
    if handover.undelivered is not None or handover.has_failed_since or not handover.has_driver:
        return None
    is_under_way = handover.is_started and handover.is_next_stop
    if name in {Name.ORDER_DISPATCHED, Name.ORDER_STARTED}:
        return "next_stop" if is_under_way else "on_its_way"
    has_moved = name == Name.ORDER_UPDATED and _has_moved_on(details)
    return "next_stop" if has_moved and is_under_way else None


def replace_outdated_kind(kind: Kind | None, occurred_at: datetime, now: datetime) -> Kind | None:
    """Replace an outdated kind by one that is still true: "on its way" for "next stop"."""
    if kind is None or occurred_at + LIFETIMES[kind] > now:
        return kind
    return replace_outdated_kind("on_its_way", occurred_at, now) if kind == "next_stop" else None


def _has_moved_on(details: EventDetails) -> bool:
    """Return whether the driver goes to another stop, or to the same one after a failed attempt."""
    if "current_waypoint" in details.changed:
        return True
    return (
        details.attempts > 0 and "status" in details.changed and "attempts" not in details.changed
    )


def _choose_status_kind(details: EventDetails, handover: HandoverState) -> Kind | None:
    if details.waypoint != handover.waypoint:
        return None
    if details.code == FAILED:
        return None if handover.is_done else "could_not_be_delivered"
    return "delivered" if details.complete and handover.is_done else None


def is_relevant(name: Name, details: EventDetails) -> bool:
    """Return whether recipients may be notified about an event, without any query."""
    if details.erased:
        return False
    if name == Name.TRACKING_STATUS_CREATED:
        return details.complete or details.code == FAILED
    if name == Name.ORDER_UPDATED:
        return _has_moved_on(details)
    return name in ALWAYS_RELEVANT
