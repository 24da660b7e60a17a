"""Kinds: nine types, whatever they are called, and how much each event weighs."""

from typing import Any

import pytest

from pannier.devices import event_types
from pannier.devices.event_types import (
    SEVERITIES,
    RetentionClass,
    from_name,
    resolve_name,
    severity,
    type_name,
)


def test_there_are_nine_types_with_numbers_of_their_own() -> None:
    assert [type_.number for type_ in event_types.TYPES] == list(range(1, 10))
    assert [type_.name for type_ in event_types.TYPES] == [
        "position_update", "obd_ii_reading", "temperature_reading", "door_event", "motion_event",
        "speed_alert", "geofence_event", "fault_code", "device_heartbeat",
    ]  # fmt: skip


def test_a_name_is_normalised_once_and_for_all() -> None:
    for alias in event_types._ALIASES:  # noqa: SLF001 - all of them
        for spelling in (alias, alias.upper(), alias.replace("_", "-"), alias.replace("_", " ")):
            type_ = from_name(spelling)
            assert from_name(type_.name) == type_
            assert type_name(type_.number, None if type_.number else type_.name) == type_.name
    assert from_name("geofenceExit") == event_types.GEOFENCE
    assert resolve_name("geofence_exit")[1] == {"action": "exit"}
    assert from_name("axle_load") == event_types.DeviceEventType(
        0, "axle_load", RetentionClass.OTHER, event_types.EventData
    )
    assert type_name(0, "axle_load") == "axle_load"


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("motion", {"g_force": 1.9}, "low"),
        ("motion", {"g_force": 2}, "medium"),
        ("motion", {"g_force": 4.0}, "high"),
        ("motion", {"g_force": 8}, "critical"),
        ("motion", {"g_force": 8, "severity": "low"}, "low"),
        ("motion", {"kind": "harsh_braking"}, "medium"),
        ("motion", {"kind": "impact"}, "high"),
        ("fault_code", {"lamp": "red_stop"}, "critical"),
        ("fault_code", {"lamp": "mil"}, "warning"),
        ("fault_code", {}, "info"),
        ("door", {}, None),
        ("axle_load", {"severity": "critical"}, "critical"),
        ("axle_load", {"severity": 3}, None),
    ],
)
def test_an_event_weighs_what_it_says_or_what_follows_from_it(
    name: str, data: dict[str, Any], word: str | None
) -> None:
    weight = severity(from_name(name), data)
    assert word == (None if weight is None else SEVERITIES[weight])
