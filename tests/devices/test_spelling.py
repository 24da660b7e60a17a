"""An event reads the same in a list, alone, on a line, and beside one that is wrong."""

import json
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

from devices.heard import BOUNDS, HERE, KEY, NOW
from pannier.devices import items, readings
from pannier.devices.readings import Reading

PLAIN: dict[str, Any] = {
    "device": "imei-1",
    "event_type": "position_update",
    "timestamp": "2026-01-15T11:59:00.123456Z",
    "location": HERE,
    "data": {"speed": 50, "heading": 90.5, "altitude": -12, "accuracy": 5},
    "event_id": "a",
}
NUMBERS = (0, -0.0, -1, 1, 1.5, 90, 91, 180, 181, 360, 361, 2001, 1e7, 2**70, None, "1", True)
NAMES = ("a", "imei-1", "é\u2028", "\0", "", "x" * 200, "x" * 201, 7, None)
# In how many ways each part may be spelled, right and wrong.
SPELLED: dict[str, Iterable[Any]] = {
    "device": NAMES,
    "device_id": NAMES,
    "event_id": NAMES,
    "called": NAMES,
    "event_type": ("position_update", "position", "PositionUpdate", "heartbeat", None, 1),
    "timestamp": (
        "2026-01-15T11:59:00Z",
        "2026-01-15T19:59:00.5+08:00",
        "2026-01-15T11:59:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "2027-01-15T11:59:00Z",
        "2026-01-15T11:59:00.0009999Z",
        "2026-01-15T11:59:60Z",
        1_768_478_340,
        None,
        "now",
    ),
    "location": [
        None,
        "1.3,103.8",
        {"type": "Point"},
        {**HERE, "coordinates": [103, 1, 15]},
        {**HERE, "latitude": 2, "longitude": 3},
        *({"latitude": latitude, "longitude": 1} for latitude in NUMBERS),
        *({"latitude": latitude} for latitude in NUMBERS),
        *(
            {**more, "coordinates": pair}
            for more in ({"type": "Point"}, {"type": "Polygon"}, {"type": None}, {}, {"more": 1})
            for pair in product(NUMBERS, repeat=2)
        ),
        {"latitude": 0, "longitude": 0},
    ],
    "data": [
        None,
        {},
        *(
            {name: number}
            for name in (*readings.MEASURE_COLUMNS, "satellites")
            for number in NUMBERS
        ),
        *({"speed": 1, name: number} for name in readings.MEASURE_COLUMNS for number in NUMBERS),
    ],
}


def read(told: Iterable[Any], device: str | None) -> tuple[list[Reading], list[str]]:
    """Read events; of those that are refused, only why."""
    found, refused = readings.parse_all(told, device=device, now=NOW, bounds=BOUNDS, key=KEY)
    return found, [refusal.code for refusal in refused]


def spelled_alike(event: bytes, device: str | None = None) -> list[str]:
    """Read an event in each way that it may come in; spelled out, as 1 is stored unlike 1.0."""
    in_list, (odd, *beside) = (
        items.split_body(b"[" + event + b"]"),
        items.split_body(b"[7," + event + b"]"),
    )
    assert read([odd], device) == ([], ["event_invalid"])
    ways = (in_list, items.split_body(event), items.split_lines(event), beside)
    return [repr(read(told, device)) for told in ways]


@pytest.mark.parametrize("device", [None, "device_1", "\0"])
@pytest.mark.parametrize("part", SPELLED)
def test_an_event_reads_the_same_however_it_comes_in(part: str, device: str | None) -> None:
    for spelled in SPELLED[part]:
        for event in ({**PLAIN, part: spelled}, {**PLAIN, part: spelled, "event_id": None}):
            assert len(set(spelled_alike(json.dumps(event).encode(), device))) == 1, event


@pytest.mark.parametrize(
    ("spelled", "otherwise", "same"),
    [
        (b'"speed": 50', b'"speed": 5e1', True),
        (b'"speed": 50', b'"speed": 40, "speed": 50', True),
        (b'"speed": 50', b'"\\u0073peed": 50', True),
        (b'"speed": 50', b'"speed": -0', False),
        (b'"speed": 50', b'"speed": 1e400', False),
        (b'"speed": 50', b'"speed": 50, "speed": null', False),
        (b'"imei-1"', b'"imei-2", "device": "imei-1"', True),
        (b'"imei-1"', b'"\\u0069mei-1"', True),
        (b"00.123456Z", b"00.123456z", True),
        (b"00.123456Z", b"00.123456-00:00", True),
        (b"00.123456Z", b"00.123456+23:59", False),
    ],
)
def test_however_json_spells_it(spelled: bytes, otherwise: bytes, same: bool) -> None:  # noqa: FBT001 - a parameter of a test
    body = json.dumps(PLAIN).encode()
    assert spelled in body
    [first, *others] = spelled_alike(body.replace(spelled, otherwise))
    assert set(others) == {first}
    assert (first in spelled_alike(body)) is same
