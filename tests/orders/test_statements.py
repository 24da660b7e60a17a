"""What orders ask of the database: so many statements and no more, however large they are."""

from typing import Any, Final

from orders.shop import MANDAI, RAFFLES, Shop, statements
from stage import House

# The whole way of an order, with its transactions begun and committed.
CYCLE: Final = 30


async def test_an_order_goes_its_whole_way_in_so_many_statements(shop: Shop, house: House) -> None:
    driver = await shop.driver()
    pickup, dropoff = [(await shop.post("places", **place))["id"] for place in (RAFFLES, MANDAI)]
    body = {"pickup": pickup, "dropoff": dropoff, "driver": driver["id"]}

    async def cycle() -> None:
        order = await shop.order(**body, entities=[{"name": "Box"}])
        await shop.act(order, "dispatch")
        await shop.act(order, "start")
        await shop.fire(order, "enroute")
        await shop.act(order, "complete")

    await cycle()
    async with statements(house) as heard:
        await cycle()
    assert len(heard) <= CYCLE, "\n".join(heard)


async def placed(shop: Shop, house: House, stops: int, items: int) -> int:
    """Count what placing an order takes, half of it at places that are known already."""
    known = (await shop.post("places", **RAFFLES))["id"]
    parts: dict[str, Any] = {
        "waypoints": [{"place": known if n % 2 else f"{n} Street"} for n in range(stops)],
        "entities": [{"name": f"{n}", "destination": n % stops} for n in range(items)],
    }
    async with statements(house) as heard:
        await shop.order(**parts)
    return len(heard)


async def test_a_larger_order_is_placed_in_no_more_statements(shop: Shop, house: House) -> None:
    await placed(shop, house, 2, 2)  # What is read once for good is read here.
    few = await placed(shop, house, 2, 2)
    many = await placed(shop, house, 20, 20)
    assert many <= few
    assert await placed(shop, house, 40, 120) == many
