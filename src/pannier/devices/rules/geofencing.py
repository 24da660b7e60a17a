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
from pannier.devices.rules.geofences import (
    MIN_CROSSING_METRES,
    Geofence,
    GeofenceIndex,
    GeofenceMatches,
)

# Depth in metres at which a fix is inside, whatever its accuracy.
CERTAIN_DEPTH_METRES: Final = 50.0
# Exit hysteresis in metres: the minimum and the maximum.
MIN_EXIT_METRES, MAX_EXIT_METRES = 20.0, 50.0
# Number of fixes, or seconds, that confirm an entry or an exit.
CONFIRMING_FIXES: Final = 2
ENTRY_SECONDS, EXIT_SECONDS = 10.0, 30.0
# Number of zones per device that are tracked at once.
MAX_TRACKED_GEOFENCES: Final = 100


# The state is stored under the original names of its fields.
class GeofencePresence(
    msgspec.Struct, omit_defaults=True, rename={"first_fix": "first", "fix_count": "fixes"}
):
    """A device's relation to a geofence: inside since when, and the fixes that contradict it."""

    entered_at: datetime | None = None
    first_fix: Fix | None = None
    fix_count: int = 0
    dwelt: bool = False


class DeviceGeofences(msgspec.Struct, omit_defaults=True):
    """The geofences that a device is in, or may be in."""

    last: Fix | None = None
    places: dict[str, GeofencePresence] = msgspec.field(default_factory=dict)


def advance(
    fences: DeviceGeofences, fix: Fix, matches: GeofenceMatches, index: GeofenceIndex
) -> Iterator[Alert]:
    """Process the next fix, and yield the alerts that it confirms."""
    previous_fix, fences.last = fences.last, fix
    inside_names = {geofence.name for geofence in matches.containing}
    for geofence in matches.crossed:
        if (
            previous_fix
            and geofence.name not in inside_names
            and geofence.name not in fences.places
        ):
            yield from _infer_crossing(geofence, previous_fix, fix)
    for geofence in matches.containing:
        if geofence.name in fences.places or len(fences.places) < MAX_TRACKED_GEOFENCES:
            yield from _process_fix_inside(
                fences.places.setdefault(geofence.name, GeofencePresence()), geofence, fix
            )
    for name in [name for name in fences.places if name not in inside_names]:
        left_geofence = index.by_name.get(name)
        if left_geofence is None or fences.places[name].entered_at is None:
            del fences.places[name]
        else:
            yield from _process_fix_outside(fences, left_geofence, fix)


def _process_fix_inside(
    presence: GeofencePresence, geofence: Geofence, fix: Fix
) -> Iterator[Alert]:
    if presence.entered_at is not None:
        presence.first_fix, presence.fix_count = None, 0
        yield from _check_dwell(presence, geofence, fix)
        return
    first_fix = presence.first_fix = presence.first_fix or fix
    presence.fix_count += 1
    if (
        presence.fix_count >= CONFIRMING_FIXES
        or fix.seconds_since(first_fix) >= ENTRY_SECONDS
        or geofence.metres_to_border(fix) >= min(fix.error, CERTAIN_DEPTH_METRES)
    ):
        presence.entered_at, presence.first_fix, presence.fix_count = first_fix.at, None, 0
        if geofence.on_entry:
            yield _make_alert("enter", geofence, first_fix, fix)


def _check_dwell(presence: GeofencePresence, geofence: Geofence, fix: Fix) -> Iterator[Alert]:
    dwell_seconds = _seconds_since(presence.entered_at, fix)
    if geofence.dwell is not None and dwell_seconds >= geofence.dwell and not presence.dwelt:
        presence.dwelt = True
        yield _make_alert("dwell", geofence, fix, fix, dwell_s=dwell_seconds)


def _process_fix_outside(fences: DeviceGeofences, geofence: Geofence, fix: Fix) -> Iterator[Alert]:
    presence = fences.places[geofence.name]
    is_far = geofence.metres_to_border(fix) >= max(MIN_EXIT_METRES, min(fix.error, MAX_EXIT_METRES))
    if presence.first_fix is None and not is_far:
        return
    first_fix = presence.first_fix = presence.first_fix or fix
    presence.fix_count += is_far
    if presence.fix_count >= CONFIRMING_FIXES or fix.seconds_since(first_fix) >= EXIT_SECONDS:
        del fences.places[geofence.name]
        if geofence.on_exit:
            yield _make_alert(
                "exit",
                geofence,
                first_fix,
                fix,
                dwell_s=_seconds_since(presence.entered_at, first_fix),
            )


def _infer_crossing(geofence: Geofence, start: Fix, end: Fix) -> Iterator[Alert]:
    fractions = geofence.find_crossing(start, end)
    if fractions is None:
        return
    entry_fix, exit_fix = (start.interpolate(end, fraction) for fraction in fractions)
    if entry_fix.metres_to(exit_fix) < MIN_CROSSING_METRES:
        return
    if geofence.on_entry:
        yield _make_alert("enter", geofence, entry_fix, end, inferred=True)
    if geofence.on_exit:
        dwell_seconds = exit_fix.seconds_since(entry_fix)
        yield _make_alert("exit", geofence, exit_fix, end, dwell_s=dwell_seconds, inferred=True)


def _seconds_since(since: datetime | None, fix: Fix) -> float:
    return 0.0 if since is None else (fix.at - since).total_seconds()


def _make_alert(
    action: str,
    geofence: Geofence,
    fix: Fix,
    deciding_fix: Fix,
    **extra_data: Any,  # noqa: ANN401 - what the action adds
) -> Alert:
    data = {
        "action": action,
        "area_type": geofence.kind,
        "area_id": geofence.name,
        "area_name": geofence.label,
    }
    return Alert("geofence_event", fix, deciding_fix.at, "info", data | extra_data)
