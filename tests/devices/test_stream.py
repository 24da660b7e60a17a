"""The stream tells what comes in, once, from wherever the reader was."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from devices.recorder import EVENTS, Known, Recorder, ids
from pannier.web import sse
from pannier.web.edge import ResponseInterruptedError
from pannier.web.streams import MAX_STREAM_SECONDS, Streams
from probe import refused
from stage import Firm, House
from web.listener import Listener, listening

STREAM = f"{EVENTS}/stream"


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


@pytest.fixture(autouse=True)
def endless(house: House) -> None:
    """Let streams flow as they do in earnest."""
    house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS


def told(heard: bytes) -> list[tuple[str, Any]]:
    """Read server-sent events: where each stands, and what it says."""
    found = re.findall(rb"^id: (\S+)\ndata: (.*)\n\n", heard, re.MULTILINE)
    return [(place.decode(), json.loads(text)) for place, text in found]


async def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(
    acme: Firm, rival: Firm, recorder: Recorder
) -> None:
    device, theirs = await recorder.device(), Recorder(rival)
    first, second, third, fourth = (recorder.event(device, number) for number in range(1, 5))
    async with listening(acme.house, acme.token, STREAM) as listener:
        assert listener.headers["content-type"].startswith("text/event-stream")
        await listener.until(b"retry")
        await theirs.store(theirs.event(await theirs.device()))
        await recorder.store(first, second)
        heard = told(await listener.until(b"\ndata: ", 2))
        # Those of one batch in the order in which they happened.
        assert [event["id"] for _, event in heard] == ids(second, first)
    await recorder.store(third)
    after = {"last_event_id": heard[0][0]}
    async with listening(acme.house, acme.token, STREAM, **after) as listener:
        await listener.until(b"\ndata: ", 2)
        await recorder.store(fourth)
        heard = told(await listener.until(b"\ndata: ", 3))
    assert [event["id"] for _, event in heard] == ids(first, third, fourth)
    assert heard[0][1]["device_id"] == device.id


async def test_streams_of_a_company_catch_up_in_turns_and_others_do_not_wait(
    acme: Firm, rival: Firm, recorder: Recorder
) -> None:
    theirs, path = Recorder(rival), f"{STREAM}?after=beginning"
    await recorder.store(recorder.event(await recorder.device()))
    await theirs.store(theirs.event(await theirs.device()))
    streams: Streams = acme.house.edge.services["streams"]
    async with (
        streams.catch_ups.wait_turn(acme.uuid),
        listening(acme.house, acme.token, path) as waiting,
    ):
        await waiting.until(b"retry")
        async with listening(rival.house, rival.token, path) as other:
            await other.until(b"\ndata: ")
        assert streams.catch_ups.count_waiting(acme.uuid) == 1
        assert waiting.parts.empty()
    async with listening(acme.house, acme.token, path) as listener:
        await listener.until(b"\ndata: ")


async def test_it_has_the_lists_filters(acme: Firm, recorder: Recorder) -> None:
    device, vehicle = await recorder.device(), await recorder.vehicle()
    asked = f"{STREAM}?after=beginning&event_type=dtc&severity=critical&vehicle={vehicle}"
    async with listening(acme.house, acme.api_key, asked) as listener:
        before = recorder.event(device, 2, "fault_code", severity="critical")
        await recorder.store(before, recorder.event(device, 1))
        # What is on a vehicle may change while somebody listens.
        await recorder.attach(device, vehicle, before.occurred_at.replace(minute=59))
        meant = recorder.event(device, 0.5, "fault_code", severity="critical")
        await recorder.store(meant, recorder.event(device, 0.4, "fault_code", severity="info"))
        heard = told(await listener.until(b"\ndata: "))
    assert [event["id"] for _, event in heard] == ids(meant)


@pytest.mark.slow
async def test_it_gives_signs_of_life_and_tells_its_place_however_much_others_are_told(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.3)
    monkeypatch.setattr(sse, "MIN_READ_INTERVAL_SECONDS", 0.01)
    device = await recorder.device()
    async with listening(acme.house, acme.token, f"{STREAM}?event_type=fault_code") as listener:
        await listener.until(b"retry")
        noise = asyncio.create_task(_noise(recorder, device))
        try:
            await goes_on(listener)
        finally:
            noise.cancel()
            await asyncio.gather(noise, return_exceptions=True)


async def goes_on(listener: Listener) -> None:
    """Read signs of life until two of them tell another place.

    Where the machine stood still since the one before, nothing may have come yet.
    """
    signs = 3
    while True:
        heard = await listener.until(b": here\nid: ", signs)
        _, *places = re.findall(rb"^: here\nid: (\S+)\n\n", heard, re.MULTILINE)
        if len(set(places)) > 1:
            return
        signs += 1


@pytest.mark.slow
async def test_it_gives_signs_of_life_while_an_older_transaction_is_at_work(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.3)
    device = await recorder.device()
    early, late = recorder.event(device, 2), recorder.event(device, 1)
    async with listening(acme.house, acme.token, STREAM) as listener:
        await listener.until(b"retry")
        async with acme.house.database.transaction() as slow:
            await recorder.write(slow, [early])
            await recorder.store(late)
            await listener.until(b": here\nid: ", 3)
        heard = told(await listener.until(b"\ndata: ", 2))
    assert [event["id"] for _, event in heard] == ids(early, late)


async def _noise(recorder: Recorder, device: Known) -> None:
    """Have others' events come all the time."""
    while True:
        await recorder.store(recorder.event(device, 1))
        await asyncio.sleep(0.02)


