"""What orders tell: the data of their events, each a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet.schemas import spelled
from pannier.orders.models import Order, PartnerType
from pannier.orders.queries import Links
from pannier.web.times import Time

OrderId = Annotated[str, Meta(examples=["order_5uJr2EwZ7bQx9KmT"])]
DriverId = Annotated[str, Meta(examples=["driver_4kQ8ZpL0sVxYt2Wn"])]
WaypointId = Annotated[str, Meta(examples=["waypoint_1mBf6XvR8dNs3TgH"])]
Number = Annotated[str, Meta(examples=["ACM-7K4M-2XQ9-3TBC"])]
Own = Annotated[dict[str, Any], Meta(description="The company's own data.")]


class DriverToldOf(msgspec.Struct):
    """Who carries an order."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    id: DriverId


class PayloadTold(msgspec.Struct):
    """From where to where, as addresses on one line."""

    pickup: Annotated[str, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    dropoff: Annotated[str, Meta(examples=["80 Mandai Lake Road, Singapore 729826, SG"])]
    id: Annotated[str, Meta(examples=["payload_9pTy4CzK2hWq7JrA"])]


class OrderTold(msgspec.Struct, kw_only=True):
    """What every event of an order says; the contract's fields come first."""

    id: OrderId
    public_id: OrderId
    status: Annotated[str, Meta(examples=["dispatched"])]
    driver_assigned: DriverToldOf | None
    payload: PayloadTold
    uuid: UUID
    internal_id: str | None
    type: Annotated[str, Meta(examples=["transport"])]
    order_config: Annotated[str, Meta(examples=["order_config_7hJw2LsQ9pXe4VbN"])]
    tracking_number: Number
    customer: Annotated[str | None, Meta(examples=["contact_4DnWc7ZsPq1XhJ9e"])]
    customer_type: PartnerType | None
    facilitator: Annotated[str | None, Meta(examples=["vendor_7TgYb3MxKs5RvL0a"])]
    facilitator_type: PartnerType | None
    vehicle_assigned: Annotated[str | None, Meta(examples=["vehicle_7cRw1TfM9hJb3XdE"])]
    current_waypoint: WaypointId | None
    adhoc: bool
    pod_required: bool
    notes: str | None
    distance: Annotated[int | None, Meta(description="Metres.", examples=[15230])]
    time: Annotated[int | None, Meta(description="Seconds.", examples=[1097])]
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None
    meta: Own
    created_at: Time
    updated_at: Time

    @classmethod
    def of(cls, order: Order, links: Links, **more: object) -> Self:
        """Spell an order for an event."""
        named = None
        if links.driver is not None and links.driver_name is not None:
            named = DriverToldOf(links.driver_name, links.driver)
        return spelled(
            order,
            cls,
            driver_assigned=named,
            payload=PayloadTold(links.pickup_address, links.dropoff_address, links.payload),
            order_config=links.order_config,
            tracking_number=links.tracking_number,
            customer=links.customer,
            facilitator=links.facilitator,
            vehicle_assigned=links.vehicle,
            current_waypoint=links.current_waypoint,
            **more,
        )


class OrderCreated(OrderTold, kw_only=True):
    """An order was placed."""


class OrderDispatched(OrderTold, kw_only=True):
    """An order was handed to its driver, by hand or because it was due."""


class OrderStarted(OrderTold, kw_only=True):
    """The driver began the journey."""


class OrderCompleted(OrderTold, kw_only=True):
    """The completing activity of the order, or of its last stop, happened."""


class OrderCancelled(OrderTold, kw_only=True):
    """An open order was cancelled or deleted."""

    reason: Annotated[str | None, Meta(examples=["The customer changed their mind."])]


class OrderUpdated(OrderTold, kw_only=True):
    """A field of an order changed that no other event tells of."""

    changed: Annotated[
        list[str], Meta(description="The fields that changed.", examples=[["scheduled_at"]])
    ]


async def tell(db: Db, kind: type[OrderTold], order: Order, links: Links, **more: object) -> None:
    """Tell what happened to an order."""
    data = kind.of(order, links, **more)
    await outbox.emit(db, order.company, _NAMES[kind], data, subject=order.public_id)


class TrackingStatusCreated(msgspec.Struct, kw_only=True):
    """An activity of an order happened, or somebody wrote a status down."""

    id: Annotated[str, Meta(examples=["status_6gKx3HvD0rMc8YsE"])]
    public_id: Annotated[str, Meta(examples=["status_6gKx3HvD0rMc8YsE"])]
    uuid: UUID
    tracking_number: Number
    order: OrderId
    waypoint: Annotated[WaypointId | None, Meta(description="The stop where it happened.")]
    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way"])]
    details: Annotated[str, Meta(examples=["The driver is on the way."])]
    complete: Annotated[bool, Meta(description="Whether it completed the order or stop.")]
    place: Annotated[str | None, Meta(examples=["place_8KfR2yLq0VbN6wTd"])]
    address: Annotated[str | None, Meta(examples=["1 Raffles Place, Singapore 048616, SG"])]
    location: Annotated[
        dict[str, Any] | None,
        Meta(
            description="GeoJSON, longitude first.",
            examples=[{"type": "Point", "coordinates": [103.8198, 1.3521]}],
        ),
    ]
    created_at: Time


_NAMES: Final[Mapping[type[OrderTold], Name]] = {
    OrderCreated: Name.ORDER_CREATED,
    OrderDispatched: Name.ORDER_DISPATCHED,
    OrderStarted: Name.ORDER_STARTED,
    OrderCompleted: Name.ORDER_COMPLETED,
    OrderCancelled: Name.ORDER_CANCELLED,
    OrderUpdated: Name.ORDER_UPDATED,
}
SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    **{name: kind for kind, name in _NAMES.items()},
    Name.TRACKING_STATUS_CREATED: TrackingStatusCreated,
}
