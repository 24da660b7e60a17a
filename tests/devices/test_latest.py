"""How all devices are now, page by page."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from devices.garage import Garage
from devices.gear import flush
from devices.recorder import EVENTS
from pannier.devices.outcomes import Submission
from pannier.devices.readings import ClockBounds, company_hash, parse
from pannier.devices.sources import Source
from stage import NOON, Firm


async def tell(firm: Firm, device: dict[str, Any], said: list[Any]) -> None:
    """Have a device say something."""
    source = Source(firm.uuid, UUID(device["uuid"]), None, speaks_for_all=False, adopts=False)
    bounds, key = ClockBounds.from_retention(NOON, timedelta(days=1)), company_hash(firm.uuid)
    readings = [
        parse(msgspec.json.encode(each), device=None, now=NOON, bounds=bounds, key=key)
        for each in said
    ]
    await flush(firm.house, Submission(source, readings))


LATEST = "/int/v1/fleet-module/devices/latest"


async def test_the_last_reading_of_each_type_with_status_place_and_vehicle(
    acme: Firm, garage: Garage, lot: Garage
) -> None:
    vehicle = await garage.vehicle()
    van = await garage.device(name="Van", vehicle=vehicle["id"])
    await garage.device(name="Silent")
    await lot.device(name="Theirs")
    moment = NOON.isoformat()[:-6]
    said = [
        {
            "event_type": "position_update",
            "timestamp": f"{moment}Z",
            "location": {"latitude": 1.3, "longitude": 103.8},
            "data": {"speed": 36},
        },
        {"event_type": "temperature", "timestamp": f"{moment}Z", "data": {"temperature": 4.5}},
        {
            "event_type": "temperature",
            "timestamp": "2026-01-15T11:00:00Z",
            "data": {"temperature": 9},
        },
    ]
    await tell(acme, van, said)
    page = (await acme.admin.get(LATEST, params={"sort": "name"})).json()
    silent, found = page["data"]
    assert (silent["name"], silent["status"], silent["readings"]) == ("Silent", "never_seen", [])
    assert (found["status"], found["vehicle"]) == ("online", vehicle["id"])
    assert found["location"]["coordinates"] == [103.8, 1.3]
    readings = {reading["event_type"]: reading for reading in found["readings"]}
    assert readings["position_update"]["data"] == {"speed": 36}
    assert readings["temperature_reading"]["data"] == {"temperature": 4.5}
    event = await acme.admin.get(f"{EVENTS}/{readings['temperature_reading']['event_id']}")
    assert event.json()["data"] == {"temperature": 4.5}
    only = (await acme.admin.get(LATEST, params={"status": "online", "limit": 1000})).json()
    assert [row["id"] for row in only["data"]] == [van["id"]]
