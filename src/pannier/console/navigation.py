"""The areas of the side bar, and their pages."""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A page in the side bar."""

    label: str
    resource: str
    icon: str
    # The API path that the page loads first. Without access to it, the entry is hidden.
    door: str
    # The key that opens the page after `g`.
    key: str = ""


AREAS: Final = (
    (
        "Operations",
        (
            Entry("Orders", "orders", "package", "/v1/orders", "o"),
            Entry("Live map", "map", "map", "/v1/vehicles", "m"),
            Entry("Proofs of delivery", "proofs", "signature", "/v1/proofs", "p"),
            Entry("Quotes", "service-quotes", "receipt-text", "/int/v1/service-quotes", "q"),
            Entry("Transactions", "transactions", "wallet", "/int/v1/transactions", "t"),
            Entry("Customers", "customers", "users", "/int/v1/customers", "c"),
            Entry("Contacts", "contacts", "contact", "/v1/contacts"),
            Entry("Vendors", "vendors", "handshake", "/v1/vendors"),
            Entry("Places", "places", "map-pin", "/v1/places"),
        ),
    ),
    (
        "Fleet",
        (
            Entry("Vehicles", "vehicles", "truck", "/v1/vehicles", "v"),
            Entry("Drivers", "drivers", "user", "/v1/drivers", "d"),
            Entry("Fleets", "fleets", "boxes", "/v1/fleets"),
            Entry("Devices", "devices", "radio-tower", "/int/v1/devices"),
            Entry(
                "Device events", "device-events", "list-tree",
                "/int/v1/fleet-module/device-events", "e",
            ),
            Entry("Issues", "issues", "triangle-alert", "/v1/issues", "i"),
        ),
    ),
    (
        "Developers",
        (
            Entry("Webhooks", "webhooks", "webhook", "/int/v1/webhooks", "w"),
            Entry(
                "Delivery log", "webhook-deliveries", "scroll-text",
                "/int/v1/webhook-deliveries", "l",
            ),
            Entry("Events", "events", "activity", "/int/v1/events"),
            Entry("API keys", "keys", "key-round", "/int/v1/keys", "k"),
        ),
    ),
    (
        "Setup",
        (
            Entry("Order flows & POD", "order-configs", "workflow", "/v1/order-configs", "f"),
            Entry("Service rates", "service-rates", "tags", "/int/v1/service-rates", "r"),
            Entry("Service areas", "service-areas", "land-plot", "/v1/service-areas", "a"),
            Entry("Operators", "operators", "shield-user", "/int/v1/operators"),
            Entry("Storefronts", "storefronts", "store", "/int/v1/storefronts"),
            Entry("Messages", "messages", "message-square", "/int/v1/messages"),
            Entry("Audit log", "audit", "history", "/int/v1/audit"),
            Entry("Parked jobs", "parked", "list-x", "/int/v1/parked"),
            Entry("Settings", "settings", "settings", "/int/v1/settings", "s"),
        ),
    ),
)  # fmt: skip
# The titles of resources, wherever they are named.
LABELS: Final = {
    **{entry.resource: entry.label for _, entries in AREAS for entry in entries},
    "device-rejects": "Rejected events",
}
