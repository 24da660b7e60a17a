"""Readings: one shape for whatever devices say, one key for the same thing, no accidents."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.heard import BOUNDS, KEY, NOW, position, reading
from pannier.devices import event_types, readings
from pannier.devices.event_types import RetentionClass
from pannier.devices.items import CODES, EventItem, InvalidItem, split_body, split_lines
from pannier.devices.readings import Flags, Reading, company_hash, merge_data, parse_all


def test_a_position_has_its_measures_in_columns_and_its_data_back_as_they_were() -> None:
    sent = position()
    read_one = reading(sent)
    assert (read_one.latitude, read_one.longitude) == (1.3521, 103.8198)
    assert (read_one.speed, read_one.heading) == (42.5, 90)
    assert read_one.data == {"satellites": 9}
    assert read_one.class_ == RetentionClass.POSITION
    assert read_one.occurred_at == datetime(2026, 1, 15, 11, 59, tzinfo=UTC)
    assert merge_data(read_one) == sent["data"]


@pytest.mark.parametrize(
    "timestamp",
    [
        "2026-01-15T11:59:00Z",
        "2026-01-15T19:59:00.000+08:00",
        "2026-01-15T05:59:00-06:00",
        1_768_478_340,
        1_768_478_340.0,
        1_768_478_340_000,
    ],
)
def test_a_moment_is_one_in_any_offset_and_as_unix_time(timestamp: object) -> None:
    assert reading(position(timestamp=timestamp)) == reading(position())


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"location": {"type": "Point", "coordinates": [0, 0]}}, "location_nowhere"),
        ({"location": {"latitude": 91, "longitude": 8}}, "location_invalid"),
        ({"location": {"type": "Polygon", "coordinates": [1, 2]}}, "location_invalid"),
        ({"location": {"latitude": 47.1}}, "location_invalid"),
        ({"location": "here"}, "location_invalid"),
        ({"location": None}, "location_missing"),
        ({"event_type": None}, "event_type_missing"),
        ({"event_type": "x" * 65}, "event_type_invalid"),
        ({"event_type": "a\0b"}, "event_type_invalid"),
        ({"timestamp": "yesterday"}, "timestamp_invalid"),
        ({"timestamp": "2026-01-15T11:59:00"}, "timestamp_invalid"),
        ({"data": {"speed": "fast"}}, "data_invalid"),
        ({"data": {"heading": 361}}, "data_invalid"),
        ({"data": {"note": "a\0b"}}, "data_invalid"),
        ({"data": {"note": "x" * 20_000}}, "data_too_large"),
        ({"data": [1]}, "data_invalid"),
        ({"event_id": ""}, "event_id_invalid"),
        ({"device": "a\0b"}, "device_invalid"),
        ({"event_type": "temperature", "data": {}}, "data_invalid"),
        ({"event_type": "door", "data": {"state": "ajar"}}, "data_invalid"),
        ({"event_type": "motion", "data": {}}, "data_invalid"),
        ({"event_type": "motion", "data": {"g_force": "hard"}}, "data_invalid"),
    ],
)
def test_what_cannot_be_right_is_refused_by_code(wrong: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidItem) as refused:
        reading(position(**wrong))
    assert refused.value.code == code
    assert code in CODES


@pytest.mark.parametrize("told", [r"\\u0000", r"C:\\u0000\\", "\\\\"])
def test_text_that_only_looks_like_a_zero_is_kept(told: str) -> None:
    assert reading(position(data={"note": told})).data == {"note": told}


def test_measures_below_zero_are_unknown() -> None:
    unknown = reading(position(data={"speed": -1, "heading": -1.0, "accuracy": -1, "altitude": -3}))
    assert merge_data(unknown) == {"altitude": -3}


@pytest.mark.parametrize(
    ("timestamp", "kept"),
    [
        ("2026-01-15T12:10:01Z", "2026-01-15T12:10:01+00:00"),
        ("1970-01-01T00:00:05Z", "1970-01-01T00:00:05+00:00"),
        (5, "1970-01-01T00:00:05+00:00"),
        (10**30, 10**30),
        ("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00"),
    ],
)
def test_a_clock_that_is_wrong_is_corrected_and_what_it_said_is_kept(
    timestamp: object, kept: object
) -> None:
    corrected = reading(position(timestamp=timestamp))
    assert corrected.occurred_at == NOW
    assert corrected.flags == Flags.CLOCK_CORRECTED
    assert merge_data(corrected)["device_time"] == kept
    later = NOW + timedelta(seconds=9)
    again = reading(position(timestamp=timestamp), now=later)
    assert again.event_key == corrected.event_key


def test_clocks_are_believed_for_as_long_as_their_data_are_kept() -> None:
    for moment in (BOUNDS.earliest, BOUNDS.latest):
        assert reading(position(timestamp=moment.isoformat())).flags == 0


def test_unknown_types_are_kept_by_their_name() -> None:
    told = reading({"event_type": "axle_load", "data": {"kg": [1, 2], "severity": "high"}})
    assert (told.class_, told.kind, told.type) == (RetentionClass.OTHER, 0, "axle_load")
    assert told.data == {"kg": [1, 2], "severity": "high"}
    assert told.severity == event_types.SEVERITIES.index("high")
    assert told.occurred_at == NOW


def test_an_event_of_its_senders_own_name_is_known_by_it() -> None:
    once = reading(position(event_id="e-1"))
    assert reading(position(event_id="e-1", data={"speed": 1})).event_key == once.event_key
    assert reading(position(event_id="e-2")).event_key != once.event_key
    assert reading(position(event_id=1)).event_key == reading(position(event_id="1")).event_key


def test_keys_of_two_companies_have_nothing_in_common() -> None:
    assert (
        reading(position(), key=company_hash(UUID(int=8))).event_key
        != reading(position()).event_key
    )


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({}, -182877425398876306),
        ({"event_id": "a"}, -358298925780382757),
        ({"event_id": 7, "timestamp": None}, 9181912563298572192),
        ({"timestamp": None}, -4868354593065317625),
        (
            {"timestamp": "2026-01-15T11:59:00.123456Z", "data": {"speed": 50, "heading": 90.5}},
            -5530922381555525333,
        ),
        ({"data": {"speed": -1, "heading": None, "altitude": -12}}, 8766373793386809320),
        ({"data": None}, 3396640208278417738),
        ({"timestamp": "2027-01-15T11:59:00Z", "data": None}, -7676143092826776582),
        ({"event_type": "PositionUpdate", "location": "1.3,103.8"}, 3953058538617743327),
        (
            {"event_type": "geofence_exit", "location": None, "data": {"area_id": 7}},
            5071601777711470709,
        ),
        (
            {"event_type": "axle_load", "data": {"kg": 900, "é": [1, {"b": None}]}},
            -8414482865589772773,
        ),
        ({"event_type": "impact", "data": {}}, 7291487163334578499),
        ({"event_type": "ping", "location": None, "data": None}, -3935098473150147938),
    ],
)
def test_a_key_never_changes_as_an_event_may_be_sent_again_after_an_upgrade(
    changed: dict[str, Any], key: int
) -> None:
    assert reading(position(**changed)).event_key == key


def test_what_is_refused_is_kept_as_it_was_sent() -> None:
    sent = position(data={"speed": 5, "note": "x" * 20_000})
    told = msgspec.convert(sent, EventItem)
    _, [refusal] = parse_all([told], device=None, now=NOW, bounds=BOUNDS, key=KEY)
    assert b'"speed":5' in refusal.body


def test_of_a_batch_each_item_is_refused_by_its_own_index() -> None:
    body = msgspec.json.encode([position(), 7, position(location=None), position(device="A")])
    told, refusals = parse_all(split_body(body), device=None, now=NOW, bounds=BOUNDS, key=KEY)
    assert [one.device for one in told] == [None, "A"]
    assert [(one.index, one.code) for one in refusals] == [
        (1, "event_invalid"),
        (2, "location_missing"),
    ]
    assert refusals[0].body == b"7"


def test_lines_are_read_one_by_one() -> None:
    good = msgspec.json.encode(position())
    body = b"\n".join([good, b"", b"{", good])
    told, refusals = parse_all(split_lines(body), device="d", now=NOW, bounds=BOUNDS, key=KEY)
    assert len(told) == 2
    assert [(one.index, one.code, one.device) for one in refusals] == [(1, "event_invalid", "d")]


json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
fields = ["event_type", "timestamp", "location", "data", "event_id", "device", "device_id"]
names = st.sampled_from([*event_types._ALIASES, "axle_load"])  # noqa: SLF001 - all of them
data = st.dictionaries(st.sampled_from(["speed", "severity", "g_force", "x"]) | st.text(), json)
nearly = st.fixed_dictionaries(
    {"event_type": names},
    optional={
        "timestamp": st.integers() | st.floats() | st.datetimes().map(str) | json,
        "location": st.fixed_dictionaries({"latitude": st.floats(), "longitude": st.floats()}),
        "data": data,
    },
)
anything = json | st.dictionaries(st.sampled_from(fields), json) | nearly


def refused_or(told: object) -> Reading | InvalidItem:
    """Read an event, or tell why not."""
    try:
        return reading(told)
    except InvalidItem as refused:
        return refused


@given(anything, st.binary())
def test_nothing_that_anybody_sends_raises_anything_but_a_refusal(sent: object, raw: bytes) -> None:
    for told in (sent, raw):
        one = refused_or(told)
        if isinstance(one, InvalidItem):
            assert one.code in CODES
            assert len(readings.make_refusal(0, one, told).body) <= 4096
        else:
            assert -(2**63) <= one.event_key < 2**63
            assert BOUNDS.earliest <= one.occurred_at <= BOUNDS.latest
            msgspec.json.encode(merge_data(one))


numbers = st.floats(0, 360) | st.none()


@pytest.mark.slow
@given(
    st.floats(-90, 90),
    st.floats(-180, 180).filter(bool),
    st.dictionaries(st.sampled_from(["speed", "heading", "altitude", "accuracy"]), numbers),
    st.dictionaries(st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"])), json),
    st.datetimes(datetime(2025, 12, 1), datetime(2026, 1, 13)),  # noqa: DTZ001 - an offset follows
    st.integers(-14, 14),
)
def test_a_position_comes_back_as_it_was_sent_and_has_one_key(
    latitude: float,
    longitude: float,
    measured: dict[str, float],
    rest: dict[str, Any],
    moment: datetime,
    offset: int,
) -> None:
    data = {**rest, **measured}
    at = moment.replace(tzinfo=timezone(timedelta(hours=offset)))
    place = {"type": "Point", "coordinates": [longitude, latitude]}
    sent = position(location=place, data=data, timestamp=at.isoformat())
    known = {
        name: data[name] for name in data if name in event_types.PositionData.__struct_fields__
    }
    told = refused_or(sent)
    if isinstance(told, InvalidItem):
        assert known != measured or b"\\u0000" in msgspec.json.encode(data)
        return
    assert (told.latitude, told.longitude) == (latitude, longitude)
    assert merge_data(told) == data
    again = position(
        location={"latitude": latitude, "longitude": longitude},
        data=dict(reversed(data.items())),
        timestamp=at.astimezone(UTC).isoformat(),
        event_type="location",
    )
    assert reading(again) == told
    assert reading(msgspec.json.encode(sent)) == told
    assert reading(msgspec.convert(sent, EventItem)) == told


def test_deep_data_is_refused_however_it_comes_in() -> None:
    data: Any = 1
    for _ in range(40):
        data = {"a": data}
    told = [EventItem(event_type="device_heartbeat", data=data)]
    found, refusals = parse_all(told, device="d", now=NOW, bounds=BOUNDS, key=KEY)
    assert (found, [refusal.code for refusal in refusals]) == ([], ["data_too_deep"])
