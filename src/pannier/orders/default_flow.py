"""The flow of the order configuration that every company starts with."""

from typing import Final

from pannier.orders.activities import Activity
from pannier.orders.flow import COMPLETED

# Both may be skipped.
PICKUP_STEPS: Final = (
    Activity(
        code="arrived_at_pickup",
        status="Arrived at pickup",
        details="The driver is at the pickup.",
        at="pickup",
        next=("collected",),
    ),
    Activity(
        code="collected",
        status="Collected",
        details="The goods are on board.",
        at="pickup",
        next=("enroute",),
    ),
)
DEFAULT: Final = (
    *PICKUP_STEPS,
    Activity(
        code="enroute", status="En route", details="The driver is en route.", next=(COMPLETED,)
    ),
    Activity(code=COMPLETED, status="Completed", details="The order was delivered.", complete=True),
)
