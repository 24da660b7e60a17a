"""Drivers tell where they were, many times at once: late, packed, twice; each is kept once."""

import asyncio
import gzip
import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.depot import Depot
from fleet.test_signin import signed_in
from pannier.devices.models import Device
from pannier.devices.tracks import service
from pannier.devices.tracks.schemas import FixIn
from pannier.kit.clock import ManualClock
from pannier.web.times import to_rfc3339
from probe import paths, refused
from stage import NOON, Firm, House


def fix(minute: float, **more: Any) -> dict[str, Any]:
    at = to_rfc3339(NOON - timedelta(minutes=minute))
    return {"latitude": 1 + minute / 100, "longitude": 103.8, "recorded_at": at, **more}


async def send(
    client: httpx.AsyncClient, driver: str, *fixes: Any, packed: bool = False
) -> httpx.Response:
    body = json.dumps({"positions": fixes}).encode()
    headers = {"content-type": "application/json"}
    if packed:
        body, headers["content-encoding"] = gzip.compress(body), "gzip"
    return await client.post(f"/v1/drivers/{driver}/positions", content=body, headers=headers)


async def test_a_phone_that_was_out_of_reach_sends_all_it_knows_at_once(
    acme: Firm, depot: Depot
) -> None:
    made = await depot.driver()
    fixes = [fix(minute) for minute in (3, 1, 2)]
    answer = await send(acme.api, made["id"], *fixes, packed=True)
    assert (answer.status_code, answer.json()) == (
        200, {"accepted": 3, "duplicates": 0, "rejected": []},
    )  # fmt: skip
    listed = await depot.get(f"drivers/{made['id']}/positions")
    assert [row["recorded_at"] for row in listed] == [fix(m)["recorded_at"] for m in (1, 2, 3)]
    shown = await depot.get(f"drivers/{made['id']}")
    assert shown["located_at"] == fix(1)["recorded_at"]
    assert len(await depot.told("driver.location_changed")) == 1
    again = await send(acme.api, made["id"], *fixes, fix(4))
    assert again.json() == {"accepted": 1, "duplicates": 3, "rejected": []}


async def test_a_wrong_fix_is_refused_by_its_place_and_spoils_no_other(
    acme: Firm, depot: Depot
) -> None:
    made = await depot.driver()
    wrong = [
        {"latitude": 0, "longitude": 0},
        {"latitude": 1},
        {"location": {"type": "Point"}},
        fix(-6),
        fix(1, heading=400),
        fix(1, event_id=""),
        "here",
        fix(1, recorded_at="2001-01-15T12:00:00Z"),
    ]
    answer = await send(acme.api, made["id"], fix(1), *wrong, fix(2))
    told = answer.json()
    assert (answer.status_code, told["accepted"], told["duplicates"]) == (200, 2, 0), answer.text
    assert [(one["index"], one["code"]) for one in told["rejected"]] == [
        (1, "location_invalid"),
        (2, "location_invalid"),
        (3, "location_invalid"),
        (4, "timestamp_invalid"),
        (5, "data_invalid"),
        (6, "event_id_invalid"),
        (7, "data_invalid"),
        (8, "too_old"),
    ]
    assert all(one["message"] for one in told["rejected"])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [field.name for field in msgspec.structs.fields(FixIn)]
PLACED = {"latitude": 1.3, "longitude": 103.8}
PHONE = Device(
    uuid=uuid4(), public_id="device_1", company=uuid4(), created_at=NOON, updated_at=NOON,
    name="Phone", kind="phone",
)  # fmt: skip


@pytest.mark.slow
@given(told=st.lists(JSON | st.dictionaries(st.sampled_from(FIELDS), JSON).map(PLACED.__or__)))
@settings(deadline=None)
def test_whatever_is_sent_is_either_read_or_refused(told: list[Any]) -> None:
    found, refusals = service.parse_reports(told, PHONE.company, PHONE, NOON)
    assert len(found) + len(refusals) == len(told)
    assert all(refusal.reason for refusal in refusals)


async def test_a_fix_is_known_again_by_its_senders_own_name(acme: Firm, depot: Depot) -> None:
    made = await depot.driver()
    once = await send(acme.api, made["id"], fix(1, event_id="a1"))
    twice = await send(acme.api, made["id"], fix(1, event_id="a1", speed=3), fix(1, event_id="a2"))
    assert (once.json()["accepted"], twice.json()["accepted"]) == (1, 1)
    assert twice.json()["duplicates"] == 1


async def test_no_batch_is_larger_than_a_thousand(acme: Firm, depot: Depot) -> None:
    made = await depot.driver()
    assert paths(await send(acme.api, made["id"], *[fix(1)] * 1001)) == ["positions"]
    assert paths(await acme.api.post(f"/v1/drivers/{made['id']}/positions", json={})) == [
        "positions"
    ]


