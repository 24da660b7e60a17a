"""Fixes: positions as the rules see them, and the alerts that rules produce."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

import msgspec

from pannier.kit import geo

# Positions with a larger error than this, in metres, are ignored.
MAX_ERROR_METRES: Final = 200.0
# Assumed error in metres where a receiver reports none.
DEFAULT_ERROR_METRES: Final = 20.0


class Fix(msgspec.Struct, frozen=True, array_like=True):
    """The position of a device at a time; speed in km/h, accuracy in metres."""

    at: datetime
    longitude: float
    latitude: float
    speed: float | None = None
    accuracy: float | None = None
    ignition: bool | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the position is accurate enough to evaluate."""
        return self.accuracy is None or self.accuracy <= MAX_ERROR_METRES

    @property
    def error(self) -> float:
        """The possible error in metres."""
        return DEFAULT_ERROR_METRES if self.accuracy is None else self.accuracy

    def metres_to(self, fix: "Fix") -> float:
        return geo.metres(self.longitude, self.latitude, fix.longitude, fix.latitude)

    def seconds_since(self, earlier_fix: "Fix") -> float:
        return (self.at - earlier_fix.at).total_seconds()

    def interpolate(self, later_fix: "Fix", fraction: float) -> "Fix":
        """Interpolate linearly between this fix and a later one."""
        return Fix(
            self.at + timedelta(seconds=fraction * later_fix.seconds_since(self)),
            self.longitude + fraction * (later_fix.longitude - self.longitude),
            self.latitude + fraction * (later_fix.latitude - self.latitude),
        )


Severity = Literal["info", "warning", "high", "critical"]


PHASES_BY_ACTION: Final[Mapping[str | None, Literal["begin", "end"]]] = {
    "enter": "begin",
    "exit": "end",
    "started": "begin",
    "ended": "end",
}


class Alert(msgspec.Struct, frozen=True):
    """An event that a rule concludes, and the time of the fix that confirmed it."""

    kind: Literal["speed_alert", "geofence_event"]
    fix: Fix
    decided_at: datetime
    severity: Severity
    data: dict[str, Any]

    @property
    def subject(self) -> str:
        """The area or the speeding that the alert belongs to, the same in all phases."""
        return str(self.data.get("area_id", self.kind))

    @property
    def phase(self) -> Literal["begin", "end"] | None:
        """Whether the alert begins or ends something; None for neither."""
        return PHASES_BY_ACTION.get(self.data.get("action") or self.data.get("phase"))
