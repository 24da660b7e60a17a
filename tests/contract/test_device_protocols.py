"""Decisions on device events: how apps and servers that are not ours send them."""

import re
from typing import Any

import httpx
import pytest

from devices.garage import Garage
from devices.recorded import FORM, JSON, OSMAND, TRACCAR
from stage import NOON, Firm, House

EVENTS = "/int/v1/fleet-module/devices/{}/events"
TYPES = {
    "position_update": {"speed": 1, "heading": 2, "altitude": 3, "accuracy": 4},
    "obd_ii_reading": {"rpm": 2100, "fuel_level": 50, "coolant_temperature": 90,
                       "engine_hours": 12.5, "fault_codes": ["P0301"]},
    "temperature_reading": {"temperature": -18.5},
    "door_event": {"state": "open"},
    "motion_event": {"g_force": 4.5, "severity": "high"},
    "speed_alert": {"speed": 130.5, "limit": 100},
    "geofence_event": {"action": "enter", "area_id": "zone_1"},
    "fault_code": {"code": "P0301", "severity": "warning"},
    "device_heartbeat": {"status": "online"},
}  # fmt: skip


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


async def listed(acme: Firm, device: dict[str, Any]) -> list[dict[str, Any]]:
    """Read what is stored of a device, oldest first."""
    answer = await acme.admin.get(EVENTS.format(device["id"]))
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows[::-1]


async def send(garage: Garage, device: dict[str, Any], **event: Any) -> httpx.Response:
    """Send an event as the device itself."""
    return await garage.sending(device).post(EVENTS.format(device["id"]), json=event)


@pytest.mark.parametrize("event_type", TYPES)
async def test_the_nine_types_are_stored_with_their_data(
    acme: Firm, garage: Garage, event_type: str
) -> None:
    device, at = await garage.device(), "2026-01-15T11:59:00.000Z"
    here = {"type": "Point", "coordinates": [103.8198, 1.3521]}
    sent = {"event_type": event_type, "timestamp": at, "location": here, "data": TYPES[event_type]}
    answer = await send(garage, device, **sent)
    assert answer.json()["accepted"] == 1, answer.text
    [event] = await listed(acme, device)
    assert {name: event[name] for name in sent} == sent


async def test_data_keys_are_validated_where_known_and_unknown_ones_are_kept(
    acme: Firm, garage: Garage
) -> None:
    device = await garage.device()
    wrong = await send(garage, device, event_type="door_event", data={"state": "ajar"})
    assert wrong.json()["rejected"] == [{"index": 0, "code": "data_invalid"}]
    data = {"state": "open", "colour": "red", "hinges": [1, {"rust": None}]}
    await send(garage, device, event_type="door_event", data=data)
    [event] = await listed(acme, device)
    assert event["data"] == data


@pytest.mark.parametrize(
    "timestamp",
    ["2026-01-15T11:59:00Z", "2026-01-15T19:59:00+08:00", 1_768_478_340, 1_768_478_340_000],
)
async def test_writers_may_send_timestamp_in_any_rfc_3339_offset_or_epoch_seconds_or_milliseconds(
    acme: Firm, garage: Garage, timestamp: object
) -> None:
    device = await garage.device()
    await send(garage, device, event_type="device_heartbeat", timestamp=timestamp)
    [event] = await listed(acme, device)
    assert event["timestamp"] == "2026-01-15T11:59:00.000Z"


async def test_get_and_post_ingest_osmand_device_token_for_traccar_client(
    acme: Firm, garage: Garage, house: House
) -> None:
    device = await garage.device()
    path = f"/ingest/osmand/{device['token']}"
    query = OSMAND["Traccar Client 8 for Android"].query
    for _ in range(2):
        assert (await house.client().get(f"{path}?{query}")).status_code == 200
        form = {"Content-Type": FORM}
        sent = await house.client().post(path, content=query.encode(), headers=form)
        assert sent.status_code == 200
        body = OSMAND["Traccar Client 9"].body
        sent = await house.client().post(path, content=body, headers={"Content-Type": JSON})
        assert sent.status_code == 200
    events = await listed(acme, device)
    assert [event["event_type"] for event in events] == ["position_update"] * 2
    assert [round(event["data"]["speed"], 1) for event in events] == [42.5, 42.5]


async def test_post_ingest_traccar_device_or_provider_token_for_traccars_forwarding(
    acme: Firm, garage: Garage, house: House
) -> None:
    van = await garage.device(identifier="386012")
    gateway = await garage.device(kind="gateway")
    body = TRACCAR["a position"].body
    for token in (van["token"], gateway["token"]):
        answer = await house.client().post(f"/ingest/traccar/{token}", content=body)
        assert answer.status_code == 200, answer.text
    [event] = await listed(acme, van)
    assert event["location"]["coordinates"] == [103.8207, 1.353]


async def test_each_event_is_stored_once_however_often_it_is_sent(
    acme: Firm, garage: Garage, house: House
) -> None:
    device = await garage.device()
    path = f"/ingest/osmand/{device['token']}?id=1&lat=1&lon=2&timestamp={NOON.timestamp()}"
    answers = [(await house.client().get(path)).json() for _ in range(3)]
    assert [answer["accepted"] for answer in answers] == [1, 0, 0]
    assert [answer["duplicates"] for answer in answers] == [0, 1, 1]
    assert len(await listed(acme, device)) == 1


@pytest.mark.slow
async def test_nothing_is_ingested_without_a_credential(house: House) -> None:
    document = (await house.client().get("/openapi.json")).json()
    doors = [path for path in document["paths"] if path.startswith("/ingest/")]
    assert len(doors) == 4
    for path in doors:
        answer = await house.client().post(re.sub(r"{\w+}", "anything", path), content=b"{}")
        assert answer.status_code == 401
