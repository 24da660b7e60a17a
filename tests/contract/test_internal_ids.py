"""The company's own numbers of orders: unique, and accepted in place of ids."""

import asyncio
import base64
from urllib.parse import quote

import msgspec
import pytest

from orders.shop import MANDAI, RAFFLES, Shop
from pannier.db.migrate import list_migrations
from pannier.orders import internal_ids, service
from pannier.orders.schemas import OrderIn
from probe import refused
from proofs import drawn
from stage import Firm, House

ROUTE = {"pickup": RAFFLES, "dropoff": MANDAI}


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_an_internal_id_is_refused_while_another_order_has_it(
    shop: Shop, acme: Firm, rival: Firm
) -> None:
    order = await shop.order(internal_id="WEB-5")
    request = {**ROUTE, "internal_id": "WEB-5"}
    body = refused(await acme.api.post("/v1/orders", json=request), 409, "internal_id_taken")
    assert (body["order"], body["fields"][0]["path"]) == (order["id"], "internal_id")
    assert order["id"] in body["detail"]
    assert (await rival.api.post("/v1/orders", json=request)).status_code == 201

    other = await shop.order(internal_id="WEB-6")
    change = await acme.api.patch(f"/v1/orders/{other['id']}", json={"internal_id": "WEB-5"})
    refused(change, 409, "internal_id_taken")
    # A renamed or deleted order releases its number.
    renamed = await acme.api.patch(f"/v1/orders/{order['id']}", json={"internal_id": "WEB-7"})
    assert renamed.status_code == 200, renamed.text
    again = await shop.order(internal_id="WEB-5")
    assert (await acme.api.delete(f"/v1/orders/{again['id']}")).status_code == 200
    await shop.order(internal_id="WEB-5")


async def test_a_canceled_order_yields_its_internal_id(shop: Shop, acme: Firm) -> None:
    first = await shop.order(internal_id="WEB-5")
    await shop.act(first, "cancel")
    # Nobody else has it: the canceled order is still found by it, and can be reopened.
    assert (await shop.get("orders/internal:WEB-5"))["id"] == first["id"]
    await shop.act(first, "reopen")
    await shop.act(first, "cancel")
    second = await shop.order(internal_id="WEB-5")
    assert (await shop.get("orders/internal:WEB-5"))["id"] == second["id"]
    assert (await shop.get(f"orders/{first['id']}"))["internal_id"] == "WEB-5"
    body = refused(await shop.attempt(first, "reopen"), 409, "internal_id_taken")
    assert body["order"] == second["id"]
    # The second one is canceled, too. The first one can be reopened, and takes the number back.
    await shop.act(second, "cancel")
    await shop.act(first, "reopen")
    assert (await shop.get("orders/internal:WEB-5"))["id"] == first["id"]
    refused(await shop.attempt(second, "reopen"), 409, "internal_id_taken")
    # A renamed holder hands it over to the other order.
    renamed = await acme.api.patch(f"/v1/orders/{first['id']}", json={"internal_id": "WEB-6"})
    assert renamed.status_code == 200, renamed.text
    assert (await shop.get("orders/internal:WEB-5"))["id"] == second["id"]
    await shop.act(second, "reopen")


async def test_creating_and_reopening_at_once_leave_one_open_order(
    shop: Shop, acme: Firm, house: House
) -> None:
    request = {**ROUTE, "internal_id": "RACE"}
    for _ in range(3):
        canceled = await shop.order(internal_id="RACE")
        await shop.act(canceled, "cancel")
        answers = await asyncio.gather(
            shop.attempt(canceled, "reopen"),
            *(acme.api.post("/v1/orders", json=request) for _ in range(2)),
        )
        assert sum(answer.is_success for answer in answers) == 1, [a.text for a in answers]
        assert {answer.json().get("code") for answer in answers} == {None, "internal_id_taken"}
        [winner] = [answer.json() for answer in answers if answer.is_success]
        assert (await shop.get("orders/internal:RACE"))["id"] == winner["id"]
        assert (
            await house.value(
                "select count(*) from orders where internal_id = 'RACE' and canceled_at is null"
            )
            == 1
        )
        await shop.act(winner, "cancel")


