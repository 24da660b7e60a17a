"""The register of devices."""

import asyncio

import pytest

from devices.garage import Garage
from pannier.devices.registry.service import get_or_create_phone, get_or_create_virtual_device
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.kit.clock import ManualClock
from probe import refused
from stage import House


async def test_a_device_is_made_read_listed_changed_and_deleted(garage: Garage) -> None:
    made = await garage.device(kind="obd", identifier="3520930", meta={"slot": 2})
    assert made["token"].startswith("dvc_live_")
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("device_")
    read = await garage.get(f"devices/{made['id']}")
    assert read == {name: value for name, value in made.items() if name != "token"}
    assert read["status"] == "never_seen"
    assert read["vehicle"] is None
    await garage.patch(f"devices/{made['uuid']}", name="Plug", reporting_interval=60)
    (listed,) = await garage.get("devices?query=plug&kind=obd&identifier=3520930")
    assert (listed["name"], listed["reporting_interval"], listed["version"]) == ("Plug", 60, 2)
    assert (await garage.firm.api.delete(f"/v1/devices/{made['id']}")).status_code == 200
    refused(await garage.firm.api.get(f"/v1/devices/{made['id']}"), 404, "not_found")
    await garage.device(identifier="3520930")


async def test_two_devices_of_a_company_never_share_an_identifier(
    garage: Garage, lot: Garage
) -> None:
    first, second = await garage.device(identifier="A"), await garage.device(identifier="B")
    again = await garage.firm.api.post("/v1/devices", json={"name": "C", "identifier": "A"})
    refused(again, 409, "identifier_taken")
    path = f"/v1/devices/{second['id']}"
    refused(await garage.firm.api.patch(path, json={"identifier": "A"}), 409, "identifier_taken")
    await lot.device(identifier="A")
    ours = {"name": "D", "identifier": first["id"]}
    refused(await garage.firm.api.post("/v1/devices", json=ours), 422, "validation_failed")


async def test_operators_see_the_same_under_both_prefixes(garage: Garage) -> None:
    vehicle = await garage.vehicle()
    made = (
        await garage.firm.admin.post(
            "/int/v1/devices", json={"name": "Eye", "kind": "camera", "vehicle": vehicle["id"]}
        )
    ).json()
    assert made["vehicle"] == vehicle["id"]
    assert made["token"]
    viewer = await garage.firm.operator("viewer")
    for prefix in ("/int/v1/devices", "/int/v1/fleet-module/devices"):
        (listed,) = (await viewer.get(f"{prefix}?vehicle={vehicle['id']}")).json()["data"]
        one = await viewer.get(f"{prefix}/{made['id']}")
        assert listed == one.json()
        assert listed["id"] == made["id"]
    path = f"/int/v1/devices/{made['id']}"
    refused(await viewer.patch(path, json={"name": "No"}), 403, "forbidden")
    refused(await viewer.post(f"{path}/detach", json={}), 403, "forbidden")


async def test_silence_tells_a_devices_status_and_lists_are_filtered_by_it(
    garage: Garage, clock: ManualClock
) -> None:
    quiet, device = await garage.device(), await garage.device(reporting_interval=60)
    await garage.seen(device)
    for seconds, status in ((0, "online"), (119, "online"), (1, "stale"), (240, "offline")):
        clock.advance(seconds=seconds)
        shown = await garage.get(f"devices/{device['id']}")
        assert shown["status"] == status
        assert shown["last_seen_at"] == "2026-01-15T12:00:00.000Z"
        listed = [one["id"] for one in await garage.get(f"devices?status={status}")]
        assert listed == [device["id"]]
    (never,) = await garage.get("devices?status=never_seen")
    assert never["id"] == quiet["id"]
    both = await garage.get("devices?status=never_seen&status=offline")
    assert {one["id"] for one in both} == {quiet["id"], device["id"]}


async def test_only_a_gateway_adopts_and_no_other_kind_becomes_one(garage: Garage) -> None:
    gateway = await garage.device(kind="gateway", adopts=True)
    assert gateway["adopts"] is True
    body = {"name": "T", "adopts": True}
    refused(await garage.firm.api.post("/v1/devices", json=body), 422, "validation_failed")
    device = await garage.device()
    await garage.patch(f"devices/{device['id']}", kind="sensor")
    for one, kind in ((device, "gateway"), (gateway, "sensor")):
        answer = await garage.firm.api.patch(f"/v1/devices/{one['id']}", json={"kind": kind})
        refused(answer, 409, "device_kind_fixed")


async def test_a_drivers_phone_is_made_once_however_many_see_it_first(
    garage: Garage, house: House
) -> None:
    vehicle = await garage.vehicle()
    driver = await garage.driver(vehicle=vehicle["id"])

    async def see() -> str:
        async with house.database.transaction() as db:
            return (
                await get_or_create_phone(db, await DRIVERS.get(db, garage.firm.uuid, driver["id"]))
            ).public_id

    seen = await asyncio.gather(*(see() for _ in range(4)))
    assert len(set(seen)) == 1
    (phone,) = await garage.get(f"devices?driver={driver['id']}")
    assert (phone["id"], phone["kind"], phone["driver"]) == (seen[0], "phone", driver["id"])
    assert phone["vehicle"] == vehicle["id"]
    assert [one["id"] for one in await garage.get(f"devices?vehicle={vehicle['id']}")] == seen[:1]
    body = {"name": "Another", "kind": "phone", "driver": driver["id"]}
    refused(await garage.firm.api.post("/v1/devices", json=body), 409, "driver_has_phone")
    fixed = await garage.firm.api.post(
        f"/v1/devices/{phone['id']}/attach", json={"vehicle": vehicle["id"]}
    )
    refused(fixed, 409, "device_fixed")


async def test_what_reports_for_a_vehicle_itself_is_made_once_and_stays_on_it(
    garage: Garage, house: House
) -> None:
    vehicle = await garage.vehicle()

    async def see() -> str:
        async with house.database.transaction() as db:
            found = await VEHICLES.get(db, garage.firm.uuid, vehicle["id"])
            return (await get_or_create_virtual_device(db, found)).public_id

    seen = await asyncio.gather(*(see() for _ in range(4)))
    assert len(set(seen)) == 1
    (span,) = await garage.get(f"devices/{seen[0]}/attachments")
    assert (span["vehicle"], span["until"]) == (vehicle["id"], None)
    path = f"/v1/devices/{seen[0]}"
    refused(await garage.firm.api.post(f"{path}/detach", json={}), 409, "device_fixed")
    refused(await garage.firm.api.patch(path, json={"identifier": "x"}), 409, "device_fixed")
    shown = await garage.get(f"devices/{seen[0]}")
    assert (await garage.firm.api.put(path, json=shown)).status_code == 200


@pytest.mark.parametrize("field", ["vehicle", "driver"])
async def test_what_a_new_device_names_must_be_there(
    garage: Garage, lot: Garage, field: str
) -> None:
    theirs = await getattr(lot, field)()
    body = {"name": "T", "kind": "phone", field: theirs["id"]}
    answer = await garage.firm.api.post("/v1/devices", json=body)
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == field
