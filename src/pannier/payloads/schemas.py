"""JSON schemas of payloads, waypoints and entities."""

from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import UNSET, Meta

from pannier.payloads import models
from pannier.payloads.cash_schemas import (
    Amount,
    CashFields,
    CashToCollectOut,
    CodAmount,
    Currency,
    StopCash,
)
from pannier.payloads.instructions import DeliveryInstructions
from pannier.payloads.models import (
    CodMethod,
    LengthUnit,
    PodMethod,
    State,
    StopType,
    WeightUnit,
)
from pannier.payloads.place_field import AnyPlace
from pannier.payloads.ratings import DeliveryRating
from pannier.places import schemas as places
from pannier.places.schemas import PlaceIn, PlaceOut
from pannier.places.shapes import PointIn, PointOut
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, CompanyMeta, Given
from pannier.web.former_names import former_name
from pannier.web.identifiers import identifier
from pannier.web.people import Email, Phone
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Moment, Time

Out = TypeVar("Out", bound=msgspec.Struct)

MAX_WAYPOINTS = 200
MAX_ENTITIES = 1000
MAX_QUANTITY = 100_000

Kind = Annotated[str, Meta(max_length=50, examples=["parcel"])]
Text = Annotated[str, Meta(max_length=200)]
PayloadId = Annotated[str, identifier("payload_6ZbT4gXw1NcH8yQe", min_length=1, max_length=64)]
WaypointId = Annotated[str, identifier("waypoint_3PqV9kRj5LsD0uMa", min_length=1, max_length=64)]
EntityId = Annotated[str, identifier("entity_8FmC2xKe7WtY4nGz", min_length=1, max_length=64)]
ContactId = Annotated[str, identifier("contact_4DnWc7ZsPq1XhJ9e", min_length=1, max_length=64)]
VendorId = Annotated[str, identifier("vendor_7TgYb3MxKs5RvL0a", min_length=1, max_length=64)]
OrderId = Annotated[str, Meta(examples=["order_5uJr2EwZ7bQx9KmT"])]
Number = Annotated[str, Meta(examples=["ACM-7K3Q-9X2M-4TRD"])]
Subflow = Annotated[
    str,
    Meta(
        max_length=60,
        description="A stop flow of the order configuration.",
        examples=["cold_handover"],
    ),
]
Seconds = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="Duration of the stop in seconds.", examples=[300])
]
Notes = Annotated[str, Meta(max_length=10_000, examples=["Ring twice."])]
Length = Annotated[float, Meta(ge=0, le=1e9, examples=[30])]
Weight = Annotated[float, Meta(ge=0, le=1e9, examples=[1.2])]
ItemName = Annotated[str, Meta(min_length=1, max_length=200, examples=["Coffee machine"])]
InternalId = Annotated[
    str, Meta(max_length=100, description="The company's own number.", examples=["I-1042"])
]
Sku = Annotated[str, Meta(max_length=100, examples=["CM-200-BLK"])]
Quantity = Annotated[
    int,
    Meta(
        ge=1, le=MAX_QUANTITY, examples=[1], description="The number of equal pieces. Weight, "
        "size, price and declared value are those of one piece; cash on delivery of all of them.",
    ),
]  # fmt: skip
Code = Annotated[str, Meta(min_length=1, max_length=200, examples=["4006381333931"])]
Codes = Annotated[
    list[Code],
    Meta(
        max_length=50,
        description="Codes declared for the item's proof. Any other scan is rejected.",
    ),
]
Destination = Annotated[
    int | str,
    Meta(
        description="The stop where the item is delivered: the index of a waypoint in "
        "this request, the identifier of a waypoint, or the identifier of a "
        "stop's place.",
        examples=[0],
    ),
]
Version = Annotated[int, Meta(description="Increases with each change.", examples=[1])]


class StopContact(msgspec.Struct, kw_only=True):
    """The contact at a stop: an existing one by `id`, or one described by its fields."""

    accepts: ClassVar = ACCEPTED["contact"]
    id: ContactId | None = None
    name: Annotated[str, Meta(max_length=200, examples=["Ada Lovelace"])] | None = None
    phone: Phone | None = None
    email: Email | None = None


class HandoverChange(msgspec.Struct, kw_only=True):
    """Fields that orders and stops share. Omitted fields stay; null clears a field."""

    time_window_start: Clearable[Moment] = UNSET
    time_window_end: Clearable[Moment] = UNSET
    notes: Clearable[Notes] = UNSET
    pod_required: Given[bool] = UNSET
    pod_method: Clearable[PodMethod] = UNSET


