"""Trips: from where a device leaves to where it comes to rest, by how far it gets.

Who stands still seems to move, because receivers err: so a trip begins with 200 m away from where
the device stood, and ends with 180 s in which it got no further than that. In between only steps
count that are longer than an error, so that waiting adds no way.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.devices.rules.fixes import Fix

# Metres: how far away from where it stood a device is moving, and what is still the same spot.
AWAY: Final = 200.0
SAME_SPOT: Final = 50.0
# Metres: the least step that counts as way; and the largest error that is believed.
LEAST_STEP: Final = 15.0
# Seconds: after which standing is a stop, a stop among drift is over, silence ends a trip.
STOP: Final = 180.0
SOON: Final = 120.0
GAP: Final = 3600.0
WALKING: Final = 5 / 3.6  # metres a second; what is slower stands
CITY: Final = 30 / 3.6  # metres a second; how fast a device leaves that nobody saw leaving
ROLLING: Final = 5.0  # km/h; who is faster is moving, whatever the ignition says


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """One way from stop to stop; without an end it goes on. Metres, seconds, km/h."""

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
    """What a way adds up to: metres, seconds moving and standing, and standing without a break."""

    distance: float = 0.0
    moving: float = 0.0
    idle: float = 0.0
    standing: float = 0.0
    longest: float = 0.0

    def plus(self, metres: float, seconds: float) -> "Totals":
        """Add a step; at less than a walk it is a stop on the way."""
        if metres >= WALKING * seconds:
            moving = self.moving + seconds
            return Totals(self.distance + metres, moving, self.idle, 0.0, self.longest)
        standing = self.standing + seconds
        longest = max(self.longest, standing)
        return Totals(self.distance + metres, self.moving, self.idle + seconds, standing, longest)


class Driving(msgspec.Struct, omit_defaults=True):
    """A trip that goes on: where the way is counted to, and where the device may have stopped."""

    start: Fix
    counted: Fix
    # The last fix that was no step away from there.
    still: Fix
    # Since when it got no further than AWAY; and since when it is at the same spot.
    around: Fix
    spot: Fix
    totals: Totals = Totals()
    # What it added up to at the spot, where the trip ends if it goes no further.
    at_spot: Totals = Totals()
    max_speed: float | None = None
    certain: bool = False


class Motion(msgspec.Struct, omit_defaults=True):
    """Whether a device stands, and where, or drives."""

    last: Fix | None = None
    # Where it stands; when it was last seen close to that, and not far from it.
    anchor: Fix | None = None
    close: Fix | None = None
    near: Fix | None = None
    driving: Driving | None = None


def advance(motion: Motion, fix: Fix) -> Iterator[Trip]:
    """Take in the next fix, and tell which trip is over with it."""
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
    """Tell of the trip that is not over, if there is one."""
    driving = motion.driving
    if driving is None or not driving.certain:
        return None
    return _trip(driving, driving.counted, driving.totals, over=False)


def final_until(motion: Motion) -> datetime | None:
    """Tell before which moment no trip can begin any more."""
    if motion.driving is not None and motion.driving.certain:
        return motion.driving.start.at
    return None if motion.close is None else motion.close.at


def _park(motion: Motion, anchor: Fix, fix: Fix) -> None:
    motion.driving, motion.anchor, motion.near = None, anchor, fix
    motion.close = fix if anchor.metres(fix) <= SAME_SPOT else anchor


def _standing(motion: Motion, anchor: Fix, fix: Fix) -> None:
    """Look whether a device leaves: one fix far away may be a mistake, a second one is none."""
    metres = anchor.metres(fix)
    if metres <= AWAY:
        motion.driving, motion.near = None, fix
        if metres <= SAME_SPOT:
            motion.close = fix
    elif _switched_off(fix):
        # Somebody carries it.
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
        # Nobody saw it leave: it stood there for some of the time.
        left = fix.at - timedelta(seconds=min(seconds, metres / CITY))
        start = msgspec.structs.replace(start, at=left)
    totals = Totals().plus(metres, fix.seconds(start))
    return Driving(start, fix, fix, fix, fix, totals, totals, fix.speed)


def _drive(driving: Driving, fix: Fix) -> bool:
    """Count the way, and tell whether it is over."""
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
