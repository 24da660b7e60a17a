"""Speeding: when it starts and ends, and how severe it is."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from pannier.devices.rules.fixes import Alert, Fix, Severity

# Tolerance: a factor of the limit, and km/h on top of it.
TOLERANCE_FACTOR: Final = 1.05
TOLERANCE_KMH: Final = 3.0
# Number of fixes, or seconds, that rule out an error of the receiver.
CONFIRMING_FIXES: Final = 2
CONFIRMING_SECONDS: Final = 10.0
# Seconds without a fix after which the speed is unknown.
MAX_GAP_SECONDS: Final = 600.0
# Excess in km/h from which the severity is higher.
HIGH_EXCESS_KMH, CRITICAL_EXCESS_KMH = 20.0, 40.0


class SpeedLimit(NamedTuple):
    """A speed limit in km/h, and the zone that sets it, if any."""

    speed: float
    zone: str | None = None


# The state is stored under the original names of its fields.
class SpeedingState(
    msgspec.Struct,
    omit_defaults=True,
    rename={
        "first_fix": "first",
        "fix_count": "fixes",
        "has_started": "started",
        "calm_fix": "calm",
    },
):
    """The state of one speeding: the first fix above the limit, and the first one below it."""

    last: Fix | None = None
    first_fix: Fix | None = None
    fix_count: int = 0
    has_started: bool = False
    limit: float = 0.0
    zone: str | None = None
    max_speed: float = 0.0
    distance: float = 0.0
    calm_fix: Fix | None = None
    calm_distance: float = 0.0


def advance(state: SpeedingState, fix: Fix, limit: SpeedLimit | None) -> Iterator[Alert]:
    """Process the next fix, and yield the alerts that it confirms."""
    if fix.speed is None:
        return
    previous_fix, state.last = state.last, fix
    if previous_fix is not None and state.first_fix is not None:
        if fix.seconds_since(previous_fix) > MAX_GAP_SECONDS:
            yield from _end_speeding(state, state.calm_fix or previous_fix, fix)
        else:
            state.distance += previous_fix.metres_to(fix)
    if state.has_started:
        yield from _track_speeding(state, fix, limit)
    elif limit is not None and fix.speed > limit.speed * TOLERANCE_FACTOR + TOLERANCE_KMH:
        yield from _detect_start(state, fix, limit)
    else:
        _reset_state(state)


def _detect_start(state: SpeedingState, fix: Fix, limit: SpeedLimit) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if state.first_fix is None:
        state.first_fix, state.limit, state.zone = fix, limit.speed, limit.zone
    state.fix_count += 1
    state.max_speed = max(state.max_speed, speed)
    if (
        state.fix_count >= CONFIRMING_FIXES
        or fix.seconds_since(state.first_fix) >= CONFIRMING_SECONDS
    ):
        state.has_started = True
        first_speed = state.first_fix.speed or 0.0
        yield _make_alert("started", state, state.first_fix, fix, first_speed)


def _track_speeding(state: SpeedingState, fix: Fix, limit: SpeedLimit | None) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if limit is not None and speed > limit.speed:
        state.calm_fix = None
        state.max_speed = max(state.max_speed, speed)
        return
    if state.calm_fix is None:
        state.calm_fix, state.calm_distance = fix, state.distance
    if fix.seconds_since(state.calm_fix) >= CONFIRMING_SECONDS:
        yield from _end_speeding(state, state.calm_fix, fix)


def _end_speeding(state: SpeedingState, end: Fix, deciding_fix: Fix) -> Iterator[Alert]:
    """End a speeding; one that was never confirmed is discarded."""
    if state.has_started and state.first_fix is not None:
        distance = state.distance if state.calm_fix is None else state.calm_distance
        yield _make_alert(
            "ended",
            state,
            end,
            deciding_fix,
            state.max_speed,
            duration_s=end.seconds_since(state.first_fix),
            distance_m=round(distance, 1),
        )
    _reset_state(state)


def _reset_state(state: SpeedingState) -> None:
    state.first_fix, state.fix_count, state.has_started = None, 0, False
    state.limit, state.zone, state.max_speed = 0.0, None, 0.0
    state.calm_fix, state.distance, state.calm_distance = None, 0.0, 0.0


def _make_alert(
    phase: str,
    state: SpeedingState,
    fix: Fix,
    deciding_fix: Fix,
    max_speed: float,
    **extra_data: Any,  # noqa: ANN401 - what the phase adds
) -> Alert:
    excess = max_speed - state.limit
    data: dict[str, Any] = {
        "phase": phase,
        "speed": fix.speed,
        "limit": state.limit,
        "excess": round(excess, 3),
        "max_speed": state.max_speed,
        "source": "gps",
    }
    if state.zone is not None:
        data["zone_id"] = state.zone
    return Alert("speed_alert", fix, deciding_fix.at, _excess_severity(excess), data | extra_data)


def _excess_severity(excess: float) -> Severity:
    if excess >= CRITICAL_EXCESS_KMH:
        return "critical"
    return "high" if excess >= HIGH_EXCESS_KMH else "warning"
