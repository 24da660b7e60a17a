"""Protocols: what others send becomes events of ours, in our units."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.heard import reading
from devices.recorded import JSON, OSMAND, TRACCAR, Recorded
from pannier.devices import event_types
from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.protocols import osmand, reports, traccar
from pannier.devices.readings import Flags, Reading, merge_data


def read(items: list[EventItem]) -> list[Reading]:
    """Normalise what a decoder made."""
    return [reading(item) for item in items]


def osmand_of(recorded: Recorded) -> list[Reading]:
    """Decode a request of the phone apps."""
    if recorded.content_type.startswith(JSON):
        return read(osmand.parse_json(recorded.body))
    return read(osmand.parse_fields(recorded.body or recorded.query.encode()))


def shown(told: Reading) -> tuple[str, dict[str, Any]]:
    """Name the type, and its data."""
    data = {
        name: round(v, 4) if isinstance(v, float) else v for name, v in merge_data(told).items()
    }
    return event_types.type_name(told.kind, told.type), data


@pytest.mark.parametrize("name", OSMAND)
def test_every_recorded_request_is_read(name: str) -> None:
    told = osmand_of(OSMAND[name])
    assert len(told) == OSMAND[name].events
    assert {one.flags for one in told} == {0}


def test_the_old_form_speaks_of_knots() -> None:
    (told,) = osmand_of(OSMAND["Traccar Client 8 for Android"])
    assert told.device == "386012"
    assert shown(told) == (
        "position_update",
        {
            "speed": 42.5, "heading": 87.5, "altitude": 15, "accuracy": 4.2, "battery_level": 81.0,
            "charging": True,
        },
    )  # fmt: skip


def test_the_new_form_speaks_of_metres_a_second() -> None:
    (told,) = osmand_of(OSMAND["Traccar Client 9"])
    assert told.device == "386012"
    assert shown(told) == (
        "position_update",
        {
            "speed": 42.4998, "heading": 91.2, "altitude": 15.4, "accuracy": 4.8, "motion": True,
            "odometer": 1523, "event": "motionchange", "activity": "in_vehicle",
            "battery_level": 79.0, "charging": False,
        },
    )  # fmt: skip


def test_less_than_zero_is_unknown_and_an_alarm_is_an_event_of_its_own() -> None:
    position, alarm = osmand_of(OSMAND["Traccar Client 9, sos"])
    assert (position.speed, position.heading) == (None, None)
    assert shown(alarm) == ("alarm", {"alarm": "sos", "severity": "critical"})
    assert alarm.class_ == event_types.RetentionClass.ALERT
    assert (alarm.latitude, alarm.occurred_at) == (position.latitude, position.occurred_at)


def test_what_engines_and_thermometers_say_are_events_of_their_own() -> None:
    position, engine, temperature = osmand_of(OSMAND["a tracker with an engine"])
    assert shown(position)[1] == {
        "heading": 92, "ignition": True, "cell": ["525,1,1001,20002,-71"],
        "wifi": ["00-11-22-33-44-55,-48"],
    }  # fmt: skip
    assert shown(engine) == (
        "obd_ii_reading",
        {"rpm": 2100, "fuel_level": 61.5, "fault_codes": ["P0301", "P0420"]},
    )
    assert shown(temperature) == ("temperature_reading", {"temperature": 4.5, "sensor_id": "1"})


def test_without_a_place_it_is_a_sign_of_life() -> None:
    alive, weak = osmand_of(OSMAND["a sign of life"])
    assert shown(alive) == ("device_heartbeat", {"battery_level": 20})
    assert shown(weak) == ("device_heartbeat", {"status": "degraded", "alarm": "lowBattery"})
    (nowhere,) = osmand_of(OSMAND["a fix of nowhere"])
    assert shown(nowhere) == ("device_heartbeat", {"speed": 0, "reported_location": [0, 0]})
    assert nowhere.latitude is None


def test_a_region_of_owntracks_is_a_geofence() -> None:
    (told,) = osmand_of(OSMAND["OwnTracks, a region"])
    assert shown(told) == (
        "geofence_event",
        {"action": "exit", "area_id": "6da9cf", "area_name": "Depot"},
    )


def test_a_value_that_cannot_be_right_costs_only_itself() -> None:
    told = read(osmand.parse_fields(b"id=1&lat=1&lon=2&batt=900&bearing=400&ignition=maybe"))
    assert merge_data(told[0]) == {
        "reported_battery_level": 900, "reported_heading": 400, "reported_ignition": "maybe",
    }  # fmt: skip


@pytest.mark.parametrize(
    "timestamp", ["1768478340", "1768478340000", "2026-01-15T11:59:00Z", "2026-01-15 11:59:00",
                  "2026-01-15T19:59:00+08:00", "2026-01-15T19:59:00%2B08:00"],
)  # fmt: skip
def test_a_moment_is_read_in_all_its_forms(timestamp: str) -> None:
    (told,) = read(osmand.parse_fields(f"id=1&timestamp={timestamp}&lat=1&lon=2".encode()))
    assert told.occurred_at.isoformat() == "2026-01-15T11:59:00+00:00"
    assert told.flags == 0


@pytest.mark.parametrize("timestamp", ["1e5", "1E-5", "17684783.4e2", "9" * 400])
def test_a_moment_that_nobody_means_is_a_wrong_clock_and_no_defect(timestamp: str) -> None:
    (told,) = read(osmand.parse_fields(f"id=1&timestamp={timestamp}&lat=1&lon=2".encode()))
    assert told.occurred_at.year == 2026


def test_speeds_are_spelled_as_they_were_meant() -> None:
    (told,) = read(osmand.parse_fields(b"id=1&lat=1&lon=2&speed=21.6"))
    assert told.speed == 40.0032
    (told,) = read(
        osmand.parse_json(b'{"location":{"coords":{"latitude":1,"longitude":2,"speed":8.3}}}')
    )
    assert told.speed == 29.88


def test_of_very_many_thermometers_some_are_read() -> None:
    many = "".join(f"&temp{number}=4" for number in range(150))
    told = read(osmand.parse_fields(f"id=1&lat=1&lon=2{many}".encode()))
    assert len(told) == 1 + reports.MAX_SENSORS
    assert {"temp0", "temp149"} & merge_data(told[0]).keys() == {"temp149"}


def test_no_secret_of_the_phone_is_kept() -> None:
    told = read(osmand.parse_fields(b"id=1&lat=1&lon=2&notificationToken=abc&token=dvc"))
    assert told[0].data is None


@pytest.mark.parametrize("name", TRACCAR)
def test_everything_that_traccar_forwards_is_read(name: str) -> None:
    told = read(traccar.parse_json(TRACCAR[name].body))
    assert len(told) == TRACCAR[name].events
    assert {(one.device, one.flags, one.longitude) for one in told} == {("386012", 0, 103.8207)}


def test_a_forwarded_position_is_known_again_by_what_it_says() -> None:
    sent = TRACCAR["a position"].body
    (told,) = read(traccar.parse_json(sent))
    assert shown(told) == (
        "position_update",
        {
            "speed": 42.5, "heading": 87, "altitude": 15, "battery_level": 81, "satellites": 9,
            "ignition": True, "distance": 12.5, "motion": True, "hours": 7_200_000,
        },
    )  # fmt: skip
    again = sent.replace(b'"id":0', b'"id":77').replace(b"11:59:48.120", b"12:03:11.000")
    assert again != sent
    assert read(traccar.parse_json(again)) == [told]


def test_forwarded_events_become_ours() -> None:
    braking, sos = read(traccar.parse_json(TRACCAR["an alarm"].body))
    assert shown(braking) == ("motion_event", {"kind": "harsh_braking", "alarm": "hardBraking"})
    assert shown(sos)[0] == "alarm"
    (exit_,) = read(traccar.parse_json(TRACCAR["an exit"].body))
    assert shown(exit_) == (
        "geofence_event",
        {"action": "exit", "area_id": "5", "area_name": "Depot"},
    )
    (fast,) = read(traccar.parse_json(TRACCAR["too fast"].body))
    assert shown(fast) == ("speed_alert", {"speed": 110, "limit": 100, "phase": "started"})
    (other,) = read(traccar.parse_json(TRACCAR["something else"].body))
    assert shown(other) == ("driverChanged", {"driverUniqueId": "7"})


def test_a_forwarded_position_without_a_fix_moves_nobody() -> None:
    sent = TRACCAR["a position"].body.replace(b'"valid":true', b'"valid":false')
    (told,) = read(traccar.parse_json(sent))
    assert shown(told)[0] == "device_heartbeat"
    assert told.latitude is None


numbers = st.floats() | st.integers() | st.sampled_from(["1e5", "1e999", "1_0", "nan", "-", "٣"])
words = st.sampled_from(["true", "sos,overspeed", "2026-01-15 11:59:00", "1,2", "%00"]) | st.text()
names = st.sampled_from(
    [
        "id", "lat", "lon", "location", "timestamp", "speed", "bearing", "batt", "valid", "alarm",
        "temp1", "rpm", "hours", "dtcs", "sat", "speedLimit", "cell", "accuracy", "altitude",
    ]
)  # fmt: skip
queries = st.lists(st.tuples(names, numbers | words), max_size=8).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs).encode(errors="replace")
)


@given(st.binary() | queries)
def test_nothing_that_anybody_sends_raises_anything_but_a_refusal(sent: bytes) -> None:
    for decode in (osmand.parse_fields, osmand.parse_json, traccar.parse_json):
        try:
            told = read(decode(sent))
        except InvalidItem:
            continue
        assert all(one.flags in {0, Flags.CLOCK_CORRECTED, Flags.UNTIMED} for one in told)


values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)
attributes = st.dictionaries(
    st.sampled_from(["alarm", "temp1", "rpm", "sat", "speed", "speedLimit", "severity"]), values
)


@given(attributes, st.sampled_from(["alarm", "deviceOverspeed", "deviceMoving", "x", ""]))
def test_whatever_attributes_say_is_told_or_refused(said: dict[str, Any], name: str) -> None:
    position = {"latitude": 1, "longitude": 2, "fixTime": 1_768_478_340_000, "attributes": said}
    event = {"type": name, "attributes": said, "eventTime": "2026-01-15T11:59:00Z"}
    for body in ({"position": position}, {"position": position, "event": event}):
        try:
            told = read(traccar.parse_json(msgspec.json.encode(body)))
        except InvalidItem:
            continue
        assert told


def test_more_fields_than_anybody_means_are_not_even_looked_at() -> None:
    with pytest.raises(InvalidItem):
        osmand.parse_fields(b"a=1&" * 10_000)
    many = {str(number): number for number in range(501)}
    body = msgspec.json.encode({"position": {"attributes": many}})
    with pytest.raises(InvalidItem, match="500"):
        traccar.parse_json(body)
