"""JSON schemas of the drivers who could take an order."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.orders.schemas import OrderDriverOut, OrderVehicleOut
from pannier.orders.suitability import AssignmentWarning
from pannier.web.times import Time

MAX_CANDIDATES = 100


class CandidateFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters for the drivers who could take an order."""

    query: (
        Annotated[str, Meta(max_length=100, description="Part of a name or a phone number.")] | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=MAX_CANDIDATES, examples=[20])] = 20


class CandidateShiftOut(msgspec.Struct, kw_only=True):
    """A shift of a driver on the order's day."""

    start: Time
    end: Time


class CandidateLoadOut(msgspec.Struct, kw_only=True):
    """The items of a driver's open orders. Unknown weights and sizes count as zero."""

    weight: Annotated[float, Meta(description="Kilograms.", examples=[12.5])]
    volume: Annotated[float, Meta(description="Cubic metres.", examples=[0.4])]
    items: Annotated[int, Meta(description="Number of items.", examples=[7])]


class CandidateOut(msgspec.Struct, kw_only=True):
    """A driver who could take an order."""

    driver: OrderDriverOut
    vehicle: OrderVehicleOut | None
    distance: Annotated[
        int | None,
        Meta(
            description="Metres in a straight line from the driver's last position to the order's "
            "next stop. Null if either is unknown.",
            examples=[1230],
        ),
    ]
    located_at: Annotated[Time | None, Meta(description="The time of the last position.")]
    open_orders: Annotated[int, Meta(description="Open orders of the driver.", examples=[3])]
    load: Annotated[
        CandidateLoadOut | None,
        Meta(
            description="The items of these orders. Null if the listed drivers have more than "
            "10,000 items."
        ),
    ]
    shifts: Annotated[
        list[CandidateShiftOut] | None,
        Meta(description="Shifts on the order's day. Null if the driver works at any time."),
    ]
    warnings: list[AssignmentWarning]