async def test_a_driver_sends_their_own_places_and_nobody_elses(
    acme: Firm, rival: Firm, depot: Depot, house: House
) -> None:
    mine, other = await depot.driver(), await depot.driver()
    token = house.client((await signed_in(acme, mine["phone"]))["token"])
    assert (await send(token, "me", fix(1))).json()["accepted"] == 1
    assert len((await token.get("/v1/drivers/me/positions")).json()) == 1
    refused(await send(token, other["id"], fix(1)), 404, "not_found")
    refused(await send(rival.api, mine["id"], fix(1)), 404, "not_found")
    refused(await send(house.client(), mine["id"], fix(1)), 401, "unauthenticated")


async def test_the_phone_is_a_device_made_once_that_does_not_name_its_driver(
    acme: Firm, depot: Depot, house: House
) -> None:
    made = await depot.driver(name="Ada Lovelace")
    await asyncio.gather(*(send(acme.api, made["id"], fix(minute)) for minute in range(4)))
    [phone] = (await acme.api.get(f"/v1/devices?driver={made['id']}")).json()
    assert (phone["kind"], phone["status"]) == ("phone", "online")
    assert "Ada" not in json.dumps(phone)
    assert await house.value("select count(*) from device_events") == 4


async def test_reports_of_one_driver_at_once_and_out_of_order_end_at_the_newest(
    acme: Firm, depot: Depot, clock: ManualClock
) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    clock.advance(hours=1)
    minutes = (-7, -3, -12, -1, -9, -11, -2, -5)
    singles = [depot.post(f"drivers/{made['id']}/track", **fix(minute)) for minute in minutes[:4]]
    await asyncio.gather(send(acme.api, made["id"], *map(fix, minutes[4:])), *singles)
    for path in (f"drivers/{made['id']}", f"vehicles/{van['id']}"):
        assert (await depot.get(path))["located_at"] == fix(-12)["recorded_at"]
        assert len(await depot.get(f"{path}/positions")) == 8


@pytest.mark.slow
@given(data=st.data())
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_order_any_parts_and_any_repetition_leave_the_same_places(
    acme: Firm, data: st.DataObject
) -> None:
    depot = Depot(acme)
    made = (await depot.get("drivers") or [await depot.driver()])[0]
    fixes = [fix(minute) for minute in (1, 2, 3, 4)]
    sent = data.draw(st.permutations([*fixes, *data.draw(st.lists(st.sampled_from(fixes)))]))
    cut = data.draw(st.integers(0, len(sent)))
    for part in (sent[:cut], sent[cut:]):
        assert not (await send(acme.api, made["id"], *part)).json()["rejected"]
    listed = await depot.get(f"drivers/{made['id']}/positions")
    assert [row["recorded_at"] for row in listed] == [one["recorded_at"] for one in fixes]
    assert (await depot.get(f"drivers/{made['id']}"))["located_at"] == fixes[0]["recorded_at"]


async def test_a_tracker_moves_its_vehicle_and_whoever_drives_it(
    depot: Depot, clock: ManualClock
) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    clock.advance(minutes=1)
    await depot.post(f"vehicles/{van['id']}/track", latitude=1.3, longitude=103.8)
    for path in (f"vehicles/{van['id']}", f"drivers/{made['id']}"):
        assert (await depot.get(path))["location"]["coordinates"] == [103.8, 1.3]
    assert len(await depot.get(f"vehicles/{van['id']}/positions")) == 1
    assert await depot.get(f"drivers/{made['id']}/positions") == []


async def test_nobody_who_left_is_anywhere(acme: Firm, depot: Depot, house: House) -> None:
    van = await depot.vehicle()
    made = await depot.driver(vehicle=van["id"])
    await depot.post(f"drivers/{made['id']}/track", **fix(0))
    for path in (f"drivers/{made['id']}", f"vehicles/{van['id']}"):
        assert (await acme.api.delete(f"/v1/{path}")).is_success
        refused(await acme.api.get(f"/v1/{path}/positions"), 404, "not_found")
    sql = "select array_agg(kind) from whereabouts"
    assert await house.value(sql) == ["device"]


async def test_who_drove_what_when_is_kept(
    acme: Firm, depot: Depot, house: House, clock: ManualClock
) -> None:
    first, second = await depot.vehicle(), await depot.vehicle()
    made = await depot.driver(vehicle=first["id"])
    path = f"drivers/{made['id']}"
    clock.advance(hours=1)
    await depot.patch(path, vehicle=second["id"])
    clock.advance(hours=1)
    assert (await acme.api.delete(f"/v1/vehicles/{second['id']}")).is_success
    clock.advance(hours=1)
    await depot.patch(path, vehicle=first["id"], name="Ada L.")
    await depot.patch(path, name="Ada")
    clock.advance(hours=1)
    assert (await acme.api.delete(f"/v1/{path}")).is_success
    drives = await house.value(
        """select array_agg((v.uuid::text, since, until)::text order by since)
           from drives d join vehicles v on v.uuid = d.vehicle"""
    )
    hours = [(0, 1, first), (1, 2, second), (3, 4, first)]
    for told, (since, until, van) in zip(drives, hours, strict=True):
        assert van["uuid"] in told
        assert f"{12 + since}:00:00+00" in told
        assert f"{12 + until}:00:00+00" in told
