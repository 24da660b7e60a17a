"""The feed of events misses nothing, ends never, and says so when events are gone."""

from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from pannier.events import feed, outbox, relay, sweep
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

FEED = "/v1/events"


class Data(msgspec.Struct):
    id: str
    status: str = "dispatched"


async def relay_all(house: House) -> None:
    while await relay.Relay(house.database, []).step():
        pass


async def emit(
    firm: Firm,
    name: Name = Name.ORDER_DISPATCHED,
    subject: str = "order_1",
    thread: str | None = None,
) -> Event:
    async with firm.house.database.transaction() as db:
        event = await outbox.emit(
            db, firm.uuid, name, Data(subject), subject=subject, thread=thread
        )
    await relay_all(firm.house)
    return event


async def read(firm: Firm, **asked: Any) -> tuple[list[str], str, bool]:
    """Read a page: the ids of its events, the next cursor, and whether more may follow."""
    answer = await firm.api.get(FEED, params=asked)
    assert answer.status_code == 200, answer.text
    page = answer.json()
    meta = page["meta"]
    return [event["id"] for event in page["data"]], meta["next_cursor"], meta["has_more"]


async def read_all(firm: Firm, **asked: Any) -> list[str]:
    """Read to the present end."""
    found, cursor, more = await read(firm, **asked)
    while more:
        ids, cursor, more = await read(firm, **asked, cursor=cursor)
        found += ids
    return found


async def test_a_cursor_never_ends_and_its_events_are_the_bytes_of_the_webhooks(acme: Firm) -> None:
    nothing, cursor, _ = await read(acme)
    assert nothing == []
    first, second = await emit(acme), await emit(acme, Name.DRIVER_ONLINE, "driver_1")
    answer = await acme.api.get(FEED, params={"cursor": cursor})
    assert b"[" + first.body + b"," + second.body + b"]" in answer.content
    cursor = answer.json()["meta"]["next_cursor"]
    assert (await read(acme, cursor=cursor))[0] == []
    third = await emit(acme)
    assert (await read(acme, cursor=cursor))[0] == [third.public_id]
    one = await acme.api.get(f"{FEED}/{third.public_id}")
    assert one.content == third.body


async def test_an_event_whose_transaction_commits_late_is_not_skipped(
    acme: Firm, house: House
) -> None:
    async with house.database.transaction() as slow:
        late = await outbox.emit(
            slow, acme.uuid, Name.ORDER_CREATED, Data("order_1"), subject="order_1"
        )
        await slow.fetch_value("select 1")  # Written, with its place in the queue, uncommitted.
        quick = await emit(acme)
        seen, cursor, _ = await read(acme)
        assert seen == [quick.public_id]
    await relay_all(house)
    assert (await read(acme, cursor=cursor))[0] == [late.public_id]


