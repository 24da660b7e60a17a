"""The ETA that customers and recipients see, and nothing of the driver's stops for others."""

from datetime import datetime, timedelta

from customers.mall import Mall
from customers.test_views import HERE
from orders.shop import CHANGI, RAFFLES, Shop
from orders.test_lateness import in_minutes, seen
from stage import NOON


async def test_stops_for_others_delay_the_eta_and_hide_the_driver(mall: Mall) -> None:
    shop = Shop(mall.firm)
    ada, client = await mall.visitor()
    driver = await shop.driver()
    other = await shop.order(
        driver=driver["id"], pickup=RAFFLES, dropoff=CHANGI, time_window_end=in_minutes(60),
        dispatch=True,
    )  # fmt: skip
    await shop.act(other, "start")
    order = await shop.order(
        driver=driver["id"], type=await shop.plain_type(), pickup=RAFFLES, dropoff=RAFFLES,
        customer=ada["id"],
        time_window_end=in_minutes(240), dispatch=True,
    )  # fmt: skip
    mall.firm.house.clock.advance(seconds=1)
    await shop.act(order, "start")
    await seen(shop, driver)
    link = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
    number = order["tracking_number"]["tracking_number"]
    page = await mall.firm.house.client().get(f"/t/{number}")
    one_way = timedelta(seconds=other["time"])
    eta = datetime.fromisoformat(link["eta"])
    assert abs(eta - NOON - 2 * one_way) < timedelta(minutes=1), "there and back"
    assert (link["position"], link["distance_remaining"]) == (None, None)
    assert [stop["address"] for stop in link["stops"]] == ["1 Raffles Place, Singapore"]
    for text in (str(link), page.text):
        assert CHANGI["street1"] not in text
        assert str(CHANGI["latitude"]) not in text
    assert page.status_code == 200
    for code in ("enroute", "completed"):
        await shop.fire(other, code)
    after = (await client.get(f"{HERE}/orders/{order['id']}/tracker")).json()
    assert after["position"] is not None
    assert datetime.fromisoformat(after["eta"]) < eta
