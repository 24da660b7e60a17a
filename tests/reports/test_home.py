"""The home page: today's figures, and links to lists with exactly these records."""

from datetime import timedelta
from typing import Any

from cash.test_desk import collect
from console.seat import Seat
from devices.garage import Garage
from orders.shop import Shop
from payments.purse import Purse
from stage import NOON, Firm

LATE = (NOON - timedelta(hours=1)).isoformat()
LATER = (NOON + timedelta(hours=1)).isoformat()


async def home(firm: Firm) -> dict[str, Any]:
    answer = await firm.admin.get("/int/v1/home")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def counts(found: dict[str, Any]) -> dict[str, int]:
    return {one["name"]: one["count"] for one in (*found["today"], *found["decisions"])}


async def listed(firm: Firm, count: dict[str, Any]) -> list[Any]:
    """The records of the list that a count refers to."""
    client = firm.api if count["path"].startswith("/v1") else firm.admin
    answer = await client.get(count["path"], params=count["filters"])
    assert answer.status_code == 200, answer.text
    rows = answer.json()
    return list(rows if isinstance(rows, list) else rows["data"])


async def completed(shop: Shop, **more: Any) -> dict[str, Any]:
    order = await shop.started(**more)
    await shop.fire(order, "enroute")
    return await shop.act(order, "complete")


async def a_day(shop: Shop) -> None:
    """Orders in every state that the home page counts."""
    await shop.order(time_window_end=LATE)
    failed = await shop.started()
    await shop.act(failed, "fail-attempt", reason="nobody_home")
    held = await shop.started()
    await shop.act(held, "fail-attempt", reason="refused", then="hold")
    for window in (LATER, LATER, LATE, None):
        await completed(shop, time_window_end=window)
    await shop.post("issues", report="The door is stuck.")


async def test_each_count_is_the_length_of_the_list_that_it_refers_to(shop: Shop) -> None:
    await a_day(shop)
    garage = Garage(shop.firm)
    await garage.device(reporting_interval=60)
    found = await home(shop.firm)
    assert counts(found) == {
        "late": 1, "unassigned": 1, "failed": 2, "on_the_way": 2, "completed": 4,
        "refunds_due": 0, "held": 1, "open_issues": 1, "unpriced": 2, "disabled_webhooks": 0,
        "silent_devices": 0,
    }  # fmt: skip
    assert found["punctuality"] == {"completed": 4, "with_window": 3, "on_time": 2}
    for count in (*found["today"], *found["decisions"]):
        assert len(await listed(shop.firm, count)) == count["count"], count
        assert count["more"] is False


async def test_today_is_a_day_of_the_company(shop: Shop) -> None:
    await completed(shop)
    assert (await home(shop.firm))["day"] == "2026-01-15"
    await shop.firm.admin.patch("/int/v1/settings", json={"time_zone": "Pacific/Auckland"})
    # Noon in UTC is an hour after midnight in Auckland.
    found = await home(shop.firm)
    assert (found["day"], found["punctuality"]["completed"]) == ("2026-01-16", 1)
    shop.firm.house.clock.advance(hours=24)
    found = await home(shop.firm)
    assert (found["day"], found["punctuality"]["completed"]) == ("2026-01-17", 0)


async def test_money_is_counted_by_currency(shop: Shop) -> None:
    purse = Purse(shop.firm)
    await collect(shop, await shop.driver(), 1000, "EUR")
    await purse.owe()
    await purse.owe(currency="JPY")
    voided = await purse.owe()
    answer = await shop.firm.admin.post(f"/int/v1/transactions/{voided.public_id}/void")
    assert answer.status_code == 200, answer.text
    money = {row["currency"]: row for row in (await home(shop.firm))["money"]}
    assert {name: (row["revenue"], row["cash_with_drivers"]) for name, row in money.items()} == {
        "EUR": (0, 1000), "JPY": (1200, 0), "SGD": (1200, 0),
    }  # fmt: skip


async def test_the_home_page_leads_to_the_records_that_it_counts(shop: Shop) -> None:
    await a_day(shop)
    seat = await Seat.of(shop.firm, "viewer")
    page = await seat.open("/console")
    assert page.heading == "Home"
    tiles = {tile.one("span").text: tile for tile in page.main.all("a", class_="tile")}
    assert {name: tile.one("b").text for name, tile in tiles.items()} == {
        "Late": "1", "Unassigned": "1", "Failed attempts": "2", "On the way": "2",
        "Completed": "4", "On time": "66%",
    }  # fmt: skip
    for name in ("Late", "Unassigned", "Failed attempts", "On the way", "Completed"):
        rows = (await seat.open(tiles[name]["href"])).rows()
        assert len(rows) == int(tiles[name].one("b").text), name
    assert len((await seat.open(tiles["On time"]["href"])).rows()) == 2
    decisions = page.main.one("ul", class_="decisions").all("a")
    assert [one.text for one in decisions] == [
        "On hold after a failed attempt 1", "Open issues 1", "Dispatched without a price 2",
    ]  # fmt: skip
    for one in decisions:
        rows = (await seat.open(one["href"])).rows()
        assert len(rows) == int(one.one("b").text), one["href"]
    assert "New order" not in page.main.text
