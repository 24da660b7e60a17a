"""Rules: what follows from positions, by examples."""

import random
from typing import Any

import pytest

from devices.walks import at, box, drive, folded
from pannier.devices.rules import trips
from pannier.devices.rules.fixes import Alert, Fix


def seconds(alert: Alert) -> float:
    return round(alert.fix.seconds_since(at(0, 0)), 3)


def told(alerts: list[Alert], key: str) -> list[tuple[Any, float]]:
    return [(alert.data[key], seconds(alert)) for alert in alerts]


def test_speeding_is_told_when_it_starts_and_when_it_ends() -> None:
    speeds = [50, 52, 60, 70, 65, 50, 48, 45, 40]
    fixes = [at(10 * n, 150 * n, speed=float(speed)) for n, speed in enumerate(speeds)]
    started, ended = folded(fixes, limit=50.0).alerts
    assert (started.data["phase"], seconds(started), started.severity) == ("started", 20, "warning")
    assert started.data["speed"] == 60
    assert started.data["excess"] == 10
    assert (ended.data["phase"], seconds(ended), ended.severity) == ("ended", 50, "high")
    assert (ended.data["max_speed"], ended.data["limit"], ended.data["excess"]) == (70, 50, 20)
    assert ended.data["duration_s"] == 30
    assert ended.data["distance_m"] == pytest.approx(450, rel=0.01)


@pytest.mark.parametrize(
    ("speeds", "alerts"),
    [
        # Within the tolerance; a single mistake of the receiver; nothing said.
        ([55, 55, 55, 55], 0),
        ([50, 90, 50, 90], 0),
        ([None, None], 0),
        # Between the limit and the tolerance it goes on.
        ([60, 60, 52, 50, 52, 50], 1),
        ([60, 60, 50, 50], 2),
    ],
)
def test_speeding_takes_more_than_one_fix_and_ends_below_the_limit(
    speeds: list[float | None], alerts: int
) -> None:
    fixes = [at(10 * n, 100 * n, speed=speed) for n, speed in enumerate(speeds)]
    assert len(folded(fixes, limit=50.0).alerts) == alerts


def test_a_zone_goes_before_the_vehicle_and_the_slowest_zone_before_others() -> None:
    school = box("school", 0, -100, 2000, 100, limit=30.0)
    town = box("town", -5000, -5000, 5000, 5000, limit=50.0)
    fixes = drive(0, 100, seconds=60, kmh=45)
    (started,) = (
        alert
        for alert in folded(fixes, town, school, limit=120.0).alerts
        if alert.kind == "speed_alert"
    )
    assert (started.data["limit"], started.data["zone_id"]) == (30, "school")
    assert not [a for a in folded(fixes, limit=120.0).alerts if a.kind == "speed_alert"]


def test_silence_ends_speeding_where_it_was_last_seen() -> None:
    fixes = [*drive(0, 0, seconds=60, kmh=90), at(7200, 50_000, speed=0.0)]
    _, ended = folded(fixes, limit=50.0).alerts
    assert (ended.data["phase"], seconds(ended), ended.data["duration_s"]) == ("ended", 60, 60)


def test_entering_and_leaving_are_told_with_the_first_fix_that_said_so() -> None:
    zone = box("depot", 0, -500, 1000, 500)
    fixes = [at(10 * n, -100 + 10 * n, accuracy=15.0) for n in range(125)]
    enter, leave = folded(fixes, zone).alerts
    # On the border itself is inside; the next fix makes it certain.
    assert (enter.data["action"], seconds(enter)) == ("enter", 100)
    assert (leave.data["action"], seconds(leave)) == ("exit", 1120)
    assert leave.data["dwell_s"] == 1020
    assert (enter.data["area_type"], enter.data["area_id"]) == ("zone", "depot")
    assert enter.data["area_name"] == "Depot"


def test_one_fix_deep_inside_is_enough_and_one_that_may_be_wrong_is_not() -> None:
    zone = box("depot", 0, -500, 1000, 500)
    assert len(folded([at(0, 40, accuracy=30.0)], zone).alerts) == 1
    assert not folded([at(0, 20, accuracy=30.0)], zone).alerts
    assert not folded([at(0, 20, accuracy=30.0), at(9, -5, accuracy=30.0)], zone).alerts
    # However deep, a fix that may be 200 m off says nothing.
    assert not folded([at(10 * n, 500, accuracy=201.0) for n in range(9)], zone).alerts


