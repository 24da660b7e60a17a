"""Which of a device's temperature sensors are outside the limits. Pure rules."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

# Per device. A device that names more reports wrong names.
MAX_SENSORS: Final = 50
# Sensors of a device report this close together. An older reading is late, and changes nothing.
MAX_DELAY: Final = timedelta(minutes=5)
# A sensor that has not reported for longer is no longer known to be outside the limits.
MAX_SILENCE: Final = timedelta(days=1)


class SensorReading(msgspec.Struct, frozen=True):
    """The temperature at a sensor. A device with one sensor may not name it."""

    sensor: str
    temperature: float
    occurred_at: datetime


class TemperatureLimits(msgspec.Struct, frozen=True):
    """The lowest and the highest allowed temperature."""

    lowest: float | None = None
    highest: float | None = None

    def allow(self, temperature: float) -> bool:
        """Return whether a temperature is within the limits."""
        is_above = self.lowest is None or temperature >= self.lowest
        return is_above and (self.highest is None or temperature <= self.highest)


def update_outside(
    outside: Mapping[str, SensorReading],
    readings: Iterable[SensorReading],
    limits: TemperatureLimits,
    latest_at: datetime,
) -> dict[str, SensorReading]:
    """Return the sensors outside the limits, after new readings in the order of their times.

    `outside` are those before. Sensors that do not report now stay as they are, within changed
    limits too, until they have been silent for too long.
    """
    sensors = {
        name: reading
        for name, reading in outside.items()
        if not limits.allow(reading.temperature) and reading.occurred_at >= latest_at - MAX_SILENCE
    }
    for reading in readings:
        previous = sensors.get(reading.sensor)
        is_late = reading.occurred_at < latest_at - MAX_DELAY or (
            previous is not None and reading.occurred_at < previous.occurred_at
        )
        if is_late:
            continue
        sensors.pop(reading.sensor, None)
        if not limits.allow(reading.temperature) and len(sensors) < MAX_SENSORS:
            sensors[reading.sensor] = reading
    return sensors
