"""Alerts of what is measured: orders that are late or will be, and temperatures outside limits."""

from datetime import datetime, timedelta
from typing import Any

from contract.test_alerts import alerts
from devices.gear import device, flush, position
from orders.conftest import shop
from orders.shop import CHANGI, Shop
from orders.test_lateness import carried, in_minutes, refreshed, seen
from pannier.devices import event_types, temperature_alerts
from pannier.devices.outcomes import Submission
from pannier.devices.readings import Reading
from pannier.orders.driver_days import late_alerts
from pannier.web.times import to_rfc3339
from probe import refused
from stage import Firm, House

__all__ = ["shop"]


async def watched(house: House) -> None:
    watcher = late_alerts.LateOrderWatcher(house.database)
    while await watcher.step():
        pass


async def test_an_order_past_its_time_window_alerts_until_it_is_delivered(
    shop: Shop, house: House
) -> None:
    order = await shop.started(time_window_end=in_minutes(30))
    calm = await shop.started(time_window_end=in_minutes(90))
    await watched(house)
    assert await alerts(shop.firm.admin) == []
    house.clock.advance(minutes=31)
    for _ in range(2):
        await watched(house)
    [alert] = await alerts(shop.firm.admin, "?open=true")
    assert (alert["kind"], alert["subject"], alert["occurrences"]) == ("late", order["id"], 1)
    assert alert["details"] == {"due_at": in_minutes(30), "eta": None}
    await shop.patch(f"orders/{order['id']}", time_window_end=in_minutes(60))
    await watched(house)
    assert await alerts(shop.firm.admin, "?open=true") == []
    house.clock.advance(minutes=60)
    await watched(house)
    assert {row["subject"] for row in await alerts(shop.firm.admin, "?open=true")} == {
        order["id"],
        calm["id"],
    }
    await shop.act(order, "cancel")
    await shop.fire(calm, "enroute")
    await shop.fire(calm, "completed")
    assert await alerts(shop.firm.admin, "?open=true") == []
    await watched(house)
    assert len(await alerts(shop.firm.admin, "?kind=late")) == 3


async def test_an_order_that_will_be_late_by_its_eta_alerts(shop: Shop, house: House) -> None:
    ada = await shop.driver()
    late = await carried(shop, ada, CHANGI, time_window_end=in_minutes(5))
    await carried(shop, ada, CHANGI, time_window_end=in_minutes(300))
    await seen(shop, ada)
    await refreshed(house)
    await watched(house)
    [alert] = await alerts(shop.firm.admin)
    assert (alert["kind"], alert["subject"]) == ("late", late["id"])
    assert alert["details"]["due_at"] == in_minutes(5) < alert["details"]["eta"]
    # Without a fresh position nobody knows, until the time window has ended.
    house.clock.advance(minutes=11)
    await watched(house)
    assert (await alerts(shop.firm.admin))[0]["closed_at"] is None


async def test_an_order_that_was_forgotten_alerts_nobody(shop: Shop, house: House) -> None:
    await shop.started(time_window_end=in_minutes(30))
    house.clock.advance(days=2)
    await watched(house)
    assert await alerts(shop.firm.admin) == []


def measured(number: int, degrees: float, at: datetime, **data: Any) -> Reading:
    kind = event_types.TEMPERATURE
    return position(
        number, at, class_=kind.class_, kind=kind.number, latitude=None, longitude=None,
        data={"temperature": degrees, **data},
    )  # fmt: skip


async def test_a_temperature_outside_the_limits_alerts_until_it_is_inside(
    acme: Firm, house: House
) -> None:
    gear, now = await device(acme), house.clock.now()
    path = f"/int/v1/devices/{gear.public_id}"
    limits = {"min_temperature": 2, "max_temperature": 8}
    assert (await acme.admin.patch(path, json=limits)).status_code == 200

    async def report(number: int, degrees: float, seconds: int, **data: Any) -> None:
        at = now + timedelta(seconds=seconds)
        await flush(house, Submission(gear.own, [measured(number, degrees, at, **data)]))

    await report(1, 5, 0)
    assert await alerts(acme.admin) == []
    await report(2, 9.5, 10)
    await report(2, 9.5, 10)
    [alert] = await alerts(acme.admin, "?open=true")
    assert (alert["kind"], alert["subject"], alert["occurrences"]) == (
        "temperature", gear.public_id, 1,
    )  # fmt: skip
    assert alert["details"]["sensors"][""]["temperature"] == 9.5
    assert alert["details"]["max_temperature"] == 8
    # What arrives late changes nothing.
    await report(3, 5, -600)
    assert len(await alerts(acme.admin, "?open=true")) == 1
    await report(4, 5, 20)
    assert await alerts(acme.admin, "?open=true") == []
    await report(5, 20, -600)
    assert await alerts(acme.admin, "?open=true") == []
    # It flaps, then a second sensor is outside too.
    await report(6, 1, 30, zone="front")
    await report(7, 1, 40, zone="rear")
    [alert] = await alerts(acme.admin, "?open=true")
    assert sorted(alert["details"]["sensors"]) == ["front", "rear"]
    await report(8, 4, 50, zone="front")
    assert [*(await alerts(acme.admin))[0]["details"]["sensors"]] == ["rear"]
    assert (await acme.admin.delete(path)).status_code == 200
    assert await alerts(acme.admin, "?open=true") == []