def test_a_jitter_at_the_border_flaps_never() -> None:
    zone = box("depot", 0, -5000, 1000, 5000)
    chance = random.Random(7)
    fixes = [at(5 * n, chance.uniform(-19, 19), 10 * n, accuracy=10.0) for n in range(500)]
    assert told(folded(fixes, zone).alerts, "action")[1:] == []


def test_a_zone_between_two_fixes_was_crossed() -> None:
    zone = box("bridge", 400, -100, 600, 100)
    enter, leave = folded([at(0, 0), at(100, 1000)], zone).alerts
    assert told([enter, leave], "action") == [("enter", 40), ("exit", 60)]
    assert enter.data["inferred"] is leave.data["inferred"] is True
    assert leave.data["dwell_s"] == pytest.approx(20)
    # Nobody knows the way of those who were silent, nor of those who fly.
    assert not folded([at(0, 0), at(601, 1000)], zone).alerts
    assert not folded([at(0, 0), at(9, 1000)], zone).alerts


def test_zones_say_what_they_want_to_be_told() -> None:
    zone = box("depot", 0, -500, 1000, 500, on_entry=False, on_exit=False, dwell=300.0)
    fixes = [at(30 * n, 500 if n < 20 else 2000 + n, accuracy=10.0) for n in range(30)]
    (dwell,) = folded(fixes, zone).alerts
    assert (dwell.data["action"], dwell.data["dwell_s"]) == ("dwell", 300)


def test_a_trip_goes_from_stop_to_stop() -> None:
    parked = [at(60 * n, 3 * (n % 5), accuracy=8.0) for n in range(11)]
    there = drive(610, 20, seconds=300, kmh=36)
    light = [at(910 + 10 * n, 3020 + n % 3, speed=0.0, accuracy=5.0) for n in range(1, 7)]
    on = drive(980, 3030, seconds=300, kmh=54)
    rest = [at(1280 + 30 * n, 7530 + 4 * (n % 3), speed=0.0, accuracy=8.0) for n in range(1, 20)]
    found = folded([*parked, *there, *light, *on, *rest])
    (trip,) = found.trips
    assert (trip.started_at, trip.ended_at) == (at(610, 0).at, at(1280, 0).at)
    assert trip.distance == pytest.approx(7500, rel=0.02)
    assert trip.idle_seconds == pytest.approx(70, abs=20)
    assert trip.longest_stop_seconds == trip.idle_seconds
    assert trip.moving_seconds + trip.idle_seconds == pytest.approx(670, abs=15)
    assert trip.max_speed == 54
    assert trips.current_trip(found.state.motion) is None


def test_a_parked_vehicle_drives_nowhere() -> None:
    chance = random.Random(3)
    drift = [
        at(10 * n, chance.gauss(0, 25), chance.gauss(0, 25), accuracy=25.0) for n in range(2000)
    ]
    mistake = at(20_000, 5000, accuracy=25.0)
    found = folded([*drift, mistake, at(20_010, 0), at(20_020, 3)])
    assert found.trips == []
    assert trips.current_trip(found.state.motion) is None


def test_waiting_on_the_way_adds_nothing_to_it() -> None:
    chance = random.Random(3)
    way = drive(0, 0, seconds=200, kmh=36)
    jam = [at(200 + n, 2000 + chance.gauss(0, 4), accuracy=8.0) for n in range(1, 120)]
    on = drive(320, 2000, seconds=200, kmh=36)
    rest = [at(520 + 30 * n, 4000) for n in range(1, 9)]
    (trip,) = folded([*way, *jam, *on, *rest]).trips
    assert trip.distance == pytest.approx(4000, rel=0.03)
    assert trip.idle_seconds == pytest.approx(120, abs=25)


def test_the_ignition_ends_a_trip_at_once_but_not_while_it_rolls() -> None:
    way = [
        Fix(fix.at, fix.longitude, fix.latitude, fix.speed, ignition=False)
        for fix in drive(0, 0, seconds=300, kmh=36)
    ]
    off = at(310, 3000, speed=0.0, ignition=False)
    assert folded(way).trips == []
    (trip,) = folded([*way, off]).trips
    assert trip.ended_at == at(300, 0).at


def test_a_trip_ends_where_silence_begins() -> None:
    way = drive(0, 0, seconds=300, kmh=36)
    found = folded([*way, at(300 + 3601, 90_000)])
    (trip,) = found.trips
    assert (trip.ended_at, trips.current_trip(found.state.motion)) == (at(300, 0).at, None)
    going_on = trips.current_trip(folded(way).state.motion)
    assert going_on is not None
    assert going_on.ended_at is None
    assert going_on.distance == pytest.approx(3000, rel=0.01)
