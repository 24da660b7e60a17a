"""JSON of alerts."""

from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.alerts.kinds import AlertRule, AlertRuleChange
from pannier.alerts.models import AlertKind, AlertRow
from pannier.db import PageIn
from pannier.web.fields import Given
from pannier.web.identifiers import AnyOf, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time

AlertId = Annotated[str, identifier("alert_4hTq9ZnB2cXw7KpV", max_length=64)]
Subject = Annotated[
    str,
    Meta(
        max_length=100,
        description="Public id of the order, driver, device, vehicle or webhook.",
        examples=["order_5uJr2EwZ7bQx9KmT"],
    ),
]


class AlertFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing alerts."""

    sortable: ClassVar[tuple[str, ...]] = ("raised_at",)

    kind: AnyOf[AlertKind] = None
    open: Annotated[
        bool | None, Meta(description="Whether the cause continues.", examples=[True])
    ] = None
    unread: Annotated[
        bool | None,
        Meta(description="Whether it is open, in your list, and not read by you."),
    ] = None
    subject: Subject | None = None


class AlertOut(ResourceOut, kw_only=True):
    """An alert about a record."""

    id: AlertId
    kind: AlertKind
    subject: Subject
    occurrences: Annotated[
        int, Meta(description="How often the cause has occurred since the alert was opened.")
    ]
    details: Annotated[
        dict[str, Any],
        Meta(description="What is known about the cause.", examples=[{"reason": "Nobody home"}]),
    ]
    raised_at: Annotated[Time, Meta(description="Time of the latest cause.")]
    closed_at: Annotated[Time | None, Meta(description="When the cause ended.")]
    acknowledged_at: Annotated[
        Time | None, Meta(description="When an operator began to take care of it.")
    ]
    acknowledged_by: Annotated[
        str | None, Meta(description="The operator's name.", examples=["Grace Hopper"])
    ]

    @classmethod
    def from_row(cls, row: AlertRow) -> Self:
        return to_schema(row, cls)


class ReadIn(msgspec.Struct, kw_only=True):
    """Which alerts to mark as read."""

    example: ClassVar = {"until": "2026-01-15T12:00:00Z"}
    until: Annotated[
        Moment | None,
        Meta(description="Only alerts raised up to then, such as those that you have seen."),
    ] = None


class UnreadOut(msgspec.Struct):
    """The number of unread alerts in the operator's list."""

    count: Annotated[int, Meta(description="At most 99.", examples=[3])]
    more: Annotated[bool, Meta(description="Whether there are more than `count`.")]
    announced: Annotated[
        bool, Meta(description="Whether your rules announce any kind on the desktop or by a sound.")
    ]


class AlertRulesOut(msgspec.Struct):
    """How the operator hears of each kind of alert."""

    sos: AlertRule
    delivery_failed: AlertRule
    late: AlertRule
    temperature: AlertRule
    device_silent: AlertRule
    webhook_disabled: AlertRule


class AlertRulesChange(msgspec.Struct, kw_only=True):
    """Changed rules. Omitted kinds and fields stay."""

    example: ClassVar = {"sos": {"desktop": True, "sound": True}, "device_silent": {"list": False}}
    sos: Given[AlertRuleChange] = UNSET
    delivery_failed: Given[AlertRuleChange] = UNSET
    late: Given[AlertRuleChange] = UNSET
    temperature: Given[AlertRuleChange] = UNSET
    device_silent: Given[AlertRuleChange] = UNSET
    webhook_disabled: Given[AlertRuleChange] = UNSET
