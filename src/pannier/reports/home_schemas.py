"""JSON schemas of the home page."""

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.payments.transactions.schemas import Currency

# The highest exact count. Beyond it, `more` is set.
MAX_COUNT = 1000
CountName = Literal[
    "late",
    "unassigned",
    "failed",
    "on_the_way",
    "completed",
    "refunds_due",
    "held",
    "open_issues",
    "unpriced",
    "disabled_webhooks",
    "silent_devices",
]
Minor = Annotated[int, Meta(description="In whole minor units.", examples=[1496])]


class HomeCount(msgspec.Struct, kw_only=True):
    """A number of records, and the list that contains exactly these."""

    name: CountName
    count: Annotated[int, Meta(ge=0, description="Up to the counting limit.", examples=[3])]
    more: Annotated[bool, Meta(description="Whether there are more than `count`.")]
    path: Annotated[str, Meta(description="The path of the list.", examples=["/v1/orders"])]
    filters: Annotated[
        dict[str, str],
        Meta(description="The query of the list.", examples=[{"late": "true"}]),
    ]


class HomePunctuality(msgspec.Struct, kw_only=True):
    """How many of today's completed orders were on time."""

    completed: Annotated[int, Meta(ge=0, examples=[12])]
    with_window: Annotated[
        int, Meta(ge=0, description="Completed orders with a time window.", examples=[10])
    ]
    on_time: Annotated[
        int, Meta(ge=0, description="Completed before the end of their time window.", examples=[9])
    ]


class HomeMoney(msgspec.Struct, kw_only=True):
    """Today's revenue, and the cash that drivers carry, in one currency."""

    currency: Currency
    revenue: Annotated[
        int,
        Meta(
            description="What was charged today and is owed or paid, in whole minor units. "
            "Voided and refunded amounts are taken out.",
            examples=[1496],
        ),
    ]
    cash_with_drivers: Minor


class Home(msgspec.Struct, kw_only=True):
    """Today's figures, and what needs a decision."""

    day: Annotated[
        date, Meta(description="Today in the company's time zone.", examples=["2026-01-31"])
    ]
    today: Annotated[list[HomeCount], Meta(description="Today's orders.")]
    punctuality: HomePunctuality
    money: Annotated[list[HomeMoney], Meta(description="By currency.")]
    decisions: Annotated[list[HomeCount], Meta(description="Records that need a decision.")]
