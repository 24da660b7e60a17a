"""The areas of the side bar, and their pages."""

from typing import Final, NamedTuple


class NavigationEntry(NamedTuple):
    """A page in the side bar."""

    label: str
    resource: str
    icon: str
    # The API path that the page loads first. Without access to it, the entry is hidden.
    api_path: str
    # The key that opens the page after `g`.
    key: str = ""


AREAS: Final = (
    (
        "Operations",
        (
            NavigationEntry("Home", "home", "house", "/int/v1/home"),
            NavigationEntry("Orders", "orders", "package", "/v1/orders", "o"),
            NavigationEntry("Route planning", "plan", "route", "/v1/plans", "u"),
            NavigationEntry("Live map", "map", "map", "/v1/vehicles", "m"),
            NavigationEntry("Proofs of delivery", "proofs", "signature", "/v1/proofs", "p"),
            NavigationEntry(
                "Quotes", "service-quotes", "receipt-text", "/int/v1/service-quotes", "q"
            ),
            NavigationEntry("Transactions", "transactions", "wallet", "/int/v1/transactions", "t"),
            NavigationEntry("Invoices", "invoices", "receipt", "/int/v1/invoices", "n"),
            NavigationEntry("Cash desk", "cash", "banknote", "/int/v1/cash/balances", "h"),
            NavigationEntry("Customers", "customers", "users", "/int/v1/customers", "c"),
            NavigationEntry("Contacts", "contacts", "contact", "/v1/contacts"),
            NavigationEntry("Vendors", "vendors", "handshake", "/v1/vendors"),
            NavigationEntry("Places", "places", "map-pin", "/v1/places"),
        ),
    ),
    (
        "Fleet",
        (
            NavigationEntry("Vehicles", "vehicles", "truck", "/v1/vehicles", "v"),
            NavigationEntry("Drivers", "drivers", "user", "/v1/drivers", "d"),
            NavigationEntry("Fleets", "fleets", "boxes", "/v1/fleets"),
            NavigationEntry("Devices", "devices", "radio-tower", "/int/v1/devices"),
            NavigationEntry(
                "Device events",
                "device-events",
                "list-tree",
                "/int/v1/fleet-module/device-events",
                "e",
            ),
            NavigationEntry("Issues", "issues", "triangle-alert", "/v1/issues", "i"),
        ),
    ),
    (
        "Developers",
        (
            NavigationEntry("Webhooks", "webhooks", "webhook", "/int/v1/webhooks", "w"),
            NavigationEntry(
                "Webhook deliveries",
                "webhook-deliveries",
                "scroll-text",
                "/int/v1/webhook-deliveries",
                "l",
            ),
            NavigationEntry("Events", "events", "activity", "/int/v1/events"),
            NavigationEntry("API keys", "keys", "key-round", "/int/v1/keys", "k"),
        ),
    ),
    (
        "Setup",
        (
            NavigationEntry("Order flows", "order-configs", "workflow", "/v1/order-configs", "f"),
            NavigationEntry("Service rates", "service-rates", "tags", "/int/v1/service-rates", "r"),
            NavigationEntry(
                "Service areas", "service-areas", "land-plot", "/v1/service-areas", "a"
            ),
            NavigationEntry("Operators", "operators", "shield-user", "/int/v1/operators"),
            NavigationEntry("Storefronts", "storefronts", "store", "/int/v1/storefronts"),
            NavigationEntry("Messages", "messages", "message-square", "/int/v1/messages"),
            NavigationEntry("Audit log", "audit", "history", "/int/v1/audit"),
            NavigationEntry("Failed jobs", "parked", "list-x", "/int/v1/parked"),
            NavigationEntry("Settings", "settings", "settings", "/int/v1/settings", "s"),
        ),
    ),
)
# The titles of resources, wherever they are named.
LABELS: Final = {
    **{entry.resource: entry.label for _, entries in AREAS for entry in entries},
    "device-rejects": "Rejected device events",
    "cash/collections": "Cash collections",
    "cash/hand-ins": "Cash hand-ins",
    "cash/remittances": "Cash remittances",
    "cash/differences": "Cash differences",
}
