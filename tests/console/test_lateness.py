"""The console warns of late orders before they are late: board, table, order and live map."""

import re
from typing import Any

import pytest

from console.seat import Seat
from console.test_orders import columns
from orders.shop import CHANGI, Shop
from orders.test_lateness import carried, in_minutes, refreshed, seen
from pannier.kit.clock import ManualClock
from stage import Firm

TABLE = "/console/orders?layout=table"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def warned(shop: Shop) -> tuple[dict[str, Any], dict[str, Any]]:
    """Have an order that will be late, and one at risk."""
    ada = await shop.driver()
    late = await carried(shop, ada, CHANGI, time_window_end=in_minutes(14))
    tight = await carried(shop, ada, CHANGI, time_window_end=in_minutes(35))
    await carried(shop, ada, CHANGI, time_window_end=in_minutes(300))
    await seen(shop, ada)
    await refreshed(shop.firm.house)
    return late, tight


async def test_cards_and_the_table_show_who_will_be_late(
    shop: Shop, seat: Seat, clock: ManualClock
) -> None:
    late, tight = await warned(shop)
    cards = columns(await seat.open("/console/orders"))["in_progress"]
    badges = {card["id"]: card.one("header").text for card in cards}
    assert re.search(r"Will be 1[23] min late", badges[late["id"]])
    assert "At risk" in badges[tight["id"]]
    assert sum(" late" in text or "At risk" in text for text in badges.values()) == 2
    page = await seat.open(f"{TABLE}&forecast=late")
    [row] = page.main.one("table").one("tbody").all("tr")
    assert row["data-href"].endswith(late["id"])
    page = await seat.open(f"/console/orders/{late['id']}")
    assert "min late: ETA" in page.main.text
    page = await seat.open(f"/console/orders/{tight['id']}")
    assert "At risk of being late: ETA" in page.main.text
    clock.advance(minutes=11)
    cards = columns(await seat.open("/console/orders"))["in_progress"]
    assert not any("At risk" in card.text or " late" in card.text for card in cards)
    assert "late: ETA" not in (await seat.open(f"/console/orders/{late['id']}")).main.text


async def test_the_live_map_counts_them(rival: Firm, shop: Shop, seat: Seat) -> None:
    assert "will be late" not in (await seat.open("/console/map")).main.text
    await warned(shop)
    text = (await seat.open("/console/map")).main.text
    assert "1 order will be late" in text
    assert "1 at risk" in text
    market = await Seat.of(rival, "viewer")
    assert "will be late" not in (await market.open("/console/map")).main.text
