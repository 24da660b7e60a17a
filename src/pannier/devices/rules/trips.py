"""Trips: from departure to rest, by the distance a device covers.

A receiver's error makes a parked device seem to move. A trip therefore starts once the device is
200 m away from the place where it was parked. It ends after 180 s in which the device moved no
further than that. Only steps longer than the error add distance, so that waiting adds none.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.devices.rules.fixes import Fix

# Metres: the distance at which a device has departed, and the radius of the same spot.
DEPARTURE_METRES: Final = 200.0
SAME_SPOT_METRES: Final = 50.0
# Metres: the shortest step that counts as distance.
MIN_STEP_METRES: Final = 15.0
# Seconds: standing this long is a stop; a fix at the spot that is at most this old is the
# departure; silence this long ends a trip.
STOP_SECONDS: Final = 180.0
DEPARTURE_FIX_SECONDS: Final = 120.0
MAX_GAP_SECONDS: Final = 3600.0
WALKING_METRES_PER_SECOND: Final = 5 / 3.6  # anything slower is standing
# Assumed speed of a departure that was not observed.
CITY_METRES_PER_SECOND: Final = 30 / 3.6
ROLLING_KMH: Final = 5.0  # a faster device is moving, whatever its ignition says


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


class TripTotals(msgspec.Struct, frozen=True, array_like=True):
    """The sums of a journey: metres, seconds moving and idle, and the current and longest stop."""

    distance: float = 0.0
    moving: float = 0.0
    idle: float = 0.0
    standing: float = 0.0
    longest: float = 0.0

    def add_step(self, metres: float, seconds: float) -> "TripTotals":
        """Return the sums with a step added. Below walking speed it counts as idle."""
        if metres >= WALKING_METRES_PER_SECOND * seconds:
            moving_seconds = self.moving + seconds
            return TripTotals(self.distance + metres, moving_seconds, self.idle, 0.0, self.longest)
        standing_seconds = self.standing + seconds
        longest = max(self.longest, standing_seconds)
        return TripTotals(
            self.distance + metres, self.moving, self.idle + seconds, standing_seconds, longest
        )


# The state is stored under the original names of its fields.
class TripState(
    msgspec.Struct,
    omit_defaults=True,
    rename={
        "counted_fix": "counted",
        "still_fix": "still",
        "area_fix": "around",
        "spot_fix": "spot",
        "spot_totals": "at_spot",
        "is_certain": "certain",
    },
):
    """A trip under way: the last counted fix, and where the device may have stopped."""

    start: Fix
    counted_fix: Fix
    # The last fix less than a step away from `counted_fix`.
    still_fix: Fix
    # Since when it moved no further than DEPARTURE_METRES, and since when it is at the same spot.
    area_fix: Fix
    spot_fix: Fix
    totals: TripTotals = TripTotals()
    # The sums at that spot, where the trip ends if it moves no further.
    spot_totals: TripTotals = TripTotals()
    max_speed: float | None = None
    is_certain: bool = False


# The state is stored under the original names of its fields.
class MotionState(
    msgspec.Struct,
    omit_defaults=True,
    rename={"same_spot_fix": "close", "departure_radius_fix": "near"},
):
    """Whether a device is parked, and where, or on a trip."""

    last: Fix | None = None
    # Where it is parked, and the last fixes within SAME_SPOT_METRES and DEPARTURE_METRES of it.
    anchor: Fix | None = None
    same_spot_fix: Fix | None = None
    departure_radius_fix: Fix | None = None
    driving: TripState | None = None


def advance(motion: MotionState, fix: Fix) -> Iterator[Trip]:
    """Process the next fix, and yield the trip that it ends, if any."""
    previous_fix, motion.last = motion.last, fix
    trip_state = motion.driving
    if previous_fix is None or motion.anchor is None:
        _park_device(motion, fix, fix)
    elif fix.seconds_since(previous_fix) > MAX_GAP_SECONDS:
        if trip_state is not None and trip_state.is_certain:
            yield _to_trip(trip_state, trip_state.counted_fix, trip_state.totals, has_ended=True)
        _park_device(motion, fix, fix)
    elif trip_state is None or not trip_state.is_certain:
        _process_fix_while_parked(motion, motion.anchor, fix)
    elif _continue_trip(trip_state, fix):
        yield _to_trip(trip_state, trip_state.spot_fix, trip_state.spot_totals, has_ended=True)
        _park_device(motion, trip_state.spot_fix, fix)


def current_trip(motion: MotionState) -> Trip | None:
    """Return the trip under way, if there is one."""
    trip_state = motion.driving
    if trip_state is None or not trip_state.is_certain:
        return None
    return _to_trip(trip_state, trip_state.counted_fix, trip_state.totals, has_ended=False)


def find_first_start(motion: MotionState) -> datetime | None:
    """Return the earliest time at which a trip can still start, if it is known."""
    if motion.driving is not None and motion.driving.is_certain:
        return motion.driving.start.at
    return None if motion.same_spot_fix is None else motion.same_spot_fix.at


def _park_device(motion: MotionState, anchor: Fix, fix: Fix) -> None:
    motion.driving, motion.anchor, motion.departure_radius_fix = None, anchor, fix
    is_same_spot = anchor.metres_to(fix) <= SAME_SPOT_METRES
    motion.same_spot_fix = fix if is_same_spot else anchor


def _process_fix_while_parked(motion: MotionState, anchor: Fix, fix: Fix) -> None:
    """Detect a departure: one distant fix may be an error, but a second one confirms it."""
    metres = anchor.metres_to(fix)
    if metres <= DEPARTURE_METRES:
        motion.driving, motion.departure_radius_fix = None, fix
        if metres <= SAME_SPOT_METRES:
            motion.same_spot_fix = fix
    elif _is_switched_off(fix):
        # Switched off and far away: somebody moved the device.
        _park_device(motion, fix, fix)
    elif motion.driving is None:
        motion.driving = _start_trip(motion, anchor, fix)
    else:
        motion.driving.is_certain = True
        _continue_trip(motion.driving, fix)


def _start_trip(motion: MotionState, anchor: Fix, fix: Fix) -> TripState:
    same_spot_fix = motion.same_spot_fix or anchor
    start = motion.departure_radius_fix or anchor
    if start.seconds_since(same_spot_fix) <= DEPARTURE_FIX_SECONDS:
        start = same_spot_fix
    metres, seconds = start.metres_to(fix), fix.seconds_since(start)
    if seconds > STOP_SECONDS:
        # The departure was not observed, so part of the time counts as standing.
        departed_at = fix.at - timedelta(seconds=min(seconds, metres / CITY_METRES_PER_SECOND))
        start = msgspec.structs.replace(start, at=departed_at)
    totals = TripTotals().add_step(metres, fix.seconds_since(start))
    return TripState(start, fix, fix, fix, fix, totals, totals, fix.speed)


def _continue_trip(trip_state: TripState, fix: Fix) -> bool:
    """Count the distance, and return whether the trip is over."""
    if fix.speed is not None:
        trip_state.max_speed = max(trip_state.max_speed or 0.0, fix.speed)
    step_metres = trip_state.counted_fix.metres_to(fix)
    min_step_metres = max(MIN_STEP_METRES, min(fix.error, SAME_SPOT_METRES))
    if step_metres > min_step_metres:
        standing_seconds = trip_state.still_fix.seconds_since(trip_state.counted_fix)
        if standing_seconds * WALKING_METRES_PER_SECOND < min_step_metres:
            # Too short to tell standing from driving.
            standing_seconds = 0.0
        new_totals = (
            trip_state.totals.add_step(0.0, standing_seconds)
            if standing_seconds
            else trip_state.totals
        )
        trip_state.totals = new_totals.add_step(
            step_metres, fix.seconds_since(trip_state.counted_fix) - standing_seconds
        )
        trip_state.counted_fix = fix
        if trip_state.spot_fix.metres_to(fix) > SAME_SPOT_METRES:
            trip_state.spot_fix, trip_state.spot_totals = fix, trip_state.totals
    trip_state.still_fix = fix
    if trip_state.area_fix.metres_to(fix) > DEPARTURE_METRES:
        trip_state.area_fix = fix
    return _is_switched_off(fix) or fix.seconds_since(trip_state.area_fix) >= STOP_SECONDS


def _is_switched_off(fix: Fix) -> bool:
    return fix.ignition is False and (fix.speed or 0.0) <= ROLLING_KMH


def _to_trip(trip_state: TripState, end: Fix, totals: TripTotals, *, has_ended: bool) -> Trip:
    start = trip_state.start
    return Trip(
        started_at=start.at,
        ended_at=end.at if has_ended else None,
        start_latitude=start.latitude,
        start_longitude=start.longitude,
        end_latitude=end.latitude,
        end_longitude=end.longitude,
        distance=totals.distance,
        moving_seconds=totals.moving,
        idle_seconds=totals.idle,
        longest_stop_seconds=totals.longest,
        max_speed=trip_state.max_speed,
    )
