"""Doors of other people's protocols: right tokens are heard once, wrong ones not at all."""

import base64
from typing import Any

import httpx
import pytest

from devices.garage import Garage
from devices.recorded import OSMAND, TRACCAR, Recorded
from probe import refused
from stage import House

KEPT = "select count(*) from device_events"
ADDRESS = "address:198.51.100.9"
FIX = "lat=1.3521&lon=103.8198&timestamp=1768478340"


async def sent(client: httpx.AsyncClient, path: str, recorded: Recorded) -> httpx.Response:
    """Send a recorded request."""
    headers = {"Content-Type": recorded.content_type} if recorded.body else {}
    address = f"{path}?{recorded.query}" if recorded.query else path
    return await client.request(recorded.method, address, content=recorded.body, headers=headers)


@pytest.mark.parametrize(
    ("protocol", "recorded"),
    [("osmand", each) for each in OSMAND.values()]
    + [("traccar", each) for each in TRACCAR.values()],
    ids=[*OSMAND, *(f"Traccar, {name}" for name in TRACCAR)],
)
async def test_each_recorded_request_is_accepted_once_and_once_only(
    garage: Garage, house: House, protocol: str, recorded: Recorded
) -> None:
    path = f"/ingest/{protocol}/{(await garage.device())['token']}"
    first = await sent(house.client(), path, recorded)
    assert (first.status_code, first.json()) == (200, taken(recorded.events))
    again = await sent(house.client(), path, recorded)
    assert (again.status_code, again.json()) == (200, taken(0, recorded.events))
    assert await house.value(KEPT) == recorded.events


def taken(accepted: int, duplicates: int = 0) -> dict[str, Any]:
    """Spell what is answered."""
    return {"accepted": accepted, "duplicates": duplicates, "rejected": []}


async def test_a_token_may_come_as_bearer_or_as_the_password_of_basic(
    garage: Garage, house: House
) -> None:
    token = (await garage.device())["token"]
    basic = base64.b64encode(f"anybody:{token}".encode()).decode()
    for header, events in ((f"Bearer {token}", 1), (f"Basic {basic}", 0)):
        client = house.client(Authorization=header)
        answer = await client.get(f"/ingest/osmand?id=whatever&{FIX}")
        assert answer.json()["accepted"] == events, answer.text
        forwarded = await sent(client, "/ingest/traccar", TRACCAR["a position"])
        assert forwarded.json()["accepted"] == events, forwarded.text


async def test_a_gateway_speaks_for_the_devices_of_its_company_by_their_identifiers(
    garage: Garage, lot: Garage, house: House
) -> None:
    van = await garage.device(identifier="386012")
    await lot.device(identifier="999")
    gateway = await garage.device(kind="gateway")
    path = f"/ingest/traccar/{gateway['token']}"
    assert (await sent(house.client(), path, TRACCAR["a position"])).json() == taken(1)
    kept = await house.value("select device_no from device_events")
    assert kept == await garage.number(van)
    stranger = TRACCAR["a position"]._replace(
        body=TRACCAR["a position"].body.replace(b"386012", b"999")
    )
    answer = refused(await sent(house.client(), path, stranger), 422, "reading_refused")
    assert answer["rejected"] == [{"index": 0, "code": "unknown_device"}]
    assert await house.value(KEPT) == 1


async def test_a_device_that_traccar_introduces_is_called_as_people_call_it(
    garage: Garage, house: House
) -> None:
    gateway = await garage.device(kind="gateway", adopts=True)
    path = f"/ingest/traccar/{gateway['token']}"
    assert (await sent(house.client(), path, TRACCAR["a position"])).json() == taken(1)
    body = TRACCAR["a position"].body.replace(b"386012", b"386013")
    for name in (b'"name":"",', b'"name":"Van\\u0000 4",'):
        await sent(house.client(), path, Recorded(body=body.replace(b'"name":"Van 3",', name)))
        body = body.replace(b"386013", b"386014")
    called = "select jsonb_object_agg(identifier, name) from devices where kind = 'tracker'"
    assert await house.value(called) == {"386012": "Van 3", "386013": "386013", "386014": "Van 4"}


