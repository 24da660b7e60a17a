"""The fold: all rules over a device's positions, in the order in which they happened.

However positions are parted, and wherever it begins anew from what it knew, it comes to the same.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

import msgspec

from pannier.devices.rules import fencing, speeding, trips
from pannier.devices.rules.fencing import Fences
from pannier.devices.rules.fixes import Alert, Fix
from pannier.devices.rules.land import Around, Land
from pannier.devices.rules.speeding import Limit, Speeding
from pannier.devices.rules.trips import Motion, Trip

# How fast whatever the device is on may go at a moment, where no zone says so.
Limits: TypeAlias = Callable[[datetime], float | None]


class State(msgspec.Struct, omit_defaults=True):
    """All that the rules know of a device."""

    fences: Fences = msgspec.field(default_factory=Fences)
    speeding: Speeding = msgspec.field(default_factory=Speeding)
    motion: Motion = msgspec.field(default_factory=Motion)


class Folded(NamedTuple):
    """What comes of some positions: what is known after them, and what is certain with them."""

    state: State
    alerts: list[Alert]
    trips: list[Trip]


def fold(state: State, fixes: Sequence[Fix], land: Land, limits: Limits) -> Folded:
    """Take in the next positions of a device; those that are hardly one say nothing."""
    known = msgspec.convert(msgspec.to_builtins(state), State)
    usable = [fix for fix in fixes if fix.usable]
    alerts: list[Alert] = []
    ended: list[Trip] = []
    for fix, around in zip(usable, land.around(known.fences.last, usable), strict=True):
        alerts += fencing.advance(known.fences, fix, around, land)
        alerts += speeding.advance(known.speeding, fix, _limit(around, limits, fix))
        ended += trips.advance(known.motion, fix)
    return Folded(known, alerts, ended)


def _limit(around: Around, limits: Limits, fix: Fix) -> Limit | None:
    zone = around.limit()
    if zone is not None:
        return Limit(*zone)
    speed = limits(fix.at)
    return None if speed is None else Limit(speed)
