"""A rating: once, after the delivery, changeable for a day, for the company only."""

import asyncio
from typing import Any

import httpx
import msgspec

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from routing.test_routing import sign_in
from stage import Firm, House
from tracking.asking import link_of, link_to, stranger

HOME = {**MANDAI, "postal_code": "729826"}
RATED = "select count(*) from audit_entries where action = 'order.rated'"
LAST_EVENT = """select body from events where name = 'order.updated'
    order by created_at desc limit 1"""


async def rate(house: House, link: str, score: str = "5", **more: str) -> httpx.Response:
    """Rate, as the recipient."""
    client, form = stranger(house), link.replace("?", "/rating?")
    led = await client.post(link, data={"secret": "729826", "to": "/rating"})
    assert led.headers["location"] == form
    return await client.post(form, data={"score": score, **more})


async def delivered(shop: Shop) -> dict[str, Any]:
    """Deliver an order."""
    order = await shop.started(pickup=RAFFLES, dropoff=HOME)
    await shop.fire(order, "enroute")
    return await shop.fire(order, "completed")


async def test_the_recipient_rates_and_the_company_reads_it(shop: Shop, house: House) -> None:
    order = await delivered(shop)
    link = await link_of(shop, order)
    assert "Rate your delivery" in (await stranger(house).get(link)).text
    house.clock.advance(minutes=1)
    rated = await rate(house, link, "4", comment="Friendly.\r\nOn time.")
    assert (rated.status_code, rated.headers["location"]) == (303, link)
    read = await shop.get(f"orders/{order['id']}")
    assert read["rating"] == {
        "score": 4, "comment": "Friendly. On time.", "rated_at": "2026-01-15T12:01:00.000Z",
    }  # fmt: skip
    assert msgspec.json.decode(await house.value(LAST_EVENT))["data"]["changed"] == ["rating"]
    assert await house.value(RATED) == 1
    page = (await stranger(house).get(link)).text
    assert "4 / 5" in page
    assert "Friendly" not in page
    assert "Friendly" not in (await stranger(house).get(link.replace("?", ".json?"))).text


async def test_the_driver_and_other_recipients_do_not_see_it(
    acme: Firm, shop: Shop, house: House
) -> None:
    driver = await shop.driver()
    stops = [{**HOME, "name": name} for name in ("Ada", "Grace")]
    order = await shop.order(
        payload={"waypoints": [{**CHANGI, "type": "pickup"}, *stops]}, driver=driver["id"]
    )
    await shop.act(order, "start", skip_dispatch=True)
    waypoints = order["payload"]["waypoints"]
    for stop in waypoints:
        await shop.fire(order, "enroute", waypoint=stop["id"])
        await shop.fire(order, "completed", waypoint=stop["id"])
    own, other = (stop["tracking_number"] for stop in waypoints[1:])
    assert (await rate(house, await link_to(shop, own), "1", comment="Rude.")).is_redirect
    read = (await shop.get(f"orders/{order['id']}"))["payload"]["waypoints"]
    assert [stop["rating"] and stop["rating"]["score"] for stop in read] == [None, 1, None]
    client = await sign_in(acme, driver)
    for path in (f"/v1/orders/{order['id']}", "/v1/orders"):
        answer = await client.get(path)
        assert order["id"] in answer.text
        assert "Rude" not in answer.text
    assert "1 / 5" not in (await stranger(house).get(await link_to(shop, other))).text


async def test_it_can_change_for_a_day_after_the_first_one(shop: Shop, house: House) -> None:
    order = await delivered(shop)
    link = await link_of(shop, order)
    await rate(house, link, "1")
    house.clock.advance(hours=23)
    assert (await rate(house, link, "2")).is_redirect
    assert (await rate(house, link, "2")).is_redirect
    assert await house.value(RATED) == 2
    house.clock.advance(hours=1)
    late = await rate(house, link, "5")
    assert late.status_code == 409
    assert "can no longer be rated" in late.text
    rating = (await shop.get(f"orders/{order['id']}"))["rating"]
    assert (rating["score"], rating["rated_at"]) == (2, "2026-01-15T12:00:00.000Z")


async def test_nothing_else_is_rated(shop: Shop, house: House) -> None:
    link = await link_of(shop, await shop.started(pickup=RAFFLES, dropoff=HOME))
    assert (await rate(house, link)).status_code == 409
    canceled = await shop.order(pickup=RAFFLES, dropoff=HOME)
    await shop.act(canceled, "cancel")
    assert (await rate(house, await link_of(shop, canceled))).status_code == 409
    returned = await shop.started(pickup=RAFFLES, dropoff=HOME)
    await shop.act(returned, "fail-attempt", reason="refused")
    await shop.fire(returned, "returned")
    assert (await rate(house, await link_of(shop, returned))).status_code == 409
    link = await link_of(shop, await delivered(shop))
    for score in ("0", "6", "five", "", "5.0"):
        assert (await rate(house, link, score)).status_code == 422
    house.clock.advance(days=30)
    assert (await rate(house, link)).status_code == 409
    assert await house.value(RATED) == 0


async def test_a_company_can_do_without_ratings(acme: Firm, shop: Shop, house: House) -> None:
    change = {"recipients": {"ratings": False}}
    assert (await acme.admin.patch("/int/v1/settings", json=change)).is_success
    link = await link_of(shop, await delivered(shop))
    assert "Rate your delivery" not in (await stranger(house).get(link)).text
    assert (await rate(house, link)).status_code == 409


async def test_the_link_alone_and_another_companys_pass_rate_nothing(
    shop: Shop, rival: Firm, house: House
) -> None:
    link = await link_of(shop, await delivered(shop))
    theirs = Shop(rival)
    order = await delivered(theirs)
    form = (await link_of(theirs, order)).replace("?", "/rating?")
    async with stranger(house) as client:
        await client.post(link, data={"secret": "729826", "to": "/rating"})
        assert "Confirm your details" in (await client.post(form, data={"score": "5"})).text
    assert (await theirs.get(f"orders/{order['id']}"))["rating"] is None


async def test_two_at_once_leave_one_rating(shop: Shop, house: House) -> None:
    order = await delivered(shop)
    link = await link_of(shop, order)
    answers = await asyncio.gather(*(rate(house, link, score) for score in "15"))
    assert [answer.status_code for answer in answers] == [303, 303]
    assert (await shop.get(f"orders/{order['id']}"))["rating"]["score"] in {1, 5}
    assert await house.value(RATED) == 2
