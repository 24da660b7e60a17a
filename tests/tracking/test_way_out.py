"""Whoever follows a parcel may stop the news about it, and have them again."""

from orders.shop import MANDAI, RAFFLES, Shop
from stage import House
from tracking.asking import link_of, stranger

QUIET = "select count(*) from news_quiet"


async def test_the_recipient_stops_the_news_and_has_them_again(shop: Shop, house: House) -> None:
    ada = await shop.post("contacts", name="Ada Lovelace", phone="+6591234567")
    order = await shop.order(customer=ada["id"])
    link = await link_of(shop, order)
    path = link.replace("?", "/news?")
    async with stranger(house) as client:
        assert "Message settings" in (await client.get(link)).text
        assert "Stop all messages from Acme" in (await client.get(path)).text
        led = await client.post(path, data={"news": "stop"})
        assert (led.status_code, led.headers["location"]) == (303, path)
        assert (
            "no longer receive messages about deliveries from Acme" in (await client.get(path)).text
        )
        assert await house.value(QUIET) == 1
        await client.post(path, data={"news": "start"})
        assert "Stop all messages from Acme" in (await client.get(path)).text
        assert await house.value(QUIET) == 0


async def test_a_mail_program_stops_them_with_one_click(shop: Shop, house: House) -> None:
    ada = await shop.post("contacts", name="Ada Lovelace", email="ada@example.com")
    order = await shop.order(customer=ada["id"])
    path = (await link_of(shop, order)).replace("?", "/news?")
    await stranger(house).post(path, data={"List-Unsubscribe": "One-Click"})
    assert await house.value(QUIET) == 1


async def test_nobody_stops_the_news_of_others(shop: Shop, house: House) -> None:
    ada = await shop.post("contacts", name="Ada Lovelace", phone="+6591234567")
    order = await shop.order(
        customer=ada["id"], pickup=RAFFLES, dropoff={**MANDAI, "postal_code": "729826"}
    )
    path = f"/t/{order['tracking_number']['tracking_number']}"
    async with stranger(house) as client:
        asked = await client.post(f"{path}/news", data={"news": "stop"})
        assert "Confirm your details" in asked.text
        assert await house.value(QUIET) == 0
        led = await client.post(path, data={"secret": "729826", "to": "/news"})
        assert led.headers["location"] == f"{path}/news"
        await client.post(f"{path}/news", data={"news": "stop"})
    assert await house.value(QUIET) == 1


async def test_where_nobody_is_told_anything_there_is_nothing_to_stop(
    shop: Shop, house: House
) -> None:
    path = (await link_of(shop, await shop.order())).replace("?", "/news?")
    assert "No messages are sent" in (await stranger(house).get(path)).text
