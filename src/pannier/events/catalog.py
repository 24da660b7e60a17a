"""The nineteen event types, as the contract names them."""

from enum import StrEnum
from typing import Final, NamedTuple

API_VERSION: Final = "1.0"


class Name(StrEnum):
    """The name of an event type."""

    ORDER_CREATED = "order.created"
    ORDER_DISPATCHED = "order.dispatched"
    ORDER_STARTED = "order.started"
    ORDER_COMPLETED = "order.completed"
    ORDER_CANCELLED = "order.cancelled"
    ORDER_UPDATED = "order.updated"
    DRIVER_ASSIGNED = "driver.assigned"
    DRIVER_LOCATION_CHANGED = "driver.location_changed"
    DRIVER_ONLINE = "driver.online"
    DRIVER_OFFLINE = "driver.offline"
    DRIVER_UPDATED = "driver.updated"
    TRACKING_STATUS_CREATED = "tracking_status.created"
    TRACKING_NUMBER_CREATED = "tracking_number.created"
    PROOF_OF_DELIVERY_CREATED = "proof_of_delivery.created"
    VEHICLE_UPDATED = "vehicle.updated"
    VEHICLE_ASSIGNED = "vehicle.assigned"
    ISSUE_CREATED = "issue.created"
    ISSUE_UPDATED = "issue.updated"
    ISSUE_RESOLVED = "issue.resolved"


class Entry(NamedTuple):
    """One entry of the event catalogue."""

    name: Name
    group: str
    meaning: str


CATALOG: Final = (
    Entry(Name.ORDER_CREATED, "Orders", "new order placed"),
    Entry(Name.ORDER_DISPATCHED, "Orders", "order assigned to a driver and dispatched"),
    Entry(Name.ORDER_STARTED, "Orders", "driver started the order journey"),
    Entry(Name.ORDER_COMPLETED, "Orders", "order delivered"),
    Entry(Name.ORDER_CANCELLED, "Orders", "order cancelled"),
    Entry(Name.ORDER_UPDATED, "Orders", "any order field changed"),
    Entry(Name.DRIVER_ASSIGNED, "Drivers", "driver assigned to an order or fleet"),
    Entry(Name.DRIVER_LOCATION_CHANGED, "Drivers", "driver GPS coordinates updated"),
    Entry(Name.DRIVER_ONLINE, "Drivers", "driver went online and is available"),
    Entry(Name.DRIVER_OFFLINE, "Drivers", "driver went offline"),
    Entry(Name.DRIVER_UPDATED, "Drivers", "driver profile or status changed"),
    Entry(Name.TRACKING_STATUS_CREATED, "Tracking", "new tracking status recorded"),
    Entry(Name.TRACKING_NUMBER_CREATED, "Tracking", "tracking number generated for a shipment"),
    Entry(Name.PROOF_OF_DELIVERY_CREATED, "Tracking", "POD (signature or photo) captured"),
    Entry(Name.VEHICLE_UPDATED, "Fleet", "vehicle details or status changed"),
    Entry(Name.VEHICLE_ASSIGNED, "Fleet", "vehicle assigned to a driver or fleet"),
    Entry(Name.ISSUE_CREATED, "Fleet", "issue or incident reported"),
    Entry(Name.ISSUE_UPDATED, "Fleet", "issue updated"),
    Entry(Name.ISSUE_RESOLVED, "Fleet", "issue marked resolved"),
)
