"""A company with many requests leaves connections and time to the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from pannier.web import bodies, request_turns
from pannier.web.exchange import Exchange
from pannier.web.fair_queue import FairQueue
from program import PATIENCE
from stage import Firm
from web.listener import listening

CONTACTS = "/v1/contacts"
ADA = {"name": "Ada"}


@asynccontextmanager
async def occupied(firm: Firm, queue: FairQueue) -> AsyncIterator[None]:
    """Take all places of a company."""
    async with AsyncExitStack() as places:
        while queue.has_place(firm.uuid):
            await places.enter_async_context(queue.wait_turn(firm.uuid))
        yield


async def until_waiting(firm: Firm, queue: FairQueue, count: int = 1) -> None:
    async with asyncio.timeout(PATIENCE):
        while queue.count_waiting(firm.uuid) < count:  # noqa: ASYNC110 - it notifies nobody
            await asyncio.sleep(0.001)


async def test_requests_of_a_busy_company_wait_and_those_of_others_do_not(
    acme: Firm, rival: Firm
) -> None:
    queue = acme.house.edge.requests
    async with occupied(acme, queue):
        keyed = {"Idempotency-Key": "one"}
        waiting = [
            asyncio.create_task(acme.api.post(CONTACTS, json=ADA, headers=keyed)),
            asyncio.create_task(acme.admin.get("/int/v1/keys")),
            asyncio.create_task(acme.api.get(CONTACTS)),
        ]
        await until_waiting(acme, queue, len(waiting))
        assert (await rival.api.post(CONTACTS, json=ADA)).status_code == 201
        assert not any(task.done() for task in waiting)
    answers = await asyncio.gather(*waiting)
    assert [answer.status_code for answer in answers] == [201, 200, 200]


async def test_more_requests_of_a_company_than_connections_leave_connections_to_others(
    acme: Firm, rival: Firm
) -> None:
    size = acme.house.edge.settings.pool_size
    queue = acme.house.edge.requests
    async with occupied(acme, queue):
        waiting = [asyncio.create_task(acme.api.post(CONTACTS, json=ADA)) for _ in range(2 * size)]
        await until_waiting(acme, queue, 2 * size)
        answers = await asyncio.gather(*(rival.api.get(CONTACTS) for _ in range(size // 2)))
        assert {answer.status_code for answer in answers} == {200}
    assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {201}


async def test_a_key_that_is_revoked_while_its_request_waits_is_refused(acme: Firm) -> None:
    house, queue = acme.house, acme.house.edge.requests
    assert (await acme.api.get(CONTACTS)).status_code == 200
    async with occupied(acme, queue):
        waiting = asyncio.create_task(acme.api.post(CONTACTS, json=ADA))
        await until_waiting(acme, queue)
        async with house.database.transaction() as db:
            await db.execute(
                "update keys set revoked_at = :now, version = version + 1 where company = :company",
                now=db.now,
                company=acme.uuid,
            )
    assert (await waiting).status_code == 401


async def test_a_request_that_waits_too_long_is_refused(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_turns, "MAX_WAIT_SECONDS", 0.01)
    async with occupied(acme, acme.house.edge.requests):
        answer = await acme.api.get(CONTACTS)
    assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
    assert (await acme.api.get(CONTACTS)).status_code == 200


async def test_a_stream_leaves_its_place_to_the_next_request(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acme.house.edge, "requests", request_turns.make_request_queue(2))
    path = "/int/v1/events/stream"
    async with listening(acme.house, acme.token, path) as listener:
        await listener.until(b"retry")
        assert (await acme.api.get(CONTACTS)).status_code == 200


async def test_a_company_sends_one_large_body_at_a_time_and_others_do_not_wait(
    acme: Firm, rival: Firm
) -> None:
    queue = acme.house.edge.large_bodies
    large = {**ADA, "meta": {"text": "x" * bodies.MIN_TURN_BYTES}}
    async with occupied(acme, queue):
        waiting = asyncio.create_task(acme.api.post(CONTACTS, json=large))
        await until_waiting(acme, queue)
        assert (await acme.api.post(CONTACTS, json=ADA)).status_code == 201
        assert (await rival.api.post(CONTACTS, json=large)).status_code == 422
        assert not waiting.done()
    assert (await waiting).status_code == 422


async def test_a_request_waits_for_its_turn_again_after_a_call_of_another_system(
    acme: Firm,
) -> None:
    edge = acme.house.edge
    scope: Any = {
        "type": "http", "method": "GET", "path": CONTACTS, "raw_path": CONTACTS.encode(),
        "query_string": b"", "headers": [], "scheme": "http", "client": ("127.0.0.1", 1),
    }  # fmt: skip
    exchange = Exchange(scope, receive_nothing, edge)
    exchange.address = "127.0.0.1"
    await request_turns.take_turn(exchange)

    async def call_another_system(places: AsyncExitStack) -> None:
        async with edge.suspend_transaction(exchange):
            assert exchange.turn is None
            while edge.requests.has_place(exchange.turn_company):
                await places.enter_async_context(edge.requests.wait_turn(exchange.turn_company))

    async with AsyncExitStack() as places:
        calling = asyncio.create_task(call_another_system(places))
        async with asyncio.timeout(PATIENCE):
            while not edge.requests.count_waiting(exchange.turn_company):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.001)
        assert not calling.done()
    await calling
    assert exchange.turn is not None
    await exchange.end_turn()


async def receive_nothing() -> Any:
    return {"type": "http.disconnect"}
