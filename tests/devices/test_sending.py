"""Device events come in as JSON by whoever may send them, answered once they are stored."""

import asyncio
import gzip
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec
import pytest

from devices.garage import Garage
from pannier.devices.writer import Writer
from probe import refused
from stage import Firm, House

BATCH = "/int/v1/fleet-module/device-events/batch"
REJECTS = "/int/v1/fleet-module/device-events/rejects"
PLACE = {"latitude": 52.52, "longitude": 13.405}


def event(second: int = 0, **more: Any) -> dict[str, Any]:
    """Something that happened at noon, or so many seconds before."""
    stamp = f"2026-01-15T11:59:{59 - second:02d}Z"
    return {"event_type": "position_update", "timestamp": stamp, "location": PLACE, **more}


async def told(answer: httpx.Response) -> tuple[int, int, list[Mapping[str, Any]]]:
    body = answer.json()
    assert answer.status_code == 200, body
    assert body.keys() == {"accepted", "duplicates", "rejected"}
    return body["accepted"], body["duplicates"], body["rejected"]


async def test_an_event_or_a_list_of_them_is_stored_once_by_every_kind_of_sender(
    acme: Firm, garage: Garage, house: House
) -> None:
    van = await garage.device(identifier="imei-7")
    path = f"/int/v1/fleet-module/devices/{van['id']}/events"
    own = house.client(van["token"])
    assert await told(await own.post(path, json=event())) == (1, 0, [])
    assert await told(await own.post(path, json=[event(), event(1)])) == (1, 1, [])
    assert await told(await acme.api.post(path, json=[event(1), event(2)])) == (1, 1, [])
    assert await told(await acme.admin.post(path, json=[event(2), event(3)])) == (1, 1, [])
    assert await told(await own.post(BATCH, json=[event(4), event(4, device="imei-7")])) == (
        1,
        1,
        [],
    )
    assert await house.value("select count(*) from device_events") == 5


async def test_an_event_with_an_id_and_without_a_moment_is_stored_once_too(
    garage: Garage, house: House
) -> None:
    van = await garage.device()
    own = house.client(van["token"])
    alive = {"event_type": "device_heartbeat", "event_id": "7"}
    assert await told(await own.post(BATCH, json=[alive, alive])) == (1, 1, [])
    house.clock.advance(seconds=30)
    assert await told(await own.post(BATCH, json=[alive])) == (0, 1, [])
    assert await told(await own.post(BATCH, json=[{**alive, "event_id": "8"}])) == (1, 0, [])
    # Without an id, whoever is alive says so each time.
    del alive["event_id"]
    assert await told(await own.post(BATCH, json=[alive])) == (1, 0, [])
    house.clock.advance(seconds=30)
    assert await told(await own.post(BATCH, json=[alive])) == (1, 0, [])


async def test_a_batch_comes_as_a_list_in_an_envelope_as_lines_and_packed(
    acme: Firm, garage: Garage
) -> None:
    one, two = (await garage.device())["id"], (await garage.device())["id"]
    mixed = [event(1, device=one), event(1, device=two)]
    assert await told(await acme.api.post(BATCH, json=mixed)) == (2, 0, [])
    assert await told(await acme.api.post(BATCH, json={"events": mixed})) == (0, 2, [])
    lines = b"\n".join(msgspec.json.encode(each) for each in [*mixed, event(2, device=one)])
    packed = await acme.api.post(
        BATCH,
        content=gzip.compress(lines + b"\nnonsense\n"),
        headers={"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"},
    )
    assert await told(packed) == (1, 2, [{"index": 3, "code": "event_invalid"}])


async def test_what_is_wrong_is_told_by_its_index_and_kept_with_its_cause(
    acme: Firm, rival: Firm, garage: Garage
) -> None:
    one = (await garage.device())["id"]
    events = [event(device="nobody"), event(device=one), event(device=one, location=None), 7]
    assert await told(await acme.api.post(BATCH, json=events)) == (
        1,
        0,
        [
            {"index": 0, "code": "unknown_device"},
            {"index": 2, "code": "location_missing"},
            {"index": 3, "code": "event_invalid"},
        ],
    )
    page = (await acme.admin.get(REJECTS)).json()["data"]
    assert {each["code"] for each in page} == {
        "location_missing",
        "event_invalid",
        "unknown_device",
    }
    [about] = (await acme.admin.get(REJECTS, params={"device": "nobody"})).json()["data"]
    assert (about["code"], about["device"]) == ("unknown_device", "nobody")
    [wrong] = (await acme.admin.get(REJECTS, params={"code": "event_invalid"})).json()["data"]
    assert wrong["body"] == "7"
    assert (await rival.admin.get(REJECTS)).json()["data"] == []


