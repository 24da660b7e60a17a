"""Event data of orders. Each event is a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet.events import Same, Unique
from pannier.orders.fields import ProofIds, TrackingUrl
from pannier.orders.flow import AttemptOutcome
from pannier.orders.models import DeliveryAttempt, PartnerType
from pannier.orders.views import OrderAggregate, OrderRecords
from pannier.payloads.models import Undelivered, Waypoint
from pannier.payloads.schemas import OrderId
from pannier.web.former_names import same_as
from pannier.web.serialization import to_schema
from pannier.web.times import Time

DriverId = Annotated[str, Meta(examples=["driver_4kQ8ZpL0sVxYt2Wn"])]
WaypointId = Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
Number = Annotated[str, Meta(examples=["ACM-7K4M-2XQ9-3TBC"])]
Own = Annotated[dict[str, Any], Meta(description="The company's own data.")]


class OrderEventDriver(msgspec.Struct):
    """The driver of an order."""

    name: Annotated[str, Meta(description="The driver's name.", examples=["Ada Lovelace"])]
    id: Annotated[DriverId, Meta(description="The driver, by public id.")]


class OrderEventPayload(msgspec.Struct):
    """The pickup and drop-off addresses, each on one line."""

    pickup: Annotated[
        str,
        Meta(description="The pickup address.", examples=["1 Raffles Place, Singapore 048616, SG"]),
    ]
    dropoff: Annotated[
        str,
        Meta(
            description="The drop-off address.",
            examples=["80 Mandai Lake Road, Singapore 729826, SG"],
        ),
    ]
    id: Annotated[
        str, Meta(description="The payload, by public id.", examples=["payload_9pTy4CzK2hWq7JrA"])
    ]


class OrderEvent(msgspec.Struct, kw_only=True):
    """Fields of every order event. The contract's fields come first."""

    id: Annotated[OrderId, Meta(description="The order, by public id.")]
    public_id: Same
    status: Annotated[
        str,
        Meta(
            description="`created`, `dispatched`, `started`, a code of its flow, `completed` or "
            "`canceled`.",
            examples=["dispatched"],
        ),
    ]
    driver_assigned: Annotated[OrderEventDriver | None, Meta(description="The assigned driver.")]
    payload: OrderEventPayload
    uuid: Unique
    driver: Annotated[OrderEventDriver | None, same_as("driver_assigned")]
    internal_id: Annotated[str | None, Meta(description="The company's own number.")]
    type: Annotated[
        str, Meta(description="The key of the order configuration.", examples=["transport"])
    ]
    order_config: Annotated[
        str,
        Meta(
            description="The order configuration, by public id.",
            examples=["order_config_7hJw2LsQ9pXe4VbN"],
        ),
    ]
    tracking_number: Annotated[Number, Meta(description="The order's tracking number.")]
    tracking: Annotated[Number, same_as("tracking_number")]
    tracking_url: TrackingUrl
    customer: Annotated[
        str | None,
        Meta(description="The customer, by public id.", examples=["contact_4DnWc7ZsPq1XhJ9e"]),
    ]
    customer_type: Annotated[PartnerType | None, Meta(description="The customer's type.")]
    facilitator: Annotated[
        str | None,
        Meta(description="The facilitator, by public id.", examples=["vendor_7TgYb3MxKs5RvL0a"]),
    ]
    facilitator_type: Annotated[PartnerType | None, Meta(description="The facilitator's type.")]
    vehicle_assigned: Annotated[
        str | None,
        Meta(
            description="The assigned vehicle, by public id.", examples=["vehicle_7cRw1TfM9hJb3XdE"]
        ),
    ]
    vehicle: Annotated[
        Annotated[str, Meta(examples=["vehicle_7cRw1TfM9hJb3XdE"])] | None,
        same_as("vehicle_assigned"),
    ]
    current_waypoint: Annotated[
        WaypointId | None, Meta(description="The current or next stop, by public id.")
    ]
    adhoc: Annotated[bool, Meta(description="Whether the order is offered to nearby drivers.")]
    pod_required: Annotated[bool, Meta(description="Whether the handover requires a proof.")]
    attempts: Annotated[int, Meta(description="Number of failed attempts.", examples=[0])]
    undelivered: Annotated[
        Undelivered | None,
        Meta(
            description="The result of failed attempts: `hold` (waiting for a decision) or "
            "`return` (being returned).",
            examples=[None],
        ),
    ]
    notes: Annotated[
        str | None, Meta(description="Notes for the driver.", examples=["Ring twice."])
    ]
    return_of: Annotated[
        OrderId | None,
        Meta(
            description="The delivered order whose items this one brings back, by public id.",
            examples=[None],
        ),
    ]
    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    scheduled_at: Annotated[Time | None, Meta(description="Time of automatic dispatch.")]
    dispatched_at: Annotated[Time | None, Meta(description="Time of dispatch.")]
    started_at: Annotated[Time | None, Meta(description="Time of the start.")]
    completed_at: Annotated[Time | None, Meta(description="Time of completion.")]
    canceled_at: Annotated[Time | None, Meta(description="Time of cancellation.")]
    meta: Own
    created_at: Annotated[Time, Meta(description="Time of creation.")]
    updated_at: Annotated[Time, Meta(description="Time of the last change.")]

    @classmethod
    def from_order(cls, order: OrderAggregate, **extra_fields: object) -> Self:
        row, related = order.row, order.related
        payload = related.payloads[row.payload]
        number = related.numbers[row.uuid].number
        driver = None if row.driver is None else related.drivers[row.driver]
        vehicle = None if row.vehicle is None else related.vehicles[row.vehicle]
        customer = related.partner(row.customer, row.customer_type)
        facilitator = related.partner(row.facilitator, row.facilitator_type)
        return to_schema(
            row,
            cls,
            driver_assigned=driver and OrderEventDriver(driver.name, driver.public_id),
            payload=OrderEventPayload(
                _get_address(related, payload.pickup),
                _get_address(related, payload.dropoff),
                payload.public_id,
            ),
            order_config=related.configs[row.order_config],
            tracking_number=number,
            tracking_url=related.make_tracking_url(number),
            customer=customer and customer.public_id,
            facilitator=facilitator and facilitator.public_id,
            vehicle_assigned=vehicle and vehicle.public_id,
            current_waypoint=related.stop_id(payload.current_waypoint),
            **extra_fields,
        )