async def test_a_device_speaks_for_itself_whatever_its_app_calls_it(
    garage: Garage, house: House
) -> None:
    other = await garage.device(identifier="386012")
    phone = await garage.device()
    answer = await house.client().get(f"/ingest/osmand/{phone['token']}?id=386012&{FIX}")
    assert answer.json() == taken(1)
    kept = await house.value("select device_no from device_events")
    assert kept == await garage.number(phone)
    assert kept != await garage.number(other)


@pytest.mark.parametrize("protocol", ["osmand", "traccar"])
@pytest.mark.parametrize("token", ["", "/nonsense", "/dvc_live_0000000000000000_x", "/%00"])
async def test_without_the_right_token_it_is_401_and_nothing_is_stored(
    house: House, protocol: str, token: str
) -> None:
    answer = await house.client().post(f"/ingest/{protocol}{token}", content=b"{}")
    refused(answer, 401, "unauthenticated")
    assert answer.headers["x-request-id"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert await house.value(KEPT) == 0


async def test_a_token_that_was_replaced_stores_nothing_more(garage: Garage, house: House) -> None:
    device = await garage.device()
    path = f"/ingest/osmand/{device['token']}?id=1&{FIX}"
    assert (await house.client().get(path)).status_code == 200
    answer = await garage.firm.api.post(
        f"/v1/devices/{device['id']}/rotate-token", json={"grace_seconds": 0}
    )
    assert answer.status_code == 200, answer.text
    refused(await house.client().get(path + "1"), 401, "unauthenticated")
    assert await house.value(KEPT) == 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "event_invalid"),
        ("id=1&lat=north&lon=2", "event_invalid"),
        (f"id=1&{FIX}&timestamp=yesterday", "timestamp_invalid"),
    ],
)
async def test_nonsense_is_refused_and_kept_where_the_company_finds_it(
    garage: Garage, house: House, query: str, code: str
) -> None:
    path = f"/ingest/osmand/{(await garage.device())['token']}"
    answer = refused(await house.client().get(f"{path}?{query}"), 422, "reading_refused")
    assert answer["rejected"] == [{"index": 0, "code": code}]
    assert await house.value("select code from device_rejects") == code


async def test_a_clock_that_is_wrong_costs_no_event_and_makes_none(
    garage: Garage, house: House
) -> None:
    path = f"/ingest/osmand/{(await garage.device())['token']}?id=1&lat=1&lon=2&timestamp=5"
    assert (await house.client().get(path)).json() == taken(1)
    house.clock.advance(seconds=30)
    assert (await house.client().get(path)).json() == taken(0, 1)
    at = await house.value("select data->>'device_time' from device_events")
    assert at == "1970-01-01T00:00:05+00:00"


async def test_many_devices_behind_one_address_are_not_in_each_others_way(
    garage: Garage, house: House
) -> None:
    right = (await garage.device())["token"]
    late = (await garage.device())["token"]
    client = house.client(address="198.51.100.9")
    assert (await client.get(f"/ingest/osmand/{right}?id=1&{FIX}")).status_code == 200
    wrong = f"/ingest/osmand/{right[:-1]}?id=1"
    assert left(house) == house.settings.address_rate
    await client.get(wrong)
    assert left(house) == house.settings.address_rate - 1
    while left(house):
        house.edge.limiter.hit(ADDRESS, house.edge.address_rate, house.clock.now().timestamp())
    refused(await client.get(wrong), 429, "too_many_requests")
    refused(await client.get(f"/ingest/osmand/{late}?id=1"), 429, "too_many_requests")
    assert (await client.get(f"/ingest/osmand/{right}?id=1&{FIX}")).status_code == 200


def left(house: House) -> int:
    """How many wrong tokens the address may still show."""
    return house.edge.limiter.count_remaining_hits(
        ADDRESS, house.edge.address_rate, house.clock.now().timestamp()
    )


@pytest.mark.slow
async def test_a_device_that_sends_without_end_is_told_to_wait(
    garage: Garage, house: House
) -> None:
    path = f"/ingest/osmand/{(await garage.device())['token']}?id=1&{FIX}"
    answers = [(await house.client().get(path)).status_code for _ in range(121)]
    assert answers == [200] * 120 + [429]
