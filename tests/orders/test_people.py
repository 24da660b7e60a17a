"""A person described on an order is the contact whom the description fits, or a new one."""

import asyncio
from itertools import count
from typing import Any

import pytest

from customers.mall import Mall
from news.waiting import all_told
from orders.shop import MANDAI, RAFFLES, Shop
from pannier.customers import recognition
from probe import paths
from proofs import printed
from stage import Firm, House

PHONE, OTHER = "+6591230009", "+6591230010"
WAITING = """select count(*) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'"""
HELD = """select count(*) from pg_locks where locktype = 'advisory' and granted
          and (classid::bigint << 32) | objid::bigint = hashtextextended(:key, 0)"""


async def test_an_inline_person_is_the_contact_with_the_same_name_and_phone(shop: Shop) -> None:
    known = await shop.post("contacts", name="Ada", phone=PHONE)
    inline = {"name": "ada", "phone": "+65 9123 0009"}
    stop = {**MANDAI, "contact": inline}
    order = await shop.order(customer=inline, payload={"waypoints": [RAFFLES, stop]})
    assert order["customer"]["id"] == known["id"]
    assert order["payload"]["waypoints"][1]["contact"] == known["id"]
    other = await shop.order(customer={**inline, "internal_id": "C-2"})
    assert other["customer"]["id"] == known["id"]
    await shop.patch(f"contacts/{known['id']}", internal_id="C-1")
    apart = await shop.order(customer={**inline, "internal_id": "C-2"})
    assert apart["customer"]["id"] != known["id"]


async def test_an_order_names_and_reaches_the_person_it_is_for_at_somebody_elses_phone(
    shop: Shop, house: House
) -> None:
    anna = await shop.post("contacts", name="Anna", phone=PHONE, email="anna@example.com")
    bert = {"name": "Bert", "phone": PHONE, "email": "bert@example.com"}
    stop = {**MANDAI, "contact": bert}
    order = await shop.order(customer=bert, payload={"waypoints": [RAFFLES, stop]})
    customer = order["customer"]
    assert (customer["name"], customer["email"]) == ("Bert", "bert@example.com")
    assert order["payload"]["waypoints"][1]["recipient"]["name"] == "Bert"
    assert order["payload"]["waypoints"][1]["contact"] == customer["id"] != anna["id"]
    again = await shop.order(customer=bert)
    assert again["customer"]["id"] == customer["id"]
    mail = {"name": "Anna", "phone": PHONE, "email": "anna.work@example.com"}
    changed = await shop.patch(f"orders/{again['id']}", customer=mail)
    assert changed["customer"]["email"] == "anna.work@example.com"
    await shop.patch(f"contacts/{customer['id']}", phone=None)
    driver = await shop.post("drivers", name="Grace", phone="+6591110000")
    await shop.act(order, "dispatch", driver=driver["id"])
    await shop.act(order, "cancel")
    await all_told(house)
    sent = await house.value("select array_agg(distinct recipient) from messages")
    assert sent == ["bert@example.com"]


async def test_an_email_alone_finds_the_contact_with_the_same_name(shop: Shop) -> None:
    mail = {"name": "Bert", "email": "Bert@example.com"}
    first = await shop.order(customer=mail)
    second = await shop.order(customer={**mail, "email": "bert@example.com"})
    third = await shop.order(customer={**mail, "name": "Eve"})
    ids = [order["customer"]["id"] for order in (first, second, third)]
    assert ids[0] == ids[1] != ids[2]


async def test_an_email_without_a_name_finds_the_only_contact_with_it(shop: Shop) -> None:
    mail = {"email": "bert@example.com"}
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "customer": mail}
    unknown = await shop.firm.api.post("/v1/orders", json=body)
    assert paths(unknown) == ["customer.name"]
    bert = await shop.post("contacts", name="Bert", **mail)
    order = await shop.order(customer={"email": "BERT@example.com"})
    assert order["customer"]["id"] == bert["id"]
    # An account that has not verified the address is not found, and does not hide its owner.
    await Mall(shop.firm, count(1)).visitor(name="Eve", phone=OTHER, email="bert@example.com")
    assert (await shop.order(customer=mail))["customer"]["id"] == bert["id"]
    await shop.post("contacts", name="Bertha", **mail)
    ambiguous = await shop.firm.api.post("/v1/orders", json=body)
    assert paths(ambiguous) == ["customer.name"]