async def test_pages_join_without_gaps_however_few_events_match(
    acme: Firm, rival: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_EXAMINED", 2)
    made = []
    for number in range(5):
        made.append(await emit(acme, Name.ORDER_CREATED, f"order_{number}"))
        made.append(await emit(acme, Name.DRIVER_ONLINE, "driver_1"))
        await emit(rival, Name.ORDER_CREATED, f"order_{number}")
    ids = [event.public_id for event in made]
    assert await read_all(acme, limit=3) == ids
    orders, drivers = ids[::2], ids[1::2]
    assert await read_all(acme, event="order.*") == orders
    assert await read_all(acme, limit=1, event=["driver.online", "issue.*"]) == drivers
    assert await read_all(acme, event=["*", "issue.created"]) == ids
    # More events about the driver than a page examines, and fewer about the order.
    assert await read_all(acme, subject="driver_1") == drivers
    assert await read_all(acme, subject="order_3") == [orders[3]]
    assert await read_all(acme, subject="order_3", event="driver.*") == []


async def test_an_order_brings_the_events_of_its_thread(acme: Firm) -> None:
    order = await emit(acme, Name.ORDER_CREATED, "order_1")
    proof = await emit(acme, Name.PROOF_OF_DELIVERY_CREATED, "proof_1", "order_1")
    await emit(acme, Name.ORDER_CREATED, "order_2")
    assert await read_all(acme, order="order_1") == [order.public_id, proof.public_id]
    assert await read_all(acme, subject="order_1") == [order.public_id]
    assert await read_all(acme, order="order_1", event="order.*") == [order.public_id]


async def test_it_starts_at_a_time_wherever_that_is(acme: Firm, clock: ManualClock) -> None:
    made = []
    for _ in range(6):
        made.append(await emit(acme))
        clock.advance(hours=1)
    ids = [event.public_id for event in made]
    for number, event in enumerate(made):
        since = event.created_at.isoformat()
        assert await read_all(acme, created_since=since, limit=2) == ids[number:]
        later = (event.created_at + timedelta(seconds=1)).isoformat()
        assert await read_all(acme, created_since=later) == ids[number + 1 :]
    assert await read_all(acme, created_since="2025-01-01T00:00:00Z") == ids


async def test_a_cursor_older_than_the_retention_says_what_to_do(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    _, beginning, _ = await read(acme)
    await emit(acme)
    gone, current, _ = await read(acme)
    clock.advance(days=100)
    kept = await emit(acme)
    theirs = await emit(rival)
    while await sweep.step(house.database, timedelta(days=90), "false"):
        pass
    answer = await acme.api.get(FEED, params={"cursor": beginning})
    refused(answer, 410, "events_expired")
    assert "without `cursor`" in answer.json()["detail"]
    # Whoever had read the deleted event has missed nothing.
    assert gone
    assert (await read(acme, cursor=current))[0] == [kept.public_id]
    assert (await read(acme))[0] == [kept.public_id]
    assert (await read(rival))[0] == [theirs.public_id]


async def test_a_quiet_company_keeps_its_cursor_when_all_its_events_are_deleted(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    await emit(acme)
    _, current, _ = await read(acme)
    clock.advance(days=100)
    while await sweep.step(house.database, timedelta(days=90), "false"):
        pass
    assert (await read(acme, cursor=current))[0] == []
    nothing, fresh, more = await read(acme)
    assert (nothing, more) == ([], False)
    assert (await read(acme, cursor=fresh))[0] == []
    event = await emit(acme)
    for cursor in (current, fresh):
        assert (await read(acme, cursor=cursor))[0] == [event.public_id]


async def test_an_old_event_that_a_delivery_needs_does_not_break_the_next_page(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    needed = await emit(acme)
    await emit(acme)
    clock.advance(days=100)
    recent = [await emit(acme), await emit(acme)]
    while await sweep.step(house.database, timedelta(days=90), f"t.uuid = '{needed.uuid}'"):
        pass
    ids = [event.public_id for event in recent]
    assert await read_all(acme, limit=1) == ids
    since = needed.created_at.isoformat()
    assert await read_all(acme, limit=1, created_since=since) == ids


async def test_it_refuses_what_it_does_not_know_and_keys_without_the_scope(
    acme: Firm, rival: Firm, house: House
) -> None:
    event = await emit(rival)
    _, cursor, _ = await read(rival)
    refused(await acme.api.get(FEED, params={"cursor": cursor}), 400, "cursor_invalid")
    refused(await acme.api.get(f"{FEED}/{event.public_id}"), 404, "not_found")
    refused(await acme.api.get(FEED, params={"event": "orders.*"}), 422, "unknown_value")
    given = {"kind": "api", "name": "Shop", "scopes": ["orders:read"]}
    key = (await acme.admin.post("/int/v1/keys", json=given)).json()["key"]
    narrow: httpx.AsyncClient = house.client(key)
    refused(await narrow.get(FEED), 403, "forbidden")
