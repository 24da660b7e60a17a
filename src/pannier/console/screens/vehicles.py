"""Vehicles: their locations, days, sensors, orders and issues."""

from typing import Any, Final

from pannier.console import columns, fields, fleet_data, maps
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records
from pannier.fleet.models import VehicleStatus

STATUSES: Final = to_options(VehicleStatus)
FORM: Final = Form(
    (
        Field(name="plate_number", label="Plate", required=True),
        Field(name="make", label="Make"),
        Field(name="model", label="Model"),
        Field(name="year", label="Year", kind="number"),
        Field(name="type", label="Type", placeholder="van"),
        fields.status(STATUSES),
        Field(name="color", label="Color"),
        Field(name="fuel_type", label="Fuel"),
        Field(name="payload_capacity", label="Payload (kg)", kind="number"),
        Field(
            name="speed_limit_kmh", label="Speed limit (km/h)", kind="number",
            help="Devices on the vehicle raise a speed alert above this speed.",
        ),
        Field(name="vin", label="VIN"),
        fields.INTERNAL_ID,
    )
)  # fmt: skip


async def load_related(client: ApiClient, vehicle: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a vehicle's location, day, sensors, orders and issues."""
    day, unit = (
        await fleet_data.load_day(client, vehicle["id"]),
        await fleet_data.find_position(client, vehicle["id"]),
    )
    carried = {"vehicle": vehicle["id"], "active": "true", "limit": fleet_data.MAX_ROWS}
    return {
        "unit": unit,
        "day": day,
        "features": fleet_data.to_features(vehicle, unit, maps.trip_lines(day.trips)),
        "devices": await fleet_data.list_devices(client, "vehicle", vehicle["id"]),
        "orders": (await client.list_rows("/v1/orders", carried)).rows,
        "issues": await fleet_data.list_open_issues(client, "vehicle", vehicle["id"]),
    }


VEHICLES: Final = Records(
    "/v1/vehicles",
    title_path="plate_number",
    columns=(
        Column("Vehicle", "plate_number", "title"),
        columns.DRIVER,
        columns.STATUS,
        Column("Speed", "speed", "speed", wide=True),
        columns.LAST_SEEN,
        Column("Make", "make", wide=True),
        Column("Model", "model", wide=True),
        columns.TYPE,
    ),
    facts=(
        "status",
        "driver",
        columns.FLEETS,
        "make",
        "model",
        Column("Year", "year"),
        "type",
        Column("Color", "color"),
        Column("Fuel", "fuel_type"),
        Column("Payload (kg)", "payload_capacity", "number"),
        columns.SPEED_LIMIT,
        Column("VIN", "vin", "mono"),
        Column("Internal ID", "internal_id", "mono"),
    ),
    filters=(
        Field(name="query", label="Plate, make, model or VIN"),
        fields.status(STATUSES),
        fields.FLEET,
    ),
    form=FORM,
    record_template="vehicles/record.html",
    load_related=load_related,
    live_events="vehicle.",
    empty="No vehicles yet. Add one, then attach a device or assign a driver.",
)
handlers: Final = VEHICLES.make_handlers()
