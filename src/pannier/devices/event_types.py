"""The nine types of device events: their numbers, names and aliases, and their data with units.

Types have numbers, because millions of rows refer to one. A custom type has number 0 and keeps its
name, so every event is stored.
"""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta


class RetentionClass(IntEnum):
    """The retention class of an event; each class has its own partitions."""

    POSITION = 0
    TELEMETRY = 1
    ALERT = 2
    HEARTBEAT = 3
    OTHER = 4


# A severity is stored as its index here, so that a higher number is more severe.
SEVERITIES: Final = ("info", "low", "medium", "warning", "high", "critical")
Severity = Literal["info", "low", "medium", "warning", "high", "critical"]
Text = Annotated[str, Meta(max_length=500)]
Percent = Annotated[float, Meta(ge=0, le=100, description="%")]
Celsius = Annotated[float, Meta(ge=-273.15, le=2000, description="°C")]
Volts = Annotated[float, Meta(ge=-1000, le=1000, description="V")]
Kmh = Annotated[float, Meta(ge=0, le=2000, description="km/h")]
Metres = Annotated[float, Meta(ge=0, le=1e10, description="m")]
Seconds = Annotated[float, Meta(ge=0, le=1e10, description="s")]
Force = Annotated[float, Meta(ge=-10_000, le=10_000, description="g")]
Count = Annotated[int, Meta(ge=0, le=2**53)]
# Receivers send a negative number when they do not know the value.
Speed = Annotated[float, Meta(ge=-1e6, le=2000, description="km/h; negative if unknown")]
Heading = Annotated[
    float, Meta(ge=-1e6, le=360, description="degrees from true north; negative if unknown")
]
Accuracy = Annotated[float, Meta(ge=-1e6, le=1e8, description="m, 68 %; negative if unknown")]
Altitude = Annotated[float, Meta(ge=-100_000, le=1e7, description="m")]


class EventData(msgspec.Struct, kw_only=True, gc=False):
    """The known fields of a type's data. Other fields are stored unchanged."""


class PositionData(EventData, kw_only=True):
    """Data of a position: how the device moves, and its receiver."""

    speed: Speed | None = None
    heading: Heading | None = None
    altitude: Altitude | None = None
    accuracy: Accuracy | None = None
    hdop: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    satellites: Count | None = None
    odometer: Metres | None = None
    ignition: bool | None = None
    battery_level: Percent | None = None
    source: Annotated[Text, Meta(description="gps, cell or wifi")] | None = None


class ObdData(EventData, kw_only=True):
    """Data from the engine (OBD-II)."""

    rpm: Annotated[float, Meta(ge=0, le=100_000, description="revolutions per minute")] | None = (
        None
    )
    fuel_level: Percent | None = None
    coolant_temperature: Celsius | None = None
    engine_hours: Annotated[float, Meta(ge=0, le=1e7, description="h")] | None = None
    fault_codes: Annotated[list[Text], Meta(max_length=200)] | None = None
    vehicle_speed: Kmh | None = None
    engine_load: Annotated[float, Meta(ge=0, le=1000, description="%")] | None = None
    throttle: Percent | None = None
    battery_voltage: Volts | None = None
    odometer: Metres | None = None
    fuel_rate: Annotated[float, Meta(ge=0, le=1e5, description="l/h")] | None = None
    mil_on: bool | None = None
    vin: Text | None = None


class TemperatureData(EventData, kw_only=True):
    """A reading of a temperature sensor."""

    temperature: Celsius
    sensor_id: Text | int | None = None
    zone: Text | int | None = None
    humidity: Percent | None = None
    setpoint: Celsius | None = None
    min: Celsius | None = None
    max: Celsius | None = None
    alarm: bool | None = None


class DoorData(EventData, kw_only=True):
    """A door that was opened or closed."""

    state: Literal["open", "closed"]
    door_id: Text | int | None = None
    position: Annotated[Text, Meta(description="front, rear or side")] | None = None
    duration_s: Seconds | None = None


