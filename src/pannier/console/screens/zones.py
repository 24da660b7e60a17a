"""Zones: parts of a service area with prices or alerts of their own."""

from typing import Any, Final

from pannier.console import columns, maps
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form
from pannier.console.screens.service_areas import DRAWN, FILTERS, NAMED, Bordered, drawn

FORM: Final = Form(
    (
        *NAMED,
        Field(name="service_area", label="Service area", kind="record", resource="service-areas",
              required=True, nullable=False),
        Field(name="description", label="Description", kind="area"),
        Field(name="speed_limit_kmh", label="Speed limit (km/h)", kind="number",
              help="Devices inside the zone raise a speed alert above this speed."),
        Field(name="trigger_on_entry", label="Trigger on entry", kind="switch"),
        Field(name="trigger_on_exit", label="Trigger on exit", kind="switch"),
        Field(name="dwell_threshold_minutes", label="Dwell threshold (minutes)",
              kind="number"),
        *DRAWN,
    )
)  # fmt: skip


async def beside(desk: Desk, zone: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a zone within its area."""
    area = await desk.get("/v1/service-areas/{service_area_id}",
                          service_area_id=zone["service_area"])  # fmt: skip
    features = [*drawn([area], "service-areas", "blue"), *drawn([zone], "zones", "violet")]
    return {"features": maps.collection(features), "zones": None}


async def among(_: Desk, rows: list[Any]) -> dict[str, Any]:
    """Return the listed zones as map features."""
    return {"features": maps.collection(drawn(rows, "zones", "violet"))}


ZONES: Final = Bordered(
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
        Column("Trigger on entry", "trigger_on_entry", "switch"),
        Column("Trigger on exit", "trigger_on_exit", "switch"),
        Column("Dwell threshold (minutes)", "dwell_threshold_minutes", "number"),
        columns.CENTRE,
        columns.CHANGED,
    ),
    filters=(
        *FILTERS,
        Field(name="service_area", label="Service area", kind="record", resource="service-areas"),
    ),
    form=FORM,
    beside=beside,
    among=among,
    empty="No zones yet. Draw one inside a service area to price or monitor it.",
)
handlers: Final = ZONES.handlers()
