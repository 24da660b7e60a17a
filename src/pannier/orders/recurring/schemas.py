"""JSON of recurring orders."""

from datetime import date
from typing import Annotated, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.db import CreatedPageIn, PageIn
from pannier.orders.recurring.models import (
    DayState,
    RecurrenceStatus,
    RecurringDay,
    RecurringOrder,
)
from pannier.orders.recurring.rules import MAX_RULE_LENGTH, describe_rule, parse_rule
from pannier.orders.templates.schemas import OrderTemplateId, SourceOrder, TemplateName
from pannier.web.fields import Given
from pannier.web.identifiers import OrderId, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Day, Time, to_rfc3339

MAX_LEAD_DAYS = 30

RecurringOrderId = Annotated[str, identifier("recurring_order_2hVq7YtB4mXk9RnC", max_length=100)]
RuleText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_RULE_LENGTH,
        description="The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), "
        "`INTERVAL`, `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.",
        examples=["FREQ=WEEKLY;BYDAY=MO,TH"],
    ),
]
StartDay = Annotated[
    Day, Meta(description="The first day that the rule may match, and where intervals begin.")
]
LeadDays = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_LEAD_DAYS,
        description="How many days before its day an order is created, at midnight in the "
        "company's time zone.",
        examples=[1],
    ),
]
RuleDescription = Annotated[
    str, Meta(description="The rule in words.", examples=["Every week on Monday, Thursday"])
]
TemplateRef = Annotated[OrderTemplateId, Meta(description="The template of the orders.")]


class RecurringOrderIn(msgspec.Struct, kw_only=True):
    """A new recurring order, from a template or from an order that is saved as one."""

    example: ClassVar = {
        "name": "Bakery, mornings",
        "order": "order_5uJr2EwZ7bQx9KmT",
        "rule": "FREQ=WEEKLY;BYDAY=MO,TH",
    }
    name: TemplateName
    template: TemplateRef | None = None
    order: SourceOrder | None = None
    rule: RuleText
    starts_on: Annotated[Day, Meta(description="Defaults to today.")] | None = None
    lead_days: LeadDays = 1


class RecurringOrderChange(msgspec.Struct, kw_only=True):
    """Changes to a recurring order. Omitted fields stay. Created orders are not changed."""

    name: Given[TemplateName] = UNSET
    template: Given[TemplateRef] = UNSET
    rule: Given[RuleText] = UNSET
    starts_on: Given[StartDay] = UNSET
    lead_days: Given[LeadDays] = UNSET


class RecurringOrderFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing recurring orders."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")

    query: (
        Annotated[str, Meta(max_length=100, description="A part of the name.", examples=["bakery"])]
        | None
    ) = None


class RecurringOrderOut(ResourceOut, kw_only=True):
    """A recurring order."""

    id: RecurringOrderId
    name: TemplateName
    template: TemplateRef | None
    rule: RuleText
    description: RuleDescription
    starts_on: StartDay
    lead_days: LeadDays
    status: Annotated[
        RecurrenceStatus,
        Meta(description="`finished`: the rule has no more days; `ended`: by a person."),
    ]
    paused_at: Time | None
    ended_at: Time | None
    next_day: Annotated[Day | None, Meta(description="The next day without an order.")]
    next_creation_at: Annotated[
        Time | None, Meta(description="When the order of that day is created.")
    ]

    @classmethod
    def from_row(cls, row: RecurringOrder, template: str | None) -> Self:
        """Build the output. `template` is the template's public id."""
        return to_schema(
            row,
            cls,
            template=template,
            description=describe_rule(parse_rule(row.rule)),
            status=row.status,
            next_creation_at=to_rfc3339(row.due_at),
        )


class RecurringDayIn(msgspec.Struct, kw_only=True):
    """A day of a recurring order."""

    example: ClassVar = {"day": "2026-02-02"}
    day: Day


class RecurringDayFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters for listing days."""

    sortable: ClassVar[tuple[str, ...]] = ("day",)


class RecurringDayOut(msgspec.Struct, kw_only=True):
    """What happened to one day of a recurring order."""

    day: Day
    state: Annotated[
        DayState,
        Meta(
            description="`refused`: its order could not be created; `missed`: the day was over "
            "before the worker could create it."
        ),
    ]
    order: OrderId | None
    reason: Annotated[
        str | None,
        Meta(description="Why the order was refused.", examples=["There is no such contact."]),
    ]
    created_at: Time

    @classmethod
    def from_row(cls, row: RecurringDay) -> Self:
        return to_schema(row, cls, order=row.order_id)


class RulePreviewIn(msgspec.Struct, kw_only=True):
    """A rule to try."""

    example: ClassVar = {"rule": "FREQ=MONTHLY;BYMONTHDAY=-1"}
    rule: RuleText
    starts_on: Annotated[Day, Meta(description="Defaults to today.")] | None = None


class RuleDatesOut(msgspec.Struct, kw_only=True):
    """A rule and its next days."""

    rule: RuleText
    description: RuleDescription
    days: Annotated[
        list[date], Meta(description="The next days, at most ten.", examples=[["2026-02-02"]])
    ]
