"""The fold: however positions are parted, it comes to the same."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.walks import at, box, folded
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import MAX_ALERTS_PER_HOUR, RuleState, fold
from pannier.devices.rules.geofences import GeofenceIndex

BORDERS = [
    box("depot", -300, -300, 300, 300, limit=20.0, dwell=120.0),
    box("bridge", 700, -100, 760, 100),
    box("town", -2000, -500, 1500, 900, kind="service_area"),
]


@st.composite
def walks(draw: st.DrawFn) -> list[Fix]:
    """Fixes of something that stands, drives, jumps, falls silent and is not sure where it is."""
    seconds, east, north = 0.0, 0.0, 0.0
    fixes = []
    for _ in range(draw(st.integers(1, 40))):
        seconds += draw(st.sampled_from([1, 5, 10, 30, 60, 200, 700, 4000]))
        east += draw(st.sampled_from([0, 0, 1, 8, 40, 150, 400, -40, -400, 900]))
        north += draw(st.sampled_from([0, 0, 0, 5, -5, 60, -60]))
        fixes.append(
            at(
                seconds,
                east,
                north,
                speed=draw(st.sampled_from([None, 0.0, 4.0, 22.0, 30.0, 58.0, 90.0])),
                accuracy=draw(st.sampled_from([None, 5.0, 15.0, 60.0, 201.0])),
                ignition=draw(st.sampled_from([None, None, True, False])),
            )
        )
    return fixes


@pytest.mark.slow
@given(walks(), st.lists(st.integers(0, 40), max_size=6))
def test_any_parts_come_to_the_same(fixes: list[Fix], cuts: Sequence[int]) -> None:
    whole = folded(fixes, *BORDERS, limit=50.0)
    state, alerts, trips = RuleState(), [], []
    ends = sorted({0, len(fixes), *(min(cut, len(fixes)) for cut in cuts)})
    for start, end in pairwise(ends):
        # As it is kept in between.
        kept = msgspec.json.decode(msgspec.json.encode(state), type=RuleState)
        state, some, ended, *_ = folded(fixes[start:end], *BORDERS, limit=50.0, state=kept)
        alerts += some
        trips += ended
    assert (state, alerts, trips) == whole[:3]


@pytest.mark.slow
@given(walks())
def test_enter_and_exit_take_turns_and_so_do_started_and_ended(fixes: list[Fix]) -> None:
    alerts = folded(fixes, *BORDERS, limit=50.0).alerts
    for border in BORDERS:
        moves = [
            alert.data["action"]
            for alert in alerts
            if alert.data.get("area_id") == border.name and alert.data["action"] != "dwell"
        ]
        assert moves == (["enter", "exit"] * len(moves))[: len(moves)]
    phases = [alert.data["phase"] for alert in alerts if alert.kind == "speed_alert"]
    assert phases == (["started", "ended"] * len(phases))[: len(phases)]


@pytest.mark.slow
@given(walks())
def test_trips_follow_one_another_and_their_time_adds_up(fixes: list[Fix]) -> None:
    until = fixes[0].at
    for trip in folded(fixes).trips:
        assert trip.ended_at is not None
        assert until <= trip.started_at < trip.ended_at
        length = (trip.ended_at - trip.started_at).total_seconds()
        assert abs(trip.moving_seconds + trip.idle_seconds - length) < 0.001
        assert 0 <= trip.longest_stop_seconds <= trip.idle_seconds
        until = trip.ended_at


def oscillating(count: int, every: int = 60) -> list[Fix]:
    """Fixes of a device that jumps in and out of whatever lies around the corner."""
    return [at(every * n, 5_000 * (n % 4 // 2), accuracy=5.0) for n in range(count)]


def test_a_device_has_at_most_so_many_alerts_in_an_hour_however_its_positions_are_parted() -> None:
    around = [box(f"zone {n}", -500 - n, -500, 500 + n, 500) for n in range(60)]
    fixes = oscillating(120)
    whole = folded(fixes, *around)
    hours = Counter(alert.decided_at.hour for alert in whole.alerts)
    assert set(hours.values()) == {MAX_ALERTS_PER_HOUR}
    assert whole.dropped > 0
    state, alerts = RuleState(), []
    for fix in fixes:
        part = folded([fix], *around, state=state)
        state, alerts = part.state, alerts + part.alerts
    assert (state, alerts) == (whole.state, whole.alerts)


def test_whoever_hears_of_an_entry_hears_of_its_exit_and_of_no_exit_without_one() -> None:
    around = [box(f"zone {n}", -500 - n, -500, 500 + n, 500, limit=20.0) for n in range(70)]
    around += [box(f"way out {n}", -400, -500 - n, 400, 500, on_entry=False) for n in range(3)]
    fixes = [msgspec.structs.replace(fix, speed=90.0) for fix in oscillating(150, every=45)]
    whole = folded(fixes, *around)
    assert whole.dropped > 0
    assert max(Counter(a.decided_at.hour for a in whole.alerts).values()) <= MAX_ALERTS_PER_HOUR
    for border in around[:70]:
        moves = [a.data["action"] for a in whole.alerts if a.data.get("area_id") == border.name]
        inside = border.name in whole.state.fences.places
        assert moves == (["enter", "exit"] * len(moves))[: len(moves)]
        assert inside or len(moves) % 2 == 0, border.name
    assert any(a.data.get("area_id") == "way out 0" for a in whole.alerts)


def test_a_fold_ends_early_when_it_has_enough_alerts() -> None:
    around = [box(f"zone {n}", -500 - n, -500, 500 + n, 500) for n in range(5)]
    fixes = oscillating(40)
    land = GeofenceIndex(around)
    part = fold(RuleState(), fixes, land, lambda _: None, 12)
    assert 12 <= len(part.alerts) < 12 + 5
    rest = fold(part.state, fixes[part.taken :], land, lambda _: None)
    assert [*part.alerts, *rest.alerts] == folded(fixes, *around).alerts
