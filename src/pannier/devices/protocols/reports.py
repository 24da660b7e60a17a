"""Reports: one message in Traccar's words, which many apps speak, told as events of ours.

A report says where something is, and whatever else its sender knows: what belongs to a position
stays with it; what an engine or a thermometer says, and alarms, are events of their own.
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
# Traccar's names of what we have names for.
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
    """One message: where, when, how fast (in our units), and what else, in Traccar's words."""

    device: str | None = None
    # What people call that device, if its sender says so.
    called: str | None = None
    timestamp: datetime | float | None = None
    latitude: float | None = None
    longitude: float | None = None
    measures: dict[str, Any] = msgspec.field(default_factory=dict)
    attributes: Mapping[str, Any] = msgspec.field(default_factory=dict)
    # Whether the receiver knows where it is; a report without a fix is a sign of life.
    fixed: bool = True
    event_id: str | None = None

    @property
    def place(self) -> Place | None:
        """Where it happened, if anybody knows; 0,0 is what a receiver sends that does not."""
        if not self.fixed or self.latitude is None or self.longitude is None:
            return None
        on_earth = abs(self.latitude) <= 90 and abs(self.longitude) <= 180  # noqa: PLR2004 - degrees
        if not on_earth or self.latitude == 0 == self.longitude:
            return None
        return Place(latitude=self.latitude, longitude=self.longitude)


def kmh(speed: float, unit: float) -> float:
    """Spell a speed as we do: what multiplying leaves behind the sixth digit nobody measured."""
    return round(speed * unit, 6)


def told(report: Report) -> list[Item]:
    """Tell a report as events: a position or a sign of life first, then what goes with it."""
    if len(report.attributes) > MOST_ATTRIBUTES:
        raise Refused("data_too_large", f"There are more than {MOST_ATTRIBUTES} attributes in it.")
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
    """Tell the alarms of a report, of which there may be several with commas between."""
    for alarm in str(report.attributes.get("alarm") or "").split(",")[:MOST_ALARMS]:
        if alarm.strip():
            yield _alarm(report, alarm.strip())


def item(report: Report, name: str, data: dict[str, Any], place: Place | None = None) -> Item:
    """Tell one event of a report, at its moment and place, which may be known already."""
    told = Item if report.called is None else partial(Introduced, called=report.called)
    return told(
        event_type=name,
        timestamp=report.timestamp,
        location=place or report.place,
        data=data,
        device=report.device,
    )


def fitting(data: dict[str, Any], keys: type[Data]) -> dict[str, Any]:
    """Keep what does not fit its name under another one: it is no reason to lose the rest."""
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
    """Name what an engine said; its hours alone are no sign of one that speaks."""
    if _ENGINE.keys().isdisjoint(report.attributes):
        return _NOTHING
    said = _ENGINE.keys() & report.attributes.keys()
    return said if said - _NO_SIGNS else _NOTHING


def _of_sensors(report: Report) -> dict[str, dict[str, Any]]:
    """Tell what thermometers measured, by the names that came with it; the first of very many."""
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


def _in_our_units(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever a device says
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
    """Tell an event of a type that asks for something; without that it is an alarm like others."""
    try:
        msgspec.convert(data, type_.keys)
    except msgspec.ValidationError:
        return _plain(report, alarm)
    return item(report, type_.name, data)


def _plain(report: Report, alarm: str) -> Item:
    said = {"alarm": alarm[:100], "severity": _GRAVE.get(alarm, "warning")}
    return item(report, kinds.ALARM.name, said)