async def test_it_ends_when_the_process_does(acme: Firm) -> None:
    async with listening(acme.house, acme.token, STREAM) as listener:
        await listener.until(b"retry")
        acme.house.edge.services["streams"].close()
        listener.leaves = False


async def test_nobody_has_more_than_so_many(acme: Firm) -> None:
    acme.house.edge.services = {**acme.house.edge.services, "streams": Streams(max_per_caller=1)}
    async with listening(acme.house, acme.token, STREAM):
        refused(await acme.admin.get(STREAM), 429, "too_many_streams")
        refused(await acme.admin.get(f"{EVENTS}/export"), 429, "too_many_streams")
        assert (await acme.api.get(f"{EVENTS}/export")).status_code == 200
    assert (await acme.admin.get(f"{EVENTS}/export")).status_code == 200
    assert (await acme.admin.head(STREAM)).status_code == 200


async def test_many_keys_of_a_company_leave_places_to_other_companies(
    acme: Firm, rival: Firm
) -> None:
    services = acme.house.edge.services
    acme.house.edge.services = {**services, "streams": Streams(max_per_company=2)}
    async with (
        listening(acme.house, acme.token, STREAM),
        listening(acme.house, acme.api_key, STREAM),
    ):
        key = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "third"})).json()
        third = acme.house.client(key["key"])
        refused(await third.get(f"{EVENTS}/export"), 429, "too_many_streams")
        assert (await rival.api.get(f"{EVENTS}/export")).status_code == 200


async def revoke_key(firm: Firm, key: dict[str, Any]) -> None:
    await firm.admin.delete(f"/int/v1/keys/{key['id']}")


async def narrow_key(firm: Firm, key: dict[str, Any]) -> None:
    async with firm.house.database.transaction() as db:
        await db.execute(
            "update keys set scopes = '{places:read}' where public_id = :id", id=key["id"]
        )


async def expire_key(firm: Firm, key: dict[str, Any]) -> None:
    async with firm.house.database.transaction() as db:
        await db.execute(
            "update keys set expires_at = :now where public_id = :id", id=key["id"], now=db.now
        )


@pytest.mark.parametrize("end", [revoke_key, narrow_key, expire_key])
async def test_it_ends_with_its_key(acme: Firm, end: Callable[..., Awaitable[None]]) -> None:
    acme.house.edge.services["streams"].check_seconds = 0.05
    key = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "new"})).json()
    async with listening(acme.house, key["key"], STREAM) as listener:
        await listener.until(b"retry")
        await end(acme, key)
        await listener.until(b"event: ended")
        listener.leaves = False


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": "dispatcher"}])
async def test_it_ends_when_its_operator_is_disabled_or_has_another_role(
    acme: Firm, change: dict[str, Any]
) -> None:
    acme.house.edge.services["streams"].check_seconds = 0.05
    token = await acme.sign_up("viewer")
    me = (await acme.house.client(token).get("/int/v1/me")).json()
    async with listening(acme.house, token, STREAM) as listener:
        await listener.until(b"retry")
        changed = await acme.admin.patch(f"/int/v1/operators/{me['operator']['id']}", json=change)
        assert changed.status_code == 200, changed.text
        await listener.until(b"event: ended")
        listener.leaves = False


async def test_it_ends_with_its_session(acme: Firm) -> None:
    acme.house.edge.services["streams"].check_seconds = 0.05
    token = await acme.sign_up("viewer")
    async with listening(acme.house, token, STREAM) as listener:
        await listener.until(b"retry")
        await acme.house.client(token).post("/int/v1/logout")
        await listener.until(b"event: ended")
        listener.leaves = False


async def test_an_export_is_broken_off_when_its_key_is_revoked(
    acme: Firm, recorder: Recorder
) -> None:
    acme.house.edge.services["streams"].check_seconds = 0.05
    device = await recorder.device()
    for number in range(8):
        await recorder.store(*(recorder.event(device, number + n / 1000) for n in range(1, 900)))
    key = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "new"})).json()
    with pytest.raises(ResponseInterruptedError):  # noqa: PT012 - it is raised when the reading ends
        async with listening(acme.house, key["key"], f"{EVENTS}/export?format=ndjson") as listener:
            # The reader takes nothing for now: the export waits in the middle.
            listener.leaves = False
            await revoke_key(acme, key)


async def test_a_place_that_is_none_of_ours_is_refused(acme: Firm) -> None:
    answer = await acme.admin.get(STREAM, headers={"Last-Event-ID": "AAAA"})
    refused(answer, 400, "cursor_invalid")
