"""The sections of the side bar, and their pages."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

DEFAULT_GUIDE: Final = "guide/console"


class NavigationEntry(NamedTuple):
    """A page in the side bar."""

    label: str
    resource: str
    icon: str
    # The API path that the page loads first. Without access to it, the entry is hidden.
    api_path: str
    # The key that opens the page after `g`.
    key: str = ""
    # The page of the docs that explains it.
    guide: str = DEFAULT_GUIDE


class NavigationSection(NamedTuple):
    """An item at the first level of the side bar. It opens its first page that the role may see."""

    label: str
    icon: str
    entries: tuple[NavigationEntry, ...]


SECTIONS: Final = (
    NavigationSection(
        "Home",
        "house",
        (
            NavigationEntry("Home", "home", "house", "/int/v1/home"),
            NavigationEntry("Alerts", "alerts", "bell", "/int/v1/alerts", guide="guide/alerts"),
            NavigationEntry("Reports", "reports", "chart-column", "/int/v1/reports"),
        ),
    ),
    NavigationSection(
        "Orders",
        "package",
        (
            NavigationEntry("Orders", "orders", "package", "/v1/orders", "o", guide="guide/orders"),
            NavigationEntry(
                "Templates",
                "order-templates",
                "list",
                "/v1/order-templates",
                guide="guide/orders",
            ),
            NavigationEntry(
                "Recurring orders",
                "recurring-orders",
                "repeat",
                "/v1/recurring-orders",
                guide="guide/orders",
            ),
            NavigationEntry(
                "Proofs of delivery", "proofs", "signature", "/v1/proofs", "p", guide="guide/proofs"
            ),
            NavigationEntry(
                "Issues", "issues", "triangle-alert", "/v1/issues", "i", guide="guide/drivers"
            ),
        ),
    ),
    NavigationSection(
        "Route planning",
        "route",
        (
            NavigationEntry(
                "Route planning", "plan", "route", "/v1/plans", "u", guide="guide/planning"
            ),
        ),
    ),
    NavigationSection(
        "Live map", "map", (NavigationEntry("Live map", "map", "map", "/v1/vehicles", "m"),)
    ),
    NavigationSection(
        "Fleet",
        "truck",
        (
            NavigationEntry(
                "Vehicles", "vehicles", "truck", "/v1/vehicles", "v", guide="guide/planning"
            ),
            NavigationEntry(
                "Drivers", "drivers", "user", "/v1/drivers", "d", guide="guide/drivers"
            ),
            NavigationEntry("Fleets", "fleets", "boxes", "/v1/fleets"),
            NavigationEntry(
                "Devices", "devices", "radio-tower", "/int/v1/devices", guide="guide/devices"
            ),
            NavigationEntry(
                "Device events",
                "device-events",
                "list-tree",
                "/int/v1/fleet-module/device-events",
                "e",
                guide="guide/devices",
            ),
        ),
    ),
    NavigationSection(
        "Customers",
        "users",
        (
            NavigationEntry(
                "Customers", "customers", "users", "/int/v1/customers", "c", guide="guide/customers"
            ),
            NavigationEntry("Contacts", "contacts", "contact", "/v1/contacts"),
            NavigationEntry("Vendors", "vendors", "handshake", "/v1/vendors"),
            NavigationEntry("Places", "places", "map-pin", "/v1/places"),
            NavigationEntry(
                "Messages",
                "messages",
                "message-square",
                "/int/v1/messages",
                guide="operate/messages",
            ),
        ),
    ),
    NavigationSection(
        "Money",
        "wallet",
        (
            NavigationEntry(
                "Transactions",
                "transactions",
                "wallet",
                "/int/v1/transactions",
                "t",
                guide="guide/payments",
            ),
            NavigationEntry(
                "Invoices", "invoices", "receipt", "/int/v1/invoices", "n", guide="guide/billing"
            ),
            NavigationEntry(
                "Cash desk",
                "cash",
                "banknote",
                "/int/v1/cash/balances",
                "h",
                guide="guide/payments",
            ),
            NavigationEntry(
                "Quotes",
                "service-quotes",
                "receipt-text",
                "/int/v1/service-quotes",
                "q",
                guide="guide/prices",
            ),
            NavigationEntry(
                "Service rates",
                "service-rates",
                "tags",
                "/int/v1/service-rates",
                "r",
                guide="guide/prices",
            ),
        ),
    ),
    NavigationSection(
        "Developers",
        "webhook",
        (
            NavigationEntry(
                "Webhooks", "webhooks", "webhook", "/int/v1/webhooks", "w", guide="guide/webhooks"
            ),
            NavigationEntry(
                "Webhook deliveries",
                "webhook-deliveries",
                "scroll-text",
                "/int/v1/webhook-deliveries",
                "l",
                guide="guide/webhooks",
            ),
            NavigationEntry(
                "Events", "events", "activity", "/int/v1/events", guide="guide/webhooks"
            ),
            NavigationEntry(
                "API keys", "keys", "key-round", "/int/v1/keys", "k", guide="guide/credentials"
            ),
            NavigationEntry(
                "Failed jobs", "parked", "list-x", "/int/v1/parked", guide="operate/troubleshooting"
            ),
        ),
    ),
    NavigationSection(
        "Settings",
        "settings",
        (
            NavigationEntry(
                "Settings",
                "settings",
                "settings",
                "/int/v1/settings",
                "s",
                guide="operate/company-settings",
            ),
            NavigationEntry(
                "Operators",
                "operators",
                "shield-user",
                "/int/v1/operators",
                guide="guide/credentials",
            ),
            NavigationEntry(
                "Order flows",
                "order-configs",
                "workflow",
                "/v1/order-configs",
                "f",
                guide="guide/order-configurations",
            ),
            NavigationEntry(
                "Service areas", "service-areas", "land-plot", "/v1/service-areas", "a"
            ),
            NavigationEntry("Import", "import", "upload", "/v1/imports", guide="guide/importing"),
            NavigationEntry(
                "Storefronts",
                "storefronts",
                "store",
                "/int/v1/storefronts",
                guide="guide/customers",
            ),
            NavigationEntry("Audit log", "audit", "history", "/int/v1/audit"),
        ),
    ),
)
# The most items that a person takes in at a glance. The rest is one click away.
MAX_SECTIONS: Final = 9
ENTRIES: Final = tuple(entry for section in SECTIONS for entry in section.entries)
# The titles of resources, wherever they are named.
LABELS: Final = {
    **{entry.resource: entry.label for entry in ENTRIES},
    "device-rejects": "Rejected device events",
    "cash/collections": "Cash collections",
    "cash/hand-ins": "Cash hand-ins",
    "cash/remittances": "Cash remittances",
    "cash/differences": "Cash differences",
}


class MenuItem(NamedTuple):
    """A section as the side bar shows it: a link to its own page, and links to the others."""

    section: NavigationSection
    # The first page that the role may see. Its key works here if the section is named after it.
    first: NavigationEntry
    other_entries: Sequence[NavigationEntry]
    current: NavigationEntry | None


def list_menu(is_allowed: Callable[[str, str], bool], path: str) -> list[MenuItem]:
    """List the sections with pages that a role may see, and find the page at a path."""
    menu = []
    for section in SECTIONS:
        entries = [entry for entry in section.entries if is_allowed("GET", entry.api_path)]
        if entries:
            other_entries = [entry for entry in entries if entry.label != section.label]
            current = next((entry for entry in entries if _is_at(entry, path)), None)
            menu.append(MenuItem(section, entries[0], other_entries, current))
    return menu


def _is_at(entry: NavigationEntry, path: str) -> bool:
    return f"{path}/".startswith(f"/console/{entry.resource}/")


def find_guide(path: str) -> str:
    """Return the address of the docs that explain a page."""
    current = next((entry for entry in ENTRIES if _is_at(entry, path)), None)
    return f"/docs/{DEFAULT_GUIDE if current is None else current.guide}"
