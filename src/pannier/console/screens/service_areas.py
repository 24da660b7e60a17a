"""Service areas: where a company works. Rates and zones belong to them."""

from functools import partial
from typing import Any, Final

from pannier.console import columns, fields, maps
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records
from pannier.places.models import Status

STATUSES: Final = to_options(Status)
# Fields that service areas and zones share, before and after the fields of zones.
NAME_FIELDS: Final = (
    fields.NAME,
    fields.make_status_field(STATUSES),
    Field(name="type", label="Type"),
)
BORDER_FIELDS: Final = (
    Field(name="border", label="Boundary (GeoJSON)", kind="json", nullable=False,
          help="Enter GeoJSON, draw a shape on the map, or enter a center and a radius."),
    Field(name="location", label="Center", kind="point", only="new",
          help="Latitude, longitude."),
    Field(name="radius", label="Radius (m)", kind="number", only="new"),
)  # fmt: skip
TAX_RATE: Final = Field(
    name="tax_rate", label="Tax rate (%)", kind="decimal", placeholder="Company default"
)
FORM: Final = Form((*NAME_FIELDS, fields.COUNTRY, TAX_RATE, *BORDER_FIELDS))
FILTERS: Final = (
    Field(name="query", label="Name or type"),
    fields.make_status_field(STATUSES),
)


def to_features(rows: list[Any], resource: str, color: str) -> list[Any]:
    """Convert areas or zones to map features that link to their pages."""
    return [
        maps.area(
            row["id"], row["name"], row["border"],
            color if row["status"] == "active" else "grey",
            href=f"/console/{resource}/{row['id']}",
        )
        for row in rows
    ]  # fmt: skip


async def load_related(client: ApiClient, area: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load an area with its zones."""
    zones = (await client.list_rows("/v1/zones", {"service_area": area["id"], "limit": "100"})).rows
    features = [
        *to_features([area], "service-areas", "blue"),
        *to_features(zones, "zones", "violet"),
    ]
    return {"features": maps.collection(features), "zones": zones}


async def load_list_extras(_: ApiClient, rows: list[Any]) -> dict[str, Any]:
    """Return the listed areas as map features."""
    return {"features": maps.collection(to_features(rows, "service-areas", "blue"))}


async def load_surroundings(client: ApiClient, record: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load other areas and zones as a background for drawing."""
    areas = (await client.list_rows("/v1/service-areas", {"limit": "30"})).rows
    zones = (await client.list_rows("/v1/zones", {"limit": "30"})).rows
    features = [*to_features(areas, "service-areas", "grey"), *to_features(zones, "zones", "grey")]
    record_id = record["id"] if record else ""
    other_features = [feature for feature in features if feature["properties"]["id"] != record_id]
    return {"features": maps.collection(other_features)}


# Service areas and zones use the same templates.
BorderedRecords: Final = partial(
    Records,
    list_template="areas/list.html",
    record_template="areas/record.html",
    form_template="areas/form.html",
    load_choices=load_surroundings,
)
AREAS: Final = BorderedRecords(
    "/v1/service-areas",
    columns=(
        columns.TITLE,
        columns.STATUS,
        columns.TYPE,
        columns.COUNTRY,
        Column("Updated", "updated_at", "ago", wide=True),
    ),
    facts=(
        "status",
        "type",
        "country",
        Column("Tax rate (%)", "tax_rate", "number", quiet=True),
        columns.CENTRE,
        columns.CREATED,
        columns.UPDATED,
    ),
    filters=FILTERS,
    form=FORM,
    load_related=load_related,
    load_list_extras=load_list_extras,
    empty="No service areas yet. Draw the area you serve to define zones and rates for it.",
)
handlers: Final = AREAS.make_handlers()
