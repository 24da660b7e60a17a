"""Orders in JSON."""

from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.fleet.schemas import AnyPoint, DriverId, Occurred, VehicleId
from pannier.orders.flow import PodMethod
from pannier.orders.models import Order, PartnerType, PriceStatus
from pannier.orders.quotes.schemas import QuoteName
from pannier.payloads.models import CodMethod
from pannier.payloads.schemas import (
    Amount,
    Currency,
    Entities,
    HandoverChange,
    HandoverOut,
    Notes,
    PayloadChange,
    PayloadIn,
    PayloadOut,
    Waypoints,
)
from pannier.places.schemas import PlaceObject
from pannier.routing.route import Route, Source
from pannier.web.ancestor import ACCEPTED, OBJECT, accept_answer
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import OrderId, identifier
from pannier.web.spelling import spelled
from pannier.web.times import Day, Moment, Time

ConfigName = Annotated[
    str,
    identifier(
        "transport",
        "An order configuration by identifier or key; the default one, if left out.",
        most=100,
    ),
]
InternalId = Annotated[
    str, Meta(max_length=200, description="The company's own number.", examples=["SO-2041"])
]
WaypointId = Annotated[str, identifier("waypoint_1mBf6XvR8dNs3TgH", most=100)]
PayloadId = Annotated[str, identifier("payload_9pTy4CzK2hWq7JrA", most=100)]
PlaceId = Annotated[str, identifier("place_8KfR2yLq0VbN6wTd", most=100)]
ContactId = Annotated[
    str,
    identifier("contact_4DnWc7ZsPq1XhJ9e", "A contact or vendor, by its identifier.", most=100),
]
VendorId = Annotated[
    str, identifier("vendor_7TgYb3MxKs5RvL0a", "A vendor or contact, by its identifier.", most=100)
]
PlaceGiven = Annotated[
    str | dict[str, Any] | list[Any],
    Meta(
        description="A place: an identifier, an address as text or object, or a point.",
        examples=["1 Raffles Place, Singapore 048616"],
        extra={OBJECT: PlaceObject},
    ),
]
Metres = Annotated[int, Meta(ge=1, le=1_000_000, description="Metres.", examples=[6000])]
RouteSource = Annotated[
    Source,
    Meta(description="Who measured the way: a routing engine, or great circles with a detour."),
]
Own = Annotated[
    dict[str, Any],
    Meta(
        description="Whatever the company wants to keep, up to 16 KiB.", examples=[{"shift": "am"}]
    ),
]
AnyName = Annotated[str, Meta(max_length=200, examples=["order_5uJr2EwZ7bQx9KmT"])]
Status = Annotated[str, Meta(max_length=60, examples=["dispatched"])]
ClockSkew = Annotated[
    int | None,
    Meta(
        description="Seconds by which the device's clock was beyond what can be.", examples=[None]
    ),
]
ProofsThere = Annotated[
    list[str],
    Meta(
        description="Proofs that were captured there, by public id.",
        examples=[["proof_3VqWm8NxL2aKd7Jc"]],
    ),
]
TrackingUrl = Annotated[
    str,
    Meta(
        description="The page on which the recipient follows it, to be handed to nobody else.",
        examples=["https://pannier.example.com/t/ACM-7K4M-2XQ9-3TBC?k=mfzq4x7n2kdtrb5"],
    ),
]


DriverNamed = Annotated[
    str | dict[str, Any],
    Meta(
        description="Another name of `driver`; the object that an order shows works too.",
        examples=["driver_4kQ8ZpL0sVxYt2Wn"],
    ),
]
FacilitatorNamed = (
    VendorId | Annotated[dict[str, Any], Meta(description="The object that an order shows.")]
)
VehicleNamed = Annotated[
    str | dict[str, Any],
    Meta(
        description="Another name of `vehicle`; the object that an order shows works too.",
        examples=["vehicle_7cRw1TfM9hJb3XdE"],
    ),
]
NewStatus = Annotated[
    str, Meta(max_length=60, description="A new order is `created`.", examples=["created"])
]
PresentStatus = Annotated[
    str,
    Meta(
        max_length=60,
        description="Only the present one: actions change it.",
        examples=["created"],
    ),
]


PresentQuote = Annotated[
    str, Meta(max_length=600, description="Only the present one: accepting a quote changes it.")
]
DispatchNow = Annotated[
    bool, Meta(description="Only `false`: the dispatch action does it.", examples=[False])
]


PartnerName = Annotated[str, Meta(max_length=64)]


