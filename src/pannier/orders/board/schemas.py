"""JSON schemas of the dispatch board."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.orders.activities import PodMethod
from pannier.orders.driver_days.schemas import Forecast
from pannier.orders.filters import OrderFilters
from pannier.orders.schemas import OrderOut
from pannier.orders.stages import Stage

# The highest exact count of a column. Beyond it, `more` is set.
MAX_COUNT = 60


class BoardFilters(OrderFilters, frozen=True, kw_only=True):
    """Filters of the board, the same as for listing orders."""

    sortable: ClassVar[tuple[str, ...]] = ()

    limit: Annotated[
        int,
        Meta(ge=1, le=MAX_COUNT, description="Maximum number of cards per column.", examples=[12]),
    ] = 12


class Card(msgspec.Struct, kw_only=True):
    """An order with the facts that a dispatcher needs at a glance."""

    order: OrderOut
    late: Annotated[
        bool, Meta(description="Whether the order is later than its time window or schedule.")
    ]
    forecast: Annotated[
        Forecast | None,
        Meta(description="Whether it will be late, by the last ETAs. Null while they are unknown."),
    ]
    issues: Annotated[int, Meta(description="Unresolved issues about the order.")]
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    proofs: Annotated[
        list[PodMethod],
        Meta(description="Proof methods that its flow requires.", examples=[["signature"]]),
    ]
    captured: Annotated[
        list[str],
        Meta(
            description="Methods of the proofs that were captured. `override` if an operator "
            "skipped one.",
            examples=[["photo"]],
        ),
    ]


class BoardStageColumn(msgspec.Struct, kw_only=True):
    """The orders of one stage, newest first."""

    stage: Annotated[
        Stage,
        Meta(
            description="`unassigned` and `assigned` orders are not dispatched yet. Orders under "
            "`attention` are late, held or have an issue. `completed` orders are those of the day "
            "`on`, by default today."
        ),
    ]
    count: Annotated[
        int, Meta(le=MAX_COUNT, description="Number of orders, up to the counting limit.")
    ]
    more: Annotated[bool, Meta(description="Whether there may be more orders than `count`.")]
    cards: list[Card]


class Board(msgspec.Struct):
    """Orders in columns. Each order appears once."""

    columns: list[BoardStageColumn]
