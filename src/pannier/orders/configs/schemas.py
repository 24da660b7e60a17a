"""JSON schemas of order configurations."""

from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.kit.wording import MESSAGE
from pannier.orders.activities import Activity
from pannier.orders.models import ConfigStatus, ConfigVersion, OrderConfig
from pannier.orders.reasons import FailureReason
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Given
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time

Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Cold chain"])]
Key = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9][a-z0-9-]{0,59}\Z",
        examples=["cold-chain"],
        extra={
            MESSAGE: "must have 1 to 60 lower-case letters, digits and hyphens, such as cold-chain."
        },
    ),
]
Text = Annotated[str, Meta(max_length=2000)]
Activities = Annotated[
    list[Activity],
    Meta(
        description="The activities after created, dispatched and started, which every flow has.",
        examples=[
            [
                {"code": "enroute", "status": "On the way", "next": ["handed_over"]},
                {
                    "code": "handed_over",
                    "status": "Handed over",
                    "complete": True,
                    "require_pod": True,
                    "pod_method": "signature",
                },
            ]
        ],
    ),
]
Subflows = Annotated[
    dict[str, list[Activity]],
    Meta(max_length=50, description="Stop flows, by name."),
]

FailureReasons = Annotated[
    list[FailureReason],
    Meta(
        description="Reasons for failed attempts, and what happens next. There are "
        "default reasons.",
        examples=[[{"code": "refused", "label": "Delivery refused", "then": "return"}]],
    ),
]


class OrderConfigIn(msgspec.Struct, kw_only=True):
    """A new order configuration."""

    accepts: ClassVar = ACCEPTED["order configuration"]
    name: Name
    flow: Activities
    key: Annotated[Key | None, Meta(description="Defaults to a key derived from the name.")] = None
    description: Text = ""
    status: ConfigStatus = "active"
    subflows: Subflows = msgspec.field(default_factory=dict)
    failure_reasons: FailureReasons = msgspec.field(default_factory=list)
    meta: dict[str, Any] = msgspec.field(default_factory=dict)


class OrderConfigChange(msgspec.Struct, kw_only=True):
    """Changes to an order configuration. Omitted fields stay."""

    accepts: ClassVar = ACCEPTED["order configuration"]
    name: Given[Name] = UNSET
    flow: Given[Activities] = UNSET
    description: Given[Text] = UNSET
    status: Given[ConfigStatus] = UNSET
    subflows: Given[Subflows] = UNSET
    failure_reasons: Given[FailureReasons] = UNSET
    meta: Given[dict[str, Any]] = UNSET


class OrderConfigOut(ResourceOut, kw_only=True):
    """An order configuration."""

    id: Annotated[str, Meta(examples=["order_config_7hJw2LsQ9pXe4VbN"])]
    key: Key
    name: Name
    description: Text
    status: ConfigStatus
    flow: Activities
    subflows: Subflows
    failure_reasons: FailureReasons
    flow_version: Annotated[
        int, Meta(description="Increases with every change to a flow or reason.")
    ]
    meta: dict[str, Any]

    @classmethod
    def from_row(cls, row: OrderConfig) -> Self:
        return to_schema(row, cls)


class OrderConfigVersionOut(msgspec.Struct, kw_only=True):
    """The flow of a configuration in one version."""

    order_config: Annotated[str, Meta(examples=["order_config_7hJw2LsQ9pXe4VbN"])]
    number: Annotated[int, Meta(description="The version's `flow_version`.", examples=[3])]
    flow: Activities
    subflows: Subflows
    failure_reasons: FailureReasons
    created_at: Time

    @classmethod
    def from_version(cls, config: OrderConfig, version: ConfigVersion) -> Self:
        return to_schema(version, cls, order_config=config.public_id)


class OrderConfigFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing order configurations."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name", "key")

    query: Annotated[str | None, Meta(description="Search text for name and key.")] = None
    key: Annotated[str | None, Meta(description="Filter by key.")] = None
    status: Annotated[ConfigStatus | None, Meta(description="Filter by status.")] = None


accept_response_fields(OrderConfigChange, OrderConfigOut)
