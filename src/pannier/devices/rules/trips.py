"""Trips: from departure to rest, by the distance a device covers.

A receiver's error makes a parked device seem to move. A trip therefore starts once the device is
200 m away from where it was parked. It ends after 180 s in which the device moved no further than
that. In between only steps longer than the error count, so that waiting adds no distance.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.devices.rules.fixes import Fix

# Metres: the distance at which a device has departed, and the radius of the same spot.
AWAY: Final = 200.0
SAME_SPOT: Final = 50.0
# Metres: the shortest step that counts as distance.
LEAST_STEP: Final = 15.0
# Seconds: standing this long is a stop; a fix at the spot that is at most this old is the
# departure; silence this long ends a trip.
STOP: Final = 180.0
SOON: Final = 120.0
GAP: Final = 3600.0
WALKING: Final = 5 / 3.6  # metres per second; anything slower is standing
CITY: Final = 30 / 3.6  # metres per second; assumed for a departure that was not observed
ROLLING: Final = 5.0  # km/h; a faster device is moving, whatever its ignition says


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """A journey from stop to stop; without an end it continues. Metres, seconds, km/h."""

    started_at: datetime
    ended_at: datetime | None
    start_latitude: float
    start_longitude: float
    end_latitude: float
    end_longitude: float
    distance: float
    moving_seconds: float
    idle_seconds: float
    longest_stop_seconds: float
    max_speed: float | None


class Totals(msgspec.Struct, frozen=True, array_like=True):
    """The sums of a journey: metres, seconds moving and idle, and the current and longest stop."""

    distance: float = 0.0
    moving: float = 0.0
    idle: float = 0.0
    standing: float = 0.0
    longest: float = 0.0

    def plus(self, metres: float, seconds: float) -> "Totals":
        """Return the sums with a step added. Below walking speed it counts as idle."""
        if metres >= WALKING * seconds:
            moving = self.moving + seconds
            return Totals(self.distance + metres, moving, self.idle, 0.0, self.longest)
        standing = self.standing + seconds
        longest = max(self.longest, standing)
        return Totals(self.distance + metres, self.moving, self.idle + seconds, standing, longest)


class Driving(msgspec.Struct, omit_defaults=True):
    """A trip under way: the last counted fix, and where the device may have stopped."""

    start: Fix
    counted: Fix
    # The last fix less than a step away from `counted`.
    still: Fix
    # Since when it moved no further than DEPARTURE_METRES, and since when it is at the same spot.
    around: Fix
    spot: Fix
    totals: Totals = Totals()
    # The sums at that spot, where the trip ends if it moves no further.
    at_spot: Totals = Totals()
    max_speed: float | None = None
    certain: bool = False


class Motion(msgspec.Struct, omit_defaults=True):
    """Whether a device is parked, and where, or on a trip."""

    last: Fix | None = None
    # Where it is parked, and the last fixes at the same spot and within departure distance.
    anchor: Fix | None = None
    close: Fix | None = None
    near: Fix | None = None
    driving: Driving | None = None


def advance(motion: Motion, fix: Fix) -> Iterator[Trip]:
    """Process the next fix, and yield the trip that it ends, if any."""
    before, motion.last = motion.last, fix
    driving = motion.driving
    if before is None or motion.anchor is None:
        _park(motion, fix, fix)
    elif fix.seconds(before) > GAP:
        if driving is not None and driving.certain:
            yield _trip(driving, driving.counted, driving.totals, over=True)
        _park(motion, fix, fix)
    elif driving is None or not driving.certain:
        _standing(motion, motion.anchor, fix)
    elif _drive(driving, fix):
        yield _trip(driving, driving.spot, driving.at_spot, over=True)
        _park(motion, driving.spot, fix)


def going_on(motion: Motion) -> Trip | None:
    """Return the trip under way, if there is one."""
    driving = motion.driving
    if driving is None or not driving.certain:
        return None
    return _trip(driving, driving.counted, driving.totals, over=False)


def final_until(motion: Motion) -> datetime | None:
    """Return the time before which no more trips can start."""
    if motion.driving is not None and motion.driving.certain:
        return motion.driving.start.at
    return None if motion.close is None else motion.close.at


def _park(motion: Motion, anchor: Fix, fix: Fix) -> None:
    motion.driving, motion.anchor, motion.near = None, anchor, fix
    motion.close = fix if anchor.metres(fix) <= SAME_SPOT else anchor


def _standing(motion: Motion, anchor: Fix, fix: Fix) -> None:
    """Detect a departure: one distant fix may be an error, a second one confirms it."""
    metres = anchor.metres(fix)
    if metres <= AWAY:
        motion.driving, motion.near = None, fix
        if metres <= SAME_SPOT:
            motion.close = fix
    elif _switched_off(fix):
        # Switched off and far away: somebody moved the device.
        _park(motion, fix, fix)
    elif motion.driving is None:
        motion.driving = _leaving(motion, anchor, fix)
    else:
        motion.driving.certain = True
        _drive(motion.driving, fix)


def _leaving(motion: Motion, anchor: Fix, fix: Fix) -> Driving:
    close, near = motion.close or anchor, motion.near or anchor
    start = close if near.seconds(close) <= SOON else near
    metres, seconds = start.metres(fix), fix.seconds(start)
    if seconds > STOP:
        # The departure was not observed, so part of the time counts as standing.
        left = fix.at - timedelta(seconds=min(seconds, metres / CITY))
        start = msgspec.structs.replace(start, at=left)
    totals = Totals().plus(metres, fix.seconds(start))
    return Driving(start, fix, fix, fix, fix, totals, totals, fix.speed)


def _drive(driving: Driving, fix: Fix) -> bool:
    """Count the distance, and return whether the trip is over."""
    if fix.speed is not None:
        driving.max_speed = max(driving.max_speed or 0.0, fix.speed)
    step, least = driving.counted.metres(fix), max(LEAST_STEP, min(fix.error, SAME_SPOT))
    if step > least:
        stood = driving.still.seconds(driving.counted)
        if stood * WALKING < least:
            # Too short to tell standing from driving.
            stood = 0.0
        moved = driving.totals.plus(0.0, stood) if stood else driving.totals
        driving.totals = moved.plus(step, fix.seconds(driving.counted) - stood)
        driving.counted = fix
        if driving.spot.metres(fix) > SAME_SPOT:
            driving.spot, driving.at_spot = fix, driving.totals
    driving.still = fix
    if driving.around.metres(fix) > AWAY:
        driving.around = fix
    return _switched_off(fix) or fix.seconds(driving.around) >= STOP


def _switched_off(fix: Fix) -> bool:
    return fix.ignition is False and (fix.speed or 0.0) <= ROLLING


def _trip(driving: Driving, end: Fix, totals: Totals, *, over: bool) -> Trip:
    start = driving.start
    return Trip(
        started_at=start.at,
        ended_at=end.at if over else None,
        start_latitude=start.latitude,
        start_longitude=start.longitude,
        end_latitude=end.latitude,
        end_longitude=end.longitude,
        distance=totals.distance,
        moving_seconds=totals.moving,
        idle_seconds=totals.idle,
        longest_stop_seconds=totals.longest,
        max_speed=driving.max_speed,
    )
