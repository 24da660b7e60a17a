"""Data that the pages of vehicles and drivers share: position, issues, devices and the day."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from pannier.console import maps
from pannier.console.days import Day
from pannier.console.desk import Desk
from pannier.console.records import zone_of
from pannier.console.statuses import standing
from pannier.console.words import called
from pannier.fleet.models import IssueStatus

WHEREABOUTS: Final = "/int/v1/fleet-module/whereabouts"
SETTLED: Final = frozenset({"resolved", "completed", "closed", "wont_fix", "canceled", "duplicate"})
OPEN: Final = [status for status in get_args(IssueStatus) if status not in SETTLED]
FEW: Final = "10"


async def present(desk: Desk, identifier: str) -> Any:  # noqa: ANN401 - JSON
    """Find the position of a vehicle, or of a driver without one."""
    found = (await desk.get(WHEREABOUTS, {"id": identifier}))["data"]
    return found[0] if found else None


async def issues(desk: Desk, field: str, identifier: str) -> list[Any]:
    return (await desk.rows("/v1/issues", {field: identifier, "status": OPEN, "limit": FEW})).rows


async def devices(desk: Desk, field: str, identifier: str) -> list[Any]:
    """List the devices of a vehicle or a driver with the last reading of each type."""
    door = "/int/v1/fleet-module/devices/latest"
    return (await desk.rows(door, {field: identifier, "limit": FEW})).rows


async def day(desk: Desk, vehicle: str) -> Day:
    """Load the day that the page's address names, or today."""
    return await Day.of(desk, vehicle, await zone_of(desk))


def drawn(record: Any, unit: Any, ways: Iterable[Any]) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return the tracks and the current position as map features."""
    features = list(ways)
    if unit and unit["location"]:
        color, _ = standing(unit["state"])
        turned = unit["heading"] if unit["state"] == "moving" else None
        where = unit["location"]
        features.append(maps.point(record["id"], called(record), where, color, heading=turned))
    return maps.collection(features)
