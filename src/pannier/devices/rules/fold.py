"""The fold of all rules over a device's positions, in the order of their time.

The result is the same however the positions are split, and from whichever saved state it continues.
"""

from collections.abc import Callable, Container, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pannier.devices.rules import fencing, speeding, trips
from pannier.devices.rules.fencing import Fences
from pannier.devices.rules.fixes import Alert, Fix
from pannier.devices.rules.land import Around, Land
from pannier.devices.rules.speeding import Limit, Speeding
from pannier.devices.rules.trips import Motion, Trip

# Per device, in an hour of its own time. Normal driving stays far below.
MAX_ALERTS_PER_HOUR: Final = 300
# The speed limit of the device's vehicle at a time, where no zone sets one.
Limits: TypeAlias = Callable[[datetime], float | None]


class Tally(msgspec.Struct, omit_defaults=True):
    """The number of alerts in the hour of a device's latest position.

    An alert that begins something reserves room for the alert that ends it, so that both are
    recorded or neither. `begun` says for everything under way whether its beginning was recorded.
    """

    hour: datetime | None = None
    alerts: int = 0
    begun: dict[str, bool] = msgspec.field(default_factory=dict)

    def admit(self, fix: Fix, alerts: Sequence[Alert]) -> list[Alert]:
        """Count a position's alerts, and return those within the hourly limit."""
        hour = fix.at.replace(minute=0, second=0, microsecond=0)
        if self.hour != hour:
            self.hour, self.alerts = hour, 0
        return [alert for alert in alerts if self._admits(alert)]

    def forget_except(self, under_way: Container[str]) -> None:
        """Forget beginnings that will never have an end."""
        self.begun = {name: told for name, told in self.begun.items() if name in under_way}

    def _admits(self, alert: Alert) -> bool:
        room = MAX_ALERTS_PER_HOUR - self.alerts - sum(self.begun.values())
        match alert.phase:
            case "begin":
                admitted = self.begun[alert.about] = room > 1
            case "end":
                admitted = self.begun.pop(alert.about, room > 0)
            case _:
                admitted = self.begun.get(alert.about, True) and room > 0
        self.alerts += admitted
        return admitted


class State(msgspec.Struct, omit_defaults=True):
    """The state of all rules for one device."""

    fences: Fences = msgspec.field(default_factory=Fences)
    speeding: Speeding = msgspec.field(default_factory=Speeding)
    motion: Motion = msgspec.field(default_factory=Motion)
    tally: Tally = msgspec.field(default_factory=Tally)


class Folded(NamedTuple):
    """The result of some positions: the new state, and confirmed alerts and trips.

    `taken` is the number of positions that were folded, `dropped` the number of alerts beyond the
    hourly limit.
    """

    state: State
    alerts: list[Alert]
    trips: list[Trip]
    taken: int
    dropped: int


def fold(
    state: State, fixes: Sequence[Fix], land: Land, limits: Limits, most: int | None = None
) -> Folded:
    """Fold in the next positions of a device; inaccurate ones are skipped.

    It ends early after `max_alerts`, but never within the alerts of one position.
    """
    known = msgspec.convert(msgspec.to_builtins(state), State)
    usable = [(place, fix) for place, fix in enumerate(fixes, 1) if fix.usable]
    alerts: list[Alert] = []
    ended: list[Trip] = []
    dropped = 0
    surroundings = land.around(known.fences.last, [fix for _, fix in usable])
    for (place, fix), around in zip(usable, surroundings, strict=True):
        found = [
            *fencing.advance(known.fences, fix, around, land),
            *speeding.advance(known.speeding, fix, _limit(around, limits, fix)),
        ]
        if found:
            admitted = known.tally.admit(fix, found)
            alerts += admitted
            dropped += len(found) - len(admitted)
            speeds = ("speed_alert",) if known.speeding.started else ()
            known.tally.forget_except({*known.fences.places, *speeds})
        ended += trips.advance(known.motion, fix)
        if most is not None and len(alerts) >= most:
            return Folded(known, alerts, ended, place, dropped)
    return Folded(known, alerts, ended, len(fixes), dropped)


def _limit(around: Around, limits: Limits, fix: Fix) -> Limit | None:
    zone = around.limit()
    if zone is not None:
        return Limit(*zone)
    speed = limits(fix.at)
    return None if speed is None else Limit(speed)
