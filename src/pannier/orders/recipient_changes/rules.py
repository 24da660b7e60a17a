"""Whether a recipient may still change a delivery. Pure rules."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings.recipients import Recipients
from pannier.orders import flow
from pannier.orders.models import Order
from pannier.payloads.models import Waypoint

# A rating is possible for so long after the delivery, and can change for so long.
RATING_PERIOD: Final = timedelta(days=30)
RATING_CHANGE_PERIOD: Final = timedelta(days=1)
# Activities after which the driver is still on the way. Any other begins work at the stop.
ON_THE_WAY: Final = frozenset({None, *flow.HEAD, "enroute", "driver_enroute"})


class DeliveryState(msgspec.Struct, frozen=True, kw_only=True):
    """How far a delivery has come. `stop` is None for an order without stops."""

    order: Order
    stop: Waypoint | None
    # Whether the last activity of an order without stops was at the pickup.
    is_at_pickup: bool = False
    eta: datetime | None = None

    @property
    def is_ahead(self) -> bool:
        """Whether the driver has yet to hand it over."""
        target = self.stop or self.order
        is_done = self.stop is not None and self.stop.done
        return self.order.open and not is_done and target.undelivered is None

    @property
    def has_arrived(self) -> bool:
        """Whether the driver has begun work at the recipient's stop."""
        if self.stop is not None:
            return self.stop.activity not in ON_THE_WAY
        return not self.is_at_pickup and self.order.activity not in ON_THE_WAY


def is_near(state: DeliveryState, minutes: int, now: datetime) -> bool:
    """Return whether the driver is near.

    Without an ETA, the driver's last activity tells: a flow may have one on the way that we do not
    know, but an arrival without a position must not be missed.
    """
    if state.eta is None:
        return state.has_arrived
    return state.eta - now <= timedelta(minutes=minutes)


def accepts_instructions(recipients: Recipients, state: DeliveryState, now: datetime) -> bool:
    """Return whether the recipient may still give instructions."""
    order, until = state.order, recipients.instructions_until
    if not state.is_ahead or until == "never":
        return False
    if until == "dispatched":
        return order.dispatched_at is None
    if until == "started":
        return order.started_at is None
    return not is_near(state, recipients.near_minutes, now)


def accepts_rating(recipients: Recipients, state: DeliveryState, now: datetime) -> bool:
    """Return whether the recipient may rate the delivery, or change the rating."""
    target = state.stop or state.order
    delivered_at = target.completed_at
    if not recipients.ratings or delivered_at is None or target.undelivered is not None:
        return False
    if now >= delivered_at + RATING_PERIOD:
        return False
    if target.rating is None:
        return True
    return now < datetime.fromisoformat(target.rating.rated_at) + RATING_CHANGE_PERIOD
