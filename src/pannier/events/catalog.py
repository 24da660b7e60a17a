"""The event types: nineteen that the contract names, and those about money."""

from collections.abc import Container
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
    TRANSACTION_CREATED = "transaction.created"
    TRANSACTION_PAID = "transaction.paid"
    TRANSACTION_REFUNDED = "transaction.refunded"
    TRANSACTION_VOIDED = "transaction.voided"
    CHARGE_CREATED = "charge.created"
    CASH_COLLECTED = "cash.collected"
    INVOICE_ISSUED = "invoice.issued"


class CatalogEntry(NamedTuple):
    """One entry of the event catalogue."""

    name: Name
    group: str
    meaning: str


CATALOG: Final = (
    CatalogEntry(Name.ORDER_CREATED, "Orders", "new order placed"),
    CatalogEntry(Name.ORDER_DISPATCHED, "Orders", "order assigned to a driver and dispatched"),
    CatalogEntry(Name.ORDER_STARTED, "Orders", "driver started the order"),
    CatalogEntry(Name.ORDER_COMPLETED, "Orders", "order delivered"),
    CatalogEntry(Name.ORDER_CANCELLED, "Orders", "order canceled"),
    CatalogEntry(Name.ORDER_UPDATED, "Orders", "any order field changed"),
    CatalogEntry(Name.DRIVER_ASSIGNED, "Drivers", "driver assigned to an order or fleet"),
    CatalogEntry(Name.DRIVER_LOCATION_CHANGED, "Drivers", "driver location updated"),
    CatalogEntry(Name.DRIVER_ONLINE, "Drivers", "driver went online"),
    CatalogEntry(Name.DRIVER_OFFLINE, "Drivers", "driver went offline"),
    CatalogEntry(Name.DRIVER_UPDATED, "Drivers", "driver profile or status changed"),
    CatalogEntry(Name.TRACKING_STATUS_CREATED, "Tracking", "tracking status recorded"),
    CatalogEntry(
        Name.TRACKING_NUMBER_CREATED,
        "Tracking",
        "tracking number generated for an order, stop or item",
    ),
    CatalogEntry(Name.PROOF_OF_DELIVERY_CREATED, "Tracking", "proof of delivery captured"),
    CatalogEntry(Name.VEHICLE_UPDATED, "Fleet", "vehicle details or status changed"),
    CatalogEntry(Name.VEHICLE_ASSIGNED, "Fleet", "vehicle assigned to a driver or fleet"),
    CatalogEntry(Name.ISSUE_CREATED, "Fleet", "issue or incident reported"),
    CatalogEntry(Name.ISSUE_UPDATED, "Fleet", "issue updated"),
    CatalogEntry(Name.ISSUE_RESOLVED, "Fleet", "issue marked resolved"),
)

MONEY_CATALOG: Final = (
    CatalogEntry(Name.TRANSACTION_CREATED, "Money", "customer owes money for an order"),
    CatalogEntry(Name.TRANSACTION_PAID, "Money", "transaction paid in full"),
    CatalogEntry(Name.TRANSACTION_REFUNDED, "Money", "money of a transaction refunded"),
    CatalogEntry(Name.TRANSACTION_VOIDED, "Money", "transaction voided"),
    CatalogEntry(Name.CHARGE_CREATED, "Money", "charge or credit added to an order"),
    CatalogEntry(Name.CASH_COLLECTED, "Money", "driver collected cash on delivery"),
    CatalogEntry(Name.INVOICE_ISSUED, "Money", "invoice issued"),
)


def list_entries(emitted: Container[Name]) -> list[CatalogEntry]:
    """List the entries of the contract, then those about money that some operation emits."""
    return [*CATALOG, *(entry for entry in MONEY_CATALOG if entry.name in emitted)]
