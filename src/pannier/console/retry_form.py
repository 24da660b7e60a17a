"""The form for another delivery attempt: a new time window, address, driver or note."""

from typing import Any, Final
from zoneinfo import ZoneInfo

from pannier.console import fields
from pannier.console.forms import Field, Form

RETRY: Final = "retry"
# The fields that belong to the stop. An order without stops has them itself.
STOP_FIELDS: Final = frozenset(
    {"place", "dropoff", "time_window_start", "time_window_end", "notes"}
)


def name_retry_form(waypoint: str | None) -> str:
    """Return the name by which a page opens the form of a stop, or of an order without stops."""
    return f"{RETRY}-{waypoint}" if waypoint else RETRY


def make_retry_form(
    order: Any,  # noqa: ANN401 - JSON
    waypoint: str | None,
    zone: ZoneInfo,
) -> tuple[Form, dict[str, str]]:
    """Make the form for another attempt at a stop, and its present values."""
    payload = order["payload"]
    stops = (stop for stop in payload["waypoints"] if stop["id"] == waypoint)
    place_name, subject = ("place", next(stops, order)) if waypoint else ("dropoff", order)
    place = subject.get("place") if waypoint else payload["dropoff"]
    form = Form(
        (
            Field(name="time_window_start", label="Earliest delivery", kind="moment"),
            Field(name="time_window_end", label="Latest delivery", kind="moment"),
            Field(
                name=place_name, label="Address", kind="record", resource="places", free=True,
                nullable=False, addresses="whole", help="A place, an address or coordinates.",
            ),
            fields.DRIVER,
            Field(name="notes", label="Notes for the driver", kind="area"),
        )
    )  # fmt: skip
    values = {
        "time_window_start": subject["time_window_start"],
        "time_window_end": subject["time_window_end"],
        place_name: place,
        "driver": order["driver_assigned"],
        "notes": subject["notes"],
    }
    return form, form.fill(values, zone)
