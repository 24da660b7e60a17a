"""The driver's day: the stops of all orders in the server's sequence, with ETAs, also offline."""

from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, expect

from console.looking import Looker
from driver.handset import Dispatcher, Handset
from driver.rider import Rider
from orders.shop import CHANGI, MANDAI, RAFFLES
from orders.test_lateness import plan, refreshed
from pannier.web.times import to_rfc3339
from stage import Firm

pytestmark = pytest.mark.slow
SEQUENCE = """
    const { sortJobs, toJobs } = await import(given.jobs);
    const sorted = sortJobs((await orders.listOrders()).map(toJobs));
    return sorted.map(({ order, place, eta }) => [order.id, place.street1, eta !== null]);"""


async def sequence(handset: Handset) -> list[tuple[str, str, bool]]:
    """List the open stops as the app shows them: the order, the street, whether it has an ETA."""
    found = await handset.js(SEQUENCE, jobs=handset.address("screens/jobs"))
    return [tuple(each) for each in found]


async def test_the_app_follows_the_plan_and_what_has_happened_since(
    handset: Handset, dispatcher: Dispatcher, acme: Firm, weather: Any
) -> None:
    first = await dispatcher.give(handset.driver, waypoints=[RAFFLES, CHANGI])
    second = await dispatcher.give(handset.driver, waypoints=[CHANGI, MANDAI])
    one, two = ([stop["uuid"] for stop in each["payload"]["waypoints"]] for each in (first, second))
    visits = [(second, two[0]), (first, one[0]), (second, two[1]), (first, one[1])]
    await plan(acme.house, visits, acme.house.clock.now())
    point = {"latitude": RAFFLES["latitude"], "longitude": RAFFLES["longitude"]}
    await dispatcher.post(f"drivers/{handset.driver['id']}/track", **point)
    await refreshed(acme.house)
    assert (await handset.js("return orders.pullOrders()"))["status"] == 200
    planned = [
        (second["id"], CHANGI["street1"], True),
        (first["id"], RAFFLES["street1"], True),
        (second["id"], MANDAI["street1"], True),
        (first["id"], CHANGI["street1"], True),
    ]
    assert await sequence(handset) == planned
    weather.gone = True
    for code in ("started", "arrived"):
        await handset.press(first, code)
    assert await sequence(handset) == [planned[1], planned[0], *planned[2:]]
    await handset.photo(first, subject=first["payload"]["waypoints"][0]["id"])
    await handset.press(first, "handed_over")
    assert await sequence(handset) == [planned[0], *planned[2:]]
    weather.gone = False
    assert await handset.send() == 0
    third = await dispatcher.give(handset.driver, waypoints=[MANDAI, RAFFLES])
    await handset.js("return orders.pullOrders(true)")
    shown = await sequence(handset)
    assert [each for each in shown if each[0] != third["id"]] == [planned[0], *planned[2:]]
    assert [has_eta for order, _, has_eta in shown if order == third["id"]] == [False, False]


async def test_without_the_sequence_of_the_server_the_orders_are_still_there(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    order = await dispatcher.give(handset.driver, waypoints=[RAFFLES, CHANGI])
    await handset.js("return orders.pullOrders()")
    await handset.js("return store.saveValue('day', undefined)")
    assert await sequence(handset) == [
        (order["id"], RAFFLES["street1"], False),
        (order["id"], CHANGI["street1"], False),
    ]


async def test_the_next_stop_and_the_etas_are_shown_without_reception_too(
    acme: Firm, app: Page
) -> None:
    rider = await Rider.of(acme, app)
    now = acme.house.clock.now()
    order = await rider.round()
    late = to_rfc3339(now + timedelta(minutes=5))
    await rider.shop.order(
        driver=rider.driver["id"], pickup=RAFFLES, dropoff={**CHANGI, "name": "Terminal 1"},
        time_window_end=late, dispatch=True,
    )  # fmt: skip
    await rider.shop.post(f"drivers/{rider.driver['id']}/track", latitude=1.3, longitude=103.8)
    await refreshed(acme.house)
    await rider.sign_in()
    page, look = rider.page, await Looker.at(rider.page, "day")
    await expect(page.get_by_text("Next stop")).to_have_count(1)
    await expect(page.get_by_text("will probably be late")).to_be_visible()
    await expect(page.get_by_text("ETAs as of")).to_be_visible()
    await expect(page.get_by_text("ETA ", exact=False).first).to_be_visible()
    await look("1-stops")
    await page.context.set_offline(True)
    await page.evaluate("dispatchEvent(new Event('outbox'))")
    await expect(page.get_by_text("ETAs as of")).to_be_visible()
    stop = order["payload"]["waypoints"][0]["id"]
    await rider.go(f"stop/{order['id']}/{stop}")
    await expect(page.get_by_text("ETA ", exact=False).first).to_be_visible()
    await look("2-stop")
    await page.context.set_offline(False)


async def test_addresses_are_the_servers_without_a_country_that_all_stops_share(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    script = """const { addressLine, formatAddress, toJobs } = await import(given.jobs);
        await orders.pullOrders(true);
        const kept = (await orders.listOrders()).find(({ order }) => order.id === given.id);
        return toJobs(kept).map((job) => [formatAddress(job.place, job.order), addressLine(job)])"""
    home = {"street1": "Bulevardi 14", "city": "Helsinki", "postal_code": "00120", "country": "FI"}
    shop = {"name": "Shop", "street1": "Tori 1", "city": "Turku", "country": "FI"}
    near = await dispatcher.give(handset.driver, waypoints=[home, shop])
    found = await handset.js(script, jobs=handset.address("screens/jobs"), id=near["id"])
    assert found == [
        ["Bulevardi 14, 00120 Helsinki", "00120 Helsinki"],
        ["Tori 1, Turku", "Tori 1, Turku"],
    ]
    far = await dispatcher.give(handset.driver, waypoints=[home, {**shop, "country": "SE"}])
    found = await handset.js(script, jobs=handset.address("screens/jobs"), id=far["id"])
    assert [line for line, _ in found] == ["Bulevardi 14, 00120 Helsinki, FI", "Tori 1, Turku, SE"]
