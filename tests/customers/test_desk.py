"""Operators find customers, end sign-ins, close and restore accounts; news reach customers."""

from typing import Any, Final

import pytest

from customers.mall import PHONE, Mall
from news.waiting import all_told
from orders.shop import Shop
from pannier.kit.clock import ManualClock
from pannier.notifications.channels import NullChannel
from pannier.notifications.sender import make_senders
from pannier.orders.tracking import links
from probe import refused
from stage import House

ME = "/storefront/v1/customers/me"
HERE = "/storefront/v1/customers"
DRAWERS: Final = {"push": NullChannel()}


async def test_operators_list_search_and_read_customers(mall: Mall, outlet: Mall) -> None:
    ada = (await mall.registered(name="Ada", phone=PHONE))["customer"]
    grace = (await mall.registered(name="Grace", email="grace@example.com"))["customer"]
    await outlet.registered(name="Ada")
    viewer = await mall.firm.operator("viewer")

    async def found(query: str) -> list[str]:
        answer = await viewer.get(f"/int/v1/customers?{query}")
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["data"]]

    assert await found("") == [grace["id"], ada["id"]]
    assert await found("query=ada") == [ada["id"]]
    assert await found("query=grace@") == [grace["id"]]
    assert await found("query=91234567") == [ada["id"]]
    assert await found("closed=true") == []
    shown = (await viewer.get(f"/int/v1/customers/{ada['uuid']}")).json()
    assert (shown["name"], shown["has_password"]) == ("Ada", False)
    assert "hash" not in str(shown)


@pytest.mark.parametrize("all_at_once", [False, True])
async def test_an_operator_ends_sign_ins_at_once(mall: Mall, *, all_at_once: bool) -> None:
    made, client = await mall.visitor()
    admin = mall.firm.admin
    path = f"/int/v1/customers/{made['id']}/tokens"
    [token] = (await admin.get(path)).json()["data"]
    gone = await admin.delete(path if all_at_once else f"{path}/{token['id']}")
    assert gone.status_code == 200, gone.text
    refused(await client.get(ME), 401, "customer_token_invalid")
    actions = [row["action"] for row in (await admin.get("/int/v1/audit")).json()["data"]]
    assert {"customer.token_revoked", "customer.tokens_revoked"} & set(actions)
    assert (await (await mall.firm.operator("viewer")).delete(path)).status_code == 403


async def test_an_account_is_closed_and_restored(mall: Mall, clock: ManualClock) -> None:
    made, client = await mall.visitor(phone=PHONE)
    admin, path = mall.firm.admin, f"/int/v1/customers/{made['id']}"
    refused(await admin.post(f"{path}/restore"), 409, "customer_not_closed")
    closed = await admin.post(f"{path}/close", json={"reason": "Asked by phone."})
    assert closed.json()["close_reason"] == "Asked by phone."
    refused(await client.get(ME), 401, "customer_token_invalid")
    assert (await admin.post(f"{path}/restore")).json()["closed_at"] is None
    clock.advance(minutes=10)
    await mall.post("login-with-sms", phone=PHONE)
    again = await mall.post("verify-code", identity=PHONE, code=await mall.texted())
    assert again.json()["id"] == made["id"]


async def test_an_account_whose_number_is_anothers_by_now_stays_closed(
    mall: Mall, clock: ManualClock
) -> None:
    made, _ = await mall.visitor(phone=PHONE)
    admin, path = mall.firm.admin, f"/int/v1/customers/{made['id']}"
    await admin.post(f"{path}/close", json={"reason": "Asked by phone."})
    clock.advance(minutes=10)
    await mall.registered(name="Grace", phone=PHONE)
    refused(await admin.post(f"{path}/restore"), 409, "customer_exists")


@pytest.mark.slow
async def test_customers_see_their_own_orders_and_places_only(mall: Mall) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    eve, other = await mall.visitor(name="Eve")
    order = await shop.ready(customer=ada["id"], dispatch=True)
    await shop.order(customer=eve["id"])
    await shop.order()
    [shown] = (await client.get(f"{HERE}/orders")).json()
    assert (shown["id"], shown["customer"]["name"]) == (order["id"], "Ada")
    assert "•••" in shown["driver_assigned"]["phone"]
    assert (await client.get(f"{HERE}/orders/{order['id']}")).json() == shown
    assert (await client.get(f"{HERE}/orders/{order['uuid']}/tracker")).json()["progress"] == 25
    refused(await other.get(f"{HERE}/orders/{order['id']}"), 404, "not_found")
    refused(await other.get(f"{HERE}/orders/{order['id']}/tracker"), 404, "not_found")
    [place] = (await client.get(f"{HERE}/places")).json()
    assert place["id"] == order["payload"]["dropoff"]["id"]