class Person(msgspec.Struct, kw_only=True):
    """Somebody whom an order is for: a contact by `id`, the one described, or a new one.

    With an `id`, the contact stays as it is.
    """

    accepts: ClassVar = ACCEPTED["person"]
    id: Given[ContactId] = UNSET
    # As an order shows them; the `id` beside them decides.
    public_id: Given[PartnerName] = UNSET
    uuid: Given[PartnerName] = UNSET
    name: Given[Annotated[str, Meta(min_length=1, max_length=200, examples=["Ada Lovelace"])]] = (
        UNSET
    )
    internal_id: Clearable[Annotated[str, Meta(max_length=100)]] = UNSET
    title: Clearable[Annotated[str, Meta(max_length=100)]] = UNSET
    email: Clearable[Annotated[str, Meta(max_length=254)]] = UNSET
    phone: Clearable[Annotated[str, Meta(max_length=64)]] = UNSET
    locale: Clearable[Annotated[str, Meta(min_length=2, max_length=35)]] = UNSET
    meta: Given[Own] = UNSET


class OrderIn(msgspec.Struct, kw_only=True):
    """A new order: a payload by identifier, a payload inline, or its parts at the top."""

    accepts: ClassVar = ACCEPTED["new order"]
    example: ClassVar = {
        "pickup": "1 Raffles Place, Singapore 048616",
        "dropoff": {"street1": "80 Mandai Lake Road", "city": "Singapore", "country": "SG"},
        "entities": [{"name": "Coffee machine", "sku": "CM-200-BLK", "weight": 4.2}],
        "customer": {"name": "Ada Lovelace", "phone": "+6591234567"},
        "notes": "Ring twice.",
    }
    order_config: ConfigName | None = None
    type: ConfigName | None = None
    internal_id: InternalId | None = None
    payload: PayloadId | PayloadIn | None = None
    pickup: PlaceGiven | None = None
    dropoff: PlaceGiven | None = None
    return_: PlaceGiven | None = msgspec.field(default=None, name="return")
    waypoints: Waypoints | None = None
    entities: Entities | None = None
    customer: ContactId | Person | None = None
    facilitator: FacilitatorNamed | None = None
    driver: DriverId | None = None
    driver_assigned: Clearable[DriverNamed] = UNSET
    vehicle: VehicleId | None = None
    vehicle_assigned: Clearable[VehicleNamed] = UNSET
    cod_amount: Clearable[Amount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET
    status: NewStatus | None = None
    adhoc: bool = False
    adhoc_distance: Metres | None = None
    pod_required: bool = False
    pod_method: PodMethod | None = None
    scheduled_at: Moment | None = None
    time_window_start: Moment | None = None
    time_window_end: Moment | None = None
    notes: Notes | None = None
    meta: Own | None = None
    service_quote: (
        Annotated[QuoteName, Meta(description="A signed quote to accept for it.")] | None
    ) = None
    dispatch: Annotated[bool, Meta(description="Dispatch it at once.", examples=[False])] = False


class OrderChange(HandoverChange, kw_only=True):
    """What may change of an order: a field left out stays, null clears."""

    accepts: ClassVar = ACCEPTED["order"]
    order_config: Given[ConfigName] = UNSET
    type: Given[ConfigName] = UNSET
    internal_id: Clearable[InternalId] = UNSET
    payload: Given[PayloadId | PayloadChange] = UNSET
    pickup: Given[PlaceGiven] = UNSET
    dropoff: Given[PlaceGiven] = UNSET
    return_: Clearable[PlaceGiven] = msgspec.field(default=UNSET, name="return")
    waypoints: Given[Waypoints] = UNSET
    entities: Given[Entities] = UNSET
    customer: Clearable[ContactId | Person] = UNSET
    facilitator: Clearable[FacilitatorNamed] = UNSET
    driver: Clearable[DriverId] = UNSET
    driver_assigned: Clearable[DriverNamed] = UNSET
    vehicle: Clearable[VehicleId] = UNSET
    vehicle_assigned: Clearable[VehicleNamed] = UNSET
    cod_amount: Clearable[Amount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET
    status: Given[PresentStatus] = UNSET
    service_quote: Clearable[PresentQuote] = UNSET
    dispatch: Given[DispatchNow] = UNSET
    adhoc: Given[bool] = UNSET
    adhoc_distance: Clearable[Metres] = UNSET
    scheduled_at: Clearable[Moment] = UNSET
    meta: Clearable[Own] = UNSET


class PartnerOut(msgspec.Struct, kw_only=True):
    """Whom an order is for, or who carries it out."""

    id: str
    uuid: UUID
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    email: str | None
    phone: str | None
    type: PartnerType


class DriverOf(msgspec.Struct, kw_only=True):
    """Who carries an order."""

    id: DriverId
    uuid: UUID
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    phone: str
    online: bool


class VehicleOf(msgspec.Struct, kw_only=True):
    """What carries an order."""

    id: VehicleId
    uuid: UUID
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    make: str | None
    model: str | None


class NumberOf(msgspec.Struct, kw_only=True):
    """The tracking number of an order."""

    id: Annotated[str, Meta(examples=["track_2rWd8NzQ5vTj0KcL"])]
    uuid: UUID
    tracking_number: Annotated[str, Meta(examples=["ACM-7K4M-2XQ9-3TBC"])]


class OrderOut(HandoverOut, kw_only=True):
    """An order."""

    id: OrderId
    internal_id: InternalId | None
    order_config: Annotated[str, Meta(examples=["order_config_7hJw2LsQ9pXe4VbN"])]
    type: Annotated[str, Meta(examples=["transport"])]
    status: Status
    payload: PayloadOut
    current_waypoint: WaypointId | None
    customer: PartnerOut | None
    customer_type: PartnerType | None
    facilitator: PartnerOut | None
    facilitator_type: PartnerType | None
    driver_assigned: DriverOf | None
    vehicle_assigned: VehicleOf | None
    tracking_number: NumberOf
    dispatched: bool
    started: bool
    adhoc: bool
    adhoc_distance: Metres | None
    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    route_source: RouteSource | None
    service_quote: Annotated[
        str | None, Meta(description="The one accepted.", examples=["quote_9XcVb2NmQ4wErT7y"])
    ]
    transaction: Annotated[
        str | None,
        Meta(
            description="The first one; `GET /v1/transactions?order=` lists all.",
            examples=["transaction_6QdXr1MtL8zKpW4c"],
        ),
    ]
    price_status: Annotated[
        PriceStatus,
        Meta(
            description="`unpriced`: no price, so nothing is owed; `priced`: it has quotes to "
            "choose from; `accepted`: a quote was accepted and is owed."
        ),
    ]
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None
    cancel_reason: str | None
    meta: Own

    @classmethod
    def of(cls, row: Order, **more: object) -> Self:
        """Spell an order; what it points at stands beside it."""
        return spelled(
            row,
            cls,
            dispatched=row.dispatched_at is not None,
            started=row.started_at is not None,
            **more,
        )


class OrderFilters(PageIn, frozen=True, kw_only=True):
    """How orders are listed."""

    query: (
        Annotated[
            str,
            Meta(
                max_length=200,
                description="Looked for in numbers, notes and the customer's name; "
                "of a tracking number how it begins is enough.",
                examples=["SO-2041"],
            ),
        ]
        | None
    ) = None
    id: (
        Annotated[
            list[AnyName],
            Meta(
                max_length=100,
                description="Any of these, by identifier, tracking number "
                "or the company's own number.",
            ),
        ]
        | None
    ) = None
    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None
    type: Annotated[str | None, Meta(description="The configuration's key.")] = None
    order_config: ConfigName | None = None
    internal_id: InternalId | None = None
    driver: Annotated[DriverId | None, Meta(description="Assigned to this driver.")] = None
    vehicle: Annotated[VehicleId | None, Meta(description="Assigned to this vehicle.")] = None
    customer: ContactId | None = None
    facilitator: VendorId | None = None
    payload: PayloadId | None = None
    pickup: Annotated[PlaceId | None, Meta(description="Collected at this place.")] = None
    dropoff: Annotated[PlaceId | None, Meta(description="Delivered to this place.")] = None
    tracking: (
        Annotated[
            str,
            Meta(
                max_length=60,
                description="The tracking number of the order, a stop or an item.",
                examples=["ACM-7K4M-2XQ9-3TBC"],
            ),
        ]
        | None
    ) = None
    price_status: Annotated[list[PriceStatus] | None, Meta(description="Any of these.")] = None
    pod_required: bool | None = None
    adhoc: bool | None = None
    dispatched: bool | None = None
    started: bool | None = None
    active: Annotated[bool | None, Meta(description="Dispatched, and still open.")] = None
    unassigned: Annotated[bool | None, Meta(description="Without a driver.")] = None
    scheduled: Annotated[bool | None, Meta(description="Whether it dispatches itself.")] = None
    attention: Annotated[
        bool | None,
        Meta(description="Open, and late, held or with an issue that is not resolved."),
    ] = None
    on: Annotated[
        Day | None,
        Meta(
            description="Scheduled for this day in the company's time zone, "
            "or created on it when not scheduled."
        ),
    ] = None
    today: Annotated[
        bool | None,
        Meta(
            description="Open, and under way or due by the end of today in the company's time "
            "zone: by its schedule or time window, if it has one."
        ),
    ] = None
    since: Annotated[Moment | None, Meta(description="Created at or after this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Created before this moment.")] = None
    scheduled_since: Moment | None = None
    scheduled_until: Moment | None = None


class ScheduleIn(msgspec.Struct):
    """When an order dispatches itself: a moment, or a date with a time in a time zone.

    The zone is the company's when none is given.
    """

    accepts: ClassVar = ACCEPTED["action"]
    scheduled_at: Clearable[Moment] = UNSET
    date: Day | None = None
    time: Annotated[str, Meta(pattern=r"^\d{1,2}:\d{2}(:\d{2})?\Z")] | None = None
    timezone: Annotated[str, Meta(max_length=60)] | None = None


class AssignIn(msgspec.Struct):
    """Who carries an order; null takes the driver off."""

    accepts: ClassVar = ACCEPTED["action"]
    driver: DriverId | None
    vehicle: Annotated[
        Clearable[VehicleId], Meta(description="The driver's own, when left out.")
    ] = UNSET


class DispatchIn(msgspec.Struct):
    """Handing an order out."""

    accepts: ClassVar = ACCEPTED["action"]
    driver: Annotated[DriverId | None, Meta(description="Assigned first.")] = None


class CompleteIn(msgspec.Struct):
    """When the order was completed."""

    accepts: ClassVar = ACCEPTED["action"]
    occurred_at: Occurred | None = None


class StartIn(msgspec.Struct):
    """Beginning the journey."""

    accepts: ClassVar = ACCEPTED["action"]
    skip_dispatch: Annotated[
        bool, Meta(description="Dispatch it first, if that has not happened.", examples=[False])
    ] = False
    assign: Annotated[DriverId | None, Meta(description="Assigned first.", examples=[None])] = None
    occurred_at: Occurred | None = None


# Where something happened, as whoever tells it says.
StopOfIt = Annotated[
    WaypointId | None, Meta(description="The stop it happened at; the present one if left out.")
]
PlaceOfIt = Annotated[
    AnyPoint | None,
    Meta(description="Where it happened, as a point; the driver's position if left out."),
]


class ActivityNamed(msgspec.Struct):
    """An activity, such as `next-activity` answers; its code alone is read."""

    takes_any_name: ClassVar = True
    code: Annotated[str, Meta(max_length=60, examples=["enroute"])]


class ActivityIn(msgspec.Struct):
    """What happened."""

    accepts: ClassVar = ACCEPTED["activity report"]
    activity: Annotated[str, Meta(max_length=60, examples=["enroute"])] | ActivityNamed
    waypoint: StopOfIt = None
    location: PlaceOfIt = None
    skip_dispatch: Annotated[bool, Meta(examples=[False])] = False
    occurred_at: Occurred | None = None

    @property
    def code(self) -> str:
        """The activity's code, however it was sent."""
        return self.activity if isinstance(self.activity, str) else self.activity.code


class CancelIn(msgspec.Struct):
    """Why an order is cancelled."""

    accepts: ClassVar = ACCEPTED["action"]
    reason: (
        Annotated[str, Meta(max_length=2000, examples=["The customer changed their mind."])] | None
    ) = None


class DemandOut(msgspec.Struct):
    """A proof that is still missing."""

    subject_type: Literal["order", "waypoint", "entity"]
    subject_id: Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
    method: PodMethod


class NextActivity(msgspec.Struct, kw_only=True):
    """An activity that may fire now, and what it still needs."""

    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way"])]
    details: Annotated[str, Meta(examples=["The driver is on the way."])]
    sequence: int
    complete: bool
    pod_method: PodMethod | None
    require_pod: bool
    pod_scope: Literal["order", "waypoint", "entity"]
    color: str | None
    waypoint: Annotated[WaypointId | None, Meta(description="The stop it would happen at.")]
    missing: Annotated[list[DemandOut], Meta(description="Proofs to capture first.")]


class NextFilters(PageIn, frozen=True, kw_only=True):
    """Of which stop."""

    waypoint: Annotated[
        WaypointId | None, Meta(description="Only what may happen at this stop.")
    ] = None


class RouteOut(msgspec.Struct):
    """How far and how long; null when a place has no point."""

    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    source: RouteSource | None

    @classmethod
    def of(cls, way: Route | None) -> Self:
        """Spell a way."""
        return cls(None, None, None) if way is None else cls(way.distance, way.time, way.source)


accept_answer(OrderChange, OrderOut)
