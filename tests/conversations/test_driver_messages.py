"""Messages between dispatch and drivers: once, in order, and only between the two."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx

from orders.shop import CHANGI, RAFFLES, Phone, Shop
from pannier.conversations import sweep
from probe import refused
from stage import Firm, House

PATH = "/v1/driver-messages"


async def sent(client: httpx.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(PATH, json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    message: dict[str, Any] = answer.json()
    return message


async def listed(client: httpx.AsyncClient, query: str = "") -> list[str]:
    answer = await client.get(f"{PATH}?{query}")
    assert answer.status_code == 200, answer.text
    return [message["text"] for message in answer.json()]


async def test_dispatch_and_a_driver_write_to_each_other(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    app = await phone(ada)
    asked = await sent(app, "Which gate?", order=order["id"])
    assert (asked["sender"], asked["actor"]["id"], asked["order"]) == (
        "driver",
        ada["id"],
        order["id"],
    )
    house.clock.advance(seconds=1)
    answered = await sent(acme.api, "Gate 3.", order=order["id"])
    assert (answered["sender"], answered["driver"]) == ("dispatch", ada["id"])
    house.clock.advance(seconds=1)
    await sent(acme.api, "Call in.", driver=ada["id"])
    await sent(acme.api, "Not for Ada.", driver=grace["id"])
    assert await listed(app) == ["Call in.", "Gate 3.", "Which gate?"]
    assert await listed(app, f"order={order['id']}") == ["Gate 3.", "Which gate?"]
    assert len(await listed(acme.api)) == 4
    assert await listed(acme.api, "unread=true") == ["Which gate?"]
    assert await listed(app, "unread=true") == ["Call in.", "Gate 3."]


async def test_reading_marks_only_what_the_other_side_wrote_until_then(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    ada = await shop.driver()
    app = await phone(ada)
    first = await sent(app, "One.")
    await sent(acme.api, "Two.", driver=ada["id"])
    house.clock.advance(seconds=1)
    await sent(app, "Three.")
    read = await acme.api.post(f"{PATH}/{first['id']}/read")
    assert (read.status_code, read.json()["read_at"]) == (200, "2026-01-15T12:00:01.000Z")
    assert await listed(acme.api, "unread=true") == ["Three."]
    assert await listed(app, "unread=true") == ["Two."]
    [second] = (await app.get(f"{PATH}?unread=true")).json()
    house.clock.advance(seconds=1)
    assert (await app.post(f"{PATH}/{second['id']}/read")).is_success
    assert await listed(app, "unread=true") == []
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    await sent(acme.api, "Four.", driver=ada["id"])
    about = await sent(acme.api, "Five.", order=order["id"])
    assert (await app.post(f"{PATH}/{about['id']}/read", json={"thread": "order"})).is_success
    assert await listed(app, "unread=true") == ["Four."]
    # Read again, the first moment stays.
    # Not the whole thread by mistake.
    [fourth] = (await app.get(f"{PATH}?unread=true")).json()
    body = {"thread": "order"}
    refused(await app.post(f"{PATH}/{fourth['id']}/read", json=body), 422, "validation_failed")
    assert await listed(app, "unread=true") == ["Four."]
    again = (await acme.api.post(f"{PATH}/{first['id']}/read")).json()
    assert again["read_at"] == "2026-01-15T12:00:01.000Z"


async def test_a_message_that_is_sent_again_is_stored_once(
    shop: Shop, phone: Phone, acme: Firm
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    app, other = await phone(ada), await phone(grace)
    body = {"message_uuid": str(uuid4()), "text": "I am stuck."}
    answers = await asyncio.gather(*(app.post(PATH, json=body) for _ in range(3)))
    assert [answer.status_code for answer in answers] == [201] * 3
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert await listed(acme.api) == ["I am stuck."]
    refused(await app.post(PATH, json={**body, "text": "Free."}), 409, "message_conflict")
    refused(await other.post(PATH, json=body), 409, "message_conflict")


async def test_drivers_reach_only_their_own_messages_and_orders(
    shop: Shop, phone: Phone, acme: Firm
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    app, other = await phone(ada), await phone(grace)
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    own = await sent(app, "Mine.", order=order["id"])
    assert await listed(other) == []
    # The answer does not tell whether an order or a driver exists.
    for query in (
        f"order={order['id']}",
        "order=internal:WEB-9",
        f"driver={ada['id']}",
        "driver=x",
    ):
        assert await listed(other, query) == []
    refused(await acme.api.get(f"{PATH}?order=internal:WEB-9"), 404, "not_found")
    refused(await other.post(f"{PATH}/{own['id']}/read"), 404, "not_found")
    body = {"text": "Theirs.", "order": order["id"]}
    refused(await other.post(PATH, json=body), 404, "not_found")
    refused(
        await app.post(PATH, json={"text": "To.", "driver": grace["id"]}), 422, "validation_failed"
    )
    # A message that was written without reception arrives after the order was given away.
    assert (await app.post(f"/v1/orders/{order['id']}/start")).is_success
    await shop.act(order, "assign-driver", driver=grace["id"])
    late = await sent(app, "I had it.", order=order["id"], sent_at="2026-01-15T11:00:00Z")
    assert late["sent_at"] == "2026-01-15T11:00:00.000Z"
    body = {"text": "Who?", "order": order["id"], "driver": ada["id"]}
    refused(await acme.api.post(PATH, json=body), 422, "validation_failed")


async def test_a_message_whose_answer_was_lost_is_found_after_the_order_was_given_away(
    shop: Shop, phone: Phone, acme: Firm
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    app = await phone(ada)
    order = await shop.order(
        driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True, internal_id="WEB-5"
    )
    bodies = [
        {"order": name, "message_uuid": str(uuid4())} for name in ("internal:WEB-5", order["id"])
    ]
    first = await sent(app, "The gate is closed.", **bodies[0])
    answer = await sent(acme.api, "Wait.", **bodies[1])
    await shop.act(order, "assign-driver", driver=grace["id"])
    assert (await sent(app, "The gate is closed.", **bodies[0]))["id"] == first["id"]
    assert (await sent(acme.api, "Wait.", **bodies[1]))["id"] == answer["id"]
    # Only the same message, from the same driver.
    refused(await app.post(PATH, json={"text": "Else.", **bodies[0]}), 404, "not_found")
    other = await phone(grace)
    body = {"text": "The gate is closed.", **bodies[0]}
    refused(await other.post(PATH, json=body), 409, "message_conflict")


async def test_another_company_sees_and_sends_nothing(shop: Shop, market: Shop) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI)
    message = await sent(shop.firm.api, "Hello.", order=order["id"])
    rival = market.firm.api
    assert await listed(rival) == []
    for body in ({"driver": ada["id"]}, {"order": order["id"]}):
        refused(await rival.post(PATH, json={"text": "Hi.", **body}), 404, "not_found")
    refused(await rival.get(f"{PATH}?driver={ada['id']}"), 404, "not_found")
    refused(await rival.post(f"{PATH}/{message['id']}/read"), 404, "not_found")


async def test_an_order_without_a_driver_has_nobody_to_write_to(shop: Shop, acme: Firm) -> None:
    order = await shop.order(pickup=RAFFLES, dropoff=CHANGI)
    refused(
        await acme.api.post(PATH, json={"text": "Hi.", "order": order["id"]}),
        409,
        "driver_required",
    )
    refused(await acme.api.post(PATH, json={"text": "Hi."}), 422, "validation_failed")


async def test_messages_are_deleted_with_the_retention_of_messages(
    shop: Shop, acme: Firm, house: House
) -> None:
    ada = await shop.driver()
    await sent(acme.api, "Old.", driver=ada["id"])
    house.clock.advance(days=40)
    await sent(acme.api, "New.", driver=ada["id"])
    assert await sweep.delete_batch(house.database, timedelta(days=30))
    assert await listed(acme.api) == ["New."]
