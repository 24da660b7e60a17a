"""JSON schemas of tracking numbers and statuses."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.fleet.schemas import AnyPoint, PointOut
from pannier.kit.wording import MESSAGE
from pannier.orders.fields import ClockSkew, Own, TrackingUrl
from pannier.payloads.models import SubjectType
from pannier.web.actors import ActorOut
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId, OrderReference
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Moment, Time

NumberId = Annotated[str, Meta(max_length=100, examples=["track_2rWd8NzQ5vTj0KcL"])]
Number = Annotated[str, Meta(max_length=60, examples=["ACM-7K4M-2XQ9-3TBC"])]
StatusId = Annotated[str, Meta(max_length=100, examples=["status_6gKx3HvD0rMc8YsE"])]
Code = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        pattern=r"^\w+\Z",
        examples=["customs_cleared"],
        extra={MESSAGE: "must be letters, digits and underscores, such as customs_cleared."},
    ),
]
Words = Annotated[str, Meta(min_length=1, max_length=200, examples=["Cleared by customs"])]
Details = Annotated[str, Meta(max_length=2000, examples=["Released to the carrier."])]
PlaceId = Annotated[str, Meta(max_length=100, examples=["place_8KfR2yLq0VbN6wTd"])]
AnyNumber = Annotated[
    str,
    Meta(
        max_length=100,
        description="A tracking number, or its identifier.",
        examples=["ACM-7K4M-2XQ9-3TBC"],
    ),
]
Picture = Annotated[str, Meta(description="A PNG image, in base64.", examples=["iVBORw0KGgo="])]


class StatusOut(ResourceOut, kw_only=True):
    """An entry in the history of an order or of one of its stops."""

    id: StatusId
    tracking: Number
    tracking_number: Annotated[Number, former_name("tracking")]
    order: OrderId
    code: Code
    status: Words
    details: Details
    complete: bool
    place: PlaceId | None
    address: Annotated[str | None, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    city: str | None
    province: str | None
    postal_code: str | None
    country: str | None
    location: PointOut | None
    manual: Annotated[bool, Meta(description="Whether the status was added manually.")]
    actor: Annotated[ActorOut, Meta(description="The actor.")]
    occurred_at: Annotated[
        Time, Meta(description="Time of the event; `created_at` is the time of recording.")
    ]
    clock_skew: ClockSkew
    meta: Own


class NumberOut(ResourceOut, kw_only=True):
    """A tracking number with its latest status."""

    id: NumberId
    tracking: Number
    tracking_number: Annotated[Number, former_name("tracking")]
    order: OrderId
    type: Annotated[SubjectType, Meta(description="The type of the subject.")]
    subject: Annotated[str, Meta(examples=["order_5uJr2EwZ7bQx9KmT"])]
    region: Annotated[str | None, Meta(examples=["SG"])]
    status: Annotated[str | None, Meta(description="The latest status.", examples=["On the way"])]
    status_code: Annotated[str | None, Meta(examples=["enroute"])]
    tracking_url: TrackingUrl


class NumberDetailsOut(NumberOut, kw_only=True):
    """A tracking number with its history and label pictures."""

    statuses: list[StatusOut]
    qr_code: Picture
    barcode: Picture


class NumberFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing tracking numbers."""

    order: OrderReference | None = None
    type: SubjectType | None = None
    tracking: Number | None = None
    tracking_number: Annotated[Given[Number], former_name("tracking")] = UNSET


class StatusFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing tracking statuses."""

    query: Annotated[str, Meta(max_length=200, examples=["customs"])] | None = None
    order: OrderReference | None = None
    tracking: AnyNumber | None = None
    tracking_number: Annotated[Clearable[AnyNumber], former_name("tracking")] = UNSET
    code: Code | None = None
    since: Moment | None = None
    until: Moment | None = None


class StatusIn(msgspec.Struct, kw_only=True):
    """A manual status of an order, or of the stop or item with a tracking number."""

    accepts: ClassVar = ACCEPTED["tracking status"]
    code: Code
    status: Words
    details: Details = ""
    order: OrderReference | None = None
    tracking: AnyNumber | None = None
    tracking_number: Annotated[Clearable[AnyNumber], former_name("tracking")] = UNSET
    place: PlaceId | None = None
    location: AnyPoint | None = None
    latitude: Annotated[float | None, Meta(examples=[None])] = None
    longitude: Annotated[float | None, Meta(examples=[None])] = None
    complete: Annotated[bool, Meta(examples=[False])] = False
    meta: Own | None = None


class StatusChange(msgspec.Struct, kw_only=True):
    """Changes to a manual status. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["tracking status"]
    code: Given[Code] = UNSET
    status: Given[Words] = UNSET
    details: Given[Details] = UNSET
    location: Clearable[AnyPoint] = UNSET
    meta: Given[Own] = UNSET


class ScannedIn(msgspec.Struct):
    """The text of a scanned label."""

    code: Annotated[str, Meta(min_length=1, max_length=200, examples=["ACM-7K4M-2XQ9-3TBC"])]


accept_response_fields(StatusChange, StatusOut)
