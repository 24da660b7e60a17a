"""The fold: all rules over a device's positions, in the order in which they happened.

However positions are parted, and wherever it begins anew from what it knew, it comes to the same.
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

# Of a device, in an hour of its own time. Whoever drives by the book comes nowhere near it.
MAX_ALERTS_PER_HOUR: Final = 300
# How fast whatever the device is on may go at a moment, where no zone says so.
Limits: TypeAlias = Callable[[datetime], float | None]


class Tally(msgspec.Struct, omit_defaults=True):
    """How many alerts there were in the hour of a device's latest position.

    Alerts that begin something have room reserved for the one that ends it, so that nobody hears of
    one without the other. `begun` says of everything under way whether its beginning was recorded.
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
        """Forget beginnings whose end will not be told."""
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
    """All that the rules know of a device."""

    fences: Fences = msgspec.field(default_factory=Fences)
    speeding: Speeding = msgspec.field(default_factory=Speeding)
    motion: Motion = msgspec.field(default_factory=Motion)
    tally: Tally = msgspec.field(default_factory=Tally)


class Folded(NamedTuple):
    """The outcome of some positions: the state after them, and alerts and trips that are certain.

    `taken` is how many of the positions were folded, `dropped` how many alerts were beyond the
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
    """Fold in the next positions of a device; inexact ones are skipped.

    It ends early once there are `most` alerts: those of one position stay together.
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