def _get_address(related: OrderRecords, place: UUID | None) -> str:
    """Return the address of a pickup or drop-off; empty if there is none."""
    return "" if place is None else related.places[place].address


class OrderCreated(OrderEvent, kw_only=True):
    """An order was created.

    Emitted by `POST /v1/orders`, and by `POST /v1/orders/{order_id}/return` with `return_of`.
    """


class OrderDispatched(OrderEvent, kw_only=True):
    """An order was dispatched, by hand or on schedule.

    Emitted by `POST /v1/orders/{order_id}/dispatch`, by `POST /v1/orders` with `dispatch`, by `POST
    /v1/orders/{order_id}/start` with `skip_dispatch`, by `POST
    /v1/orders/{order_id}/update-activity` with `dispatched`, and by the worker at `scheduled_at`.
    """


class OrderStarted(OrderEvent, kw_only=True):
    """The driver started the order.

    Emitted by `POST /v1/orders/{order_id}/start`, and by `POST
    /v1/orders/{order_id}/update-activity` with `started`.
    """


class OrderCompleted(OrderEvent, kw_only=True):
    """The completing activity of the order, or of its last stop, was fired.

    Emitted by `POST /v1/orders/{order_id}/complete` and `POST
    /v1/orders/{order_id}/update-activity`.
    """


class OrderCancelled(OrderEvent, kw_only=True):
    """An open order was canceled or deleted.

    Emitted by `POST /v1/orders/{order_id}/cancel`, `DELETE /v1/orders/{order_id}/cancel` and
    `DELETE /v1/orders/{order_id}`.
    """

    reason: Annotated[
        str | None,
        Meta(
            description="Reason for the cancellation.",
            examples=["The customer changed their mind."],
        ),
    ]


class OrderEventAttempt(msgspec.Struct, kw_only=True):
    """A failed delivery attempt."""

    id: Annotated[
        str, Meta(description="The attempt, by public id.", examples=["attempt_6tGv2NsX9qKd4WbY"])
    ]
    waypoint: Annotated[WaypointId | None, Meta(description="The stop, if the order has several.")]
    number: Annotated[
        int,
        Meta(description="The number of the attempt at this stop, starting at 1.", examples=[1]),
    ]
    reason: Annotated[str, Meta(description="The reason's code.", examples=["nobody_home"])]
    label: Annotated[
        str,
        Meta(description="The label for people.", examples=["Recipient not available"]),
    ]
    remarks: Annotated[
        str | None, Meta(description="Internal remarks, not shown to the recipient.")
    ]
    then: Annotated[
        AttemptOutcome,
        Meta(description="`retry`, `return` or `hold`: what happens next.", examples=["retry"]),
    ]
    proofs: ProofIds
    occurred_at: Annotated[Time, Meta(description="Time of the event, by the device's clock.")]

    @classmethod
    def from_row(cls, row: DeliveryAttempt, stop: Waypoint | None) -> Self:
        waypoint = None if stop is None else stop.public_id
        return to_schema(row, cls, id=row.public_id, waypoint=waypoint, then=row.outcome)


