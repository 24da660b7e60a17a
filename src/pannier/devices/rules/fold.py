"""The fold of all rules over a device's positions, in chronological order.

The result depends neither on the split of the positions nor on the saved state it continues from.
"""

from collections.abc import Callable, Container, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pannier.devices.rules import geofencing, speeding, trips
from pannier.devices.rules.fixes import Alert, Fix
from pannier.devices.rules.geofences import GeofenceIndex, GeofenceMatches
from pannier.devices.rules.geofencing import DeviceGeofences
from pannier.devices.rules.speeding import SpeedingState, SpeedLimit
from pannier.devices.rules.trips import MotionState, Trip

# Per device, in an hour of its own time. Normal driving stays far below.
MAX_ALERTS_PER_HOUR: Final = 300
# The speed limit of the device's vehicle at a time, where no zone sets one.
SpeedLimits: TypeAlias = Callable[[datetime], float | None]


class HourlyAlerts(msgspec.Struct, omit_defaults=True):
    """The number of alerts in the hour of a device's latest position.

    An alert that begins something reserves room for the alert that ends it, so that both are
    recorded or neither. `begun` tells, by subject, whether the first alert was recorded.
    """

    hour: datetime | None = None
    alerts: int = 0
    begun: dict[str, bool] = msgspec.field(default_factory=dict)

    def admit(self, fix: Fix, alerts: Sequence[Alert]) -> list[Alert]:
        """Count a position's alerts, and return those within the hourly limit."""
        hour = fix.at.replace(minute=0, second=0, microsecond=0)
        if self.hour != hour:
            self.hour, self.alerts = hour, 0
        return [alert for alert in alerts if self._try_admit(alert)]

    def forget_except(self, active_subjects: Container[str]) -> None:
        """Forget beginnings that will never have an end."""
        self.begun = {
            subject: state for subject, state in self.begun.items() if subject in active_subjects
        }

    def _try_admit(self, alert: Alert) -> bool:
        remaining_alerts = MAX_ALERTS_PER_HOUR - self.alerts - sum(self.begun.values())
        match alert.phase:
            case "begin":
                is_admitted = self.begun[alert.subject] = remaining_alerts > 1
            case "end":
                is_admitted = self.begun.pop(alert.subject, remaining_alerts > 0)
            case _:
                is_admitted = self.begun.get(alert.subject, True) and remaining_alerts > 0
        self.alerts += is_admitted
        return is_admitted


class RuleState(msgspec.Struct, omit_defaults=True):
    """The state of all rules for one device."""

    fences: DeviceGeofences = msgspec.field(default_factory=DeviceGeofences)
    speeding: SpeedingState = msgspec.field(default_factory=SpeedingState)
    motion: MotionState = msgspec.field(default_factory=MotionState)
    tally: HourlyAlerts = msgspec.field(default_factory=HourlyAlerts)


class FoldResult(NamedTuple):
    """The result of some positions: the new state, and confirmed alerts and trips.

    `taken` is the number of folded positions, `dropped` the number of alerts beyond the limit.
    """

    state: RuleState
    alerts: list[Alert]
    trips: list[Trip]
    taken: int
    dropped: int


def fold(
    state: RuleState,
    fixes: Sequence[Fix],
    index: GeofenceIndex,
    speed_limits: SpeedLimits,
    max_alerts: int | None = None,
) -> FoldResult:
    """Fold in the next positions of a device; inaccurate ones are skipped.

    It ends early after `max_alerts`, but never within the alerts of one position.
    """
    new_state = msgspec.convert(msgspec.to_builtins(state), RuleState)
    usable_fixes = [(number, fix) for number, fix in enumerate(fixes, 1) if fix.is_usable]
    alerts: list[Alert] = []
    ended_trips: list[Trip] = []
    dropped_count = 0
    matches_by_fix = index.match_fixes(new_state.fences.last, [fix for _, fix in usable_fixes])
    for (number, fix), matches in zip(usable_fixes, matches_by_fix, strict=True):
        new_alerts = [
            *geofencing.advance(new_state.fences, fix, matches, index),
            *speeding.advance(
                new_state.speeding, fix, _find_speed_limit(matches, speed_limits, fix)
            ),
        ]
        if new_alerts:
            admitted_alerts = new_state.tally.admit(fix, new_alerts)
            alerts += admitted_alerts
            dropped_count += len(new_alerts) - len(admitted_alerts)
            speeding_subjects = ("speed_alert",) if new_state.speeding.has_started else ()
            new_state.tally.forget_except({*new_state.fences.places, *speeding_subjects})
        ended_trips += trips.advance(new_state.motion, fix)
        if max_alerts is not None and len(alerts) >= max_alerts:
            return FoldResult(new_state, alerts, ended_trips, number, dropped_count)
    return FoldResult(new_state, alerts, ended_trips, len(fixes), dropped_count)


def _find_speed_limit(
    matches: GeofenceMatches, speed_limits: SpeedLimits, fix: Fix
) -> SpeedLimit | None:
    zone_limit = matches.find_speed_limit()
    if zone_limit is not None:
        return SpeedLimit(*zone_limit)
    speed = speed_limits(fix.at)
    return None if speed is None else SpeedLimit(speed)
