"""Plain positions are read the short way, and what can be read both ways reads the same."""

import json
from collections.abc import Iterable
from itertools import product
from typing import Any

import msgspec
import pytest

from devices.heard import BOUNDS, HERE, KEY, NOW
from pannier.devices import items, plain, readings
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
NAMES = ("a", "imei-1", "é\u2028", "\0", "\ud83d", "", "x" * 200, "x" * 201, 7, None)
# In how many ways each part may be spelled: plain, otherwise, and wrong.
SPELLED: dict[str, Iterable[Any]] = {
    "device": NAMES,
    "device_id": NAMES,
    "event_id": NAMES,
    "called": NAMES,
    "event_type": ("position_update", "position", "PositionUpdate", "heartbeat", None, 1),
    "timestamp": (
        "2026-01-15T11:59:00Z", "2026-01-15T19:59:00.5+08:00", "2026-01-15T11:59:00",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2027-01-15T11:59:00Z",
        "2026-01-15T11:59:00.0009999Z", "2026-01-15T11:59:60Z", 1_768_478_340, None, "now",
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
        *({name: number} for name in (*readings.COLUMNS, "satellites") for number in NUMBERS),
        *({"speed": 1, name: number} for name in readings.COLUMNS for number in NUMBERS),
    ],
}  # fmt: skip


def short(body: bytes, device: str | None = None) -> list[Reading]:
    return plain.read_all(plain.told(body), device=device, bounds=BOUNDS, key=KEY)


def long(body: bytes, device: str | None = None) -> list[Reading]:
    """Read the long way; nothing when something is refused."""
    told = items.items(body)
    found, refused = readings.read_all(told, device=device, now=NOW, bounds=BOUNDS, key=KEY)
    return [] if refused else found


@pytest.mark.parametrize("device", [None, "device_1"])
@pytest.mark.parametrize("location", [HERE, {"latitude": 1.3521, "longitude": 103.8198}])
@pytest.mark.parametrize(
    "without", [(), ("data",), ("event_id",), ("device",), ("data", "event_id", "device")]
)
def test_what_the_documentation_shows_is_plain(
    device: str | None, location: dict[str, Any], without: tuple[str, ...]
) -> None:
    event = {key: PLAIN[key] for key in PLAIN if key not in without} | {"location": location}
    body = msgspec.json.encode([event] * 3)
    read = short(body, device)
    assert read == long(body, device)
    assert len(read) == 3


@pytest.mark.parametrize("device", [None, "device_1", "\0"])
@pytest.mark.parametrize("part", SPELLED)
def test_what_can_be_read_the_short_way_reads_the_same_the_long_way(
    part: str, device: str | None
) -> None:
    for spelled in SPELLED[part]:
        for event in ({**PLAIN, part: spelled}, {**PLAIN, part: spelled, "event_id": None}):
            body = json.dumps([PLAIN, event]).encode()
            read = short(body, device)
            # Spelled out, as 1 is not 1.0 in what is stored.
            assert not read or repr(read) == repr(long(body, device)), event


@pytest.mark.parametrize(
    ("spelled", "otherwise"),
    [
        (b'"speed": 50', b'"speed": -0'),
        (b'"speed": 50', b'"speed": 5e1'),
        (b'"speed": 50', b'"speed": 1e400'),
        (b'"speed": 50', b'"speed": 50, "speed": null'),
        (b'"speed": 50', b'"speed": 50, "speed": 40'),
        (b'"speed": 50', b'"\\u0073peed": 50'),
        (b'"imei-1"', b'"imei-1", "device": "imei-2"'),
        (b'"imei-1"', b'"\\u0069mei-1"'),
        (b"00.123456Z", b"00.123456z"),
        (b"00.123456Z", b"00.123456+23:59"),
        (b"00.123456Z", b"00.123456-00:00"),
    ],
)
def test_however_json_spells_it(spelled: bytes, otherwise: bytes) -> None:
    body = json.dumps([PLAIN]).encode()
    assert spelled in body
    other = body.replace(spelled, otherwise)
    read = short(other)
    assert not read or repr(read) == repr(long(other))


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[", b"[[]]", b"\xff", b'[{"event_type": "position_update"}]', b"[" * 100_000],
)
def test_what_is_no_list_of_positions_is_not_plain(body: bytes) -> None:
    assert not short(body)


def test_one_that_is_not_plain_has_its_whole_batch_read_the_long_way() -> None:
    odd = {**PLAIN, "data": {**PLAIN["data"], "satellites": 9}}
    body = msgspec.json.encode([PLAIN, odd, PLAIN])
    assert not short(body)
    assert long(body)