async def test_when_all_are_invalid_the_request_is_and_says_why(acme: Firm, garage: Garage) -> None:
    one = (await garage.device())["id"]
    refused = await acme.api.post(BATCH, json=[event(device=one, timestamp="yesterday")])
    assert refused.status_code == 422
    assert refused.json()["code"] == "reading_refused"
    assert refused.json()["rejected"] == [{"index": 0, "code": "timestamp_invalid"}]
    assert await told(await acme.api.post(BATCH, json=[])) == (0, 0, [])


async def test_a_device_speaks_for_itself_alone_and_a_company_for_its_own(
    acme: Firm, rival: Firm, garage: Garage, house: House
) -> None:
    one, two = await garage.device(), await garage.device()
    theirs = f"/int/v1/fleet-module/devices/{two['id']}/events"
    assert (await house.client(one["token"]).post(theirs, json=event())).status_code == 404
    assert (await rival.api.post(theirs, json=event())).status_code == 404
    assert (await house.client().post(theirs, json=event())).status_code == 401
    viewer = await acme.operator("viewer")
    assert (await viewer.post(theirs, json=event())).status_code == 403
    assert await house.value("select count(*) from device_events") == 0


async def test_a_gateway_speaks_for_others_and_takes_in_whom_nobody_knows_if_it_is_told_to(
    garage: Garage, house: House
) -> None:
    plain = house.client((await garage.device(kind="gateway"))["token"])
    assert (await plain.post(BATCH, json=[event(device="imei-1")])).status_code == 422
    adopting = house.client((await garage.device(kind="gateway", adopts=True))["token"])
    both = [event(device="imei-1"), event(device="imei-2")]
    assert await told(await adopting.post(BATCH, json=both)) == (2, 0, [])
    assert await told(await plain.post(BATCH, json=both)) == (0, 2, [])
    stranger = await adopting.post(BATCH, json=[event(device="device_aaaaaaaaaaaaaaaa")])
    assert stranger.json()["rejected"] == [{"index": 0, "code": "unknown_device"}]
    adopted = "select count(*) from devices where identifier like 'imei%' and name = identifier"
    assert await house.value(adopted) == 2


async def test_a_token_that_was_revoked_stores_nothing_from_then_on(
    garage: Garage, house: House
) -> None:
    one = await garage.device()
    path = f"/int/v1/fleet-module/devices/{one['id']}/events"
    own = house.client(one["token"])
    assert (await own.post(path, json=event())).status_code == 200
    async with house.database.transaction() as db:
        await db.execute("update tokens set revoked_at = :now where kind = 'device'", now=db.now)
    assert (await own.post(path, json=event(1))).status_code == 401
    assert await house.value("select count(*) from device_events") == 1


async def test_a_keyed_request_is_answered_as_it_was_before(acme: Firm, garage: Garage) -> None:
    one = (await garage.device())["id"]
    keyed = {"Idempotency-Key": "once"}
    first = await acme.api.post(BATCH, json=[event(device=one)], headers=keyed)
    again = await acme.api.post(BATCH, json=[event(device=one)], headers=keyed)
    assert first.json() == again.json() == {"accepted": 1, "duplicates": 0, "rejected": []}


@pytest.mark.slow
async def test_five_thousand_come_at_once_and_not_one_more(acme: Firm, garage: Garage) -> None:
    one = (await garage.device())["id"]
    many = [
        event(device=one, event_id=str(number), data={"note": "…" * 20}) for number in range(5001)
    ]
    refused = await acme.api.post(BATCH, json=many)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_events")
    assert await told(await acme.api.post(BATCH, json=many[1:])) == (5000, 0, [])


async def test_not_one_more_of_plain_positions_either(acme: Firm, garage: Garage) -> None:
    one = (await garage.device())["id"]
    plain = event(device=one, data={"speed": 50})
    refused = await acme.api.post(BATCH, json=[plain] * 5001)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_events")
    assert await told(await acme.api.post(BATCH, json=[plain] * 2)) == (1, 1, [])


