"""Zones: parts of a service area with separate prices or alerts."""

from typing import Any, Final

from pannier.console import columns, maps
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.screens.service_areas import (
    BORDER_FIELDS,
    FILTERS,
    NAME_FIELDS,
    BorderedRecords,
    to_features,
)

FORM: Final = Form(
    (
        *NAME_FIELDS,
        Field(name="service_area", label="Service area", kind="record", resource="service-areas",
              required=True, nullable=False),
        Field(name="description", label="Description", kind="area"),
        Field(name="speed_limit_kmh", label="Speed limit (km/h)", kind="number",
              help="Devices inside the zone raise a speed alert above this speed."),
        Field(name="trigger_on_entry", label="Geofence event on entry", kind="switch"),
        Field(name="trigger_on_exit", label="Geofence event on exit", kind="switch"),
        Field(name="dwell_threshold_minutes", label="Dwell threshold (minutes)",
              kind="number"),
        *BORDER_FIELDS,
    )
)  # fmt: skip


async def load_related(client: ApiClient, zone: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a zone and its service area as map features."""
    area = await client.get("/v1/service-areas/{service_area_id}",
                          service_area_id=zone["service_area"])  # fmt: skip
    features = [
        *to_features([area], "service-areas", "blue"),
        *to_features([zone], "zones", "violet"),
    ]
    return {"features": maps.collection(features), "zones": None}


async def load_list_extras(_: ApiClient, rows: list[Any]) -> dict[str, Any]:
    """Return the listed zones as map features."""
    return {"features": maps.collection(to_features(rows, "zones", "violet"))}


ZONES: Final = BorderedRecords(
    "/v1/zones",
    columns=(
        columns.TITLE,
        Column("Service area", "service_area", "link", to="service-areas"),
        columns.STATUS,
        Column("Speed limit (km/h)", "speed_limit_kmh", "number", wide=True),
        columns.TYPE,
    ),
    facts=(
        "service_area",
        "status",
        Column("Description", "description"),
        "type",
        columns.SPEED_LIMIT,
        Column("Geofence event on entry", "trigger_on_entry", "switch"),
        Column("Geofence event on exit", "trigger_on_exit", "switch"),
        Column("Dwell threshold (minutes)", "dwell_threshold_minutes", "number"),
        columns.CENTRE,
        columns.UPDATED,
    ),
    filters=(
        *FILTERS,
        Field(name="service_area", label="Service area", kind="record", resource="service-areas"),
    ),
    form=FORM,
    load_related=load_related,
    load_list_extras=load_list_extras,
    empty="No zones yet. Draw one inside a service area to price or monitor it.",
)
handlers: Final = ZONES.make_handlers()
