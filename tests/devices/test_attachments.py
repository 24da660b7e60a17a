"""A device on its vehicles, through the door."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx

from devices.garage import Garage
from devices.gear import flush, position
from pannier.devices import spans
from pannier.devices.outcomes import Submission
from pannier.devices.sources import Source
from pannier.kit.clock import ManualClock
from probe import refused
from stage import NOON, Firm, House


def at(hour: int, minute: int = 0) -> str:
    return f"2026-01-15T{hour:02}:{minute:02}:00.000Z"


async def moved(firm: Firm, device: dict[str, Any], verb: str, **body: Any) -> httpx.Response:
    return await firm.api.post(f"/v1/devices/{device['id']}/{verb}", json=body)


async def vehicle_then(garage: Garage, device: dict[str, Any], moment: str) -> str | None:
    """Tell by public id which vehicle an event of a moment belongs to."""
    number = await garage.number(device)
    async with garage.firm.house.database.reading() as db:
        found = await spans.list_spans_by_device(db, garage.firm.uuid, [number])
        when = datetime.fromisoformat(moment).astimezone(UTC)
        uuid = spans.find_vehicle_at(found.get(number, []), when)
        sql = "select public_id from vehicles where uuid = :uuid"
        return None if uuid is None else await db.fetch_value(sql, uuid=uuid)


async def test_an_event_belongs_to_the_vehicle_of_its_own_moment(
    garage: Garage, clock: ManualClock
) -> None:
    one, two = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    device = await garage.device(vehicle=one["id"])
    clock.advance(hours=2)
    attached = await moved(garage.firm, device, "attach", vehicle=two["id"])
    assert attached.json()["vehicle"] == two["id"]
    clock.advance(hours=1)
    assert (await moved(garage.firm, device, "detach")).json()["vehicle"] is None
    clock.advance(hours=1)
    # However late it is asked, or came.
    belongs = {moment: await vehicle_then(garage, device, moment) for moment in
               (at(11, 59), at(12), at(13, 59), at(14), at(14, 59), at(15), at(16))}  # fmt: skip
    assert belongs == {
        at(11, 59): None, at(12): one["id"], at(13, 59): one["id"], at(14): two["id"],
        at(14, 59): two["id"], at(15): None, at(16): None,
    }  # fmt: skip
    listed = await garage.get(f"devices/{device['id']}/attachments")
    assert [(span["vehicle"], span["since"], span["until"]) for span in listed] == [
        (two["id"], at(14), at(15)), (one["id"], at(12), at(14)),
    ]  # fmt: skip
    first = await garage.firm.admin.get(f"/int/v1/devices/{device['id']}/attachments?limit=1")
    assert first.json()["data"] == listed[:1]
    next_one = first.json()["meta"]["next_cursor"]
    rest = await garage.get(f"devices/{device['id']}/attachments?cursor={next_one}")
    assert rest == listed[1:]


async def test_backdating_moves_history_where_nothing_else_was_and_is_refused_elsewhere(
    garage: Garage, clock: ManualClock
) -> None:
    one, two = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    device = await garage.device(vehicle=one["id"])
    clock.advance(hours=4)
    earlier = await moved(garage.firm, device, "attach", vehicle=one["id"], since=at(10))
    assert earlier.status_code == 200
    split = await moved(garage.firm, device, "attach", vehicle=two["id"], since=at(13))
    assert split.json()["vehicle"] == two["id"]
    listed = await garage.get(f"devices/{device['id']}/attachments")
    assert [(span["vehicle"], span["since"], span["until"]) for span in listed] == [
        (two["id"], at(13), None), (one["id"], at(10), at(13)),
    ]  # fmt: skip
    for since in (at(9), at(12, 59)):
        answer = await moved(garage.firm, device, "attach", vehicle=two["id"], since=since)
        refused(answer, 409, "attachment_overlaps")
    answer = await moved(garage.firm, device, "detach", until=at(12))
    refused(answer, 409, "attachment_overlaps")
    answer = await moved(garage.firm, device, "attach", vehicle=one["id"], since=at(17))
    refused(answer, 422, "validation_failed")
    assert (await moved(garage.firm, device, "detach", until=at(13))).status_code == 200
    refused(await moved(garage.firm, device, "detach"), 409, "device_not_attached")
    (left,) = await garage.get(f"devices/{device['id']}/attachments")
    assert left["vehicle"] == one["id"]


async def test_a_deleted_vehicle_has_nothing_on_it_from_then_on(
    garage: Garage, clock: ManualClock
) -> None:
    one, two = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    device = await garage.device(vehicle=one["id"])
    clock.advance(hours=1)
    assert (await garage.firm.api.delete(f"/v1/vehicles/{one['id']}")).status_code == 200
    clock.advance(hours=1)
    assert (await garage.get(f"devices/{device['id']}"))["vehicle"] is None
    assert await vehicle_then(garage, device, at(12, 59)) == one["id"]
    assert await vehicle_then(garage, device, at(13)) is None
    (span,) = await garage.get(f"devices/{device['id']}/attachments")
    assert span["until"] == at(13)
    await moved(garage.firm, device, "attach", vehicle=two["id"])
    listed = await garage.get(f"devices/{device['id']}/attachments")
    assert [(span["since"], span["until"]) for span in listed] == [
        (at(14), None), (at(12), at(13)),
    ]  # fmt: skip


async def test_late_events_find_the_vehicle_of_their_own_moment_and_follow_a_correction(
    garage: Garage, house: House, clock: ManualClock
) -> None:
    one, two = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    device = await garage.device(vehicle=one["id"])
    own = Source(garage.firm.uuid, UUID(device["uuid"]), None, speaks_for_all=False, adopts=False)
    clock.advance(hours=2)
    await moved(garage.firm, device, "attach", vehicle=two["id"])
    clock.advance(hours=1)
    late = [position(hour, NOON + timedelta(hours=hour)) for hour in (1, 2)]
    await flush(house, Submission(own, late))
    path = f"/int/v1/fleet-module/devices/{device['id']}/events"

    async def vehicles() -> list[str]:
        rows = (await garage.firm.admin.get(path)).json()["data"]
        return [row["vehicle_id"] for row in rows]

    assert await vehicles() == [two["id"], one["id"]]
    corrected = await moved(garage.firm, device, "attach", vehicle=two["id"], since=at(13))
    refused(corrected, 409, "attachment_overlaps")
    await moved(garage.firm, device, "detach", until=at(14))
    await moved(garage.firm, device, "attach", vehicle=one["id"], since=at(14))
    assert await vehicles() == [one["id"], one["id"]]
    waiting = "select count(*) from device_backlog where device = :device"
    assert await house.value(waiting, device=UUID(device["uuid"])) > 1


async def test_of_many_who_attach_a_device_at_once_the_last_one_counts(garage: Garage) -> None:
    device = await garage.device()
    vans = [await garage.vehicle(plate_number=f"SGX {number}") for number in range(3)]
    answers = await asyncio.gather(
        *(moved(garage.firm, device, "attach", vehicle=van["id"]) for van in vans * 2)
    )
    assert {answer.status_code for answer in answers} == {200}
    (span,) = await garage.get(f"devices/{device['id']}/attachments")
    assert span["vehicle"] == (await garage.get(f"devices/{device['id']}"))["vehicle"]


async def test_a_deleted_vehicle_is_moved_by_nothing(garage: Garage, house: House) -> None:
    vehicle = await garage.vehicle()
    device = await garage.device(vehicle=vehicle["id"])
    await garage.firm.api.delete(f"/v1/vehicles/{vehicle['id']}")
    own = Source(garage.firm.uuid, UUID(device["uuid"]), None, speaks_for_all=False, adopts=False)
    await flush(house, Submission(own, [position(1)]))
    assert (await garage.get(f"devices/{device['id']}"))["location"] is not None
    moved_one = "select count(*) from whereabouts where subject = :vehicle"
    assert await house.value(moved_one, vehicle=UUID(vehicle["uuid"])) == 0


async def test_a_phone_was_on_what_its_driver_drove(garage: Garage, clock: ManualClock) -> None:
    one, two = await garage.vehicle(), await garage.vehicle(plate_number="SGX 2")
    driver = await garage.driver(vehicle=one["id"])
    phone = await garage.device(kind="phone", driver=driver["id"])
    clock.advance(hours=1)
    await garage.patch(f"drivers/{driver['id']}", vehicle=two["id"])
    assert (await garage.get(f"devices/{phone['id']}"))["vehicle"] == two["id"]
    assert await vehicle_then(garage, phone, at(12, 30)) == one["id"]
    assert await vehicle_then(garage, phone, at(13)) == two["id"]
    async with garage.firm.house.database.reading() as db:
        (span,) = await spans.list_spans_of_vehicle(db, garage.firm.uuid, UUID(one["uuid"]))
    assert span.device_no == await garage.number(phone)
    assert len(await garage.get(f"devices/{phone['id']}/attachments")) == 2


async def test_attaching_is_in_the_audit_log_and_another_companys_vehicle_is_not_there(
    garage: Garage, lot: Garage
) -> None:
    device, own, theirs = await garage.device(), await garage.vehicle(), await lot.vehicle()
    path = f"/int/v1/devices/{device['id']}"
    answer = await garage.firm.admin.post(f"{path}/attach", json={"vehicle": theirs["id"]})
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == "vehicle"
    await garage.firm.admin.post(f"{path}/attach", json={"vehicle": own["id"]})
    await garage.firm.admin.post(f"{path}/detach", json={})
    rows = (await garage.firm.admin.get(f"/int/v1/audit?subject={device['id']}")).json()["data"]
    assert [row["action"] for row in reversed(rows)] == [
        "device.token_issued", "device.attached", "device.detached",
    ]  # fmt: skip
