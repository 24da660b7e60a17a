"""What a phone without reception tells late: when it happened, and when we heard of it."""

from datetime import timedelta
from typing import Any

from orders.shop import Shop
from pannier.kit.clock import ManualClock
from pannier.web.times import to_rfc3339
from probe import refused
from stage import Firm


async def statuses(shop: Shop, order: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = await shop.get(f"tracking-statuses?order={order['id']}")
    return rows[::-1]


async def test_both_times_of_what_was_told_late_are_kept(shop: Shop, clock: ManualClock) -> None:
    order = await shop.ready(dispatch=True)
    began = clock.now()
    clock.advance(hours=2)
    heard = to_rfc3339(clock.now())
    minutes = iter(range(1, 9))
    pressed = [to_rfc3339(began + timedelta(minutes=next(minutes))) for _ in range(3)]
    await shop.act(order, "start", occurred_at=pressed[0])
    await shop.fire(order, "enroute", occurred_at=pressed[1])
    await shop.act(order, "complete", occurred_at=pressed[2])
    told = (await statuses(shop, order))[2:]
    assert [row["occurred_at"] for row in told] == pressed
    assert {row["created_at"] for row in told} == {heard}
    assert {row["clock_skew"] for row in told} == {None}
    events = await shop.told("tracking_status.created")
    assert [body["data"]["occurred_at"] for body in events[2:]] == pressed


async def test_what_happens_now_happens_when_we_hear_of_it(shop: Shop) -> None:
    order = await shop.started()
    for row in await statuses(shop, order):
        assert (row["occurred_at"], row["clock_skew"]) == (row["created_at"], None)


async def test_a_wrong_clock_holds_nothing_up_and_is_said(shop: Shop, clock: ManualClock) -> None:
    order = await shop.ready(dispatch=True)
    placed = clock.now()
    clock.advance(hours=1)
    ahead = clock.now().replace(year=2099)
    await shop.act(order, "start", occurred_at=to_rfc3339(ahead))
    await shop.fire(order, "enroute", occurred_at="1999-01-01T00:00:00Z")
    first, second = (await statuses(shop, order))[2:]
    assert first["occurred_at"] == to_rfc3339(clock.now())
    assert first["clock_skew"] == (ahead - clock.now()).total_seconds()
    assert second["occurred_at"] == to_rfc3339(placed)
    assert second["clock_skew"] < 0
    refused(await shop.attempt(order, "complete", occurred_at="noon"), 422, "validation_failed")


async def test_going_on_duty_is_told_with_the_moment_of_the_phone(
    shop: Shop, clock: ManualClock
) -> None:
    driver = await shop.driver()
    pressed = to_rfc3339(clock.now())
    clock.advance(minutes=30)
    await shop.post(f"drivers/{driver['id']}/toggle-online", online=True, occurred_at=pressed)
    await shop.post(f"drivers/{driver['id']}/toggle-online", online=False)
    on, off = await shop.told("driver.online", "driver.offline")
    assert on["data"]["occurred_at"] == pressed
    assert off["data"]["occurred_at"] == to_rfc3339(clock.now())


async def test_what_was_sent_twice_in_three_weeks_happens_once(
    shop: Shop, clock: ManualClock, acme: Firm
) -> None:
    order = await shop.started()
    body = {"activity": "enroute", "occurred_at": to_rfc3339(clock.now())}
    address, key = f"/v1/orders/{order['id']}/update-activity", {"Idempotency-Key": "entry-1"}
    first = await acme.api.post(address, json=body, headers=key)
    clock.advance(days=21)
    again = await acme.api.post(address, json=body, headers=key)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert [row["code"] for row in await statuses(shop, order)].count("enroute") == 1
