"""One name per meaning: the OpenAPI document has no second name that is not a former one.

ADR 27 lists what was settled. A new field with a second name fails here: rename it, or mark the
former name with `former_name`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from pannier.app import build_litestar
from pannier.web.former_names import SETTLED_ON
from pannier.web.openapi import build_document

# Names that mean the same, by the name that was settled.
SECOND_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "id": frozenset({"public_id"}),
    "driver": frozenset({"driver_assigned", "driver_id", "driver_uuid"}),
    "vehicle": frozenset({"vehicle_assigned", "vehicle_id"}),
    "device": frozenset({"device_id", "device_uuid"}),
    "order": frozenset({"order_id", "order_uuid"}),
    "waypoint": frozenset({"stop", "stop_id", "waypoint_id", "waypoint_uuid"}),
    "tracking": frozenset({"tracking_number", "tracking_no"}),
    "expires_at": frozenset({"expired_at", "expiry", "expires", "valid_till"}),
    "erase_at": frozenset({"erasure_at"}),
    "starts_at": frozenset({"begins_at", "begin_at"}),
    "on_time": frozenset({"in_time"}),
    "time_zone": frozenset({"timezone", "tz", "zone_name"}),
    "store": frozenset({"storefront", "store_id", "store_uuid"}),
    "canceled": frozenset({"cancelled"}),
    "canceled_at": frozenset({"cancelled_at"}),
    "raw_data": frozenset({"raw"}),
    "amount": frozenset({"total"}),
    "tax_amount": frozenset({"tax"}),
    "amount_paid": frozenset({"paid", "paid_amount"}),
    "amount_refunded": frozenset({"refunded", "refunded_amount"}),
    "name": frozenset({"file_name", "filename"}),
    "customer": frozenset({"customer_id", "customer_uuid"}),
    "place": frozenset({"place_id", "place_uuid"}),
    "payload": frozenset({"payload_id", "payload_uuid"}),
    "transaction": frozenset({"transaction_id", "transaction_uuid"}),
    "webhook": frozenset({"webhook_id", "webhook_uuid"}),
    "plate_number": frozenset({"license_plate", "plate"}),
    "phone": frozenset({"phone_number", "mobile"}),
    "email": frozenset({"email_address", "mail"}),
    "postal_code": frozenset({"zip", "zip_code", "postcode"}),
    "latitude": frozenset({"lat"}),
    "longitude": frozenset({"lng", "lon"}),
}
# Second names that stay, by schema or parameter, and why.
CONTRACT: Final = "The contract names it."
FOREIGN: Final = "The names are those of a foreign protocol."
OTHER: Final = "It has another meaning here."
SIGNED: Final = "It is part of a signed link."
FROZEN: Final = "Issued invoices keep their fields."
EVENT: Final = "It is named after the event `order.cancelled`, which the contract names."
KEPT: Final[Mapping[tuple[str, str], str]] = {
    ("DeviceEventOut", "device_id"): CONTRACT,
    ("DeviceEventOut", "vehicle_id"): CONTRACT,
    ("QuoteOut", "expired_at"): CONTRACT,
    ("OrderQuoteOut", "expired_at"): CONTRACT,
    ("OrderOut", "tracking_number"): OTHER,
    ("AssignedOrderOut", "tracking_number"): OTHER,
    ("CustomerOrderOut", "tracking_number"): OTHER,
    ("OrderCustomerIn", "public_id"): OTHER,
    ("EphemeralKeyOut", "expires"): FOREIGN,
    ("OsmandIn", "lat"): FOREIGN,
    ("OsmandIn", "lon"): FOREIGN,
    ("PhoneReport", "device_id"): FOREIGN,
    ("GET /ingest/osmand", "lat"): FOREIGN,
    ("GET /ingest/osmand", "lon"): FOREIGN,
    ("GET /ingest/osmand/{token}", "lat"): FOREIGN,
    ("GET /ingest/osmand/{token}", "lon"): FOREIGN,
    ("GET /files/{file_id}", "expires"): SIGNED,
    ("GET /invoices/{invoice_id}.pdf", "expires"): SIGNED,
    ("DocumentLine", "tracking_number"): FROZEN,
    ("InvoiceDocument", "paid_amount"): FROZEN,
    ("AgeingOut", "total"): OTHER,
    ("News", "cancelled"): EVENT,
    ("NewsSettings", "cancelled"): EVENT,
    ("WordsOfNews", "cancelled"): EVENT,
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return build_document(build_litestar(), "http://pannier.test").content


def list_used_schemas(document: dict[str, Any]) -> set[str]:
    """List the schemas of requests and responses. Events keep the names of the contract."""
    schemas, found = document["components"]["schemas"], set[str]()
    texts = [json.dumps(document["paths"])]
    while texts:
        names = set(re.findall(r"#/components/schemas/(\w+)", texts.pop())) - found
        found |= names
        texts += [json.dumps(schemas[name]) for name in names]
    return found


def list_fields(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """List the objects that have named fields: schemas, and the parameters of an operation."""
    used_names = list_used_schemas(document)
    for name, schema in document["components"]["schemas"].items():
        if name in used_names:
            yield name, schema.get("properties", {})
    for path, item in document["paths"].items():
        for method, operation in item.items():
            parameters = [each for each in operation["parameters"] if each.get("in") == "query"]
            yield f"{method.upper()} {path}", {each["name"]: each for each in parameters}


def test_no_second_name_is_left(document: dict[str, Any]) -> None:
    left = [
        f"{place}.{second}: use {name}"
        for place, fields in list_fields(document)
        for name, second_names in SECOND_NAMES.items()
        for second in second_names & fields.keys()
        if not fields[second].get("deprecated") and (place, second) not in KEPT
    ]
    assert left == []


def test_what_is_kept_exists(document: dict[str, Any]) -> None:
    fields = dict(list_fields(document))
    assert [key for key in KEPT if key[1] not in fields.get(key[0], {})] == []


def test_each_former_name_stands_beside_its_replacement(document: dict[str, Any]) -> None:
    former_count = 0
    for place, fields in list_fields(document):
        for name, field in fields.items():
            if field.get("deprecated"):
                former_count += 1
                replacement = field["description"].split("`")[1]
                assert replacement in fields, (place, name)
                assert not fields[replacement].get("deprecated"), (place, name)
    assert former_count > 100


def test_the_dated_list_has_each_former_name(document: dict[str, Any]) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "versions.md"
    rows = re.findall(r"^\| (\d{4}-\d\d-\d\d) \| (.*) \|$", guide.read_text(), re.MULTILINE)
    dates = [date for date, _ in rows]
    assert dates == sorted(dates, reverse=True)
    settled = " ".join(text for date, text in rows if date >= SETTLED_ON.isoformat())
    former_names = {
        name
        for _, fields in list_fields(document)
        for name, field in fields.items()
        if field.get("deprecated")
    }
    assert {name for name in former_names if f"`{name}`" not in settled} == set()
