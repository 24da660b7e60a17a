"""Speeding: when it began, when it ended, and how bad it was in between."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from pannier.devices.rules.fixes import Alert, Fix, Severity

# What is let pass: a share of the limit, and km/h on top of it.
TOLERANCE: Final = 1.05
ON_TOP: Final = 3.0
# As many fixes, or as many seconds, are no mistake of the receiver.
FIXES: Final = 2
SECONDS: Final = 10.0
# After so many seconds without a word nobody knows how fast it was.
GAP: Final = 600.0
# km/h above the limit from which on it is worse.
HIGH, CRITICAL = 20.0, 40.0


class Limit(NamedTuple):
    """How fast one may go, in km/h, and the zone that says so, if one does."""

    speed: float
    zone: str | None = None


class Speeding(msgspec.Struct, omit_defaults=True):
    """What is known of one time that a device is too fast: `first` too fast, `calm` no longer."""

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
    """Take in the next fix, and tell what it makes certain."""
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
    """Close what was begun; what never became certain is forgotten."""
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
