"""The drivers who could take an order, nearest first."""

from typing import Any

import pytest

from console.seat import Seat
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.orders.candidates import queries
from probe import refused
from stage import Firm


async def track(shop: Shop, driver: dict[str, Any], place: dict[str, Any]) -> None:
    point = {"latitude": place["latitude"], "longitude": place["longitude"]}
    answer = await shop.firm.api.post(f"/v1/drivers/{driver['id']}/track", json=point)
    assert answer.is_success, answer.text


async def candidates(shop: Shop, order: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = await shop.get(f"orders/{order['id']}/driver-candidates?{query}")
    return rows


async def test_drivers_are_listed_by_distance_with_their_work_and_vehicle(
    shop: Shop, rival: Firm
) -> None:
    van = await shop.post("vehicles", plate_number="SGX 1", capacity={"weight": 3})
    far = await shop.driver(name="Far", vehicle=van["id"], skills=["cold_chain"])
    near, lost = await shop.driver(name="Near"), await shop.driver(name="Lost")
    await shop.driver(name="Gone", status="suspended")
    await Shop(rival).driver(name="Theirs")
    await track(shop, far, CHANGI)
    await track(shop, near, {**RAFFLES, "latitude": 1.285})
    for _ in range(2):
        await shop.order(driver=far["id"])
    order = await shop.order(required_skills=["cold_chain"], entities=[{"name": "A", "weight": 9}])
    rows = await candidates(shop, order)
    assert [row["driver"]["name"] for row in rows] == ["Near", "Far", "Lost"]
    assert rows[0]["distance"] == pytest.approx(111, abs=5)
    assert rows[1]["distance"] > 15_000
    assert (rows[2]["distance"], rows[2]["located_at"]) == (None, None)
    assert [row["open_orders"] for row in rows] == [0, 2, 0]
    assert rows[1]["vehicle"]["plate_number"] == "SGX 1"
    assert [warning["code"] for warning in rows[0]["warnings"]] == ["skills_missing"]
    assert [warning["code"] for warning in rows[1]["warnings"]] == ["capacity_exceeded"]
    assert rows[0]["shifts"] is None
    [row] = await candidates(shop, order, "query=os")
    assert row["driver"]["id"] == lost["id"]
    assert len(await candidates(shop, order, "limit=1")) == 1
    answer = await rival.api.get(f"/v1/orders/{order['id']}/driver-candidates")
    refused(answer, 404, "not_found")


async def test_the_list_shows_drivers_and_needs_their_scope(shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    for scopes, status in ((["orders:read"], 403), (["orders:read", "drivers:read"], 200)):
        body = {"kind": "api", "name": "Shop", "scopes": scopes}
        made = (await acme.admin.post("/int/v1/keys", json=body)).json()
        path = f"/v1/orders/{order['id']}/driver-candidates"
        answer = await acme.house.client(made["key"]).get(path)
        assert answer.status_code == status
        assert ("drivers:read" in answer.text) == (status == 403)


async def test_the_distance_is_to_the_next_stop_and_shifts_are_of_the_orders_day(
    shop: Shop,
) -> None:
    shift = {"days": ["mon"], "start": "08:00", "end": "12:00"}
    ada = await shop.driver(name="Ada", shifts=[shift])
    await track(shop, ada, MANDAI)
    stops = [{"place": RAFFLES}, {"place": MANDAI}]
    order = await shop.ready(
        waypoints=stops, pickup=None, dropoff=None, time_window_start="2026-01-19T09:00:00Z"
    )
    await shop.act(order, "set-destination/" + order["payload"]["waypoints"][1]["id"])
    row = next(row for row in await candidates(shop, order) if row["driver"]["id"] == ada["id"])
    assert row["distance"] == 0
    assert [part["start"] for part in row["shifts"]] == ["2026-01-19T08:00:00.000Z"]
    nowhere = await shop.order(pickup="1 Unknown Road", dropoff="2 Unknown Road")
    assert {row["distance"] for row in await candidates(shop, nowhere)} == {None}


async def test_the_load_of_a_driver_is_of_their_open_orders(
    shop: Shop, acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await shop.driver(name="Ada")
    box = {
        "name": "Box", "weight": 2, "weight_unit": "kg",
        "length": 50, "width": 40, "height": 20, "dimensions_unit": "cm",
    }  # fmt: skip
    sack = {"name": "Sack", "weight": 500, "weight_unit": "g"}
    await shop.order(driver=ada["id"], entities=[box, sack])
    await shop.order(driver=ada["id"], entities=[box])
    ended = await shop.order(driver=ada["id"], entities=[box])
    await shop.act(ended, "cancel")
    order = await shop.order(entities=[box])
    [row] = await candidates(shop, order)
    assert row["load"] == {"weight": 4.5, "volume": 0.08, "items": 3}
    seat = await Seat.of(acme)
    [shown] = (await seat.open(f"/console/orders/{order['id']}/drivers")).rows()
    assert shown[3] == "3 items 4.5 kg · 0.08 m³"
    monkeypatch.setattr(queries, "MAX_ITEMS", 2)
    [row] = await candidates(shop, order)
    assert (row["open_orders"], row["load"]) == (2, None)


async def test_a_driver_is_assigned_from_the_list(acme: Firm, shop: Shop) -> None:
    ada = await shop.driver(name="Ada")
    await track(shop, ada, RAFFLES)
    order = await shop.order()
    home, seat = f"/console/orders/{order['id']}", await Seat.of(acme)
    assert f"{home}/drivers" in (await seat.open(home)).links()
    page = await seat.open(f"{home}/drivers?query=ad")
    [row] = page.rows()
    assert (row[0].startswith("Ada"), row[2], row[5]) == (True, "0", "Any time")
    await seat.sent(f"{home}/assign", page.form(f"{home}/assign"))
    assert (await shop.get(f"orders/{order['id']}"))["driver_assigned"]["id"] == ada["id"]
    assert "Assigned" in (await seat.open(f"{home}/drivers")).rows()[0][0]
    await seat.open(f"{home}/drivers?query={'x' * 300}")
    viewer = await Seat.of(acme, "viewer")
    await viewer.open(f"{home}/drivers", status=403)
