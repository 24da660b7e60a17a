"""Operators read what was said, each company its own; old messages are forgotten."""

from datetime import timedelta
from typing import Any

from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.notifications import queries, service
from pannier.notifications.channels import NullChannel
from pannier.notifications.sweep import MESSAGES
from stage import Firm, House

# The fixtures' classes live in conftest, which importlib mode does not let us import.
Recorder = Any
Desk = Any


async def test_a_viewer_reads_messages_newest_first(
    acme: Firm, desk: Desk, clock: ManualClock
) -> None:
    first = await desk.write("ada@example.com", "One.", subject="First", channel="email")
    clock.advance(seconds=1)
    second = await desk.write("+6591234567", "Two.")
    client = await acme.operator("viewer")
    answer = await client.get("/int/v1/messages")
    assert answer.status_code == 200, answer.text
    assert answer.json()["meta"] == {"limit": 30, "has_more": False, "next_cursor": None}
    newest, oldest = answer.json()["data"]
    assert newest["id"] == second.public_id
    assert oldest == {
        "id": first.public_id,
        "uuid": str(first.uuid),
        "public_id": first.public_id,
        "channel": "email",
        "to": "ada@example.com",
        "subject": "First",
        "text": "One.",
        "state": "due",
        "attempts": 0,
        "error": None,
        "created_at": "2026-01-15T12:00:00.000Z",
        "sent_at": None,
        "kind": None,
        "order": None,
    }


async def test_messages_are_found_by_recipient_channel_and_state(acme: Firm, desk: Desk) -> None:
    await desk.write("+6591234567", "Drawn.")
    await desk.send({"sms": NullChannel()})
    await desk.write("ada@example.com", "Waiting.", channel="email")

    async def texts(query: str) -> list[str]:
        answer = await acme.admin.get(f"/int/v1/messages?{query}")
        assert answer.status_code == 200, answer.text
        return [row["text"] for row in answer.json()["data"]]

    assert await texts("to=%2B6591234567") == ["Drawn."]
    assert await texts("to=+6591234567") == ["Drawn."], "a bare plus is a space in a query"
    assert await texts("to=ada@example.com") == ["Waiting."]
    assert await texts("to=nobody@example.com") == []
    assert await texts("channel=email") == ["Waiting."]
    assert await texts("state=drawer") == ["Drawn."]
    refused = await acme.admin.get("/int/v1/messages?state=lost")
    assert refused.status_code == 422


async def test_pages_follow_each_other_without_gaps(acme: Firm, desk: Desk) -> None:
    written = {(await desk.write(text=str(number))).public_id for number in range(7)}
    seen: list[str] = []
    cursor = ""
    for _ in range(4):
        answer = (await acme.admin.get(f"/int/v1/messages?limit=2{cursor}")).json()
        seen += [row["id"] for row in answer["data"]]
        cursor = f"&cursor={answer['meta']['next_cursor']}"
    assert len(seen) == 7
    assert set(seen) == written


async def test_another_companys_messages_are_never_listed(
    acme: Firm, rival: Firm, desk: Desk
) -> None:
    await desk.write("+6591234567", "Acme's own.")
    assert (await rival.admin.get("/int/v1/messages")).json()["data"] == []
    assert (await rival.admin.get("/int/v1/messages?to=%2B6591234567")).json()["data"] == []
    assert len((await acme.admin.get("/int/v1/messages")).json()["data"]) == 1


async def test_messages_are_for_operators_only(acme: Firm, house: House) -> None:
    assert (await acme.api.get("/int/v1/messages")).status_code == 401
    assert (await house.client().get("/int/v1/messages")).status_code == 401


async def test_an_operator_sees_a_code_in_the_drawer_but_never_a_real_one(
    acme: Firm, desk: Desk, recorder: Recorder
) -> None:
    async def text() -> str:
        answer = await acme.admin.get("/int/v1/messages")
        return str(answer.json()["data"][0]["text"])

    await desk.write(text="111111 is your code.", secret=True)
    assert await text() == "(not shown)"
    await desk.send({"sms": NullChannel()})
    assert await text() == "111111 is your code."
    await desk.write(text="222222 is your code.", secret=True)
    await desk.send({"sms": recorder})
    assert await text() == "(not kept)"


async def test_the_command_line_reads_the_newest_of_every_company(
    database: Database, acme: Firm, rival: Firm, clock: ManualClock
) -> None:
    for firm, to in ((acme, "+6591234567"), (rival, "+6598765432"), (acme, "+6598765432")):
        async with database.transaction() as db:
            await service.queue_message(db, firm.uuid, "sms", to, f"{firm.company.name} to {to}")
        clock.advance(seconds=1)
    async with database.reading() as db:
        newest = await queries.list_latest_messages(db, None, 2)
        found = await queries.list_latest_messages(db, "+6598765432", 10)
    assert [row.body for row in newest] == ["Acme to +6598765432", "Rival to +6598765432"]
    assert [row.company for row in found] == [acme.uuid, rival.uuid]


async def test_a_message_taken_back_was_never_there(database: Database, acme: Firm) -> None:
    async with database.transaction() as db:
        message = await service.queue_message(db, acme.uuid, "sms", "+6591234567", "Oh.")
        await service.delete_unsent_message(db, acme.uuid, message.uuid)
    assert (await acme.admin.get("/int/v1/messages")).json()["data"] == []


async def test_finished_messages_are_forgotten_after_their_keeping_time(
    database: Database, house: House, desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    keep = timedelta(days=90)
    await desk.write(text="Sent.")
    await desk.write(text="Drawn.", channel="email")
    await desk.write(text="Never tried.", channel="push")
    await desk.send({"sms": recorder, "email": NullChannel()})
    clock.advance(days=90)
    assert not await MESSAGES.delete_batch(database, keep)
    clock.advance(seconds=1)
    assert await MESSAGES.delete_batch(database, keep)
    assert not await MESSAGES.delete_batch(database, keep)
    assert await house.value("select string_agg(body, '') from messages") == "Never tried."


async def test_messages_of_a_time_are_found_and_one_is_read(
    acme: Firm, rival: Firm, desk: Desk, clock: ManualClock
) -> None:
    first = await desk.write("ada@example.com", "One.", channel="email")
    clock.advance(minutes=1)
    second = await desk.write("+6591234567", "Two.")
    noon = {"since": "2026-01-15T12:00:30Z"}
    rows = (await acme.admin.get("/int/v1/messages", params=noon)).json()["data"]
    assert [row["id"] for row in rows] == [second.public_id]
    before = {"until": "2026-01-15T12:00:30Z"}
    rows = (await acme.admin.get("/int/v1/messages", params=before)).json()["data"]
    assert [row["id"] for row in rows] == [first.public_id]
    path = f"/int/v1/messages/{first.public_id}"
    assert (await acme.admin.get(path)).json() == rows[0]
    assert (await rival.admin.get(path)).status_code == 404
