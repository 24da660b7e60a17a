"""Reports: messages with Traccar's attributes, which many apps use, as items.

A report has a position and any number of attributes. Attributes of a position stay with it. Engine
data, temperatures and alarms become events of their own.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec

from pannier.devices import event_types
from pannier.devices.event_types import EventData, HeartbeatData, ObdData, PositionData
from pannier.devices.items import EventItem, InvalidItem, ItemWithDeviceName, LocationIn

KNOT: Final = 1.852  # km/h
METRE_PER_SECOND: Final = 3.6  # km/h
HOUR_MILLISECONDS: Final = 3_600_000
# Traccar's attributes, and our names for them.
_POSITION_NAMES: Final = {
    "sat": "satellites",
    "batteryLevel": "battery_level",
    "batt": "battery_level",
    "charge": "charging",
    "battery": "battery_voltage",
    "power": "power_voltage",
    "rssi": "signal",
    "driverUniqueId": "driver",
    "versionFw": "firmware",
}
_ENGINE_NAMES: Final = {
    "rpm": "rpm",
    "fuelLevel": "fuel_level",
    "coolantTemp": "coolant_temperature",
    "hours": "engine_hours",
    "dtcs": "fault_codes",
    "obdSpeed": "vehicle_speed",
    "engineLoad": "engine_load",
    "throttle": "throttle",
    "obdOdometer": "odometer",
    "fuelConsumption": "fuel_rate",
    "vin": "vin",
}
_INSUFFICIENT_NAMES: Final = frozenset({"hours", "vin"})
_NO_ATTRIBUTES: Final = frozenset[str]()
_SENSOR_NAME: Final = re.compile(r"temp(\d{1,3})$")
_MOTION_KINDS: Final = {
    "vibration": "vibration",
    "movement": "movement",
    "accident": "impact",
    "fallDown": "tilt",
    "tow": "tow",
    "hardAcceleration": "harsh_acceleration",
    "hardBraking": "harsh_braking",
    "hardCornering": "harsh_cornering",
}
_POWER_ALARMS: Final = frozenset({"lowBattery", "lowPower"})
_ALARM_SEVERITIES: Final = {
    "sos": "critical",
    "accident": "critical",
    "powerCut": "high",
    "jamming": "high",
    "tampering": "high",
    "removing": "high",
    "tow": "high",
}
_IGNORED_ATTRIBUTES: Final = frozenset({"alarm", "notificationToken"})
MAX_ALARMS: Final = 8
MAX_ATTRIBUTES: Final = 500
MAX_SENSORS: Final = 32


class DeviceReport(msgspec.Struct, kw_only=True):
    """One message: position, time and speed in our units, and Traccar's attributes."""

    device: str | None = None
    # The device's display name, if the sender gives one.
    display_name: str | None = None
    timestamp: datetime | float | None = None
    latitude: float | None = None
    longitude: float | None = None
    measures: dict[str, Any] = msgspec.field(default_factory=dict)
    attributes: Mapping[str, Any] = msgspec.field(default_factory=dict)
    # Whether the receiver has a fix. A report without one becomes a heartbeat.
    fixed: bool = True
    event_id: str | None = None

    @property
    def location(self) -> LocationIn | None:
        """The location, if it is known. Receivers without a fix send 0,0."""
        if not self.fixed or self.latitude is None or self.longitude is None:
            return None
        is_on_earth = abs(self.latitude) <= 90 and abs(self.longitude) <= 180  # noqa: PLR2004 - degrees
        if not is_on_earth or self.latitude == 0 == self.longitude:
            return None
        return LocationIn(latitude=self.latitude, longitude=self.longitude)


def to_kmh(speed: float, unit: float) -> float:
    """Convert a speed to km/h, rounded to the sixth decimal to hide floating-point noise."""
    return round(speed * unit, 6)


def to_items(report: DeviceReport) -> list[EventItem]:
    """Convert a report to items: a position or heartbeat first, then the events that it implies."""
    if len(report.attributes) > MAX_ATTRIBUTES:
        raise InvalidItem("data_too_large", f"Send at most {MAX_ATTRIBUTES} attributes.")
    engine, sensors = _find_engine_attributes(report), _find_temperature_readings(report)
    if not engine and not sensors and "alarm" not in report.attributes:
        return [_make_position_or_heartbeat(report, _IGNORED_ATTRIBUTES)]
    return [
        _make_position_or_heartbeat(report, engine | sensors.keys() | _IGNORED_ATTRIBUTES),
        *_make_engine_items(report, engine),
        *(make_item(report, event_types.TEMPERATURE.name, data) for data in sensors.values()),
        *make_alarm_items(report),
    ]


def make_alarm_items(report: DeviceReport) -> Iterator[EventItem]:
    """Yield an item for each alarm of a report. Several alarms are separated by commas."""
    for alarm in str(report.attributes.get("alarm") or "").split(",")[:MAX_ALARMS]:
        if alarm.strip():
            yield _make_alarm_item(report, alarm.strip())


