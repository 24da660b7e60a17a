"""A driver's phone is a device of kind `phone`, and there is one history of places."""

from datetime import timedelta

from devices.garage import Garage
from pannier.kit.clock import ManualClock
from stage import Firm

EVENTS = "/int/v1/fleet-module/devices"


async def test_track_reports_are_device_events(acme: Firm, clock: ManualClock) -> None:
    garage = Garage(acme)
    van = await garage.vehicle()
    driver = await garage.driver(vehicle=van["id"])
    body = {"latitude": 1.3, "longitude": 103.8, "speed": 10, "heading": 90}
    for path in (f"drivers/{driver['id']}", f"vehicles/{van['id']}"):
        clock.advance(minutes=1)
        await garage.post(f"{path}/track", **body)
    for kind in ("phone", "virtual"):
        [device] = await garage.get(f"devices?kind={kind}")
        told = (await acme.admin.get(f"{EVENTS}/{device['id']}/events")).json()["data"]
        assert [row["event_type"] for row in told] == ["position_update"]
        assert told[0]["vehicle_id"] == van["id"]
        assert told[0]["data"] == {"speed": 36, "heading": 90}
    listed = await garage.get(f"vehicles/{van['id']}/positions")
    assert [row["speed"] for row in listed] == [10, 10]


async def test_what_a_device_says_is_where_its_vehicle_and_driver_are_and_were(
    acme: Firm, clock: ManualClock
) -> None:
    garage = Garage(acme)
    van = await garage.vehicle()
    driver = await garage.driver(vehicle=van["id"])
    device = await garage.device(vehicle=van["id"])
    clock.advance(minutes=1)
    event = {
        "event_type": "position_update",
        "timestamp": (clock.now() - timedelta(seconds=5)).isoformat(),
        "location": {"type": "Point", "coordinates": [103.8, 1.3]},
        "data": {"speed": 36},
    }
    door = f"{EVENTS}/{device['id']}/events"
    answer = await garage.sending(device).post(door, json=event)
    assert answer.is_success, answer.text
    for path in (f"vehicles/{van['id']}", f"drivers/{driver['id']}"):
        shown = await garage.get(path)
        assert shown["location"] == event["location"]
        assert shown["speed"] == 10
    assert len(await garage.get(f"vehicles/{van['id']}/positions")) == 1
