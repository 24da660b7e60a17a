"""Dispatchers are warned where a driver or a vehicle does not suit an order."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.shop import MANDAI, RAFFLES, Phone, Shop
from orders.test_offers import courier, offered, offers
from pannier.kit.clock import ManualClock
from pannier.orders.loads import measure_load
from pannier.payloads.models import Entity
from probe import refused

# The clock of the tests begins on Thursday, 15 January 2026, at 12:00 UTC.
THURSDAYS = [{"days": ["thu"], "start": "08:00", "end": "16:00"}]


async def warned(shop: Shop, order: dict[str, Any], **names: Any) -> dict[str, str]:
    """Assign a driver, and return the warnings."""
    answer = await shop.act(order, "assign-driver", **names)
    return {warning["code"]: warning["message"] for warning in answer["warnings"]}


async def test_a_suitable_driver_is_assigned_without_a_warning(shop: Shop) -> None:
    van = await shop.vehicle(capacity={"weight": 800, "volume": 4, "items": 2}, profile="van")
    driver = await shop.driver(shifts=THURSDAYS, skills=["heavy"], vehicle=van["id"])
    item = {"name": "Safe", "weight": 800, "length": 1, "width": 1, "height": 1,
            "dimensions_unit": "m"}  # fmt: skip
    order = await shop.order(required_skills=["heavy"], entities=[item])
    assert await warned(shop, order, driver=driver["id"]) == {}


async def test_a_driver_is_assigned_off_shift_with_a_warning(shop: Shop) -> None:
    driver = await shop.driver(name="Ada", shifts=THURSDAYS)
    evening = await shop.order(scheduled_at="2026-01-15T18:00:00Z")
    found = await warned(shop, evening, driver=driver["id"])
    assert found == {"driver_off_shift": "Ada does not work at this time: today, 18:00."}
    read = await shop.get(f"orders/{evening['id']}")
    assert read["driver_assigned"]["id"] == driver["id"]


async def test_shifts_are_in_the_companys_time_zone(shop: Shop) -> None:
    await shop.firm.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    driver = await shop.driver(shifts=THURSDAYS)
    order = await shop.order()
    assert "today, 20:00." in (await warned(shop, order, driver=driver["id"]))["driver_off_shift"]


async def test_each_time_window_has_to_meet_a_shift(shop: Shop) -> None:
    driver = await shop.driver(name="Ada", shifts=THURSDAYS)
    early = {"time_window_start": "2026-01-15T15:00:00Z", "time_window_end": "2026-01-15T19:00:00Z"}
    late = {"time_window_start": "2026-01-15T17:00:00Z", "time_window_end": "2026-01-15T19:00:00Z"}
    meets = await shop.order(waypoints=[RAFFLES, {"place": MANDAI, **early}])
    assert await warned(shop, meets, driver=driver["id"]) == {}
    misses = await shop.order(waypoints=[{"place": RAFFLES, **early}, {"place": MANDAI, **late}])
    assert await warned(shop, misses, driver=driver["id"]) == {
        "driver_off_shift": "Ada does not work at this time: today, 17:00\N{EN DASH}19:00."
    }


async def test_an_overdue_order_is_for_a_driver_who_works_now(
    shop: Shop, clock: ManualClock
) -> None:
    driver = await shop.driver(shifts=THURSDAYS)
    order = await shop.order(time_window_end="2026-01-15T13:00:00Z")
    clock.advance(hours=2)
    assert await warned(shop, order, driver=driver["id"]) == {}
    clock.advance(hours=3)
    assert "driver_off_shift" in await warned(shop, order, driver=driver["id"])


async def test_missing_skills_are_named(shop: Shop) -> None:
    driver = await shop.driver(name="Ada", skills=["heavy"])
    order = await shop.order(required_skills=["Heavy", "cold chain", "tail lift"])
    assert await warned(shop, order, driver=driver["id"]) == {
        "skills_missing": "Ada lacks the skills cold chain, tail lift."
    }


async def test_a_load_beyond_the_vehicles_capacity_is_named(shop: Shop) -> None:
    bike = await shop.vehicle(plate_number="BIKE 7", capacity={"weight": 20, "items": 1})
    driver = await shop.driver(vehicle=bike["id"])
    boxes = [{"name": "Box", "weight": 11_500, "weight_unit": "g"}] * 2
    order = await shop.order(entities=boxes)
    assert await warned(shop, order, driver=driver["id"]) == {
        "capacity_exceeded": "The order exceeds the capacity of BIKE 7: 23 of 20 kg, 2 of 1 items."
    }
    van = await shop.vehicle(capacity={"weight": 800})
    assert await warned(shop, order, driver=driver["id"], vehicle=van["id"]) == {}


async def test_warnings_can_be_listed_before_anything_is_assigned(shop: Shop) -> None:
    driver = await shop.driver(shifts=[])
    order = await shop.order()
    path = f"orders/{order['id']}/assignment-warnings"
    assert await shop.get(path) == []
    [warning] = await shop.get(f"{path}?driver={driver['id']}")
    assert warning["code"] == "driver_off_shift"
    read = await shop.get(f"orders/{order['id']}")
    assert (read["driver_assigned"], read["version"]) == (None, order["version"])
    await shop.act(order, "assign-driver", driver=driver["id"])
    assert await shop.get(path) == [warning]


async def test_another_companys_driver_is_not_found(shop: Shop, market: Shop) -> None:
    order, stranger = await shop.order(), await market.driver()
    path = f"/v1/orders/{order['id']}/assignment-warnings?driver={stranger['id']}"
    refused(await shop.firm.api.get(path), 404, "not_found")


async def test_the_answer_of_an_assignment_may_be_sent_back(shop: Shop) -> None:
    driver, order = await shop.driver(shifts=[]), await shop.order()
    answer = await shop.act(order, "assign-driver", driver=driver["id"])
    assert answer["warnings"]
    again = await shop.patch(f"orders/{order['id']}", **answer)
    assert again["driver_assigned"] == answer["driver_assigned"]


async def test_offers_are_for_drivers_with_the_skills(shop: Shop, phone: Phone) -> None:
    able = await courier(shop, phone, skills=["heavy", "cold chain"])
    unable = await courier(shop, phone)
    order = await offered(shop, required_skills=["heavy"])
    assert [row["id"] for row in await offers(able)] == [order["id"]]
    assert await offers(unable) == []
    refused(await unable.post(f"/v1/orders/{order['id']}/take"), 404, "not_found")
    taken = await able.post(f"/v1/orders/{order['id']}/take")
    assert taken.status_code == 200, taken.text


def item(**more: Any) -> Entity:
    now = datetime(2026, 1, 15, tzinfo=UTC)
    return Entity(
        uuid=None,
        company=None,
        public_id="entity",
        created_at=now,
        updated_at=now,
        name="Box",
        **more,
    )  # type: ignore[arg-type]  # a load does not depend on them


def test_an_item_without_measures_counts_as_one_item() -> None:
    load = measure_load([item(), item(weight=1, weight_unit="lb"), item(length=50)])
    assert (load.weight, load.volume, load.items) == (Decimal("0.45359237"), 0, 3)


MEASURES = st.none() | st.floats(0, 1e9).map(lambda number: round(number, 6))


@pytest.mark.properties
@given(st.lists(st.tuples(MEASURES, MEASURES, MEASURES, MEASURES), max_size=8))
def test_a_load_does_not_depend_on_the_order_of_items(
    measures: list[tuple[float | None, ...]],
) -> None:
    items = [
        item(length=length, width=width, height=height, weight=weight)
        for length, width, height, weight in measures
    ]
    whole = measure_load(items)
    assert measure_load(items[::-1]) == whole
    assert whole == measure_load(items[:3]) + measure_load(items[3:])
