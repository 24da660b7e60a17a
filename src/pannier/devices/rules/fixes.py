"""Fixes: positions as the rules see them, and what rules say of them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

import msgspec

from pannier.kit import geo

# A position that may be so wrong says nothing.
MOST_ACCURACY: Final = 200.0
# What a receiver that does not say how exact it is may be off, in metres.
USUAL_ACCURACY: Final = 20.0


class Fix(msgspec.Struct, frozen=True, array_like=True):
    """Where a device was at a moment; speed in km/h, accuracy in metres."""

    at: datetime
    longitude: float
    latitude: float
    speed: float | None = None
    accuracy: float | None = None
    ignition: bool | None = None

    @property
    def usable(self) -> bool:
        """Whether it is exact enough to say anything."""
        return self.accuracy is None or self.accuracy <= MOST_ACCURACY

    @property
    def error(self) -> float:
        """How far off it may be, in metres."""
        return USUAL_ACCURACY if self.accuracy is None else self.accuracy

    def metres(self, other: "Fix") -> float:
        """Tell how far another one is."""
        return geo.metres(self.longitude, self.latitude, other.longitude, other.latitude)

    def seconds(self, earlier: "Fix") -> float:
        """Tell how long ago another one was."""
        return (self.at - earlier.at).total_seconds()

    def between(self, later: "Fix", share: float) -> "Fix":
        """Tell where a device was that went straight from here to there, after a share of it."""
        return Fix(
            self.at + timedelta(seconds=share * later.seconds(self)),
            self.longitude + share * (later.longitude - self.longitude),
            self.latitude + share * (later.latitude - self.latitude),
        )


Severity = Literal["info", "warning", "high", "critical"]


PHASES: Final[Mapping[str | None, Literal["begin", "end"]]] = {
    "enter": "begin",
    "exit": "end",
    "started": "begin",
    "ended": "end",
}


class Alert(msgspec.Struct, frozen=True):
    """What a rule says: what happened, where and when; and with which fix that was certain."""

    kind: Literal["speed_alert", "geofence_event"]
    fix: Fix
    decided_at: datetime
    severity: Severity
    data: dict[str, Any]

    @property
    def about(self) -> str:
        """The area or the speeding that it belongs to, for all of its phases."""
        return str(self.data.get("area_id", self.kind))

    @property
    def phase(self) -> Literal["begin", "end"] | None:
        """Whether it begins something, or ends something that began before."""
        return PHASES.get(self.data.get("action") or self.data.get("phase"))