class MotionData(EventData, kw_only=True):
    """An impact, a vibration or harsh driving, with its force or at least its kind."""

    g_force: Annotated[float, Meta(ge=0, le=10_000, description="g, peak")] | None = None
    severity: Literal["low", "medium", "high", "critical"] | None = None
    x: Force | None = None
    y: Force | None = None
    z: Force | None = None
    kind: Text | None = None
    duration_ms: Annotated[float, Meta(ge=0, le=1e10, description="ms")] | None = None

    def __post_init__(self) -> None:
        if self.g_force is None and self.kind is None:
            raise ValueError("needs a `g_force` or a `kind`")


class SpeedAlertData(EventData, kw_only=True):
    """A speed above the limit."""

    speed: Kmh
    limit: Kmh
    phase: Literal["started", "ended"] | None = None
    excess: Kmh | None = None
    max_speed: Kmh | None = None
    duration_s: Seconds | None = None
    distance_m: Metres | None = None
    source: Annotated[Text, Meta(description="gps or obd")] | None = None
    zone_id: Text | int | None = None
    severity: Severity | None = None


class GeofenceData(EventData, kw_only=True):
    """An entry to a geofence, an exit from it, a crossing or a long stay."""

    action: Literal["enter", "exit", "dwell", "cross"]
    area_id: Text | int
    area_type: Literal["service_area", "zone"] | None = None
    area_name: Text | None = None
    dwell_s: Seconds | None = None
    inferred: bool | None = None


class FaultData(EventData, kw_only=True):
    """A diagnostic trouble code."""

    code: Annotated[str, Meta(min_length=1, max_length=100, description="P0301, or SPN-FMI")]
    severity: Literal["info", "warning", "critical"] | None = None
    status: Literal["active", "pending", "cleared"] | None = None
    description: Text | None = None
    protocol: Annotated[Text, Meta(description="obd2, j1939, j1708 or oem")] | None = None
    spn: Count | None = None
    fmi: Count | None = None
    occurrence_count: Count | None = None
    lamp: Annotated[Text, Meta(description="mil, red_stop, amber or protect")] | None = None


class HeartbeatData(EventData, kw_only=True):
    """A sign of life, with the state of the device."""

    status: Annotated[Text, Meta(description="online, ok or degraded")] | None = None
    battery_level: Percent | None = None
    battery_voltage: Volts | None = None
    signal_strength: Annotated[float, Meta(ge=-200, le=100, description="dBm")] | None = None
    uptime_s: Seconds | None = None
    firmware: Text | None = None
    buffered_count: Count | None = None
    ip: Text | None = None


class DeviceEventType(NamedTuple):
    """An event type: its number (0 for custom types), name, class and known data fields."""

    number: int
    name: str
    class_: int
    data_type: type[EventData]


