"""Speeding: when it starts and ends, and how severe it is."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from pannier.devices.rules.fixes import Alert, Fix, Severity

# Tolerance: a factor of the limit, and km/h on top of it.
TOLERANCE: Final = 1.05
ON_TOP: Final = 3.0
# Number of fixes, or seconds, that rule out an error of the receiver.
FIXES: Final = 2
SECONDS: Final = 10.0
# Seconds without a fix after which the speed is unknown.
GAP: Final = 600.0
# Excess in km/h from which the severity is higher.
HIGH, CRITICAL = 20.0, 40.0


class Limit(NamedTuple):
    """A speed limit in km/h, and the zone that sets it, if any."""

    speed: float
    zone: str | None = None


class Speeding(msgspec.Struct, omit_defaults=True):
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


def advance(known: Speeding, fix: Fix, limit: Limit | None) -> Iterator[Alert]:
    """Process the next fix, and yield the alerts that it confirms."""
    if fix.speed is None:
        return
    before, known.last = known.last, fix
    if before is not None and known.first is not None:
        if fix.seconds(before) > GAP:
            yield from _over(known, known.calm or before, fix)
        else:
            known.distance += before.metres(fix)
    if known.started:
        yield from _going_on(known, fix, limit)
    elif limit is not None and fix.speed > limit.speed * TOLERANCE + ON_TOP:
        yield from _beginning(known, fix, limit)
    else:
        _forget(known)


def _beginning(known: Speeding, fix: Fix, limit: Limit) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if known.first is None:
        known.first, known.limit, known.zone = fix, limit.speed, limit.zone
    known.fixes += 1
    known.max_speed = max(known.max_speed, speed)
    if known.fixes >= FIXES or fix.seconds(known.first) >= SECONDS:
        known.started = True
        first_speed = known.first.speed or 0.0
        yield _alert("started", known, known.first, fix, first_speed)


def _going_on(known: Speeding, fix: Fix, limit: Limit | None) -> Iterator[Alert]:
    speed = fix.speed or 0.0
    if limit is not None and speed > limit.speed:
        known.calm = None
        known.max_speed = max(known.max_speed, speed)
        return
    if known.calm is None:
        known.calm, known.calm_distance = fix, known.distance
    if fix.seconds(known.calm) >= SECONDS:
        yield from _over(known, known.calm, fix)


def _over(known: Speeding, end: Fix, decided: Fix) -> Iterator[Alert]:
    """End a speeding; one that was never confirmed is discarded."""
    if known.started and known.first is not None:
        distance = known.distance if known.calm is None else known.calm_distance
        yield _alert(
            "ended",
            known,
            end,
            decided,
            known.max_speed,
            duration_s=end.seconds(known.first),
            distance_m=round(distance, 1),
        )
    _forget(known)


def _forget(known: Speeding) -> None:
    known.first, known.fixes, known.started = None, 0, False
    known.limit, known.zone, known.max_speed = 0.0, None, 0.0
    known.calm, known.distance, known.calm_distance = None, 0.0, 0.0


def _alert(
    phase: str,
    known: Speeding,
    fix: Fix,
    decided: Fix,
    worst: float,
    **more: Any,  # noqa: ANN401 - what the phase adds
) -> Alert:
    excess = worst - known.limit
    data: dict[str, Any] = {
        "phase": phase,
        "speed": fix.speed,
        "limit": known.limit,
        "excess": round(excess, 3),
        "max_speed": known.max_speed,
        "source": "gps",
    }
    if known.zone is not None:
        data["zone_id"] = known.zone
    return Alert("speed_alert", fix, decided.at, _severity(excess), data | more)


def _severity(excess: float) -> Severity:
    if excess >= CRITICAL:
        return "critical"
    return "high" if excess >= HIGH else "warning"
