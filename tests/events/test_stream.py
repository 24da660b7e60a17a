"""The stream of events tells what happened, once, from wherever the reader was."""

import json
import re
import zlib
from typing import Any

import pytest

from pannier.events import relay
from pannier.web import sse
from pannier.web.streams import MAX_STREAM_SECONDS
from probe import refused
from stage import Firm, House
from web.listener import listening

STREAM = "/int/v1/events/stream"


@pytest.fixture(autouse=True)
def endless(house: House) -> None:
    """Let streams flow as they do in earnest."""
    house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS


def told(heard: bytes) -> list[tuple[str, Any]]:
    """Read server-sent events: where each stands, and what it says."""
    found = re.findall(rb"^id: (\S+)\ndata: (.+)\n\n", heard, re.MULTILINE)
    return [(place.decode(), json.loads(text)) for place, text in found]


async def driver(firm: Firm, name: str) -> str:
    """Let something happen, and have it relayed."""
    phone = f"+6591{zlib.crc32(name.encode()) % 1_000_000:06}"
    given = {"name": name, "phone": phone}
    made = (await firm.api.post("/v1/drivers", json=given)).json()["id"]
    await firm.api.post(f"/v1/drivers/{made}/toggle-online", json={"online": True})
    while await relay.Relay(firm.house.database, []).step():
        pass
    return str(made)


async def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(
    acme: Firm, rival: Firm
) -> None:
    await driver(acme, "Before")
    async with listening(acme.house, acme.token, STREAM) as listener:
        assert listener.headers["content-type"].startswith("text/event-stream")
        await listener.until(b"event: beat")
        await driver(rival, "Theirs")
        first = await driver(acme, "First")
        ((place, said),) = told(await listener.until(b"\ndata: "))
        assert (said["event"], said["subject"]) == ("driver.online", first)
        event = (await acme.admin.get(f"/int/v1/events/{said['id']}")).json()
        assert event["created_at"] == said["created_at"]
    second = await driver(acme, "Second")
    async with listening(acme.house, acme.token, STREAM, last_event_id=place) as listener:
        await listener.until(b"\ndata: ")
        third = await driver(acme, "Third")
        heard = told(await listener.until(b"\ndata: ", 2))
    assert [said["subject"] for _, said in heard] == [second, third]


async def test_it_tells_only_what_was_asked_for_and_passes_the_rest(acme: Firm) -> None:
    asked = f"{STREAM}?after=beginning&event=driver.offline"
    async with listening(acme.house, acme.token, asked) as listener:
        made = await driver(acme, "Ada")
        await acme.api.post(f"/v1/drivers/{made}/toggle-online", json={"online": False})
        await relay.Relay(acme.house.database, []).step()
        heard = told(await listener.until(b"\ndata: "))
    assert [said["event"] for _, said in heard] == ["driver.offline"]


async def test_it_ends_with_its_readers_session(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.1)
    acme.house.edge.services["streams"].check_seconds = 0.05
    token = await acme.sign_up("viewer")
    async with listening(acme.house, token, STREAM) as listener:
        await listener.until(b"event: beat", 2)
        await acme.house.client(token).post("/int/v1/logout")
        await listener.until(b"event: ended")
        listener.leaves = False


async def test_a_place_beyond_the_last_one_is_of_a_database_that_was_put_back(
    acme: Firm, house: House
) -> None:
    await driver(acme, "Ada")
    async with listening(house, acme.token, f"{STREAM}?after=beginning") as listener:
        ((place, _),) = told(await listener.until(b"\ndata: "))
    async with house.database.transaction() as db:
        await db.execute("delete from event_relays")
    async with listening(house, acme.token, STREAM, last_event_id=place) as listener:
        await listener.until(b"event: beat")
        made = await driver(acme, "Grace")
        ((_, said),) = told(await listener.until(b"\ndata: "))
    assert said["subject"] == made


async def test_a_place_that_is_none_of_ours_is_refused(acme: Firm, rival: Firm) -> None:
    refused(await acme.admin.get(f"{STREAM}?after=AAAA"), 400, "cursor_invalid")
    await driver(rival, "Theirs")
    async with listening(acme.house, rival.token, f"{STREAM}?after=beginning") as listener:
        ((place, _),) = told(await listener.until(b"\ndata: "))
    answer = await acme.admin.get(STREAM, headers={"Last-Event-ID": place})
    refused(answer, 400, "cursor_invalid")
