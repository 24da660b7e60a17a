"""The pages of records, and short names for records without one, by their ids."""

import re
from collections.abc import Mapping
from typing import Final

# The resource with the page of a record, by the prefix of the record's id.
RESOURCES_BY_PREFIX: Final[Mapping[str, str]] = {
    "collection": "cash/collections",
    "contact": "contacts",
    "customer": "customers",
    "delivery": "webhook-deliveries",
    "device": "devices",
    "driver": "drivers",
    "event": "events",
    "fleet": "fleets",
    "handin": "cash/hand-ins",
    "invoice": "invoices",
    "issue": "issues",
    "key": "keys",
    "message": "messages",
    "operator": "operators",
    "order": "orders",
    "order_config": "order-configs",
    "order_template": "order-templates",
    "parked": "parked",
    "place": "places",
    "plan": "plan",
    "proof": "proofs",
    "recurring_order": "recurring-orders",
    "remittance": "cash/remittances",
    "sa": "service-areas",
    "service": "service-rates",
    "service_area": "service-areas",
    "service_rate": "service-rates",
    "store": "storefronts",
    "transaction": "transactions",
    "vehicle": "vehicles",
    "vendor": "vendors",
    "webhook": "webhooks",
    "zone": "zones",
}


def record_url(identifier: str) -> str:
    """Return the URL of a record's page by its id, or an empty text if it has no page."""
    resource = RESOURCES_BY_PREFIX.get(identifier.rpartition("_")[0])
    return f"/console/{resource}/{identifier}" if resource else ""


# Nouns of records that are not the prefix of their ids.
NOUNS_BY_PREFIX: Final[Mapping[str, str]] = {
    "handin": "Hand-in",
    "key": "API key",
    "order_config": "Order flow",
    "parked": "Failed job",
    "sa": "Service area",
    "service": "Service rate",
    "store": "Storefront",
}
SHORT_ID_LENGTH: Final = 4
# The code of an id has a digit or a capital, unlike other words with underscores.
_RAW_ID: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{16}")


def shorten_id(text: str) -> str:
    """Return a short form of an id for a record without a name: "Transaction 8Kpq".

    Any other text stays unchanged.
    """
    if not _RAW_ID.fullmatch(text):
        return text
    prefix, _, code = text.rpartition("_")
    noun = NOUNS_BY_PREFIX.get(prefix, prefix.replace("_", " ").capitalize())
    return f"{noun} {code[-SHORT_ID_LENGTH:]}"