def make_item(
    report: DeviceReport, name: str, data: dict[str, Any], location: LocationIn | None = None
) -> EventItem:
    """Build one item of a report, with the report's time and location."""
    item_type = (
        EventItem
        if report.display_name is None
        else partial(ItemWithDeviceName, display_name=report.display_name)
    )
    return item_type(
        event_type=name,
        timestamp=report.timestamp,
        location=location or report.location,
        data=data,
        device=report.device,
    )


def rename_misfits(data: dict[str, Any], data_type: type[EventData]) -> dict[str, Any]:
    """Rename values that do not fit their field, so that the others are not lost."""
    try:
        msgspec.convert(data, data_type)
    except msgspec.ValidationError:
        return {
            (name if _is_valid_value(name, value, data_type) else f"reported_{name}"): value
            for name, value in data.items()
        }
    return data


def _is_valid_value(name: str, value: object, data_type: type[EventData]) -> bool:
    try:
        msgspec.convert({name: value}, data_type)
    except msgspec.ValidationError:
        return False
    return True


def _make_position_or_heartbeat(
    report: DeviceReport, excluded_names: AbstractSet[str]
) -> EventItem:
    data = {
        _POSITION_NAMES.get(name, name): value
        for name, value in report.attributes.items()
        if name not in excluded_names
    }
    data |= report.measures
    location = report.location
    if location is None:
        if report.latitude is not None:
            data["reported_location"] = [report.longitude, report.latitude]
        return make_item(report, event_types.HEARTBEAT.name, rename_misfits(data, HeartbeatData))
    item = make_item(
        report, event_types.POSITION.name, rename_misfits(data, PositionData), location
    )
    item.event_id = report.event_id
    return item


def _find_engine_attributes(report: DeviceReport) -> AbstractSet[str]:
    """Return the engine attributes. Engine hours or a VIN alone are not an engine reading."""
    if _ENGINE_NAMES.keys().isdisjoint(report.attributes):
        return _NO_ATTRIBUTES
    attributes = _ENGINE_NAMES.keys() & report.attributes.keys()
    return attributes if attributes - _INSUFFICIENT_NAMES else _NO_ATTRIBUTES


def _find_temperature_readings(report: DeviceReport) -> dict[str, dict[str, Any]]:
    """Return temperature readings by attribute, up to a limit."""
    if not any(map(_SENSOR_NAME.match, report.attributes)):
        return {}
    readings = (
        (name, {"temperature": value, "sensor_id": sensor[1]})
        for name, value in report.attributes.items()
        if (sensor := _SENSOR_NAME.match(name))
        and _is_valid_value("temperature", value, event_types.TemperatureData)
    )
    return dict(islice(readings, MAX_SENSORS))


def _make_engine_items(report: DeviceReport, attributes: AbstractSet[str]) -> Iterator[EventItem]:
    if attributes:
        data = {
            _ENGINE_NAMES[name]: _convert_units(name, report.attributes[name])
            for name in attributes
        }
        yield make_item(report, event_types.OBD.name, rename_misfits(data, ObdData))


def _convert_units(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a device
    if name == "hours" and isinstance(value, int | float):
        return round(value / HOUR_MILLISECONDS, 6)
    return value.split() if name == "dtcs" and isinstance(value, str) else value


def _make_alarm_item(report: DeviceReport, alarm: str) -> EventItem:
    if alarm in _MOTION_KINDS:
        severity = {"severity": _ALARM_SEVERITIES[alarm]} if alarm in _ALARM_SEVERITIES else {}
        return make_item(
            report,
            event_types.MOTION.name,
            {"kind": _MOTION_KINDS[alarm], "alarm": alarm, **severity},
        )
    if alarm in _POWER_ALARMS:
        return make_item(report, event_types.HEARTBEAT.name, {"status": "degraded", "alarm": alarm})
    if alarm == "door":
        return make_item(report, event_types.DOOR.name, {"state": "open", "alarm": alarm})
    if alarm == "overspeed":
        return _make_overspeed_item(report)
    return _make_generic_alarm(report, alarm)


def _make_overspeed_item(report: DeviceReport) -> EventItem:
    limit = report.attributes.get("speedLimit")
    if not isinstance(limit, int | float):
        return _make_generic_alarm(report, "overspeed")
    data = {"speed": report.measures.get("speed"), "limit": to_kmh(limit, KNOT), "phase": "started"}
    return make_item_or_alarm(report, event_types.SPEED, data, "overspeed")


def make_item_or_alarm(
    report: DeviceReport, type_: event_types.DeviceEventType, data: dict[str, Any], alarm: str
) -> EventItem:
    """Build an item of a type with required fields, or a generic alarm if they are missing."""
    try:
        msgspec.convert(data, type_.data_type)
    except msgspec.ValidationError:
        return _make_generic_alarm(report, alarm)
    return make_item(report, type_.name, data)


def _make_generic_alarm(report: DeviceReport, alarm: str) -> EventItem:
    data = {"alarm": alarm[:100], "severity": _ALARM_SEVERITIES.get(alarm, "warning")}
    return make_item(report, event_types.ALARM.name, data)