async def test_an_order_keeps_the_names_that_it_was_placed_with(shop: Shop, house: House) -> None:
    ada = {"name": "Ada", "phone": PHONE, "email": "ada@example.com"}
    eve = {"name": "Eve", "phone": OTHER}
    stop = {**MANDAI, "contact": eve}
    driver = await shop.post("drivers", name="Grace", phone="+6591110000")
    order = await shop.order(
        customer=ada, payload={"waypoints": [RAFFLES, stop]}, driver=driver["id"]
    )
    known = await shop.order(customer=order["customer"]["id"])
    for person in (order["customer"]["id"], order["payload"]["waypoints"][1]["contact"]):
        await shop.patch(f"contacts/{person}", name="Somebody else")
    shown = await shop.get(f"orders/{order['id']}")
    assert shown["customer"]["name"] == "Ada"
    assert shown["payload"]["waypoints"][1]["recipient"]["name"] == "Eve"
    sheet = await shop.firm.api.get(f"/v1/orders/{order['id']}/proof-sheet.pdf")
    pages = str(printed.pages(sheet.content))
    assert ("Ada" in pages, "Eve" in pages, "Somebody else" in pages) == (True, True, False)
    # A reference has no name of its own.
    assert (await shop.get(f"orders/{known['id']}"))["customer"]["name"] == "Somebody else"
    # Sending back what was read changes nothing.
    back = {"customer": shown["customer"], "payload": {"waypoints": shown["payload"]["waypoints"]}}
    same = await shop.patch(f"orders/{order['id']}", **back)
    assert same["customer"]["name"] == "Ada"
    assert same["payload"]["waypoints"][1]["recipient"]["name"] == "Eve"
    assert same["version"] == shown["version"]
    await shop.act(order, "dispatch")
    await all_told(house)
    sent = await house.value("select string_agg(body, ' ') from messages")
    assert "Somebody else" not in sent
    changed = await shop.patch(f"orders/{order['id']}", customer={**ada, "name": "Ada King"})
    assert changed["customer"]["name"] == "Ada King"
    assert (await shop.told("order.updated"))[-1]["data"]["changed"] == ["customer"]


async def test_an_account_is_not_found_by_an_email_it_has_not_verified(shop: Shop) -> None:
    mall = Mall(shop.firm, count(1))
    ada, _ = await mall.visitor(name="Ada", phone=PHONE, email="ada@example.com")
    order = await shop.order(customer={"name": "Ada", "email": "ada@example.com"})
    assert order["customer"]["uuid"] != ada["contact"]


@pytest.mark.parametrize("known", [False, True])
async def test_many_at_once_make_one_contact(shop: Shop, house: House, *, known: bool) -> None:
    if known:
        await shop.post("contacts", name="Ada", phone=PHONE)
    await asyncio.gather(*(shop.order(customer={"name": "Ada", "phone": PHONE}) for _ in range(6)))
    assert await house.value("select count(*) from contacts where phone = :p", p=PHONE) == 1


def stops(*phones: str) -> list[dict[str, Any]]:
    """Stop at people's doors, one after the other."""
    return [{**MANDAI, "contact": {"name": "Somebody", "phone": phone}} for phone in phones]


@pytest.mark.parametrize(
    "body",
    [
        {"waypoints": [RAFFLES, *stops(OTHER, PHONE)]},
        {"payload": {"waypoints": [RAFFLES, *stops(OTHER, PHONE)]}},
        {"waypoints": [RAFFLES, *stops(OTHER)], "customer": {"name": "Ada", "phone": PHONE}},
    ],
)
async def test_who_waits_for_one_of_several_people_keeps_nobody_from_another(
    acme: Firm, house: House, body: dict[str, Any]
) -> None:
    """Else two orders that name the same people in another order would wait for each other."""
    async with house.database.transaction() as db:
        await recognition.lock_keys(db, acme.uuid, [PHONE])
        placing = asyncio.ensure_future(acme.api.post("/v1/orders", json=body))
        while await house.value(WAITING) == 0:
            assert not placing.done()
        assert await house.value(HELD, key=f"contact:{acme.uuid}:{OTHER}") == 0
    assert (await placing).status_code == 201


async def test_two_orders_with_other_addresses_of_the_same_people_cannot_deadlock(
    shop: Shop, acme: Firm, house: House
) -> None:
    for phone in (PHONE, OTHER):
        await shop.post("contacts", name="Somebody", phone=phone, email="old@example.com")
    people = [
        {"name": "Somebody", "phone": phone, "email": "new@example.com"} for phone in (OTHER, PHONE)
    ]
    body = {"waypoints": [RAFFLES, *({**MANDAI, "contact": person} for person in people)]}
    async with house.database.transaction() as db:
        await recognition.lock_keys(db, acme.uuid, [PHONE])
        placing = asyncio.ensure_future(acme.api.post("/v1/orders", json=body))
        while await house.value(WAITING) == 0:
            assert not placing.done()
        assert await house.value(HELD, key=f"contact:{acme.uuid}:{OTHER}") == 0
    assert (await placing).status_code == 201


async def test_nobody_waits_for_people_whom_the_company_knows(
    shop: Shop, acme: Firm, house: House
) -> None:
    for phone in (PHONE, OTHER):
        await shop.post("contacts", name="Somebody", phone=phone)
    async with house.database.transaction() as db:
        await recognition.lock_keys(db, acme.uuid, [PHONE, OTHER])
        customer = {"name": "Somebody", "phone": PHONE}
        await shop.order(waypoints=[RAFFLES, *stops(OTHER, PHONE)], customer=customer)
    assert await house.value("select count(*) from contacts") == 2


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
