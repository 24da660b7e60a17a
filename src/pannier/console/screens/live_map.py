"""The live map: where the fleet is, what moves, and how old each position is."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import maps, render
from pannier.console.desk import Desk
from pannier.console.records import asked
from pannier.console.screens.service_areas import drawn
from pannier.console.statuses import standing
from pannier.console.units import WHEREABOUTS, present
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get

HOME: Final = "/console/map"
STATES: Final = ("moving", "standing", "stale", "offline", "never_seen")
FILTERS: Final = ("query", "state", "fleet")
# Limits for the map and for the list beside it. A search finds the others.
MOST_DRAWN: Final = 120
MOST_LISTED: Final = 50
MOST_FENCES: Final = "12"
NOTHING: Final[Mapping[str, Any]] = {
    "data": [], "meta": {"counts": dict.fromkeys(STATES, 0), "complete": True},
}  # fmt: skip


@get("/map", name="console_map")
async def live_map(exchange: Exchange) -> Response[bytes]:
    """Show the fleet on a map, and the same data in a list."""
    desk, given = Desk(exchange), asked(exchange)
    found, wrong = await _found(desk, given)
    units, counts = found["data"], found["meta"]["counts"]
    follow = await present(desk, given["follow"]) if given.get("follow") else None
    trail = await _trail(desk, follow) if follow else []
    fences = await _fences(desk) if given.get("areas") != "none" else []
    seen = {unit["id"]: unit for unit in (*units, *([follow] if follow else []))}
    points = [_point(unit, given) for unit in seen.values() if unit["location"]]
    return await render.page(
        desk, "map/map.html", title="Live map", given=given, wrong=wrong, units=units,
        listed=units[:MOST_LISTED], counts=counts, states=STATES, follow=follow, home=HOME,
        complete=found["meta"]["complete"], all=sum(counts.values()),
        drawn=len(points), most=MOST_DRAWN, fleets=(await desk.rows("/v1/fleets")).rows,
        features=maps.collection([*fences, *trail, *points]),
    )  # fmt: skip


async def _found(desk: Desk, given: Mapping[str, str]) -> tuple[Mapping[str, Any], str]:
    """Load the fleet's positions, or the reason why they cannot be loaded."""
    wanted = {name: given.get(name, "") for name in FILTERS}
    try:
        return await desk.get(WHEREABOUTS, {**wanted, "limit": str(MOST_DRAWN)}), ""
    except Problem as problem:
        return NOTHING, problem.detail


def _point(unit: Any, given: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return a vehicle or a driver as a map feature in the color of its state."""
    color, _ = standing(unit["state"])
    turned = unit["heading"] if unit["state"] == "moving" else None
    return maps.point(
        unit["id"], unit["name"], unit["location"], color, heading=turned,
        href=render.address(HOME, given, follow=unit["id"]),
        followed=True if unit["id"] == given.get("follow") else None,
    )  # fmt: skip


async def _trail(desk: Desk, unit: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Load where the unit was today."""
    if unit["kind"] == "vehicle":
        door = "/int/v1/fleet-module/vehicles/{vehicle_id}/trips"
        day = await desk.get(door, vehicle_id=unit["id"])
        return maps.ways(day["trips"])
    door = "/v1/drivers/{driver_id}/positions"
    rows = (await desk.rows(door, {"limit": "100"}, driver_id=unit["id"])).rows
    way = [row["location"]["coordinates"] for row in reversed(rows)]
    return [maps.line(f"{unit['id']}-trail", "", way, "blue")]


async def _fences(desk: Desk) -> list[Any]:
    """Load the active zones as map features."""
    zones = (await desk.rows("/v1/zones", {"status": "active", "limit": MOST_FENCES})).rows
    return drawn(zones, "zones", "violet")


handlers: Final = [live_map]
