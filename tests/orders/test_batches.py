"""A batch creates each of its orders once, and tells of each what became of it."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import httpx
import pytest

from orders.shop import MANDAI, RAFFLES, Shop
from pannier.app import create_app
from pannier.kit.clock import ManualClock
from pannier.orders.batches import keys, service
from pannier.web.fair_queue import FairQueue
from pannier.web.limits import RateLimiter
from probe import refused
from stage import Firm, House

BATCH = "/v1/orders/batch"
COUNT = "select count(*) from orders where company = :company"


def item(key: str | None = None, **more: Any) -> dict[str, Any]:
    named = {} if key is None else {"idempotency_key": key}
    return {"pickup": RAFFLES, "dropoff": MANDAI, **named, **more}


async def send(firm: Firm, *orders: Any, client: httpx.AsyncClient | None = None) -> dict[str, Any]:
    answer = await (client or firm.api).post(BATCH, json={"orders": list(orders)})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def statuses(told: dict[str, Any]) -> list[int]:
    return [result["status"] for result in told["results"]]


async def test_a_bad_order_stops_no_other_and_each_gets_its_own_result(
    acme: Firm, shop: Shop, house: House
) -> None:
    told = await send(
        acme,
        item("A", notes="First."),
        item("B", weight=3),
        item("C", driver="driver_nobody"),
        item(),
        "no order",
        item("F", payload={"entities": [{"name": 5}]}),
        item(internal_id="SO-7", driver=(await shop.driver())["id"], dispatch=True),
    )
    assert statuses(told) == [201, 422, 404, 422, 422, 422, 201]
    assert (told["created"], told["repeated"], told["refused"]) == (2, 0, 5)
    assert [result["index"] for result in told["results"]] == list(range(7))
    assert [result["key"] for result in told["results"]] == [
        "A", "B", "C", None, None, "F", "SO-7",
    ]  # fmt: skip
    first, unknown, nobody, keyless, *_, last = told["results"]
    assert unknown["problem"]["code"] == "unknown_field"
    assert unknown["problem"]["fields"][0]["path"] == "weight"
    assert nobody["problem"]["fields"][0]["path"] == "driver"
    assert keyless["problem"]["fields"][0]["path"] == "idempotency_key"
    assert first["order"] == await shop.get(f"orders/{first['order']['id']}")
    assert last["order"]["status"] == "dispatched"
    assert await house.value(COUNT, company=acme.uuid) == 2
    events = await house.value(
        "select array_agg(name order by name) from events where company = :company and name in "
        "('order.created', 'order.dispatched')",
        company=acme.uuid,
    )
    assert events == ["order.created", "order.created", "order.dispatched"]


def test_a_key_is_read_from_an_order_that_is_invalid() -> None:
    for body, key in (
        (b'{"idempotency_key": "A", "internal_id": "B", "nope": [', None),
        (b'{"idempotency_key": "A", "internal_id": "B", "nope": {}}', "A"),
        (b'{"internal_id": "B"}', "B"),
        (b'{"idempotency_key": 5, "internal_id": "B"}', None),
        (b'{"idempotency_key": "' + b"x" * 256 + b'"}', None),
        (b'["A"]', None),
        (b'{"idempotency_key": ""}', None),
        (b"\xff", None),
    ):
        assert keys.read_key_text(body) == key, body


async def test_a_problem_names_the_field_as_its_own_order_has_it(acme: Firm) -> None:
    told = await send(
        acme, item("A", driver_assigned="driver_nobody"), item("B", driver="driver_nobody")
    )
    paths = [result["problem"]["fields"][0]["path"] for result in told["results"]]
    assert paths == ["driver_assigned", "driver"]


async def test_an_order_that_is_sent_again_is_not_created_again(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    orders = [item("A"), item(internal_id="A")]
    first = await send(acme, *orders)
    again = await send(acme, *reversed(orders), item("B"))
    assert (again["created"], again["repeated"]) == (1, 2)
    ids = [result["order"]["id"] for result in first["results"]]
    assert [result["order"]["id"] for result in again["results"][:2]] == ids[::-1]
    other = await send(acme, item("A", notes="Other."), item("A"))
    assert statuses(other) == [409, 200]
    assert other["results"][0]["problem"]["code"] == "batch_key_reused"
    theirs = await send(rival, item("A"))
    assert statuses(theirs) == [201]
    assert await house.value(COUNT, company=acme.uuid) == 3
    # Until the key expires.
    clock.advance(days=31)
    assert await keys.sweep(house.database)
    assert statuses(await send(acme, item("A"))) == [201]


async def test_a_refused_order_leaves_its_key_for_the_corrected_one(acme: Firm) -> None:
    assert statuses(await send(acme, item("A", driver="driver_nobody"), item("A"))) == [404, 201]


async def test_a_deleted_order_is_not_created_again(acme: Firm, house: House) -> None:
    order = (await send(acme, item("A")))["results"][0]["order"]
    await acme.api.delete(f"/v1/orders/{order['id']}")
    again = await send(acme, item("A"))
    assert statuses(again) == [404]
    assert "deleted" in again["results"][0]["problem"]["detail"]
    assert await house.value(COUNT, company=acme.uuid) == 1


async def test_two_at_once_create_an_order_once(acme: Firm, house: House) -> None:
    # As in two processes, each of which works on one batch of a company.
    edges = [
        house.edge,
        create_app(house.settings, house.database, RateLimiter(None), house.hasher),
    ]
    clients = [replace(house, edge=edge).client(acme.api_key) for edge in edges]
    orders = [item(str(number)) for number in range(4)]
    told = await asyncio.gather(*(send(acme, *orders, client=client) for client in clients))
    results = [result for one in told for result in one["results"]]
    assert sorted(result["status"] for result in results) == [200] * 4 + [201] * 4
    assert await house.value(COUNT, company=acme.uuid) == 4


async def test_what_is_another_companys_is_404_in_its_own_result(
    acme: Firm, rival: Firm, market: Shop, house: House
) -> None:
    theirs = await market.driver()
    place = (await market.post("places", name="Depot", latitude=1.5, longitude=103.5))["id"]
    customer = (await market.post("contacts", name="Ada", phone="+6591234567"))["id"]
    told = await send(
        acme,
        item("A", driver=theirs["id"]),
        item("B", pickup=place),
        item("C", customer=customer),
        item("D", facilitator=customer),
    )
    assert statuses(told) == [404] * 4
    paths = [result["problem"]["fields"][0]["path"] for result in told["results"]]
    assert paths == ["driver", "pickup", "customer", "facilitator"]
    assert await house.value(COUNT, company=acme.uuid) == 0
    assert await house.value(COUNT, company=rival.uuid) == 0


async def test_a_company_sends_one_batch_at_a_time(acme: Firm, rival: Firm, house: House) -> None:
    queue: FairQueue = house.edge.services["batches"]
    with queue.claim_place(acme.uuid):
        answer = await acme.api.post(BATCH, json={"orders": [item("A")]})
        refused(answer, 429, "too_many_batches")
        assert answer.headers["retry-after"] == "5"
        assert statuses(await send(rival, item("A"))) == [201]
    assert statuses(await send(acme, item("A"))) == [201]


async def test_what_the_time_does_not_reach_is_to_be_sent_again(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = time.monotonic()
    monkeypatch.setattr(service, "MAX_SECONDS", 0.0)
    told = await send(acme, item("A"), item("B"))
    assert time.monotonic() - begun < 10
    assert statuses(told) == [503, 503]
    assert told["results"][0]["problem"]["code"] == "batch_time_exhausted"
    monkeypatch.undo()
    assert statuses(await send(acme, item("A"), item("B"))) == [201, 201]


async def test_its_size_and_its_callers_are_bounded(acme: Firm, house: House) -> None:
    refused(await acme.api.post(BATCH, json={"orders": []}), 422, "validation_failed")
    many = [{"idempotency_key": str(number)} for number in range(501)]
    refused(await acme.api.post(BATCH, json={"orders": many}), 422, "validation_failed")
    given = {"kind": "api", "name": "Reader", "scopes": ["orders:read"]}
    reader = (await acme.admin.post("/int/v1/keys", json=given)).json()["key"]
    refused(await house.client(reader).post(BATCH, json={"orders": [item("A")]}), 403, "forbidden")


async def test_a_batch_with_an_idempotency_key_gets_the_first_response_again(acme: Firm) -> None:
    sent = {"json": {"orders": [item("A")]}, "headers": {"Idempotency-Key": "batch-1"}}
    first, again = await acme.api.post(BATCH, **sent), await acme.api.post(BATCH, **sent)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
