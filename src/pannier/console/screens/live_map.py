"""The live map: the fleet's positions, with their age and state."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import maps, responses
from pannier.console.api_client import ApiClient
from pannier.console.fleet_data import WHEREABOUTS, find_position
from pannier.console.records import read_query
from pannier.console.screens.service_areas import to_features
from pannier.console.statuses import status_style
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get

HOME: Final = "/console/map"
STATES: Final = ("moving", "standing", "stale", "offline", "never_seen")
FILTERS: Final = ("query", "state", "fleet")
# Limits for the map and for the list beside it. A search finds the other units.
MAX_DRAWN: Final = 120
MAX_LISTED: Final = 50
MAX_ZONES: Final = "12"
MAX_ROUTES: Final = "3"
NO_UNITS: Final[Mapping[str, Any]] = {
    "data": [], "meta": {"counts": dict.fromkeys(STATES, 0), "complete": True},
}  # fmt: skip


@get("/map", name="console_map")
async def show_live_map(exchange: Exchange) -> Response[bytes]:
    """Show the fleet on a map, and the same data in a list."""
    client, query = ApiClient(exchange), read_query(exchange)
    positions, error = await _load_units(client, query)
    units, counts = positions["data"], positions["meta"]["counts"]
    followed_unit = await find_position(client, query["follow"]) if query.get("follow") else None
    trail = await _load_trail(client, followed_unit) if followed_unit else []
    route_lines = await _load_routes(client, followed_unit) if followed_unit else []
    zones = await _load_zones(client) if query.get("areas") != "none" else []
    units_by_id = {
        unit["id"]: unit for unit in (*units, *([followed_unit] if followed_unit else []))
    }
    points = [_make_unit_feature(unit, query) for unit in units_by_id.values() if unit["location"]]
    return await responses.render_page(
        client, "map/map.html", title="Live map", filter_values=query, error=error, units=units,
        listed=units[:MAX_LISTED], counts=counts, states=STATES, follow=followed_unit, home=HOME,
        forecasts=await client.get("/int/v1/orders/forecasts"),
        complete=positions["meta"]["complete"], all=sum(counts.values()),
        drawn=len(points), most=MAX_DRAWN, fleets=(await client.list_rows("/v1/fleets")).rows,
        features=maps.collection([*zones, *trail, *route_lines, *points]),
    )  # fmt: skip


async def _load_units(client: ApiClient, query: Mapping[str, str]) -> tuple[Mapping[str, Any], str]:
    """Load the fleet's positions, or return the reason why they cannot be loaded."""
    filters = {name: query.get(name, "") for name in FILTERS}
    try:
        return await client.get(WHEREABOUTS, {**filters, "limit": str(MAX_DRAWN)}), ""
    except Problem as problem:
        return NO_UNITS, problem.detail


def _make_unit_feature(unit: Any, query: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return a vehicle or a driver as a map feature in the color of its state."""
    color, _ = status_style(unit["state"])
    heading = unit["heading"] if unit["state"] == "moving" else None
    return maps.point(
        unit["id"], unit["name"], unit["location"], color, heading=heading,
        href=responses.build_url(HOME, query, follow=unit["id"]),
        followed=True if unit["id"] == query.get("follow") else None,
    )  # fmt: skip


async def _load_trail(client: ApiClient, unit: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Load today's track of a unit."""
    if unit["kind"] == "vehicle":
        template = "/int/v1/fleet-module/vehicles/{vehicle_id}/trips"
        trip_data = await client.get(template, {"track": "roads"}, vehicle_id=unit["id"])
        return maps.make_trip_lines(trip_data["trips"])
    template = "/v1/drivers/{driver_id}/positions"
    rows = (await client.list_rows(template, {"limit": "100"}, driver_id=unit["id"])).rows
    path = [row["location"]["coordinates"] for row in reversed(rows)]
    return [maps.line(f"{unit['id']}-trail", "", path, "blue")]


async def _load_routes(client: ApiClient, unit: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Load the remaining routes of a unit from its current position."""
    filters = {unit["kind"]: unit["id"], "active": "true", "limit": MAX_ROUTES}
    orders = (await client.list_rows("/v1/orders", filters)).rows
    routes = [
        (
            order,
            (await client.get("/v1/orders/{order_id}/route", order_id=order["id"]))["remaining"],
        )
        for order in orders
    ]
    return [
        maps.line(
            order["id"], "", line["coordinates"], "violet", href=f"/console/orders/{order['id']}"
        )
        for order, line in routes
        if line is not None
    ]


async def _load_zones(client: ApiClient) -> list[Any]:
    """Load the active zones as map features."""
    zones = (await client.list_rows("/v1/zones", {"status": "active", "limit": MAX_ZONES})).rows
    return to_features(zones, "zones", "violet")


handlers: Final = [show_live_map]
