"""Service areas: where a company works. Rates and zones belong to them."""

from functools import partial
from typing import Any, Final

from pannier.console import columns, fields, maps
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form, worded
from pannier.console.records import Records
from pannier.places.models import Status

STATUSES: Final = worded(Status)
# Fields that service areas and zones share, before and after the fields of zones.
NAMED: Final = (
    fields.NAME,
    fields.status(STATUSES),
    Field(name="type", label="Type"),
)
DRAWN: Final = (
    Field(name="border", label="Border", kind="json", nullable=False,
          help="GeoJSON. Draw it on the map, or enter a center and a radius."),
    Field(name="location", label="Center", kind="point", only="new",
          help="Latitude, longitude"),
    Field(name="radius", label="Radius (m)", kind="number", only="new"),
)  # fmt: skip
FORM: Final = Form((*NAMED, fields.COUNTRY, *DRAWN))
FILTERS: Final = (
    Field(name="query", label="Name or type"),
    fields.status(STATUSES),
)


def drawn(rows: list[Any], resource: str, color: str) -> list[Any]:
    """Return areas or zones as map features that link to their pages."""
    return [
        maps.area(
            row["id"], row["name"], row["border"],
            color if row["status"] == "active" else "grey",
            href=f"/console/{resource}/{row['id']}",
        )
        for row in rows
    ]  # fmt: skip


async def beside(desk: Desk, area: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load an area with its zones."""
    zones = (await desk.rows("/v1/zones", {"service_area": area["id"], "limit": "100"})).rows
    features = [*drawn([area], "service-areas", "blue"), *drawn(zones, "zones", "violet")]
    return {"features": maps.collection(features), "zones": zones}


async def among(_: Desk, rows: list[Any]) -> dict[str, Any]:
    """Return the listed areas as map features."""
    return {"features": maps.collection(drawn(rows, "service-areas", "blue"))}


async def around(desk: Desk, record: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load other areas and zones as a background for drawing."""
    areas = (await desk.rows("/v1/service-areas", {"limit": "30"})).rows
    zones = (await desk.rows("/v1/zones", {"limit": "30"})).rows
    features = [*drawn(areas, "service-areas", "grey"), *drawn(zones, "zones", "grey")]
    own = record["id"] if record else ""
    others = [one for one in features if one["properties"]["id"] != own]
    return {"features": maps.collection(others)}


# Service areas and zones use the same templates.
Bordered: Final = partial(
    Records,
    listing="areas/list.html",
    reading="areas/record.html",
    editing="areas/form.html",
    choices=around,
)
AREAS: Final = Bordered(
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
        columns.CENTRE,
        columns.MADE,
        columns.CHANGED,
    ),
    filters=FILTERS,
    form=FORM,
    beside=beside,
    among=among,
    empty="No service areas yet. Draw the area you serve to define zones and rates for it.",
)
handlers: Final = AREAS.handlers()
