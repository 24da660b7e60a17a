"""Whoever is named inline with a known phone is the same contact, not a second one."""

import asyncio
from itertools import count

import pytest

from customers.mall import Mall
from orders.shop import MANDAI, RAFFLES, Shop
from stage import House

PHONE = "+6591230009"


async def test_an_inline_customer_with_a_known_phone_is_the_contact_who_has_it(shop: Shop) -> None:
    known = await shop.post("contacts", name="Ada", phone=PHONE)
    inline = {"name": "Ms Lovelace", "phone": "+65 9123 0009"}
    stop = {**MANDAI, "contact": inline}
    order = await shop.order(customer=inline, payload={"waypoints": [RAFFLES, stop]})
    assert order["customer"]["id"] == known["id"]
    assert order["payload"]["waypoints"][1]["contact"] == known["id"]
    changed = await shop.patch(f"orders/{order['id']}", customer={"name": "Eve", "phone": PHONE})
    assert changed["customer"]["name"] == "Ada"
    other = await shop.order(customer={**inline, "internal_id": "C-2"})
    assert other["customer"]["id"] == known["id"]
    await shop.patch(f"contacts/{known['id']}", internal_id="C-1")
    apart = await shop.order(customer={**inline, "internal_id": "C-2"})
    assert apart["customer"]["id"] != known["id"]


@pytest.mark.parametrize("known", [False, True])
async def test_many_at_once_make_one_contact(shop: Shop, house: House, *, known: bool) -> None:
    if known:
        await shop.post("contacts", name="Ada", phone=PHONE)
    await asyncio.gather(*(shop.order(customer={"name": "Ada", "phone": PHONE}) for _ in range(6)))
    assert await house.value("select count(*) from contacts where phone = :p", p=PHONE) == 1


async def test_an_order_for_a_phone_reaches_only_who_has_proved_it(shop: Shop) -> None:
    """Whoever merely says that a phone is theirs would be shown where its owner lives."""
    mall = Mall(shop.firm, count(1))
    mail = "eve@example.com"
    await mall.post("request-creation-code", email=mail)
    said = {"name": "Eve", "email": mail, "phone": PHONE, "identity": mail}
    eve = mall.signed((await mall.post("", code=await mall.texted(), **said)).json()["token"])
    inline = {"name": "Ada", "phone": PHONE}
    await shop.order(customer=inline)
    assert (await eve.get("/storefront/v1/customers/orders")).json() == []
    ada, client = await mall.visitor(name="Ada", phone=PHONE)
    order = await shop.order(customer=inline)
    assert order["customer"]["uuid"] == ada["contact"]
    [shown] = (await client.get("/storefront/v1/customers/orders")).json()
    assert shown["id"] == order["id"]
