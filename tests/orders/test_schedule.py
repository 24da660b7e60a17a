"""Scheduled orders dispatch themselves when they are due."""

import pytest

from orders.shop import Shop
from pannier.kit.clock import ManualClock
from pannier.orders import sweep
from probe import paths, refused
from stage import Firm, House


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_an_order_is_scheduled_and_that_is_told(shop: Shop, acme: Firm, method: str) -> None:
    order = await shop.order()
    body = {"scheduled_at": "2026-01-15T23:00:00+08:00"}
    answer = await acme.api.request(method, f"/v1/orders/{order['id']}/schedule", json=body)
    assert answer.json()["scheduled_at"] == "2026-01-15T15:00:00.000Z"
    await acme.api.request(method, f"/v1/orders/{order['id']}/schedule", json=body)
    [event] = await shop.told("order.updated")
    assert event["data"]["changed"] == ["scheduled_at"]


async def test_a_day_and_a_time_of_day_are_read_in_their_time_zone(shop: Shop) -> None:
    order = await shop.order()
    done = await shop.act(
        order, "schedule", date="2026-07-01", time="09:30", timezone="Europe/Berlin"
    )
    assert done["scheduled_at"] == "2026-07-01T07:30:00.000Z"
    assert (await shop.act(order, "schedule", date="2026-07-01"))["scheduled_at"] == (
        "2026-07-01T00:00:00.000Z"
    )
    assert (await shop.act(order, "schedule", scheduled_at=None))["scheduled_at"] is None


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "scheduled_at"),
        ({"date": "2026-07-01", "timezone": "Mars/Base"}, "timezone"),
        ({"date": "2026-07-01", "timezone": "../../etc/passwd"}, "timezone"),
        ({"date": "2026-07-01", "timezone": "localtime"}, "timezone"),
        ({"date": "2026-07-01", "timezone": "Factory"}, "timezone"),
        ({"date": "2026-07-01", "time": "29:00"}, "time"),
        ({"scheduled_at": "2026-07-01T09:30:00"}, "scheduled_at"),
    ],
)
async def test_a_time_that_is_none_is_refused(shop: Shop, body: dict[str, str], path: str) -> None:
    assert paths(await shop.attempt(await shop.order(), "schedule", **body)) == [path]


async def test_an_order_that_is_out_cannot_be_scheduled(shop: Shop) -> None:
    order = await shop.ready(dispatch=True)
    answer = await shop.attempt(order, "schedule", scheduled_at="2026-02-01T00:00:00Z")
    refused(answer, 409, "illegal_move")


async def test_what_is_due_goes_out_once_and_not_before(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    order = await shop.ready(scheduled_at="2026-01-15T13:00:00Z")
    assert await sweep.step(house.database) is False
    clock.advance(hours=1)
    assert await sweep.step(house.database) is True
    assert await sweep.step(house.database) is False
    shown = await shop.get(f"orders/{order['id']}")
    assert (shown["status"], shown["dispatched_at"]) == ("dispatched", "2026-01-15T13:00:00.000Z")
    assert len(await shop.told("order.dispatched")) == 1


async def test_what_is_due_without_a_driver_waits_for_one_and_holds_nobody_up(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    waiting = await shop.order(scheduled_at="2026-01-15T12:30:00Z")
    barred = await shop.ready(scheduled_at="2026-01-15T12:31:00Z")
    await shop.patch(f"drivers/{barred['driver_assigned']['id']}", status="suspended")
    other = await shop.order(scheduled_at="2026-01-15T12:40:00Z", adhoc=True)
    clock.advance(hours=1)
    assert await sweep.step(house.database) is True
    assert await sweep.step(house.database) is False
    assert (await shop.get(f"orders/{other['id']}"))["status"] == "dispatched"
    driver = await shop.driver()
    await shop.act(waiting, "assign-driver", driver=driver["id"])
    assert await sweep.step(house.database) is True
    assert (await shop.get(f"orders/{waiting['id']}"))["status"] == "dispatched"


async def test_what_was_cancelled_or_deleted_never_goes_out(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    off = await shop.ready(scheduled_at="2026-01-15T13:00:00Z")
    await shop.act(off, "cancel")
    gone = await shop.ready(scheduled_at="2026-01-15T13:00:00Z")
    await acme.api.delete(f"/v1/orders/{gone['id']}")
    clock.advance(hours=2)
    assert await sweep.step(house.database) is False
