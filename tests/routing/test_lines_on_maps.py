"""Routes are drawn along streets on the order's page, the live map and the tracking page."""

import json
from typing import Any

from console.reading import Page
from console.seat import Seat
from orders.shop import Shop
from routing.machines import Machine

# What the engine of the tests draws for every route, rounded for the map.
ALONG = [[-120.2, 38.5], [-120.95, 40.7], [-126.453, 43.252]]


def lines(page: Page) -> dict[str, Any]:
    """The lines that a page's map draws, by their names."""
    features = json.loads(page.root.one("script", id="geo").text)["features"]
    return {
        each["properties"]["id"]: each["geometry"]["coordinates"]
        for each in features
        if each["properties"]["kind"] == "line"
    }


async def underway(shop: Shop, **more: Any) -> dict[str, Any]:
    """Start an order whose driver was seen just now."""
    order = await shop.started(**more)
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.85)
    return order


async def test_the_page_of_an_order_shows_the_planned_and_the_remaining_route(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    seat = await Seat.of(shop.firm)
    order = await shop.ready()
    page = await seat.open(f"/console/orders/{order['id']}")
    assert lines(page) == {"planned": ALONG}
    machine.status = 503
    order = await underway(shop)
    page = await seat.open(f"/console/orders/{order['id']}")
    assert lines(page)["remaining"] == [[103.85, 1.3], [103.851, 1.284], [103.79, 1.404]]


async def test_the_live_map_shows_the_route_of_whom_it_follows(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, _ = roadside
    seat = await Seat.of(shop.firm)
    order = await underway(shop)
    driver = order["driver_assigned"]["id"]
    assert lines(await seat.open("/console/map?areas=none")) == {}
    followed = lines(await seat.open(f"/console/map?areas=none&follow={driver}"))
    assert followed[order["id"]] == ALONG


async def test_recipients_see_the_route_to_their_own_stop_once_it_is_next(
    roadside: tuple[Shop, Machine],
) -> None:
    shop, machine = roadside
    house = shop.firm.house
    places = [{"latitude": 1.284 + number / 100, "longitude": 103.85} for number in range(2)]
    order = await underway(shop, waypoints=places)
    number = order["payload"]["waypoints"][1]["tracking_number"]
    rows = await shop.get("tracking-numbers")
    link = next(row["tracking_url"] for row in rows if row["tracking_number"] == number)
    path = "/t/" + link.partition("/t/")[2]

    async def look() -> dict[str, Any]:
        answer = await house.client().get(path)
        assert answer.status_code == 200
        return lines(Page(answer.text))

    assert await look() == {}
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed")
    assert await look() == {"route": ALONG}
    machine.status = 503
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.31, longitude=103.86)
    assert await look() == {}
