"""What of all that happens is news to whoever waits for a delivery. Pure rules."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.news import Kind
from pannier.events.catalog import Name
from pannier.payloads.models import Undelivered

# For how long each is news: what comes later may be wrong by then.
LIVES: Final[Mapping[Kind, timedelta]] = {
    "on_its_way": timedelta(hours=1),
    "next_stop": timedelta(minutes=20),
    "delivered": timedelta(days=1),
    "could_not_be_delivered": timedelta(days=1),
    "cancelled": timedelta(days=1),
}
FAILED: Final = "failed"
# Events that matter whatever they say.
WHOLE: Final = frozenset(
    {Name.ORDER_DISPATCHED, Name.ORDER_STARTED, Name.ORDER_COMPLETED, Name.ORDER_CANCELLED}
)
# What is said of a whole order, once to each person; the others of each stop.
OF_ORDERS: Final[frozenset[Kind]] = frozenset({"on_its_way", "cancelled"})


class EventDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What an event says; of an order that was erased before its turn came, nothing."""

    erased: bool = False
    # Of a status: at which stop, and what happened there.
    waypoint: str | None = None
    code: str = ""
    status: str = ""
    complete: bool = False
    # Of an attempt that failed: the how manieth there. Looked up, not told; of what somebody wrote
    # down by hand there is none.
    number: int | None = None
    # Of a changed order: what changed.
    changed: list[str] = msgspec.field(default_factory=list)
    # Of an order: how many attempts had failed.
    attempts: int = 0
    # Of what it is a snapshot.
    uuid: UUID | None = None

    def stands_for(self, subject: UUID) -> tuple[UUID, int]:
        """Name what failed by the stop and the number of the attempt, or by what was written."""
        if self.number is None:
            return self.uuid or subject, 0
        return subject, self.number


class Handover(msgspec.Struct, frozen=True, kw_only=True):
    """Where a delivery to somebody stands, when the event is heard."""

    # The stop by public id; none, where the order has no stops.
    waypoint: str | None
    driver: bool
    started: bool
    # Whether the driver goes there now, and not to somebody of another order.
    present: bool
    # Whether it was handed over, and what became of it if it could not be: it waits for a decision,
    # or goes back.
    done: bool
    undelivered: Undelivered | None
    # Whether an attempt failed there after what the event tells.
    failed_since: bool
    canceled: bool


def news(name: Name, details: EventDetails, handover: Handover) -> Kind | None:
    """Tell what an event is to whoever waits for a delivery, as things stand by now."""
    if name == Name.TRACKING_STATUS_CREATED:
        return _of_status(details, handover)
    if handover.done or handover.undelivered == "return":
        return None
    if handover.canceled:
        return "cancelled" if name == Name.ORDER_CANCELLED else None
    if handover.undelivered is not None or handover.failed_since or not handover.driver:
        return None
    under_way = handover.started and handover.present
    if name in {Name.ORDER_DISPATCHED, Name.ORDER_STARTED}:
        return "next_stop" if under_way else "on_its_way"
    moved = name == Name.ORDER_UPDATED and _moved(details)
    return "next_stop" if moved and under_way else None


def timely(kind: Kind | None, at: datetime, now: datetime) -> Kind | None:
    """Tell what of news is still worth telling: who was the next a while ago has it on its way."""
    if kind is None or at + LIVES[kind] > now:
        return kind
    return timely("on_its_way", at, now) if kind == "next_stop" else None


def _moved(details: EventDetails) -> bool:
    """Tell whether a driver goes to another stop, or after a failed attempt to the same again."""
    if "current_waypoint" in details.changed:
        return True
    return (
        details.attempts > 0 and "status" in details.changed and "attempts" not in details.changed
    )


def _of_status(details: EventDetails, handover: Handover) -> Kind | None:
    if details.waypoint != handover.waypoint:
        return None
    if details.code == FAILED:
        return None if handover.done else "could_not_be_delivered"
    return "delivered" if details.complete and handover.done else None


def matters(name: Name, details: EventDetails) -> bool:
    """Tell whether an event can be news to anybody, before anything is looked up."""
    if details.erased:
        return False
    if name == Name.TRACKING_STATUS_CREATED:
        return details.complete or details.code == FAILED
    if name == Name.ORDER_UPDATED:
        return _moved(details)
    return name in WHOLE