class OrderUpdated(OrderEvent, kw_only=True):
    """A field of an order changed, and no other event reports the change.

    Emitted by `PUT /v1/orders/{order_id}`, `POST /v1/orders/{order_id}/assign-driver`, `DELETE
    /v1/orders/{order_id}/assign-driver`, `POST /v1/orders/{order_id}/schedule` and `POST
    /v1/orders/{order_id}/set-destination/{stop_id}`. Also emitted by `POST
    /v1/orders/{order_id}/update-activity` when it changes the status or the stop, and by every
    request that changes the order's payload, stops or items. Examples are `PUT
    /v1/payloads/{payload_id}`, `POST /v1/waypoints` and `PUT /v1/entities/{entity_id}`. `POST
    /v1/orders/{order_id}/fail-attempt` and `POST /v1/orders/{order_id}/resume-attempt` emit it with
    the `attempt`. `POST /v1/orders/{order_id}/return` changes the `returns` of the delivered order.
    Accepting a quote, voiding a transaction and refunding it in full change the `price_status`.
    """

    changed: Annotated[
        list[str], Meta(description="The fields that changed.", examples=[["scheduled_at"]])
    ]
    attempt: Annotated[
        OrderEventAttempt | None, Meta(description="The failed attempt, if there was one.")
    ] = None


async def emit(
    db: Db, event_type: type[OrderEvent], order: OrderAggregate, **extra_fields: object
) -> None:
    row, data = order.row, event_type.from_order(order, **extra_fields)
    await outbox.emit(db, row.company, _EVENT_NAMES[event_type], data, subject=row.public_id)


class TrackingStatusCreated(msgspec.Struct, kw_only=True):
    """An activity of an order was fired, or a status was added manually.

    Emitted by `POST /v1/orders` and by every operation that moves an order along its flow, from
    `POST /v1/orders/{order_id}/dispatch` to `POST /v1/orders/{order_id}/complete` and `POST
    /v1/orders/{order_id}/cancel`, and by `POST /v1/tracking-statuses`.
    """

    id: Annotated[
        str, Meta(description="The status, by public id.", examples=["status_6gKx3HvD0rMc8YsE"])
    ]
    public_id: Same
    uuid: Unique
    tracking_number: Annotated[
        Number, Meta(description="The tracking number, formatted for people.")
    ]
    tracking: Annotated[Number, same_as("tracking_number")]
    order: Annotated[OrderId, Meta(description="The order, by public id.")]
    waypoint: Annotated[WaypointId | None, Meta(description="The stop where it happened.")]
    code: Annotated[str, Meta(description="The activity's code.", examples=["enroute"])]
    status: Annotated[str, Meta(description="The label for people.", examples=["On the way"])]
    details: Annotated[
        str, Meta(description="A sentence for people.", examples=["The driver is on the way."])
    ]
    complete: Annotated[bool, Meta(description="Whether it completed the order or stop.")]
    place: Annotated[
        str | None,
        Meta(description="The place, by public id.", examples=["place_8KfR2yLq0VbN6wTd"]),
    ]
    address: Annotated[
        str | None,
        Meta(
            description="The address, on one line.",
            examples=["1 Raffles Place, Singapore 048616, SG"],
        ),
    ]
    location: Annotated[
        dict[str, Any] | None,
        Meta(
            description="GeoJSON, longitude first.",
            examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
        ),
    ]
    occurred_at: Annotated[
        Time, Meta(description="Time of the event, by the reporting device's clock.")
    ]
    created_at: Annotated[Time, Meta(description="Time of recording.")]


_EVENT_NAMES: Final[Mapping[type[OrderEvent], Name]] = {
    OrderCreated: Name.ORDER_CREATED,
    OrderDispatched: Name.ORDER_DISPATCHED,
    OrderStarted: Name.ORDER_STARTED,
    OrderCompleted: Name.ORDER_COMPLETED,
    OrderCancelled: Name.ORDER_CANCELLED,
    OrderUpdated: Name.ORDER_UPDATED,
}
SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    **{name: kind for kind, name in _EVENT_NAMES.items()},
    Name.TRACKING_STATUS_CREATED: TrackingStatusCreated,
}
