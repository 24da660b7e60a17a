"""Labels, icons and colors of device events, and their most important readings."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pannier.console.statuses import LABELS

MAX_READINGS: Final = 2


class EventStyle(NamedTuple):
    """The style of a type of device event, and its readings, the most important first."""

    label: str
    icon: str
    color: str
    readings: tuple[tuple[str, str], ...]


EVENT_STYLES: Final[Mapping[str, EventStyle]] = {
    "position_update": EventStyle(
        "Position update", "map-pin", "blue",
        (("speed", "{:.0f} km/h"), ("heading", "{:.0f}°")),
    ),
    "obd_ii_reading": EventStyle(
        "OBD-II reading", "gauge", "grey",
        (("rpm", "{:,.0f} rpm"), ("fuel_level", "fuel {:.0f}%"), ("coolant_temperature", "{} °C")),
    ),
    "temperature_reading": EventStyle(
        "Temperature", "thermometer", "cyan",
        (("temperature", "{} °C"), ("zone", "{}"), ("humidity", "{:.0f}% humidity")),
    ),
    "door_event": EventStyle("Door", "door-open", "violet", (("position", "{}"), ("state", "{}"))),
    "motion_event": EventStyle(
        "Motion", "vibrate", "amber", (("g_force", "{} g"), ("kind", "{}"))
    ),
    "speed_alert": EventStyle(
        "Speed alert", "triangle-alert", "red",
        (("speed", "{:.0f} km/h"), ("limit", "limit {:.0f} km/h")),
    ),
    "geofence_event": EventStyle(
        "Geofence", "circle-dashed", "green", (("action", "{}"), ("area_name", "{}"))
    ),
    "fault_code": EventStyle(
        "Fault code", "wrench", "red", (("code", "{}"), ("status", "{}"), ("description", "{}"))
    ),
    "device_heartbeat": EventStyle(
        "Heartbeat", "activity", "grey",
        (("battery_level", "battery {:.0f}%"), ("status", "{}")),
    ),
}  # fmt: skip
CUSTOM_STYLE: Final = ("radio-tower", "grey")
ICONS: Final = sorted({CUSTOM_STYLE[0], *(style.icon for style in EVENT_STYLES.values())})


def event_label(event_type: str) -> str:
    """Return the label of a type of device event."""
    return event_style(event_type).label


def event_style(event_type: str) -> EventStyle:
    """Return the style of an event type. The label of a custom type is its name."""
    return EVENT_STYLES.get(event_type) or EventStyle(event_type, *CUSTOM_STYLE, ())


def format_readings(event: Mapping[str, Any]) -> str:
    """Format the most important readings of an event in one line, with a capital letter."""
    data, formats = event["data"], event_style(event["event_type"]).readings
    texts = [
        _format_value(value_format, data[name])
        for name, value_format in formats
        if data.get(name) is not None
    ] or [f"{name} {value}" for name, value in data.items() if not isinstance(value, (dict, list))]
    line = " · ".join(texts[:MAX_READINGS])
    return line[:1].upper() + line[1:]


def _format_value(value_format: str, value: Any) -> str:  # noqa: ANN401 - JSON
    """Format a value. Return it unchanged if the format is for another type."""
    try:
        return value_format.format(LABELS.get(value, value) if isinstance(value, str) else value)
    except ValueError:
        return str(value)
