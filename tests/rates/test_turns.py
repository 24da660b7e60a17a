"""Whoever asks for quotes holds nobody else up."""

import asyncio
import time
from typing import Any

import pytest

from pannier.rates.quotes import quoting
from pannier.rates.quotes.quoting import (
    MAX_WAITING_ORDERS,
    MAX_WAITING_REQUESTS,
    ORDER_QUEUE,
    QUEUE,
    make_pricing_queue,
)
from pannier.web.fair_queue import FairQueue
from probe import Heard, knock
from program import PATIENCE
from rates import counter
from rates.examples import shipment
from stage import Firm

# More than a process has connections.
MANY = 12
ORDER = {
    "pickup": {"latitude": 0.0, "longitude": 100.0},
    "dropoff": {"latitude": 0.0, "longitude": 100.1},
}


async def test_others_have_their_turn_as_time_passes_however_few_rates_there_are(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fee in (1, 2, 3):
        await counter.rate(acme, base_fee=fee)
    async with acme.house.database.reading() as db:
        pricing = await quoting.load_pricing(db, acme.uuid)
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(quoting, "TURN_SECONDS", 0)
    monkeypatch.setattr(quoting, "LONG_TURN_SECONDS", PATIENCE)
    other = asyncio.create_task(take_turns())
    quotes = await pricing.find_quotes(shipment())
    other.cancel()
    assert (len(quotes), turns) == (3, 3)


async def test_after_a_long_turn_others_have_more_than_one_step() -> None:
    steps = 0

    async def take_steps() -> None:
        nonlocal steps
        while True:
            steps += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(take_steps())
    async for _ in quoting.yield_in_turns(range(3)):
        end = time.thread_time() + 2 * quoting.LONG_TURN_SECONDS
        while time.thread_time() < end:
            pass
    other.cancel()
    assert steps > 10


async def test_a_company_prices_one_shipment_at_a_time_and_others_do_not_wait(
    acme: Firm, rival: Firm
) -> None:
    for firm in (acme, rival):
        await counter.rate(firm)
    async with QUEUE.wait_turn(acme.uuid):
        waiting = asyncio.create_task(counter.ask(acme.api))
        await until_waiting(acme)
        assert len(await counter.ask(rival.api)) == 1
        assert not waiting.done()
    assert len(await waiting) == 1


async def test_more_quotes_than_a_company_may_have_waiting_are_refused_for_a_second(
    acme: Firm,
) -> None:
    await counter.rate(acme, public=True)
    way = {"pickup": counter.CENTRE, "dropoff": counter.EAST}
    async with QUEUE.wait_turn(acme.uuid):
        waiting = [asyncio.create_task(counter.ask(acme.api)) for _ in range(MAX_WAITING_REQUESTS)]
        await until_waiting(acme, MAX_WAITING_REQUESTS)
        for refused in [
            await acme.api.get("/v1/service-quotes", params=way),
            await acme.api.get("/v1/service-quotes", params={**way, "explain": "1"}),
            await acme.api.post("/v1/service-rates/preview", json=way),
            await acme.storefront.get("/storefront/v1/service-quotes", params=way),
        ]:
            assert (refused.status_code, refused.json()["code"]) == (429, "pricing_busy")
            assert refused.headers["retry-after"] == "1"
    assert [len(quotes) for quotes in await asyncio.gather(*waiting)] == [1] * MAX_WAITING_REQUESTS


@pytest.mark.parametrize("query", [b"", b"&explain=1"])
async def test_pricing_ends_when_the_caller_leaves(
    acme: Firm, query: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fee in range(30):
        await counter.rate(acme, base_fee=fee)
    monkeypatch.setattr(quoting, "TURN_SECONDS", 0)
    asked = f"pickup={counter.CENTRE}&dropoff={counter.EAST}".encode() + query
    headers = [(b"authorization", f"Bearer {acme.api_key}".encode())]

    async def leave() -> Any:
        for _ in range(5):
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    heard = Heard()
    await knock(
        acme.house.edge, heard, path="/v1/service-quotes", query=asked, headers=headers,
        receive=leave,
    )  # fmt: skip
    assert heard.messages == []


async def test_who_leaves_the_queue_gives_the_place_back(acme: Firm) -> None:
    await counter.rate(acme)
    left = asyncio.Event()

    async def leave() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    async with QUEUE.wait_turn(acme.uuid):
        asking = asyncio.create_task(
            knock(
                acme.house.edge,
                Heard(),
                path="/v1/service-quotes",
                query=f"pickup={counter.CENTRE}&dropoff={counter.EAST}".encode(),
                headers=[(b"authorization", f"Bearer {acme.api_key}".encode())],
                receive=leave,
            )
        )
        await until_waiting(acme)
        left.set()
        await asking
        assert QUEUE.count_waiting(acme.uuid) == 0


async def test_whoever_waits_for_a_quote_holds_no_connection(acme: Firm, rival: Firm) -> None:
    await counter.rate(acme)
    way = {"pickup": counter.CENTRE, "dropoff": counter.EAST}
    measured = {**way, "distance": 1000, "time": 60}
    async with QUEUE.wait_turn(acme.uuid):
        asking = [
            asyncio.create_task(acme.api.get("/v1/service-quotes", params=measured))
            for _ in range(MANY)
        ]
        asking += [
            asyncio.create_task(
                acme.api.post(
                    "/v1/service-rates/preview", json=way, headers={"Idempotency-Key": f"{number}"}
                )
            )
            for number in range(MANY)
        ]
        await until_waiting(acme, 2 * MANY)
        assert (await rival.api.get("/v1/orders")).status_code == 200
    answers = await asyncio.gather(*asking)
    assert [answer.status_code for answer in answers] == [200] * 2 * MANY


async def test_orders_are_priced_while_quotes_of_their_company_wait(acme: Firm) -> None:
    await counter.rate(acme)
    async with QUEUE.wait_turn(acme.uuid), asyncio.timeout(PATIENCE):
        placed = await acme.api.post("/v1/orders", json=ORDER)
    assert (placed.status_code, placed.json()["price_status"]) == (201, "priced")


async def test_orders_that_wait_to_be_priced_leave_connections_to_other_companies(
    acme: Firm, rival: Firm
) -> None:
    await counter.rate(acme)
    async with ORDER_QUEUE.wait_turn(acme.uuid):
        placing = [
            asyncio.create_task(
                acme.api.post("/v1/orders", json=ORDER, headers={"Idempotency-Key": f"{number}"})
            )
            for number in range(MANY)
        ]
        await until_waiting(acme, MAX_WAITING_ORDERS, ORDER_QUEUE)
        assert (await rival.api.get("/v1/orders")).status_code == 200
    answers = await asyncio.gather(*placing)
    # Those beyond the queue were tried again.
    assert {(each.status_code, each.json()["price_status"]) for each in answers} == {
        (201, "priced")
    }
    assert len((await acme.api.get("/v1/orders")).json()) == MANY


@pytest.mark.usefixtures("brief_pauses")
async def test_an_order_that_cannot_be_priced_for_long_is_refused_and_its_key_stays_free(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    await counter.rate(acme)
    queue = make_pricing_queue(0, is_retried=True)
    monkeypatch.setattr(quoting, "ORDER_QUEUE", queue)
    keyed = {"Idempotency-Key": "one"}
    with queue.claim_place(acme.uuid):
        refused = await acme.api.post("/v1/orders", json=ORDER, headers=keyed)
    assert (refused.status_code, refused.json()["code"]) == (429, "pricing_busy")
    assert (await acme.api.get("/v1/orders")).json() == []
    monkeypatch.undo()
    assert (await acme.api.post("/v1/orders", json=ORDER, headers=keyed)).status_code == 201


async def until_waiting(firm: Firm, count: int = 1, queue: FairQueue = QUEUE) -> None:
    """Wait until so many of a company's shipments wait for their turn."""
    async with asyncio.timeout(PATIENCE):
        while queue.count_waiting(firm.uuid) < count:  # noqa: ASYNC110 - it notifies nobody
            await asyncio.sleep(0.001)
