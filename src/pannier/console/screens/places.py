"""Places: where goods are picked up and dropped off."""

from typing import Any, Final

from pannier.console import columns, fields, maps
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.formatting import record_name
from pannier.console.forms import Field, Form
from pannier.console.records import Records

OWNERS: Final = (("company", "Company"), ("customer", "Customer"), ("order", "Order"))
FORM: Final = Form(
    (
        Field(name="name", label="Name"),
        Field(name="street1", label="Street", addresses="part"),
        Field(name="street2", label="Address line 2"),
        Field(name="building", label="Building"),
        Field(name="postal_code", label="Postal code"),
        Field(name="city", label="City"),
        Field(name="province", label="Province"),
        fields.COUNTRY,
        Field(name="location", label="Coordinates", kind="point", pin=True,
              help="Latitude, longitude."),
        Field(name="phone", label="Phone", kind="tel"),
        Field(name="security_access_code", label="Access code"),
        Field(name="type", label="Type", placeholder="warehouse"),
        Field(name="owner_type", label="Owner", kind="choice", options=OWNERS, nullable=False,
              default="company",
              help="Erasing a customer's data also erases places owned by the customer or by their "
                   "orders. Company places are kept."),
        Field(name="owner", label="Customer", kind="record", resource="contacts",
              help="The customer who owns the place, if any."),
    )
)  # fmt: skip


async def load_related(client: ApiClient, place: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a place's location and the orders delivered there."""
    orders = await client.list_rows("/v1/orders", {"dropoff": place["id"], "limit": "10"})
    point = place["location"]
    features = [maps.point(place["id"], record_name(place), point)] if point else []
    return {"features": maps.collection(features), "orders": orders.rows}


PLACES: Final = Records(
    "/v1/places",
    columns=(
        columns.TITLE,
        Column("Address", "address", "address"),
        columns.TYPE,
        Column("Phone", "phone", "phone", wide=True),
        Column("Coordinates", "location", "coordinates", wide=True),
    ),
    facts=(
        "address",
        Column("Building", "building"),
        "phone",
        Column("Access code", "security_access_code", "mono"),
        "type",
        Column("Owner", "owner_type", "words"),
        "location",
        Column("Geocoding", "geocoding.status", "standing"),
        columns.CREATED,
    ),
    filters=(
        Field(name="query", label="Name, street, city or postal code"),
        Field(name="type", label="Type"),
        Field(name="country", label="Country"),
        Field(name="owner_type", label="Owner", kind="choice", options=OWNERS),
    ),
    form=FORM,
    form_template="places/form.html",
    record_template="places/record.html",
    load_related=load_related,
    empty="No places yet. Create one here, or enter an address in your first order.",
)
handlers: Final = PLACES.make_handlers()
