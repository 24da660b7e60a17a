"""JSON schemas of orders and places as customers see them.

Every field is an explicit choice: a new field of an order, stop, item or place does not appear here
automatically. There are no fields for internal notes, driver notes, access codes, proofs, prices or
data of other recipients.
"""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.customers.schemas import CustomerId
from pannier.db import PageIn
from pannier.fleet.schemas import PointOut
from pannier.orders.activities import PodMethod
from pannier.orders.fields import Status, TrackingUrl, WaypointId
from pannier.orders.flow import AttemptOutcome
from pannier.orders.schemas import OrderNumberOut
from pannier.orders.tracker import StopSummary
from pannier.payloads import schemas as payloads
from pannier.payloads.cash_schemas import Amount, Currency
from pannier.payloads.models import CodMethod, LengthUnit, StopType, WeightUnit
from pannier.places import schemas as places
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Time


class CustomerOrderFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing a customer's orders."""

    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None


class CustomerPlaceOut(ResourceOut, kw_only=True):
    """The address of a place, as customers see it."""

    id: Annotated[str, Meta(examples=["place_8KfR2yLq0VbN6wTd"])]
    name: places.Name | None
    address: Annotated[
        str,
        Meta(
            description="The address, on one line.",
            examples=["1 Raffles Place, Singapore 048616, SG"],
        ),
    ]
    street1: places.Street | None
    street2: Annotated[str, Meta(max_length=255)] | None
    city: places.City | None
    province: places.Text | None
    postal_code: places.PostalCode | None
    neighborhood: places.Text | None
    district: places.Text | None
    building: places.Text | None
    country: places.Country | None
    location: PointOut | None


class CustomerStopOut(ResourceOut, kw_only=True):
    """A customer's own stop."""

    id: WaypointId
    type: StopType
    place: CustomerPlaceOut
    time_window_start: Time | None
    time_window_end: Time | None
    pod_required: bool
    pod_method: PodMethod | None
    status_code: Annotated[
        str | None,
        Meta(description="Code of the latest activity at the stop.", examples=["enroute"]),
    ]
    complete: bool
    completed_at: Time | None
    tracking: payloads.Number | None
    tracking_number: Annotated[payloads.Number | None, former_name("tracking")]


class CustomerItemOut(ResourceOut, kw_only=True):
    """A customer's own item."""

    id: payloads.EntityId
    destination: (
        Annotated[WaypointId, Meta(description="The stop where the item is delivered.")] | None
    )
    name: payloads.ItemName
    type: payloads.Kind
    description: str | None
    sku: payloads.Sku | None
    quantity: payloads.Quantity
    length: payloads.Length | None
    width: payloads.Length | None
    height: payloads.Length | None
    dimensions_unit: LengthUnit
    weight: payloads.Weight | None
    weight_unit: WeightUnit
    tracking: payloads.Number | None
    tracking_number: Annotated[payloads.Number | None, former_name("tracking")]


class CustomerPayloadOut(msgspec.Struct, kw_only=True):
    """The customer's share of a payload: their own stops and items."""

    pickup: Annotated[
        CustomerPlaceOut | None,
        Meta(description="The pickup address, unless the order has several stops."),
    ]
    dropoff: CustomerPlaceOut | None
    waypoints: Annotated[list[CustomerStopOut], Meta(description="The customer's own stops.")]
    entities: Annotated[list[CustomerItemOut], Meta(description="The customer's own items.")]
    cod_amount: Annotated[
        Amount | None,
        Meta(description="Cash on delivery. Null if the order has other recipients."),
    ]
    cod_currency: Currency | None
    cod_payment_method: CodMethod | None


class OrderCustomerOut(msgspec.Struct, kw_only=True):
    """The customer of the order, who is the caller."""

    id: CustomerId
    uuid: UUID
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    contact: Annotated[UUID, Meta(description="The customer's contact in orders.")]


class CustomerDriverOut(msgspec.Struct, kw_only=True):
    """The driver of an order."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    phone: Annotated[str, Meta(description="Partly hidden.", examples=["+65•••4567"])]


class CustomerVehicleOut(msgspec.Struct, kw_only=True):
    """The vehicle of an order, for recognising it."""

    plate_number: Annotated[str | None, Meta(examples=["SGX 1234 A"])]
    make: str | None
    model: str | None


class CustomerOrderOut(ResourceOut, kw_only=True):
    """An order as its customer sees it."""

    id: OrderId
    type: Annotated[str, Meta(examples=["transport"])]
    status: Status
    customer: OrderCustomerOut
    payload: CustomerPayloadOut
    driver: CustomerDriverOut | None
    driver_assigned: Annotated[CustomerDriverOut | None, former_name("driver")]
    vehicle: CustomerVehicleOut | None
    vehicle_assigned: Annotated[CustomerVehicleOut | None, former_name("vehicle")]
    tracking: payloads.Number
    tracking_number: Annotated[
        OrderNumberOut, Meta(description="The record of the tracking number.")
    ]
    return_of: Annotated[
        OrderId | None,
        Meta(description="The delivered order whose items this one brings back."),
    ]
    pod_required: bool
    pod_method: PodMethod | None
    time_window_start: Time | None
    time_window_end: Time | None
    dispatched: bool
    started: bool
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None


class CustomerAttempt(msgspec.Struct, kw_only=True):
    """A failed delivery attempt at a customer's stop."""

    label: Annotated[
        str, Meta(description="The reason, for people.", examples=["Recipient not available"])
    ]
    then: Annotated[
        AttemptOutcome,
        Meta(
            description="`retry`: there will be another attempt. `hold`: the decision is "
            "pending. `return`: the goods go back.",
            examples=["retry"],
        ),
    ]
    occurred_at: Time


class CustomerTrackedStop(StopSummary, kw_only=True):
    """A customer's own stop with its ETA."""

    failed: Annotated[CustomerAttempt | None, Meta(description="The latest failed attempt.")]
    eta: Time | None


class CustomerTracked(msgspec.Struct, kw_only=True):
    """The progress and ETA of a customer's order.

    The driver's position is visible only while they are on the way to this customer.
    """

    order: OrderId
    status: Status
    progress: Annotated[int, Meta(ge=0, le=100, description="Per cent.", examples=[75])]
    stops: Annotated[list[CustomerTrackedStop], Meta(description="The customer's own stops.")]
    completed_stops: int
    total_stops: int
    eta: Annotated[Time | None, Meta(description="ETA at the next of the customer's stops.")]
    time_remaining: Annotated[int | None, Meta(description="Seconds until then.", examples=[302])]
    distance_remaining: Annotated[
        int | None,
        Meta(description="Metres, while the driver's position is shown.", examples=[4200]),
    ]
    position: Annotated[PointOut | None, Meta(description="The driver's latest position.")]
    heading: Annotated[float | None, Meta(description="Degrees from north.", examples=[90])]
    speed: Annotated[float | None, Meta(description="Metres per second.", examples=[8.3])]
    located_at: Time | None
    tracking_url: TrackingUrl
