"""A shipment in a form, for price calculations."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form
from pannier.console.record_names import load_record_names
from pannier.errors import Problem
from pannier.kit import decimals

PLACE_PLACEHOLDER: Final = "A place or coordinates: 1.2966,103.8520"
SIZES: Final = ("weight", "length", "width", "height")
MAX_ITEMS: Final = 1000
# Fields that the API takes in other units, or for each item.
FORM_ONLY_FIELDS: Final = frozenset({*SIZES, "count", "kilometres", "cash"})
FIELDS: Final = (
    Field(
        name="pickup",
        label="Pickup",
        kind="record",
        resource="places",
        addresses="whole",
        placeholder=PLACE_PLACEHOLDER,
    ),
    Field(
        name="dropoff",
        label="Drop-off",
        kind="record",
        resource="places",
        addresses="whole",
        placeholder=PLACE_PLACEHOLDER,
    ),
    Field(
        name="customer",
        label="Customer",
        kind="record",
        resource="contacts vendors customers",
        placeholder="Any",
        help="Includes the customer's own rates.",
    ),
    Field(name="scheduled_at", label="Scheduled time", kind="moment", help="Defaults to now."),
    Field(name="kilometres", label="Distance (km)", kind="decimal", placeholder="Calculated"),
    Field(name="count", label="Items", kind="number", placeholder="1"),
    Field(name="weight", label="Weight per item (kg)", kind="decimal"),
    Field(name="length", label="Length (cm)", kind="decimal"),
    Field(name="width", label="Width (cm)", kind="decimal"),
    Field(name="height", label="Height (cm)", kind="decimal"),
    Field(name="cash", label="Cash on delivery", kind="money"),
)
# Labels of the fields that the API may refuse.
LABELS: Final = {
    **{field.name: field.label for field in FIELDS},
    "distance": "Distance (km)",
    "cod": "Cash on delivery",
    "payload": "Order",
}
FORM: Final = Form(FIELDS)


def make_form(currency: str) -> Form:
    """Make the form of a shipment whose amounts are in this currency."""
    return Form(
        tuple(
            replace(field, label=f"{field.label} ({currency})") if field.kind == "money" else field
            for field in FIELDS
        )
    )


def to_body(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert form values to a shipment in the API's format."""
    body = {name: values[name] for name in values if name not in FORM_ONLY_FIELDS}
    size = {name: values[name] for name in SIZES if values.get(name) is not None}
    if size:
        body["entities"] = [size] * _parse_count(values.get("count"))
    if values.get("kilometres") is not None:
        body["distance"] = _to_metres(values["kilometres"])
    if values.get("cash") is not None:
        body["cod"] = values["cash"]
    return body


def _parse_count(count: Any) -> int:  # noqa: ANN401 - the input
    return min(max(count, 1), MAX_ITEMS) if isinstance(count, int) else 1


def _to_metres(kilometres: str) -> Any:  # noqa: ANN401 - the API rejects any other text
    try:
        return round(decimals.parse(kilometres) * 1000)
    except ValueError:
        return kilometres


async def load_example(client: ApiClient) -> dict[str, str]:
    """Load an example: a shipment between the company's two oldest places with coordinates."""
    rows = (await client.list_rows("/v1/places", {"sort": "created_at", "limit": "10"})).rows
    located_ids = [row["id"] for row in rows if row["location"]]
    return (
        dict(zip(("pickup", "dropoff"), located_ids, strict=False)) if len(located_ids) > 1 else {}
    )


async def load_endpoint_names(client: ApiClient, shipment: Mapping[str, Any]) -> list[str]:
    """Load the names of the pickup and the drop-off."""
    endpoints = [_to_text(shipment[name]) for name in ("pickup", "dropoff") if shipment.get(name)]
    names = await load_record_names(
        client, "places", [place for place in endpoints if place.startswith("place_")]
    )
    return [names.get(place, place) for place in endpoints]


def _to_text(address: Any) -> str:  # noqa: ANN401 - an identifier, coordinates or an address
    """Format an address on one line. Convert any other value to text."""
    if not isinstance(address, Mapping):
        return str(address)
    parts = (address.get(name) for name in ("name", "street1", "postal_code", "city"))
    return ", ".join(str(part) for part in parts if part)


def list_messages(problem: Problem, labels: Mapping[str, str]) -> list[str]:
    """List a problem's messages, with the labels of the fields."""
    messages = [
        f"{labels.get(_strip_prefix(error.path), error.path)}: {error.message}"
        for error in problem.fields
    ]
    return messages or [problem.detail]


def _strip_prefix(path: str) -> str:
    return path.removeprefix("try.")
