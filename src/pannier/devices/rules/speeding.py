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


class SpeedingState(msgspec.Struct, omit_defaults=True):
    """The state of one speeding: the `first` fix above the limit, and the first `calm` one."""

    last: Fix | None = None
    first: Fix | None = None
    fixes: int = 0
    started: bool = False
    limit: float = 0.0
    zone: str | None = None
    max_speed: float = 0.0
    distance: float = 0.0
    calm: Fix | None = None
    calm_distance: float = 0.0


def advance(state: SpeedingState, fix: Fix, limit: SpeedLimit | None) -> Iterator[Alert]:
    """Process the next fix, and yield the alerts that it confirms."""
    if fix.speed is None:
        return
    previous_fix, state.last = state.last, fix
    if previous_fix is not None and state.first is not None:
        if fix.seconds_since(previous_fix) > MAX_GAP_SECONDS:
            yield from _end_speeding(state, state.calm or previous_fix, fix)
        else:
            state.distance += previous_fix.metres_to(fix)
    if state.started:
        yield from _process_under_way(state, fix, limit)
    elif limit is not None and fix.speed > limit.speed * TOLERANCE_FACTOR + TOLERANCE_KMH:
        yield from _process_start(state, fix, limit)
    else:
        _reset(state)


def _process_start(state: SpeedingState, fix: Fix, limit: SpeedLimit) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if state.first is None:
        state.first, state.limit, state.zone = fix, limit.speed, limit.zone
    state.fixes += 1
    state.max_speed = max(state.max_speed, speed)
    if state.fixes >= CONFIRMING_FIXES or fix.seconds_since(state.first) >= CONFIRMING_SECONDS:
        state.started = True
        first_speed = state.first.speed or 0.0
        yield _make_alert("started", state, state.first, fix, first_speed)


def _process_under_way(state: SpeedingState, fix: Fix, limit: SpeedLimit | None) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if limit is not None and speed > limit.speed:
        state.calm = None
        state.max_speed = max(state.max_speed, speed)
        return
    if state.calm is None:
        state.calm, state.calm_distance = fix, state.distance
    if fix.seconds_since(state.calm) >= CONFIRMING_SECONDS:
        yield from _end_speeding(state, state.calm, fix)


def _end_speeding(state: SpeedingState, end: Fix, deciding_fix: Fix) -> Iterator[Alert]:
    """End a speeding; one that was never confirmed is discarded."""
    if state.started and state.first is not None:
        distance = state.distance if state.calm is None else state.calm_distance
        yield _make_alert(
            "ended",
            state,
            end,
            deciding_fix,
            state.max_speed,
            duration_s=end.seconds_since(state.first),
            distance_m=round(distance, 1),
        )
    _reset(state)


def _reset(state: SpeedingState) -> None:
    state.first, state.fixes, state.started = None, 0, False
    state.limit, state.zone, state.max_speed = 0.0, None, 0.0
    state.calm, state.distance, state.calm_distance = None, 0.0, 0.0


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