async def test_a_claim_waits_for_another_one_only_for_a_while(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(internal_ids, "LOCK_TIMEOUT", "50ms")
    request, headers = {**ROUTE, "internal_id": "SLOW"}, {"Idempotency-Key": "slow"}
    company = await house.value("select uuid from companies where name = 'Acme'")
    async with house.database.transaction() as db:
        await db.execute(
            "insert into order_internal_ids (company, internal_id, order_uuid) "
            "values (:company, 'SLOW', :company)",
            company=company,
        )
        answer = await acme.api.post("/v1/orders", json=request, headers=headers)
        refused(answer, 503, "internal_id_busy")
        assert answer.headers["retry-after"] == "2"
        await db.execute("delete from order_internal_ids where company = :company", company=company)
    # The same request succeeds later: the refusal is not kept with its key.
    answer = await acme.api.post("/v1/orders", json=request, headers=headers)
    assert answer.status_code == 201, answer.text


async def test_orders_of_one_repeated_number_are_not_created_one_after_the_other(
    shop: Shop, acme: Firm, house: House
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"unique_internal_ids": False})
    async with house.database.transaction() as db:
        # Another creation with the number, which does not end.
        company = await db.fetch_value("select uuid from companies where name = 'Acme'")
        data = msgspec.convert({**ROUTE, "internal_id": "SAME"}, OrderIn)
        pending = await service.create(db, company, data)
        await db.fetch_value("select 1")
        other = await asyncio.wait_for(shop.order(internal_id="SAME"), 5)
    assert (await shop.get("orders/internal:SAME"))["id"] == pending.row.public_id
    assert (await shop.get(f"orders/{other['id']}"))["internal_id"] == "SAME"


async def test_a_capture_by_an_internal_id_with_a_slash_is_an_upload_that_is_kept_for_long(
    shop: Shop, acme: Firm, house: House
) -> None:
    await shop.started(internal_id="a/b")
    path = f"/v1/orders/{quote('internal:a/b', safe='')}/capture-photo"
    body = {"photo": base64.b64encode(drawn.photo()).decode()}
    content = msgspec.json.encode(body) + b" " * house.settings.body_limit
    headers = {"Idempotency-Key": "photo", "Content-Type": "application/json"}
    answer = await acme.api.post(path, content=content, headers=headers)
    assert answer.status_code in {200, 201}, answer.text
    days = await house.value(
        "select extract(day from expires_at - pannier_now()) from idempotency_answers"
    )
    assert days == 30


@pytest.mark.parametrize("internal_id", ["WEB-5", "a/b:c d", "Tilaus №5 ✓", "order_x", "%2F"])
async def test_an_internal_id_stands_for_the_id_in_paths(
    shop: Shop, acme: Firm, rival: Firm, internal_id: str
) -> None:
    order = await shop.order(internal_id=internal_id)
    path = f"/v1/orders/{quote(f'internal:{internal_id}', safe='')}"
    found = await acme.api.get(path)
    assert found.status_code == 200, found.text
    assert found.json()["id"] == order["id"]
    assert (await acme.api.get(f"{path}/tracker")).status_code == 200
    assert (await rival.api.get(path)).status_code == 404
    canceled = await acme.api.post(f"{path}/cancel", json={})
    assert (canceled.status_code, canceled.json()["id"]) == (200, order["id"])
    assert (await acme.api.get(f"{path}x")).status_code == 404


async def test_of_two_orders_at_once_one_gets_the_internal_id(acme: Firm, house: House) -> None:
    request = {**ROUTE, "internal_id": "RACE"}
    answers = await asyncio.gather(*(acme.api.post("/v1/orders", json=request) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json().get("code") for answer in answers} == {None, "internal_id_taken"}
    assert await house.value("select count(*) from orders where internal_id = 'RACE'") == 1


async def test_the_last_of_several_orders_holds_a_repeated_internal_id(
    shop: Shop, acme: Firm, house: House
) -> None:
    settings = await acme.admin.patch("/int/v1/settings", json={"unique_internal_ids": False})
    assert settings.status_code == 200, settings.text
    first, last = [await shop.order(internal_id="OLD") for _ in range(2)]
    assert (await shop.get("orders/internal:OLD"))["id"] == last["id"]
    # As in an installation from before the table.
    connection = await house.database.connections.acquire()
    try:
        await connection.execute("delete from order_internal_ids")
        (fill,) = [step for step in list_migrations() if "fill_order_internal" in step.name]
        for _ in range(2):
            await connection.execute(fill.sql)
    finally:
        house.database.connections.release(connection)
    assert (await shop.get("orders/internal:OLD"))["id"] == last["id"]
    assert (await acme.api.delete(f"/v1/orders/{last['id']}")).status_code == 200
    assert (await shop.get("orders/internal:OLD"))["id"] == first["id"]


async def test_an_internal_id_stands_for_the_id_in_bodies_and_filters(
    shop: Shop, acme: Firm, rival: Firm
) -> None:
    order, name = await shop.order(internal_id="a/b c"), "internal:a/b c"
    template = {"name": "Weekly", "order": name}
    answer = await acme.api.post("/v1/order-templates", json=template)
    assert answer.status_code == 201, answer.text
    assert (await rival.api.post("/v1/order-templates", json=template)).status_code == 404
    for path in ("tracking-numbers", "tracking-statuses", "transactions", "proofs", "events"):
        query = {"order": name}
        answers = [await each.api.get(f"/v1/{path}", params=query) for each in (acme, rival)]
        assert [answer.status_code for answer in answers] == [200, 404], path
    (found,) = (await acme.api.get("/v1/orders", params={"id": name})).json()
    assert found["id"] == order["id"]
