"""Geofencing: entering and leaving zones and service areas, without flapping at their borders.

One doubtful fix is not enough to enter or leave. Once confirmed, the event has the time of the
first fix that indicated it. If the straight line between two fixes outside crosses a zone, an entry
and an exit are inferred.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import msgspec

from pannier.devices.rules.fixes import Alert, Fix
from pannier.devices.rules.land import LEAST_CROSSING, Around, Border, Land

# Depth in metres at which a fix is inside, whatever its accuracy.
DEEP: Final = 50.0
# Exit hysteresis in metres: the minimum and the maximum.
LEAST_AWAY, MOST_AWAY = 20.0, 50.0
# Number of fixes, or seconds, that confirm an entry or an exit.
FIXES: Final = 2
ENTERING, LEAVING = 10.0, 30.0
# Number of zones per device that are tracked at once.
MOST_PLACES: Final = 100


class Place(msgspec.Struct, omit_defaults=True):
    """A device's relation to a geofence: inside since when, and the fixes that contradict it."""

    entered_at: datetime | None = None
    first: Fix | None = None
    fixes: int = 0
    dwelt: bool = False


class Fences(msgspec.Struct, omit_defaults=True):
    """The geofences that a device is in, or may be in."""

    last: Fix | None = None
    places: dict[str, Place] = msgspec.field(default_factory=dict)


def advance(fences: Fences, fix: Fix, around: Around, land: Land) -> Iterator[Alert]:
    """Process the next fix, and yield the alerts that it confirms."""
    before, fences.last = fences.last, fix
    holding = {border.name for border in around.holding}
    for border in around.crossed:
        if before and border.name not in holding and border.name not in fences.places:
            yield from _through(border, before, fix)
    for border in around.holding:
        if border.name in fences.places or len(fences.places) < MOST_PLACES:
            yield from _inside(fences.places.setdefault(border.name, Place()), border, fix)
    for name in [name for name in fences.places if name not in holding]:
        known = land.borders.get(name)
        if known is None or fences.places[name].entered_at is None:
            del fences.places[name]
        else:
            yield from _outside(fences, known, fix)


def _inside(place: Place, border: Border, fix: Fix) -> Iterator[Alert]:
    if place.entered_at is not None:
        place.first, place.fixes = None, 0
        yield from _staying(place, border, fix)
        return
    first = place.first = place.first or fix
    place.fixes += 1
    if (
        place.fixes >= FIXES
        or fix.seconds(first) >= ENTERING
        or border.metres(fix) >= min(fix.error, DEEP)
    ):
        place.entered_at, place.first, place.fixes = first.at, None, 0
        if border.on_entry:
            yield _alert("enter", border, first, fix)


def _staying(place: Place, border: Border, fix: Fix) -> Iterator[Alert]:
    stayed = _seconds(place.entered_at, fix)
    if border.dwell is not None and stayed >= border.dwell and not place.dwelt:
        place.dwelt = True
        yield _alert("dwell", border, fix, fix, dwell_s=stayed)


def _outside(fences: Fences, border: Border, fix: Fix) -> Iterator[Alert]:
    place = fences.places[border.name]
    far = border.metres(fix) >= max(LEAST_AWAY, min(fix.error, MOST_AWAY))
    if place.first is None and not far:
        return
    first = place.first = place.first or fix
    place.fixes += far
    if place.fixes >= FIXES or fix.seconds(first) >= LEAVING:
        del fences.places[border.name]
        if border.on_exit:
            yield _alert("exit", border, first, fix, dwell_s=_seconds(place.entered_at, first))


def _through(border: Border, start: Fix, end: Fix) -> Iterator[Alert]:
    shares = border.shares(start, end)
    if shares is None:
        return
    entry, leaving = (start.between(end, share) for share in shares)
    if entry.metres(leaving) < LEAST_CROSSING:
        return
    if border.on_entry:
        yield _alert("enter", border, entry, end, inferred=True)
    if border.on_exit:
        dwelt = leaving.seconds(entry)
        yield _alert("exit", border, leaving, end, dwell_s=dwelt, inferred=True)


def _seconds(since: datetime | None, fix: Fix) -> float:
    return 0.0 if since is None else (fix.at - since).total_seconds()


def _alert(action: str, border: Border, fix: Fix, decided: Fix, **more: Any) -> Alert:  # noqa: ANN401 - what the action adds
    data = {
        "action": action,
        "area_type": border.kind,
        "area_id": border.name,
        "area_name": border.label,
    }
    return Alert("geofence_event", fix, decided.at, "info", data | more)
