"""Device events as the contract has them."""

from datetime import timedelta

import pytest

from devices.recorder import EVENTS, Recorder, ids
from stage import NOON, Firm

FIELDS = ["id", "device_id", "vehicle_id", "event_type", "timestamp", "location", "data"]


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def test_get_int_v1_fleet_module_devices_device_id_events(
    acme: Firm, recorder: Recorder
) -> None:
    device, vehicle = await recorder.device(), await recorder.vehicle()
    await recorder.attach(device, vehicle, NOON - timedelta(hours=1))
    position = recorder.event(
        device, 1.5, at=(103.8198, 1.3521), speed=42.5, heading=90, altitude=15, accuracy=4.5
    )
    heartbeat = recorder.event(device, 30, "device_heartbeat", battery_level=80)
    before = recorder.event(device, 61)
    await recorder.store(position, heartbeat, before)
    answer = await acme.admin.get(f"/int/v1/fleet-module/devices/{device.id}/events?limit=2")
    page = answer.json()
    assert page["meta"].keys() == {"limit", "has_more", "next_cursor"}
    first, second = page["data"]
    assert [*first][:7] == FIELDS
    assert {name: first[name] for name in FIELDS} == {
        "id": ids(position)[0],
        "device_id": device.id,
        "vehicle_id": vehicle,
        "event_type": "position_update",
        "timestamp": "2026-01-15T11:58:30.000Z",
        "location": {"type": "Point", "coordinates": [103.8198, 1.3521]},
        "data": {"speed": 42.5, "heading": 90, "altitude": 15, "accuracy": 4.5},
    }
    assert (second["event_type"], second["location"]) == ("device_heartbeat", None)
    assert second["data"] == {"battery_level": 80}
    rest = await acme.admin.get(
        f"/int/v1/fleet-module/devices/{device.uuid}/events",
        params={"limit": "2", "cursor": page["meta"]["next_cursor"]},
    )
    # An event belongs to the vehicle that the device was on then.
    assert [row["vehicle_id"] for row in rest.json()["data"]] == [None]
    assert rest.json()["meta"]["has_more"] is False


async def test_unknown_types_are_stored_and_listed(acme: Firm, recorder: Recorder) -> None:
    device = await recorder.device()
    await recorder.store(recorder.event(device, 1, "honk", loud=True))
    (row,) = (await acme.admin.get(EVENTS, params={"event_type": "honk"})).json()["data"]
    assert (row["event_type"], row["data"]) == ("honk", {"loud": True})


async def test_limit_is_1000_at_the_most(acme: Firm, recorder: Recorder) -> None:
    device = await recorder.device()
    await recorder.store(*(recorder.event(device, float(number)) for number in range(1001)))
    assert len((await acme.admin.get(f"{EVENTS}?limit=1000")).json()["data"]) == 1000
    assert (await acme.admin.get(f"{EVENTS}?limit=1001")).status_code == 422


async def test_aliases_are_normalised(acme: Firm, recorder: Recorder) -> None:
    device = await recorder.device()
    await recorder.store(recorder.event(device, 1, "overspeed", severity="high"))
    for name in ("speed_alert", "overspeed"):
        asked = {"event_type": name, "severity": "high"}
        (row,) = (await acme.admin.get(EVENTS, params=asked)).json()["data"]
        assert (row["event_type"], row["severity"]) == ("speed_alert", "high")