@pytest.mark.parametrize("path", [BATCH, "/int/v1/fleet-module/devices/any/events"])
async def test_what_is_no_json_or_too_deep_is_refused_whole(acme: Firm, path: str) -> None:
    for kind in ("application/json", "application/x-ndjson"):
        deep = b"[" * 40 + b"]" * 40
        answer = await acme.api.post(path, content=deep, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (400, "body_unreadable")
    for broken in (b"[}", b'{"events":[1}', b'{"events":[{"timestamp":[]}', b'{"events":[1]} x'):
        answer = await acme.api.post(path, content=broken)
        assert (answer.status_code, answer.json()["code"]) == (400, "body_unreadable"), broken
    pdf = await acme.api.post(path, content=b"x", headers={"Content-Type": "application/pdf"})
    assert pdf.status_code == 415


LINES = {"Content-Type": "application/x-ndjson"}


@pytest.mark.parametrize("levels", [40, 300, 968])
@pytest.mark.parametrize("before", [b'"', b"[[[", b'{"a', b"\\"])
async def test_a_deep_line_is_not_hidden_by_the_line_before_it(
    acme: Firm, garage: Garage, before: bytes, levels: int
) -> None:
    one = (await garage.device())["id"]
    deep = msgspec.json.encode(event(device=one)).replace(
        b'"location"', b'"data":{"a":' + b"[" * levels + b"]" * levels + b'},"location"'
    )
    answer = await acme.api.post(BATCH, content=before + b"\n" + deep, headers=LINES)
    assert await acme.house.value("select count(*) from device_events") == 0, answer.text
    refused(answer, 400, "body_unreadable")


async def test_the_depth_of_each_line_is_judged_alone(acme: Firm, garage: Garage) -> None:
    one = (await garage.device())["id"]
    # Many lines, each with its own brackets left open, are no deep body.
    body = b"\n".join([b"[[[["] * 20 + [msgspec.json.encode(event(device=one))])
    answer = await acme.api.post(BATCH, content=body, headers=LINES)
    assert answer.json()["accepted"] == 1
    assert len(answer.json()["rejected"]) == 20


async def test_lines_are_counted_before_they_are_taken_apart(acme: Firm) -> None:
    for ending in (b"\n", b"\r", b"\r\n"):
        answer = await acme.api.post(BATCH, content=ending * 1_000_000, headers=LINES)
        refused(answer, 413, "too_many_events")


async def test_a_list_of_millions_is_refused_before_it_is_parsed(acme: Firm) -> None:
    body = b"[" + b"0," * 2_000_000 + b"0]"
    answer = await acme.api.post(BATCH, content=body, headers={"Content-Type": "application/json"})
    refused(answer, 413, "body_too_large")


async def test_brackets_by_the_million_are_refused_before_they_are_parsed(acme: Firm) -> None:
    event = b'{"event_type":"x","data":{"a":[' + b"{}," * 1_200_000 + b"{}]}}"
    for body, kind in (
        (event, "application/x-ndjson"),
        (b"\n".join([b"{}"] * 10) + b"\n" + event, "application/x-ndjson"),
        (b"[]" * 2_000_000, "application/json"),
    ):
        answer = await acme.api.post(BATCH, content=body, headers={"Content-Type": kind})
        refused(answer, 413, "body_too_large")


async def test_while_the_database_is_slow_senders_are_sent_back_and_what_was_taken_is_stored(
    acme: Firm, garage: Garage, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(house.database, house.settings, max_waiting_events=60)
    monkeypatch.setitem(house.edge.services, "devices", writer)
    path = f"/int/v1/fleet-module/devices/{(await garage.device())['id']}/events"
    assert (await acme.api.post(path, json=event())).json()["accepted"] == 1
    batches = [
        [event(second, event_id=f"{name}-{second}") for second in range(50)] for name in "ab"
    ]
    async with house.database.transaction() as db:
        await db.execute("lock table device_events in share mode")
        sent = [asyncio.create_task(acme.api.post(path, json=batch)) for batch in batches]
        ended, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
        back = ended.pop()
        refused(back.result(), 429, "devices_busy")
        assert back.result().headers["Retry-After"] == "2"
    (taken,) = set(sent) - {back}
    assert (await taken).json()["accepted"] == 50
    again = await acme.api.post(path, json=batches[sent.index(back)])
    assert again.json()["accepted"] == 50
    assert await house.value("select count(*) from device_events") == 101
