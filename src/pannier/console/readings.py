"""The style of each type of device event, and its most important readings."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

MOST: Final = 2


class Look(NamedTuple):
    """The style of a type of device event, and its readings, the most important first."""

    label: str
    icon: str
    color: str
    parts: tuple[tuple[str, str], ...]


LOOKS: Final[Mapping[str, Look]] = {
    "position_update": Look(
        "Position update", "map-pin", "blue",
        (("speed", "{:.0f} km/h"), ("heading", "{:.0f}°")),
    ),
    "obd_ii_reading": Look(
        "OBD-II reading", "gauge", "grey",
        (("rpm", "{:.0f} rpm"), ("fuel_level", "fuel {:.0f} %"), ("coolant_temperature", "{} °C")),
    ),
    "temperature_reading": Look(
        "Temperature", "thermometer", "cyan",
        (("temperature", "{} °C"), ("zone", "{}"), ("humidity", "{:.0f} % humidity")),
    ),
    "door_event": Look("Door", "door-open", "violet", (("position", "{}"), ("state", "{}"))),
    "motion_event": Look(
        "Motion", "vibrate", "amber", (("g_force", "{} g"), ("kind", "{}"))
    ),
    "speed_alert": Look(
        "Speed alert", "triangle-alert", "red",
        (("speed", "{:.0f} km/h"), ("limit", "limit {:.0f} km/h")),
    ),
    "geofence_event": Look(
        "Geofence", "circle-dashed", "green", (("action", "{}"), ("area_name", "{}"))
    ),
    "fault_code": Look(
        "Fault code", "wrench", "red", (("code", "{}"), ("status", "{}"), ("description", "{}"))
    ),
    "device_heartbeat": Look(
        "Heartbeat", "activity", "grey",
        (("battery_level", "battery {:.0f} %"), ("status", "{}")),
    ),
}  # fmt: skip
OWN: Final = ("radio-tower", "grey")
ICONS: Final = sorted({OWN[0], *(look.icon for look in LOOKS.values())})


def look(event_type: str) -> Look:
    """Return the style of an event type. A custom type is its own label."""
    return LOOKS.get(event_type) or Look(event_type, *OWN, ())


def told(event: Mapping[str, Any]) -> str:
    """Format the most important readings of an event in one line."""
    data, parts = event["data"], look(event["event_type"]).parts
    known = [_said(form, data[name]) for name, form in parts if data.get(name) is not None] or [
        f"{name} {value}" for name, value in data.items() if not isinstance(value, (dict, list))
    ]
    return " · ".join(known[:MOST])


def _said(form: str, value: Any) -> str:  # noqa: ANN401 - JSON
    """Format a value; one that does not fit the format stays as it is."""
    try:
        return form.format(value)
    except ValueError:
        return str(value)