async def test_a_sensor_that_leaves_its_limits_again_makes_the_alert_unread(
    acme: Firm, house: House
) -> None:
    gear, now = await device(acme), house.clock.now()
    await acme.admin.patch(f"/int/v1/devices/{gear.public_id}", json={"max_temperature": 8})
    readings = [("front", 20), ("rear", 20), ("rear", 5), ("rear", 30)]
    for number, (zone, degrees) in enumerate(readings):
        at = now + timedelta(seconds=10 * number)
        await flush(house, Submission(gear.own, [measured(number + 1, degrees, at, zone=zone)]))
    [alert] = await alerts(acme.admin)
    assert (sorted(alert["details"]["sensors"]), alert["occurrences"]) == (["front", "rear"], 3)


async def test_a_device_without_limits_has_those_of_its_vehicle(acme: Firm, house: House) -> None:
    vehicle = (await acme.api.post("/v1/vehicles", json={"max_temperature": -18})).json()
    gear, now = await device(acme), house.clock.now()
    device_path = f"/int/v1/devices/{gear.public_id}"
    await acme.admin.patch(device_path, json={"vehicle": vehicle["id"]})
    await flush(house, Submission(gear.own, [measured(1, -12, now)]))
    [alert] = await alerts(acme.admin)
    assert alert["kind"] == "temperature"
    path = f"/v1/vehicles/{vehicle['id']}"
    refused(await acme.api.patch(path, json={"min_temperature": -10}), 422, "validation_failed")
    await acme.api.patch(path, json={"max_temperature": None})
    await flush(house, Submission(gear.own, [measured(2, -12, now + timedelta(seconds=9))]))
    assert await alerts(acme.admin, "?open=true") == []


async def test_a_sensor_that_stops_keeps_its_alert_open_for_a_day(acme: Firm, house: House) -> None:
    gear, now = await device(acme), house.clock.now()
    await acme.admin.patch(f"/int/v1/devices/{gear.public_id}", json={"max_temperature": 8})
    await flush(house, Submission(gear.own, [measured(1, 20, now, zone="rear")]))
    house.clock.advance(hours=23)
    await flush(house, Submission(gear.own, [measured(2, 5, house.clock.now(), zone="front")]))
    assert not await temperature_alerts.close_silent_alerts(house.database)
    assert len(await alerts(acme.admin, "?open=true")) == 1
    # The other sensor reports, so the silence of this one shows after a day.
    house.clock.advance(hours=2)
    await flush(house, Submission(gear.own, [measured(3, 5, house.clock.now(), zone="front")]))
    assert await alerts(acme.admin, "?open=true") == []


async def test_the_alert_of_a_device_that_stops_is_closed_after_a_day(
    acme: Firm, house: House
) -> None:
    gear, now = await device(acme), house.clock.now()
    await acme.admin.patch(f"/int/v1/devices/{gear.public_id}", json={"max_temperature": 8})
    await flush(house, Submission(gear.own, [measured(1, 20, now)]))
    await acme.admin.post(f"/int/v1/alerts/{(await alerts(acme.admin))[0]['id']}/acknowledge")
    house.clock.advance(hours=23)
    await temperature_alerts.close_silent_alerts(house.database)
    assert len(await alerts(acme.admin, "?open=true")) == 1
    house.clock.advance(hours=2)
    for _ in range(2):
        assert not await temperature_alerts.close_silent_alerts(house.database)
    [alert] = await alerts(acme.admin)
    assert (alert["closed_at"], alert["details"]["ended"]) == (
        to_rfc3339(house.clock.now()), "no_reading",
    )  # fmt: skip
    # A new reading outside the limits is a new alert.
    house.clock.advance(hours=1)
    await flush(house, Submission(gear.own, [measured(2, 21, house.clock.now())]))
    [again] = await alerts(acme.admin, "?open=true")
    assert again["id"] != alert["id"]
    assert "ended" not in again["details"]
