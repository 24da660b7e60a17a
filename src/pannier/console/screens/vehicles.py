"""Vehicles: their locations, days, sensors, orders and issues."""

from typing import Any, Final

from pannier.console import columns, fields, fleet_data, maps
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.costs import CURRENCY, CostForm, CostRecords
from pannier.console.forms import Field, to_options
from pannier.fleet.models import VehicleProfile, VehicleStatus

STATUSES: Final = to_options(VehicleStatus)
PROFILES: Final = to_options(VehicleProfile)
FORM: Final = CostForm(
    (
        Field(name="plate_number", label="Plate", required=True),
        Field(name="make", label="Make"),
        Field(name="model", label="Model"),
        Field(name="year", label="Year", kind="number"),
        Field(name="type", label="Type", placeholder="van"),
        fields.make_status_field(STATUSES, "available"),
        Field(name="color", label="Color"),
        Field(name="fuel_type", label="Fuel"),
        Field(name="capacity.weight", label="Capacity (kg)", kind="number"),
        Field(name="capacity.volume", label="Capacity (m³)", kind="number"),
        Field(name="capacity.items", label="Capacity (items)", kind="number"),
        Field(name="profile", label="Routing profile", kind="choice", options=PROFILES,
              required=True, default="car", nullable=False,
              help="Used to calculate routes and travel times."),
        Field(name="cost_per_km", label="Cost per km", kind="money"),
        CURRENCY,
        Field(
            name="speed_limit_kmh", label="Speed limit (km/h)", kind="number",
            help="Devices on the vehicle raise a speed alert above this speed.",
        ),
        *fields.TEMPERATURE_LIMITS,
        Field(name="vin", label="VIN"),
        fields.INTERNAL_ID,
    ),
    cost="cost_per_km",
)  # fmt: skip


async def load_related(client: ApiClient, vehicle: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a vehicle's location, day, sensors, orders and issues."""
    day, unit = (
        await fleet_data.load_day(client, vehicle["id"]),
        await fleet_data.find_position(client, vehicle["id"]),
    )
    order_query = {"vehicle": vehicle["id"], "active": "true", "limit": fleet_data.MAX_ROWS}
    return {
        "unit": unit,
        "day": day,
        "features": fleet_data.to_features(vehicle, unit, maps.make_trip_lines(day.trips)),
        "devices": await fleet_data.list_devices(client, "vehicle", vehicle["id"]),
        "orders": (await client.list_rows("/v1/orders", order_query)).rows,
        "issues": await fleet_data.list_open_issues(client, "vehicle", vehicle["id"]),
    }


VEHICLES: Final = CostRecords(
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
        Column("Capacity (kg)", "capacity.weight", "number"),
        Column("Capacity (m³)", "capacity.volume", "number"),
        Column("Capacity (items)", "capacity.items", "number"),
        Column("Routing profile", "profile", "words"),
        Column("Cost per km", "cost_per_km", "money", to="currency"),
        columns.SPEED_LIMIT,
        *columns.TEMPERATURE_LIMITS,
        Column("VIN", "vin", "mono"),
        Column("Internal ID", "internal_id", "mono"),
    ),
    filters=(
        Field(name="query", label="Plate, make, model or VIN"),
        fields.make_status_field(STATUSES),
        fields.FLEET,
    ),
    form=FORM,
    record_template="vehicles/record.html",
    load_related=load_related,
    live_events="vehicle.",
    empty="No vehicles yet. Add one, then attach a device or assign a driver.",
)
handlers: Final = VEHICLES.make_handlers()
