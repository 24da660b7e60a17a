"""JSON schemas of orders."""

from typing import Annotated, ClassVar, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.fleet.schemas import DriverId, VehicleId
from pannier.orders.activities import PodMethod
from pannier.orders.fields import (
    ConfigName,
    ContactId,
    DispatchNow,
    DriverRef,
    FacilitatorRef,
    InternalId,
    Metres,
    NewStatus,
    Own,
    PartnerName,
    PayloadId,
    PlaceInput,
    PresentQuote,
    PresentStatus,
    RequiredSkills,
    RouteSource,
    Status,
    TrackingUrl,
    VehicleRef,
    WaypointId,
)
from pannier.orders.models import Order, PartnerType, PaymentStatus, PriceStatus
from pannier.orders.quotes.schemas import QuoteName
from pannier.payloads.cash_schemas import Amount, CashToCollectOut, CodAmount, Currency
from pannier.payloads.models import CodMethod
from pannier.payloads.schemas import (
    Entities,
    HandoverChange,
    HandoverOut,
    Notes,
    Number,
    PayloadChange,
    PayloadIn,
    PayloadOut,
    Waypoints,
)
from pannier.payments.transactions.schemas import ReturnUrl
from pannier.routing.route import Route
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time


class OrderCustomerIn(msgspec.Struct, kw_only=True):
    """The customer of an order: an existing contact by `id`, or one described by its fields.

    With an `id`, the contact is not changed.
    """

    accepts: ClassVar = ACCEPTED["person"]
    id: Given[ContactId] = UNSET
    # Accepted as an order returns them; `id` takes precedence.
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
    """A new order: a payload by identifier, an inline payload, or its fields at the top level."""

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
    pickup: PlaceInput | None = None
    dropoff: PlaceInput | None = None
    return_: PlaceInput | None = msgspec.field(default=None, name="return")
    waypoints: Waypoints | None = None
    entities: Entities | None = None
    customer: ContactId | OrderCustomerIn | None = None
    facilitator: FacilitatorRef | None = None
    driver: DriverRef | None = None
    driver_assigned: Annotated[Clearable[DriverRef], former_name("driver")] = UNSET
    vehicle: VehicleRef | None = None
    vehicle_assigned: Annotated[Clearable[VehicleRef], former_name("vehicle")] = UNSET
    cod_amount: Clearable[Amount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET
    status: NewStatus | None = None
    required_skills: RequiredSkills | None = None
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
    return_url: (
        Annotated[ReturnUrl, Meta(description="Only with `service_quote`, for its checkout page.")]
        | None
    ) = None
    dispatch: Annotated[bool, Meta(description="Dispatch it at once.", examples=[False])] = False


class OrderChange(HandoverChange, kw_only=True):
    """Changes to an order. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["order"]
    order_config: Given[ConfigName] = UNSET
    type: Given[ConfigName] = UNSET
    internal_id: Clearable[InternalId] = UNSET
    payload: Given[PayloadId | PayloadChange] = UNSET
    pickup: Given[PlaceInput] = UNSET
    dropoff: Given[PlaceInput] = UNSET
    return_: Clearable[PlaceInput] = msgspec.field(default=UNSET, name="return")
    waypoints: Given[Waypoints] = UNSET
    entities: Given[Entities] = UNSET
    customer: Clearable[ContactId | OrderCustomerIn] = UNSET
    facilitator: Clearable[FacilitatorRef] = UNSET
    driver: Clearable[DriverRef] = UNSET
    driver_assigned: Annotated[Clearable[DriverRef], former_name("driver")] = UNSET
    vehicle: Clearable[VehicleRef] = UNSET
    vehicle_assigned: Annotated[Clearable[VehicleRef], former_name("vehicle")] = UNSET
    cod_amount: Clearable[Amount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET
    status: Given[PresentStatus] = UNSET
    service_quote: Clearable[PresentQuote] = UNSET
    dispatch: Given[DispatchNow] = UNSET
    required_skills: Clearable[RequiredSkills] = UNSET
    adhoc: Given[bool] = UNSET
    adhoc_distance: Clearable[Metres] = UNSET
    scheduled_at: Clearable[Moment] = UNSET
    meta: Clearable[Own] = UNSET


class OrderPartnerOut(msgspec.Struct, kw_only=True):
    """The customer or facilitator of an order."""

    id: str
    uuid: UUID
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    email: str | None
    phone: str | None
    type: PartnerType


class OrderDriverOut(msgspec.Struct, kw_only=True):
    """The driver of an order."""

    id: DriverId
    uuid: UUID
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    phone: str
    online: bool


class OrderVehicleOut(msgspec.Struct, kw_only=True):
    """The vehicle of an order."""

    id: VehicleId
    uuid: UUID
    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    make: str | None
    model: str | None


class OrderNumberOut(msgspec.Struct, kw_only=True):
    """The tracking number of an order."""

    id: Annotated[str, Meta(examples=["track_2rWd8NzQ5vTj0KcL"])]
    uuid: UUID
    tracking: Number
    tracking_number: Annotated[Number, former_name("tracking")]


class OrderOut(HandoverOut, kw_only=True):
    """An order."""

    id: OrderId
    internal_id: InternalId | None
    order_config: Annotated[str, Meta(examples=["order_config_7hJw2LsQ9pXe4VbN"])]
    type: Annotated[str, Meta(examples=["transport"])]
    status: Status
    payload: PayloadOut
    current_waypoint: WaypointId | None
    customer: OrderPartnerOut | None
    customer_type: PartnerType | None
    facilitator: OrderPartnerOut | None
    facilitator_type: PartnerType | None
    driver: OrderDriverOut | None
    driver_assigned: Annotated[OrderDriverOut | None, former_name("driver")]
    vehicle: OrderVehicleOut | None
    vehicle_assigned: Annotated[OrderVehicleOut | None, former_name("vehicle")]
    tracking: Number
    tracking_number: Annotated[
        OrderNumberOut, Meta(description="The record of the tracking number.")
    ]
    tracking_url: Annotated[
        TrackingUrl | None,
        Meta(
            description="The recipient's tracking page. Give the link only to the recipient. "
            "Null for drivers."
        ),
    ]
    cod_amount: CodAmount | None
    cod_currency: Currency | None
    cod_payment_method: CodMethod | None
    cash_to_collect: Annotated[
        CashToCollectOut | None,
        Meta(description="The cash of the whole order, with that of its stops and items."),
    ]
    dispatched: bool
    started: bool
    required_skills: RequiredSkills
    adhoc: bool
    adhoc_distance: Metres | None
    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    route_source: RouteSource | None
    service_quote: Annotated[
        str | None, Meta(description="The accepted quote.", examples=["quote_9XcVb2NmQ4wErT7y"])
    ]
    transaction: Annotated[
        str | None,
        Meta(
            description="The first transaction. `GET /v1/transactions?order=` lists all.",
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
    payment_status: Annotated[
        PaymentStatus,
        Meta(
            description="`none`: nothing is owed; `refunded`: everything that was paid went back; "
            "`overpaid`: more was recorded by hand than was owed."
        ),
    ]
    balance: Annotated[
        int | None,
        Meta(
            description="The amount still owed, in minor units. Below zero, it is a credit. Null "
            "for drivers.",
            examples=[1496],
        ),
    ]
    currency: Annotated[
        str | None, Meta(description="The currency of its transactions.", examples=["SGD"])
    ]
    return_of: Annotated[
        OrderId | None,
        Meta(description="The delivered order whose items this one brings back."),
    ]
    returns: Annotated[
        list[OrderId],
        Meta(description="The returns of this order, including canceled and deleted ones."),
    ]
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None
    cancel_reason: str | None
    meta: Own

    @classmethod
    def from_row(cls, row: Order, **related_fields: object) -> Self:
        """Build the output of an order; `related_fields` come from its related records."""
        return to_schema(
            row,
            cls,
            dispatched=row.dispatched_at is not None,
            started=row.started_at is not None,
            **related_fields,
        )


class RouteOut(msgspec.Struct):
    """The distance and time of a route. Null if a place has no coordinates."""

    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    source: RouteSource | None

    @classmethod
    def from_route(cls, route: Route | None) -> Self:
        return (
            cls(None, None, None)
            if route is None
            else cls(route.distance, route.time, route.source)
        )


accept_response_fields(OrderChange, OrderOut)
