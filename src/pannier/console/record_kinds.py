"""The kinds of records that can be found by text: their API paths and identifying values."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple


class RecordKind(NamedTuple):
    """A kind of record: the API's list of them, and the values that identify them."""

    api: str
    icon: str
    noun: str
    label: str
    hint: str
    # The values to compare with the text: paths in the record, and their names in messages.
    known_by: Mapping[str, str]
    # The list's filter for free text. Without one, the console compares all records.
    filter: str = "query"
    # The list's filter for exact numbers.
    exact: str = ""
    # Whether the list has a filter for several identifiers.
    by_ids: bool = True
    # Whether the filter for free text itself finds other spellings of numbers.
    any_spelling: bool = False
    # More values after the hint. For each, its paths: the first one with a value counts.
    details: Sequence[Sequence[str]] = ()


_NAME: Final = {"name": "name"}
_PERSON: Final = {**_NAME, "phone": "phone", "email": "email", "internal_id": "internal ID"}
# By resource. The palette searches the first twelve.
KINDS: Final[Mapping[str, RecordKind]] = {
    "orders": RecordKind(
        "/v1/orders",
        "package",
        "order",
        "internal_id",
        "status",
        {
            "internal_id": "internal ID",
            "tracking_number.tracking_number": "tracking number",
            "customer.name": "customer",
        },
        exact="id",
        any_spelling=True,
        details=(
            ("customer.name",),
            ("payload.dropoff.name", "payload.dropoff.street1", "payload.dropoff.address"),
        ),
    ),
    "invoices": RecordKind(
        "/int/v1/invoices",
        "receipt",
        "invoice",
        "number",
        "customer_name",
        {"number": "number"},
        filter="number",
        by_ids=False,
    ),
    "drivers": RecordKind("/v1/drivers", "user", "driver", "name", "phone", _PERSON),
    "vehicles": RecordKind(
        "/v1/vehicles",
        "truck",
        "vehicle",
        "plate_number",
        "model",
        {"plate_number": "plate", "vin": "VIN", "internal_id": "internal ID", "model": "model"},
    ),
    "customers": RecordKind(
        "/int/v1/customers",
        "users",
        "customer",
        "name",
        "phone",
        {**_NAME, "phone": "phone", "email": "email"},
        by_ids=False,
    ),
    "contacts": RecordKind("/v1/contacts", "contact", "contact", "name", "phone", _PERSON),
    "vendors": RecordKind(
        "/v1/vendors",
        "handshake",
        "vendor",
        "name",
        "email",
        {**_PERSON, "business_id": "business ID"},
    ),
    "places": RecordKind(
        "/v1/places",
        "map-pin",
        "place",
        "name",
        "street1",
        {**_NAME, "address": "address", "street1": "street", "phone": "phone"},
    ),
    "devices": RecordKind(
        "/int/v1/devices",
        "radio-tower",
        "device",
        "name",
        "identifier",
        {**_NAME, "identifier": "identifier"},
        by_ids=False,
    ),
    "service-areas": RecordKind(
        "/v1/service-areas", "land-plot", "service area", "name", "type", _NAME
    ),
    "zones": RecordKind("/v1/zones", "pentagon", "zone", "name", "type", _NAME),
    "fleets": RecordKind("/v1/fleets", "boxes", "fleet", "name", "task", _NAME),
    "order-configs": RecordKind(
        "/v1/order-configs",
        "workflow",
        "order flow",
        "name",
        "key",
        {**_NAME, "key": "key"},
        by_ids=False,
    ),
    "operators": RecordKind(
        "/int/v1/operators",
        "users",
        "operator",
        "name",
        "email",
        {**_NAME, "email": "email"},
        filter="",
        by_ids=False,
    ),
    "keys": RecordKind(
        "/int/v1/keys", "key-round", "key", "name", "kind", _NAME, filter="", by_ids=False
    ),
    "webhooks": RecordKind(
        "/int/v1/webhooks",
        "webhook",
        "webhook",
        "description",
        "url",
        {"description": "description", "url": "URL"},
        by_ids=False,
    ),
    "storefronts": RecordKind(
        "/int/v1/storefronts",
        "store",
        "storefront",
        "name",
        "settings.branding.name",
        _NAME,
        filter="",
        by_ids=False,
    ),
    "service-rates": RecordKind(
        "/int/v1/service-rates",
        "tags",
        "service rate",
        "service_name",
        "service_type",
        {"service_name": "name"},
        by_ids=False,
    ),
    "issues": RecordKind(
        "/v1/issues", "triangle-alert", "issue", "title", "status", {"title": "title"}, by_ids=False
    ),
}
SEARCHED_RESOURCES: Final = tuple(KINDS)[:12]
