"""Data for the pages of vehicles and drivers: position, issues, devices and trips of a day."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from pannier.console import maps
from pannier.console.api_client import ApiClient
from pannier.console.days import VehicleDay
from pannier.console.formatting import record_name
from pannier.console.records import load_zone
from pannier.console.statuses import status_style
from pannier.fleet.models import IssueStatus

WHEREABOUTS: Final = "/int/v1/fleet-module/whereabouts"
CLOSED_STATUSES: Final = frozenset(
    {"resolved", "completed", "closed", "wont_fix", "canceled", "duplicate"}
)
OPEN_STATUSES: Final = [status for status in get_args(IssueStatus) if status not in CLOSED_STATUSES]
MAX_ROWS: Final = "10"


async def find_position(client: ApiClient, identifier: str) -> Any:  # noqa: ANN401 - JSON
    """Find the position of a vehicle, or of a driver without a vehicle."""
    units = (await client.get(WHEREABOUTS, {"id": identifier}))["data"]
    return units[0] if units else None


async def list_open_issues(client: ApiClient, field: str, identifier: str) -> list[Any]:
    return (
        await client.list_rows(
            "/v1/issues", {field: identifier, "status": OPEN_STATUSES, "limit": MAX_ROWS}
        )
    ).rows


async def list_devices(client: ApiClient, field: str, identifier: str) -> list[Any]:
    """List the devices of a vehicle or a driver with the last reading of each type."""
    path = "/int/v1/fleet-module/devices/latest"
    return (await client.list_rows(path, {field: identifier, "limit": MAX_ROWS})).rows


async def load_day(client: ApiClient, vehicle: str) -> VehicleDay:
    """Load the vehicle's day in the page's URL, or today."""
    return await VehicleDay.load(client, vehicle, await load_zone(client))


def to_features(record: Any, unit: Any, tracks: Iterable[Any]) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return the tracks and the current position as map features."""
    features = list(tracks)
    if unit and unit["location"]:
        color, _ = status_style(unit["state"])
        heading = unit["heading"] if unit["state"] == "moving" else None
        location = unit["location"]
        features.append(
            maps.point(record["id"], record_name(record), location, color, heading=heading)
        )
    return maps.collection(features)