async def test_places_of_a_deleted_order_are_not_shown(mall: Mall) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    order = await shop.order(customer=ada["id"])
    assert (await mall.firm.api.delete(f"/v1/orders/{order['id']}")).status_code == 200
    assert (await client.get(f"{HERE}/places")).json() == []


async def test_news_of_an_order_reach_the_customers_devices_once(mall: Mall, house: House) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    for token in ("one", "two"):
        await client.post(f"{HERE}/register-device", json={"platform": "ios", "token": token})
    order = await shop.ready(customer=ada["id"])
    await shop.ready(dispatch=True)
    await shop.act(order, "dispatch")
    await all_told(house)
    rows = await house.value(
        "select array_agg(recipient || ' ' || subject order by recipient) from messages "
        "where channel = 'push'"
    )
    assert rows == ["one Your delivery is on its way", "two Your delivery is on its way"]


async def test_news_are_told_in_the_language_of_the_customers_phone(
    mall: Mall, house: House
) -> None:
    ada, client = await mall.visitor()
    device = {"platform": "ios", "token": "one", "locale": "fr_FR"}
    assert (await client.post(f"{HERE}/register-device", json=device)).is_success
    await Shop(mall.firm).ready(customer=ada["id"], dispatch=True)
    await all_told(house)
    told = "select array_agg(subject) from messages where channel = 'push'"
    assert await house.value(told) == ["Votre livraison est en route"]


async def test_what_would_be_news_too_late_is_told_to_nobody(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    await client.post(f"{HERE}/register-device", json={"platform": "ios", "token": "one"})
    order = await shop.started(customer=ada["id"])
    clock.advance(minutes=61)
    await shop.act(order, "cancel")
    await all_told(house)
    told = "select array_agg(subject || ' ' || state) from messages where channel = 'push'"
    assert await house.value(told) == ["Your delivery was canceled due"]
    # The worker was away for a day: what it finds then is not worth a buzz either.
    clock.advance(days=1)
    [phones] = [each for each in make_senders(house.database, DRAWERS) if each.name == "push"]
    while await phones.step():
        await phones.wait_until_idle()
    assert await house.value(told) == ["Your delivery was canceled failed"]


async def test_who_only_says_a_phone_is_theirs_ends_nobody_elses_wish_for_no_news(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    shop, silent = Shop(mall.firm), "select count(*) from news_quiet where recipient = :phone"
    ada = (await mall.firm.api.post("/v1/contacts", json={"name": "Ada", "phone": PHONE})).json()
    await mall.post("request-creation-code", email="eve@example.com")
    said = {"email": "eve@example.com", "phone": PHONE, "code": await mall.texted()}
    eve = (await mall.post("", name="Eve", **said)).json()
    hers, eves = [await shop.order(customer=each["id"]) for each in (ada, eve)]

    async def wish(order: dict[str, Any], news: str) -> None:
        clock.advance(seconds=1)
        number = order["tracking_number"]["tracking_number"]
        page, _, key = links.page_link(house.database.keys, "", number).partition("?")
        answer = await house.client().post(f"{page}/news?{key}", data={"news": news})
        assert answer.status_code == 303, answer.text

    await wish(eves, "stop")
    await wish(eves, "start")
    assert await house.value(silent, phone=PHONE) == 0, "her own wish is hers to take back"
    await wish(hers, "stop")
    await wish(eves, "stop")
    await wish(eves, "start")
    assert await house.value(silent, phone=PHONE) == 1
    await wish(hers, "start")
    assert await house.value(silent, phone=PHONE) == 0
    for order, news in ((eves, "stop"), (hers, "stop"), (eves, "stop"), (eves, "start")):
        await wish(order, news)
    assert await house.value(silent, phone=PHONE) == 1, "whoever wished it first"


async def test_an_operator_pushes_a_message(mall: Mall, house: House) -> None:
    made, client = await mall.visitor()
    await client.post(f"{HERE}/register-device", json={"platform": "web", "token": "t"})
    path = f"/int/v1/customers/{made['id']}/push"
    answer = await mall.firm.admin.post(path, json={"title": "Hello", "text": "World."})
    assert answer.json() == {"status": "ok", "devices": 1}
    assert await house.value("select recipient from messages where channel = 'push'") == "t"