class StopFields(HandoverChange, kw_only=True):
    """Fields of a stop."""

    accepts: ClassVar = ACCEPTED["waypoint"]
    place: Given[AnyPlace] = UNSET
    type: Given[StopType] = UNSET
    contact: Clearable[ContactId | StopContact] = UNSET
    subflow: Clearable[Subflow] = UNSET
    service_time: Clearable[Seconds] = UNSET
    cod_amount: Clearable[CodAmount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET
    meta: Given[CompanyMeta] = UNSET


class WaypointChange(StopFields, kw_only=True):
    """Changes to a stop. Omitted fields stay; null clears a field.

    Only `place` changes its place. The place's own fields are accepted if they match the stored
    place.
    """

    name: Clearable[places.Name] = UNSET
    location: Clearable[PointIn] = UNSET


class WaypointIn(WaypointChange, kw_only=True):
    """A stop: its `place`, or the fields of a new place next to the stop's own.

    In a change, a stop sent with its `id` is kept. Only `place` changes its place.
    """

    example: ClassVar = {"place": "place_8KfR2yLq0VbN6wTd", "type": "dropoff", "service_time": 300}
    id: Given[WaypointId] = UNSET
    street1: Clearable[places.Street] = UNSET
    street2: Clearable[Annotated[str, Meta(max_length=255)]] = UNSET
    city: Clearable[places.City] = UNSET
    province: Clearable[Text] = UNSET
    postal_code: Clearable[places.PostalCode] = UNSET
    neighborhood: Clearable[Text] = UNSET
    district: Clearable[Text] = UNSET
    building: Clearable[Text] = UNSET
    security_access_code: Clearable[places.AccessCode] = UNSET
    country: Clearable[places.Country] = UNSET
    phone: Clearable[Phone] = UNSET
    owner_type: Clearable[places.PlaceOwnerType] = UNSET
    owner: Clearable[places.PlaceOwner] = UNSET
    latitude: Clearable[places.Degrees] = UNSET
    longitude: Clearable[places.Degrees] = UNSET


class NewWaypoint(WaypointIn, kw_only=True):
    """A new stop for a payload."""

    example: ClassVar = {**WaypointIn.example, "payload": "payload_6ZbT4gXw1NcH8yQe"}
    payload: PayloadId


# Fields of a stop that describe its place if `place` is not given.
PLACE_FIELDS = frozenset(WaypointIn.__struct_fields__) & frozenset(PlaceIn.__struct_fields__) - {
    "type",
    "meta",
}


class EntityFields(CashFields, kw_only=True):
    """Fields of an item."""

    accepts: ClassVar = ACCEPTED["entity"]
    destination: Clearable[Destination] = UNSET
    internal_id: Clearable[InternalId] = UNSET
    name: Given[ItemName] = UNSET
    type: Given[Annotated[Kind, Meta(min_length=1)]] = UNSET
    description: Clearable[Annotated[str, Meta(max_length=10_000)]] = UNSET
    sku: Clearable[Sku] = UNSET
    quantity: Given[Quantity] = UNSET
    expected_codes: Given[Codes] = UNSET
    length: Clearable[Length] = UNSET
    width: Clearable[Length] = UNSET
    height: Clearable[Length] = UNSET
    dimensions_unit: Given[LengthUnit] = UNSET
    weight: Clearable[Weight] = UNSET
    weight_unit: Given[WeightUnit] = UNSET
    declared_value: Clearable[Amount] = UNSET
    price: Clearable[Amount] = UNSET
    sale_price: Clearable[Amount] = UNSET
    currency: Clearable[Currency] = UNSET
    customer: Clearable[ContactId] = UNSET
    supplier: Clearable[VendorId] = UNSET
    meta: Given[CompanyMeta] = UNSET


class EntityChange(EntityFields, kw_only=True):
    """Changes to an item. Omitted fields stay; null clears a field."""

    payload: Clearable[PayloadId] = UNSET


class EntityIn(EntityFields, kw_only=True):
    """An item of a payload. In a change, an item sent with its `id` is kept."""

    example: ClassVar = {"name": "Coffee machine", "sku": "CM-200-BLK", "weight": 4.2}
    id: Given[EntityId] = UNSET


class NewEntity(EntityIn, kw_only=True):
    """A new item, with or without a payload."""

    name: ItemName
    payload: Clearable[PayloadId] = UNSET


Waypoints = Annotated[
    list[WaypointIn | Annotated[str, Meta(description="A place's identifier, or an address.")]],
    Meta(max_length=MAX_WAYPOINTS, description="Stops, in the order in which they are visited."),
]
Entities = Annotated[list[EntityIn], Meta(max_length=MAX_ENTITIES)]


class PayloadChange(CashFields, kw_only=True):
    """Changes to a payload. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["payload"]
    type: Clearable[Kind] = UNSET
    pickup: Clearable[AnyPlace] = UNSET
    dropoff: Clearable[AnyPlace] = UNSET
    return_: Clearable[AnyPlace] = msgspec.field(default=UNSET, name="return")
    waypoints: Given[Waypoints] = UNSET
    entities: Given[Entities] = UNSET
    payment_method: Clearable[Annotated[str, Meta(max_length=50)]] = UNSET
    meta: Given[CompanyMeta] = UNSET


class PayloadIn(PayloadChange, kw_only=True):
    """A new payload: a pickup and a drop-off, or waypoints."""

    example: ClassVar = {
        "type": "parcel",
        "pickup": "place_8KfR2yLq0VbN6wTd",
        "dropoff": {"street1": "1 Raffles Place", "city": "Singapore", "country": "SG"},
        "entities": [{"name": "Coffee machine", "sku": "CM-200-BLK", "weight": 4.2}],
    }


Undelivered = Annotated[
    models.Undelivered,
    Meta(description="Result of failed attempts: `hold` waits for a decision, `return` goes back."),
]


class HandoverOut(ResourceOut, kw_only=True):
    """Fields that orders and stops have in common."""

    time_window_start: Time | None
    time_window_end: Time | None
    notes: Notes | None
    pod_required: bool
    pod_method: PodMethod | None
    attempts: Annotated[int, Meta(description="Number of failed attempts.", examples=[0])]
    undelivered: Undelivered | None
    delivery_instructions: Annotated[
        DeliveryInstructions | None,
        Meta(description="The recipient's instructions. Null if the recipient gave none."),
    ]
    rating: Annotated[
        DeliveryRating | None,
        Meta(description="The recipient's rating. Null without one, and for drivers."),
    ]


class RecipientOut(msgspec.Struct, kw_only=True):
    """The person at a stop, and their phone number."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    phone: Annotated[str | None, Meta(examples=["+6591234567"])]


class WaypointOut(HandoverOut, kw_only=True):
    """A stop with its place. The place's name, address and location are repeated on the stop."""

    id: WaypointId
    payload: PayloadId
    order: Annotated[int, Meta(description="Position in the route, from 0.", examples=[0])]
    type: StopType
    place: PlaceOut
    name: places.Name | None
    address: Annotated[str, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    location: PointOut | None
    contact: ContactId | None
    recipient: Annotated[
        RecipientOut | None, Meta(description="The contact's name and phone number.")
    ]
    subflow: Subflow | None
    service_time: Seconds | None
    status_code: Annotated[
        str | None,
        Meta(description="Code of the latest activity at the stop.", examples=["enroute"]),
    ]
    complete: bool
    completed_at: Time | None
    tracking: Number | None
    tracking_number: Annotated[Number | None, former_name("tracking")]
    cod_amount: CodAmount | None
    cod_currency: Currency | None
    cod_payment_method: CodMethod | None
    cash_to_collect: StopCash
    meta: CompanyMeta


class EntityOut(ResourceOut, kw_only=True):
    """An item."""

    id: EntityId
    payload: PayloadId | None
    destination: (
        Annotated[WaypointId, Meta(description="The stop where the item is delivered.")] | None
    )
    internal_id: InternalId | None
    name: ItemName
    type: Kind
    description: str | None
    sku: Sku | None
    quantity: Quantity
    expected_codes: Codes
    length: Length | None
    width: Length | None
    height: Length | None
    dimensions_unit: LengthUnit
    weight: Weight | None
    weight_unit: WeightUnit
    declared_value: Amount | None
    price: Amount | None
    sale_price: Amount | None
    currency: Currency | None
    customer: ContactId | None
    supplier: VendorId | None
    tracking: Number | None
    tracking_number: Annotated[Number | None, former_name("tracking")]
    cod_amount: CodAmount | None
    cod_currency: Currency | None
    cod_payment_method: CodMethod | None
    meta: CompanyMeta


class PayloadOut(ResourceOut, kw_only=True):
    """A payload, with its stops and items."""

    id: PayloadId
    order: OrderId | None
    state: Annotated[
        State,
        Meta(description="Whether the order has not begun, is in progress or has ended."),
    ]
    type: Kind | None
    pickup: PlaceOut | None
    dropoff: PlaceOut | None
    return_: PlaceOut | None = msgspec.field(name="return")
    waypoints: list[WaypointOut]
    entities: list[EntityOut]
    current_waypoint: WaypointId | None
    cod_amount: CodAmount | None
    cod_currency: Currency | None
    cod_payment_method: CodMethod | None
    cash_to_collect: Annotated[
        CashToCollectOut | None,
        Meta(description="The cash of the whole order, with that of its stops and items."),
    ]
    payment_method: str | None
    meta: CompanyMeta


accept_response_fields(PayloadChange, PayloadOut)
accept_response_fields(WaypointChange, WaypointOut)
accept_response_fields(EntityFields, EntityOut)
