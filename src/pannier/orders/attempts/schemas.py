"""JSON schemas of failed delivery attempts."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.fleet.schemas import Occurred, PointOut
from pannier.orders.action_schemas import ReportedPoint, ReportedStop
from pannier.orders.fields import ClockSkew, ProofIds, WaypointId
from pannier.orders.flow import AttemptOutcome, Decision
from pannier.web.actors import ActorOut
from pannier.web.identifiers import OrderId
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Time

Remarks = Annotated[str, Meta(max_length=1000, examples=["The bell does not work."])]
ReasonCode = Annotated[str, Meta(min_length=1, max_length=60, examples=["nobody_home"])]
OutcomeField = Annotated[
    AttemptOutcome,
    Meta(
        description="`retry` attempts the delivery again, `return` returns the goods, "
        "`hold` waits for a dispatcher's decision.",
        examples=["retry"],
    ),
]


class AttemptIn(msgspec.Struct, kw_only=True):
    """A failed delivery attempt and its reason."""

    reason: Annotated[
        ReasonCode, Meta(description="The code of one of the order configuration's reasons.")
    ]
    remarks: Annotated[
        Remarks | None, Meta(description="For the company; recipients never see them.")
    ] = None
    waypoint: ReportedStop = None
    location: ReportedPoint = None
    occurred_at: Occurred | None = None
    then: Annotated[
        AttemptOutcome | None,
        Meta(
            description="Overrides what the reason defines as the next step. Not for drivers.",
            examples=[None],
        ),
    ] = None


class DecisionIn(msgspec.Struct, kw_only=True):
    """The decision after a failed delivery attempt."""

    then: Annotated[Decision, Meta(description="`retry` or `return`.", examples=["retry"])]
    waypoint: Annotated[
        WaypointId | None,
        Meta(description="The stop to decide about. Defaults to the only one that waits."),
    ] = None


class DeliveryAttemptOut(ResourceOut, kw_only=True):
    """A failed delivery attempt."""

    id: Annotated[str, Meta(examples=["attempt_6tGv2NsX9qKd4WbY"])]
    order: OrderId
    waypoint: Annotated[WaypointId | None, Meta(description="The stop, if the order has several.")]
    number: Annotated[
        int,
        Meta(description="The number of the attempt at this stop, starting at 1.", examples=[1]),
    ]
    reason: ReasonCode
    label: Annotated[
        str,
        Meta(
            description="The reason's label at that time.",
            examples=["Recipient not available"],
        ),
    ]
    remarks: Remarks | None
    then: OutcomeField
    decided_at: Annotated[Time | None, Meta(description="Time of the decision, if there was one.")]
    occurred_at: Annotated[
        Time, Meta(description="Time of the attempt; `created_at` is the time of arrival.")
    ]
    clock_skew: ClockSkew
    location: PointOut | None
    proofs: ProofIds
    actor: Annotated[ActorOut, Meta(description="The actor that reported the failed attempt.")]


class AttemptFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing failed attempts."""
