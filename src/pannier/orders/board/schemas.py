"""The board in JSON."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.orders.flow import PodMethod
from pannier.orders.schemas import OrderFilters, OrderOut
from pannier.orders.stages import Stage

# So far orders are counted; beyond it, there are just more.
COUNTED = 60


class BoardFilters(OrderFilters, frozen=True, kw_only=True):
    """Which orders stand on the board: those that a list with these filters would have."""

    sortable: ClassVar[tuple[str, ...]] = ()

    limit: Annotated[
        int,
        Meta(ge=1, le=COUNTED, description="Maximum number of cards per column.", examples=[12]),
    ] = 12


class Card(msgspec.Struct, kw_only=True):
    """An order, and what a dispatcher wants to know of it at a glance."""

    order: OrderOut
    late: Annotated[bool, Meta(description="Later than its time window or schedule says.")]
    issues: Annotated[int, Meta(description="Issues about it that are not resolved.")]
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    proofs: Annotated[
        list[PodMethod],
        Meta(description="Proofs that its flow asks for.", examples=[["signature"]]),
    ]


class Column(msgspec.Struct, kw_only=True):
    """Orders that have come equally far, the latest first."""

    stage: Annotated[
        Stage,
        Meta(
            description="`unassigned` and `assigned` are not dispatched yet; `attention` is late, "
            "held or has an issue; `completed` is of the day that `on` names, or of today."
        ),
    ]
    count: Annotated[int, Meta(le=COUNTED, description="How many there are, as far as counted.")]
    more: Annotated[bool, Meta(description="Whether there may be more than that.")]
    cards: list[Card]


class Board(msgspec.Struct):
    """Orders in columns; each order stands in one."""

    columns: list[Column]
