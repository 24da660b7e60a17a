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

from pannier.devices import kinds
from pannier.devices.items import Introduced, Item, Place, Refused
from pannier.devices.kinds import Data, HeartbeatData, ObdData, PositionData

KNOT: Final = 1.852  # km/h
METRE_A_SECOND: Final = 3.6  # km/h
HOUR: Final = 3_600_000  # milliseconds
# Traccar's attributes, and our names for them.
_POSITION: Final = {
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
_ENGINE: Final = {
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
_NO_SIGNS: Final = frozenset({"hours", "vin"})
_NOTHING: Final = frozenset[str]()
_SENSOR: Final = re.compile(r"temp(\d{1,3})$")
_MOTIONS: Final = {
    "vibration": "vibration",
    "movement": "movement",
    "accident": "impact",
    "fallDown": "tilt",
    "tow": "tow",
    "hardAcceleration": "harsh_acceleration",
    "hardBraking": "harsh_braking",
    "hardCornering": "harsh_cornering",
}
_WEAK: Final = frozenset({"lowBattery", "lowPower"})
_GRAVE: Final = {
    "sos": "critical",
    "accident": "critical",
    "powerCut": "high",
    "jamming": "high",
    "tampering": "high",
    "removing": "high",
    "tow": "high",
}
_LEFT_OUT: Final = frozenset({"alarm", "notificationToken"})
MOST_ALARMS: Final = 8
MOST_ATTRIBUTES: Final = 500
MOST_SENSORS: Final = 32


class Report(msgspec.Struct, kw_only=True):
    """One message: position, time and speed in our units, and Traccar's attributes."""

    device: str | None = None
    # The device's display name, if the sender gives one.
    called: str | None = None
    timestamp: datetime | float | None = None
    latitude: float | None = None
    longitude: float | None = None
    measures: dict[str, Any] = msgspec.field(default_factory=dict)
    attributes: Mapping[str, Any] = msgspec.field(default_factory=dict)
    # Whether the receiver has a fix. A report without one becomes a heartbeat.
    fixed: bool = True
    event_id: str | None = None

    @property
    def place(self) -> Place | None:
        """The location, if it is known. Receivers without a fix send 0,0."""
        if not self.fixed or self.latitude is None or self.longitude is None:
            return None
        on_earth = abs(self.latitude) <= 90 and abs(self.longitude) <= 180  # noqa: PLR2004 - degrees
        if not on_earth or self.latitude == 0 == self.longitude:
            return None
        return Place(latitude=self.latitude, longitude=self.longitude)


def kmh(speed: float, unit: float) -> float:
    """Convert a speed to km/h, rounded to the sixth decimal to hide floating-point noise."""
    return round(speed * unit, 6)


def told(report: Report) -> list[Item]:
    """Convert a report to items: a position or heartbeat first, then the events that it implies."""
    if len(report.attributes) > MOST_ATTRIBUTES:
        raise Refused("data_too_large", f"Send at most {MOST_ATTRIBUTES} attributes.")
    engine, sensors = _of_engine(report), _of_sensors(report)
    if not engine and not sensors and "alarm" not in report.attributes:
        return [_whereabouts(report, _LEFT_OUT)]
    return [
        _whereabouts(report, engine | sensors.keys() | _LEFT_OUT),
        *_engine(report, engine),
        *(item(report, kinds.TEMPERATURE.name, data) for data in sensors.values()),
        *alarms(report),
    ]


def alarms(report: Report) -> Iterator[Item]:
    """Yield the alarms of a report, which may be several separated by commas."""
    for alarm in str(report.attributes.get("alarm") or "").split(",")[:MOST_ALARMS]:
        if alarm.strip():
            yield _alarm(report, alarm.strip())


def item(report: Report, name: str, data: dict[str, Any], place: Place | None = None) -> Item:
    """Build one item of a report, with the report's time and location."""
    told = Item if report.called is None else partial(Introduced, called=report.called)
    return told(
        event_type=name,
        timestamp=report.timestamp,
        location=place or report.place,
        data=data,
        device=report.device,
    )


def fitting(data: dict[str, Any], keys: type[Data]) -> dict[str, Any]:
    """Rename values that do not fit their field, so that the others are not lost."""
    try:
        msgspec.convert(data, keys)
    except msgspec.ValidationError:
        return {(n if _fits(n, data[n], keys) else f"reported_{n}"): data[n] for n in data}
    return data


def _fits(name: str, value: object, keys: type[Data]) -> bool:
    try:
        msgspec.convert({name: value}, keys)
    except msgspec.ValidationError:
        return False
    return True


def _whereabouts(report: Report, apart: AbstractSet[str]) -> Item:
    data = {
        _POSITION.get(name, name): value
        for name, value in report.attributes.items()
        if name not in apart
    }
    data |= report.measures
    place = report.place
    if place is None:
        if report.latitude is not None:
            data["reported_location"] = [report.longitude, report.latitude]
        return item(report, kinds.HEARTBEAT.name, fitting(data, HeartbeatData))
    found = item(report, kinds.POSITION.name, fitting(data, PositionData), place)
    found.event_id = report.event_id
    return found


def _of_engine(report: Report) -> AbstractSet[str]:
    """Return the engine attributes. Engine hours or a VIN alone are no engine reading."""
    if _ENGINE.keys().isdisjoint(report.attributes):
        return _NOTHING
    said = _ENGINE.keys() & report.attributes.keys()
    return said if said - _NO_SIGNS else _NOTHING


def _of_sensors(report: Report) -> dict[str, dict[str, Any]]:
    """Return temperature readings by attribute, up to a limit."""
    if not any(map(_SENSOR.match, report.attributes)):
        return {}
    measured = (
        (name, {"temperature": value, "sensor_id": sensor[1]})
        for name, value in report.attributes.items()
        if (sensor := _SENSOR.match(name)) and _fits("temperature", value, kinds.TemperatureData)
    )
    return dict(islice(measured, MOST_SENSORS))


def _engine(report: Report, said: AbstractSet[str]) -> Iterator[Item]:
    if said:
        data = {_ENGINE[name]: _in_our_units(name, report.attributes[name]) for name in said}
        yield item(report, kinds.OBD.name, fitting(data, ObdData))


def _in_our_units(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a device
    if name == "hours" and isinstance(value, int | float):
        return round(value / HOUR, 6)
    return value.split() if name == "dtcs" and isinstance(value, str) else value


def _alarm(report: Report, alarm: str) -> Item:
    if alarm in _MOTIONS:
        weight = {"severity": _GRAVE[alarm]} if alarm in _GRAVE else {}
        return item(report, kinds.MOTION.name, {"kind": _MOTIONS[alarm], "alarm": alarm, **weight})
    if alarm in _WEAK:
        return item(report, kinds.HEARTBEAT.name, {"status": "degraded", "alarm": alarm})
    if alarm == "door":
        return item(report, kinds.DOOR.name, {"state": "open", "alarm": alarm})
    if alarm == "overspeed":
        return _overspeed(report)
    return _plain(report, alarm)


def _overspeed(report: Report) -> Item:
    limit = report.attributes.get("speedLimit")
    if not isinstance(limit, int | float):
        return _plain(report, "overspeed")
    said = {"speed": report.measures.get("speed"), "limit": kmh(limit, KNOT), "phase": "started"}
    return known(report, kinds.SPEED, said, "overspeed")


def known(report: Report, type_: kinds.Type, data: dict[str, Any], alarm: str) -> Item:
    """Build an item of a type with required fields, or a generic alarm if they are missing."""
    try:
        msgspec.convert(data, type_.keys)
    except msgspec.ValidationError:
        return _plain(report, alarm)
    return item(report, type_.name, data)


def _plain(report: Report, alarm: str) -> Item:
    said = {"alarm": alarm[:100], "severity": _GRAVE.get(alarm, "warning")}
    return item(report, kinds.ALARM.name, said)
