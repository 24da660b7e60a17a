"""What follows from what devices say, as the contract has it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from devices.garage import Garage
from devices.test_deriving import derive, zone
from devices.walks import at, drive
from pannier.devices import status_events
from pannier.devices.rules.fixes import Fix
from pannier.kit.clock import ManualClock
from stage import Firm, House

EVENTS = "/int/v1/fleet-module/device-events"


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


def spelled(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


async def send(garage: Garage, device: dict[str, Any], fixes: Sequence[Fix]) -> dict[str, Any]:
    """Report positions with the device's own token."""
    body = [
        {
            "event_type": "position_update",
            "timestamp": spelled(fix.at),
            "location": {"type": "Point", "coordinates": [fix.longitude, fix.latitude]},
            "data": {"speed": fix.speed, "accuracy": fix.accuracy},
        }
        for fix in fixes
    ]
    path = f"/int/v1/fleet-module/devices/{device['id']}/events"
    answer = await garage.sending(device).post(path, json=body)
    assert answer.is_success, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def events(client: httpx.AsyncClient, **question: str) -> list[dict[str, Any]]:
    answer = await client.get(EVENTS, params={"sort": "timestamp", **question})
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


def past(fixes: Sequence[Fix]) -> list[Fix]:
    """The same walk an hour ago: clocks that are ahead are not believed."""
    return [
        Fix(fix.at - timedelta(hours=1), fix.longitude, fix.latitude, fix.speed, fix.accuracy)
        for fix in fixes
    ]


async def test_each_event_is_stored_once_however_often_it_is_sent_and_so_is_what_follows(
    acme: Firm, house: House, garage: Garage
) -> None:
    device = await garage.device()
    await zone(acme, 1000, -500, 1000)
    way = past(drive(0, 0, seconds=300, kmh=36))
    for _ in range(2):
        await send(garage, device, way)
        await derive(house.database)
    assert (await send(garage, device, way))["duplicates"] == len(way)
    told = await events(acme.admin, event_type="geofence_event")
    depot = [row["data"]["action"] for row in told if row["data"]["area_name"] == "Depot"]
    assert depot == ["enter", "exit"]


async def test_late_events_never_move_live_state_backwards(
    acme: Firm, house: House, garage: Garage
) -> None:
    device, vehicle = await garage.device(), await garage.vehicle()
    since = {"vehicle": vehicle["id"], "since": spelled(at(-86_400, 0).at)}
    await acme.api.post(f"/v1/devices/{device['id']}/attach", json=since)
    way = past(drive(0, 0, seconds=300, kmh=36))
    await send(garage, device, way[20:])
    await derive(house.database)
    before = (await acme.api.get(f"/v1/vehicles/{vehicle['id']}")).json()
    await send(garage, device, way[:20])
    await derive(house.database)
    after = (await acme.api.get(f"/v1/vehicles/{vehicle['id']}")).json()
    assert after["location"] == before["location"]
    path = f"/int/v1/fleet-module/vehicles/{vehicle['id']}/trips"
    (trip,) = (await acme.admin.get(path)).json()["trips"]
    assert trip["distance"] == pytest.approx(3000, rel=0.01)


@pytest.mark.parametrize(
    ("of_zone", "of_vehicle", "of_company", "limit"),
    [(30, 50, 60, 30), (None, 50, 60, 50), (None, None, 60, 60), (None, None, None, None)],
)
async def test_speed_limit_kmh_of_zone_else_vehicle_else_company_settings(
    acme: Firm,
    house: House,
    garage: Garage,
    of_zone: int | None,
    of_vehicle: int | None,
    of_company: int | None,
    limit: int | None,
) -> None:
    device = await garage.device()
    vehicle = await garage.vehicle(speed_limit_kmh=of_vehicle)
    since = {"vehicle": vehicle["id"], "since": spelled(at(-86_400, 0).at)}
    await acme.api.post(f"/v1/devices/{device['id']}/attach", json=since)
    await acme.admin.patch("/int/v1/settings", json={"speed_limit_kmh": of_company})
    made = await zone(acme, -50, -5000, 50_000, speed_limit_kmh=of_zone)
    fast, calm = drive(0, 0, seconds=60, kmh=90), drive(70, 1600, seconds=60, kmh=20)
    await send(garage, device, past([*fast, *calm]))
    await derive(house.database)
    alerts = await events(acme.admin, event_type="speed_alert")
    assert [(row["data"]["phase"], row["data"]["limit"]) for row in alerts] == (
        [] if limit is None else [("started", limit), ("ended", limit)]
    )
    for row in alerts:
        assert (row["device_id"], row["vehicle_id"]) == (device["id"], vehicle["id"])
        assert row["data"].get("zone_id") == (made["id"] if of_zone else None)
        assert row["derived"] is True
    assert await events(acme.admin, event_type="speed_alert", after="beginning") == alerts


async def test_geofence_entry_and_exit_are_detected_from_positions_with_hysteresis(
    acme: Firm, house: House, garage: Garage
) -> None:
    device = await garage.device()
    made = await zone(acme, 0, -5000, 10_000)
    wobble = [at(10 * n, -15 if n % 2 else 15, accuracy=20.0) for n in range(30)]
    inside = [at(300 + 10 * n, 500, accuracy=10.0) for n in range(30)]
    border = [at(600 + 10 * n, 15 if n % 2 else -15, accuracy=10.0) for n in range(30)]
    outside = [at(900 + 10 * n, -500, accuracy=10.0) for n in range(3)]
    await send(garage, device, past([*wobble, *inside, *border, *outside]))
    await derive(house.database)
    told = [
        row
        for row in await events(acme.admin, event_type="geofence_event")
        if row["data"]["area_id"] == made["id"]
    ]
    assert [row["data"]["action"] for row in told] == ["enter", "exit"]
    assert [row["data"]["area_type"] for row in told] == ["zone", "zone"]
    assert told[0]["timestamp"] == spelled(past(inside)[0].at).replace("Z", ".000Z")


async def test_a_silent_device_goes_stale_then_offline(
    acme: Firm, house: House, garage: Garage, clock: ManualClock
) -> None:
    device = await garage.device(reporting_interval=60)
    shown = [(await acme.api.get(f"/v1/devices/{device['id']}")).json()["status"]]
    await send(garage, device, past([at(0, 0)]))
    for minutes in (0, 2, 4):
        clock.advance(minutes=minutes)
        await status_events.step(house.database)
        shown.append((await acme.api.get(f"/v1/devices/{device['id']}")).json()["status"])
    assert shown == ["never_seen", "online", "stale", "offline"]
    told = await events(acme.admin, event_type="device_heartbeat")
    assert [row["data"]["status"] for row in told] == ["stale", "offline"]