TYPES: Final[Sequence[DeviceEventType]] = (
    DeviceEventType(1, "position_update", RetentionClass.POSITION.value, PositionData),
    DeviceEventType(2, "obd_ii_reading", RetentionClass.TELEMETRY.value, ObdData),
    DeviceEventType(3, "temperature_reading", RetentionClass.TELEMETRY.value, TemperatureData),
    DeviceEventType(4, "door_event", RetentionClass.ALERT.value, DoorData),
    DeviceEventType(5, "motion_event", RetentionClass.ALERT.value, MotionData),
    DeviceEventType(6, "speed_alert", RetentionClass.ALERT.value, SpeedAlertData),
    DeviceEventType(7, "geofence_event", RetentionClass.ALERT.value, GeofenceData),
    DeviceEventType(8, "fault_code", RetentionClass.ALERT.value, FaultData),
    DeviceEventType(9, "device_heartbeat", RetentionClass.HEARTBEAT.value, HeartbeatData),
)
POSITION, OBD, TEMPERATURE, DOOR, MOTION, SPEED, GEOFENCE, FAULT, HEARTBEAT = TYPES
# A device's own alarm outside the nine types has no number, but is kept as long as an alert.
ALARM: Final = DeviceEventType(0, "alarm", RetentionClass.ALERT.value, EventData)
# Aliases of the types, with the data that an alias implies.
_ALIASES: Final[Mapping[str, tuple[DeviceEventType, Mapping[str, Any]]]] = {
    **{type_.name: (type_, {}) for type_ in (*TYPES, ALARM)},
    "position": (POSITION, {}),
    "location": (POSITION, {}),
    "obd_reading": (OBD, {}),
    "obdii_reading": (OBD, {}),
    "obd": (OBD, {}),
    "temperature": (TEMPERATURE, {}),
    "door": (DOOR, {}),
    "motion": (MOTION, {}),
    "impact": (MOTION, {"kind": "impact"}),
    "vibration": (MOTION, {"kind": "vibration"}),
    "overspeed": (SPEED, {}),
    "geofence": (GEOFENCE, {}),
    "geofence_enter": (GEOFENCE, {"action": "enter"}),
    "geofence_exit": (GEOFENCE, {"action": "exit"}),
    "dtc": (FAULT, {}),
    "heartbeat": (HEARTBEAT, {}),
    "ping": (HEARTBEAT, {}),
}
MAX_NAME_LENGTH: Final = 64
NAME_RULE: Final = f"must have 1 to {MAX_NAME_LENGTH} printable characters."
_WORD_GAP: Final = re.compile(r"[\s-]+|(?<=[a-z0-9])(?=[A-Z])")
_LAMP_SEVERITIES: Final = {"red_stop": "critical", "mil": "warning", "amber": "warning"}
# Minimum force in g for each severity, and severities of motions without a force.
_FORCE_SEVERITIES: Final = ((8.0, "critical"), (4.0, "high"), (2.0, "medium"))
_MOTION_SEVERITIES: Final = {"impact": "high", "vibration": "low"}


def from_name(text: str) -> DeviceEventType:
    """Return the type with this name or alias; an unknown name becomes a custom type."""
    return resolve_name(text)[0]


def resolve_name(text: str) -> tuple[DeviceEventType, Mapping[str, Any]]:
    """Return a type and the data that its name implies: `geofence_exit` implies an exit."""
    alias = _ALIASES.get(text)
    if alias is not None:
        return alias
    if len(text) > MAX_NAME_LENGTH:
        raise ValueError(NAME_RULE)
    return _resolve_spelling(text)


@lru_cache(maxsize=1024)
def _resolve_spelling(text: str) -> tuple[DeviceEventType, Mapping[str, Any]]:
    alias = _ALIASES.get(_WORD_GAP.sub("_", text.strip()).lower())
    if alias is not None:
        return alias
    name = text.strip()
    if not name or not name.isprintable():
        raise ValueError(NAME_RULE)
    return DeviceEventType(0, name, RetentionClass.OTHER.value, EventData), {}


def type_name(kind: int, type: str | None) -> str:
    """Return the name of a stored event's type. Only custom types have a `type`."""
    return TYPES[kind - 1].name if kind else type or ""


def severity(type_: DeviceEventType, data: Mapping[str, Any]) -> int | None:
    """Return the reported severity, or else one that follows from the force or the lamp."""
    reported_severity = data.get("severity")
    if isinstance(reported_severity, str) and reported_severity in SEVERITIES:
        return SEVERITIES.index(reported_severity)
    if type_ is MOTION:
        return SEVERITIES.index(_motion_severity(data))
    if type_ is FAULT:
        return SEVERITIES.index(_LAMP_SEVERITIES.get(str(data.get("lamp")), "info"))
    return None


def _motion_severity(data: Mapping[str, Any]) -> str:
    force = data.get("g_force")
    if force is None:
        return _MOTION_SEVERITIES.get(str(data.get("kind")), "medium")
    return next((severity for limit, severity in _FORCE_SEVERITIES if force >= limit), "low")
