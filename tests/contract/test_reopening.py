"""A canceled order is opened again, with what it owes; one on an invoice is not."""

from collections.abc import Callable
from typing import Any

import pytest

from contract.test_money import (
    accepted,
    account,
    charge,
    created,
    dispatched,
    pay,
    record,
    shop,
    standing,
    started,
)
from invoices.conftest import desk
from invoices.desk import Desk
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from orders.test_price_status import configure, settle
from probe import refused

__all__ = ["desk", "shop"]
STOPS = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}]


async def reopened(shop: Shop, order: dict[str, Any]) -> dict[str, Any]:
    return await shop.act(order, "reopen")


async def test_a_reopened_order_waits_for_its_dispatch(shop: Shop) -> None:
    order = await shop.ready(scheduled_at="2026-01-16T01:00:00Z", notes="Ring.")
    await shop.act(order, "start", skip_dispatch=True)
    await shop.fire(order, "enroute")
    await shop.act(order, "cancel", reason="Nobody there.")
    now = await reopened(shop, order)
    assert (now["status"], now["payload"]["state"]) == ("created", "open")
    assert (now["dispatched"], now["started"], now["canceled_at"]) == (False, False, None)
    assert now["cancel_reason"] is None
    assert now["driver_assigned"]["id"] == order["driver_assigned"]["id"]
    assert now["scheduled_at"] == "2026-01-16T01:00:00.000Z"
    history = await shop.get(f"tracking-statuses?order={order['id']}")
    assert history[0]["status"] == "Order reopened"
    events = (await shop.firm.admin.get(f"/int/v1/events?subject={order['id']}")).json()["data"]
    assert "order.updated" in [event["event"] for event in events[:3]]
    changed = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert changed.status_code == 200, changed.text
    for code in ("started", "enroute", "completed"):
        body = {"skip_dispatch": True} if code == "started" else {}
        now = await shop.fire(order, code, **body)
    assert now["status"] == "completed"


async def test_completed_stops_stay_completed(shop: Shop) -> None:
    order = await shop.ready(waypoints=STOPS, pickup=None, dropoff=None)
    await shop.act(order, "start", skip_dispatch=True)
    for code in ("enroute", "completed", "enroute"):
        await shop.fire(order, code)
    await shop.act(order, "cancel")
    now = await reopened(shop, order)
    first, second, third = now["payload"]["waypoints"]
    assert [stop["complete"] for stop in (first, second, third)] == [True, False, False]
    assert (second["status_code"], now["current_waypoint"]) == (None, second["id"])
    refused(await shop.firm.api.delete(f"/v1/waypoints/{first['id']}"), 409, "payload_begun")
    await shop.act(order, "start", skip_dispatch=True)
    for code in ("enroute", "completed", "enroute", "completed"):
        now = await shop.fire(order, code)
    assert now["status"] == "completed"


async def test_other_orders_are_not_reopened(shop: Shop) -> None:
    order = await shop.ready()
    refused(await shop.attempt(order, "reopen"), 409, "order_not_canceled")
    await shop.act(order, "cancel")
    stale = await shop.firm.api.post(
        f"/v1/orders/{order['id']}/reopen", json={}, headers={"If-Match": '"1"'}
    )
    refused(stale, 412, "precondition_failed")
    await reopened(shop, order)
    refused(await shop.attempt(order, "reopen"), 409, "order_not_canceled")
    returned = await shop.ready()
    await shop.act(returned, "start", skip_dispatch=True)
    await shop.act(returned, "fail-attempt", reason="refused", then="return")
    await shop.act(returned, "cancel")
    refused(await shop.attempt(returned, "reopen"), 409, "order_returned")


async def test_proofs_from_before_the_cancellation_complete_nothing(shop: Shop) -> None:
    order = await shop.ready(pod_required=True, pod_method="scan")
    await shop.act(order, "start", skip_dispatch=True)
    await shop.fire(order, "enroute")
    captured = await shop.firm.api.post(f"/v1/orders/{order['id']}/capture-qr", json={"code": "A"})
    assert captured.status_code == 201, captured.text
    await shop.act(order, "cancel")
    await reopened(shop, order)
    await shop.act(order, "start", skip_dispatch=True)
    await shop.fire(order, "enroute")
    refused(await shop.attempt(order, "complete"), 422, "pod_required")


@pytest.mark.parametrize("paid", [False, True])
@pytest.mark.parametrize(("stage_of", "fee"), [(created, 0), (dispatched, 200), (started, 450)])
async def test_the_price_is_owed_again(
    shop: Shop, stage_of: Callable[..., Any], fee: int, *, paid: bool
) -> None:
    await configure(shop, cancellation_fees={"dispatched": 200, "started": "50%"})
    order = await accepted(shop)
    if paid:
        await record(shop, order, amount=300)
    for _ in range(2):
        await stage_of(shop, order)
        await shop.act(order, "cancel")
        await settle(shop)
        assert (await account(shop, order))["total"] == max(fee, 300 if paid else 0)
        now = await reopened(shop, order)
        if fee or paid:
            assert (now["price_status"], now["balance"]) == ("accepted", 600 if paid else 900)
        else:
            assert (now["price_status"], now["balance"]) == ("priced", 0)
    now = await shop.act(order, "dispatch")
    assert now["price_status"] == "accepted"
    found = await account(shop, order)
    assert (found["total"], found["paid"]) == (900, 300 if paid else 0)
    assert await standing(shop, order) == (("partially_paid", 600) if paid else ("unpaid", 900))


async def test_charges_that_were_refunded_in_full_are_owed_again_too(shop: Shop) -> None:
    await configure(shop, cancellation_fees={"created": 200}, cancellation_refund="automatic")
    order = await accepted(shop)
    await pay(shop, order)
    await charge(shop, order)
    await pay(shop, order)
    await shop.act(order, "cancel")
    await settle(shop)
    found = await account(shop, order)
    assert (found["total"], found["paid"] - found["refunded"], found["balance"]) == (200, 200, 0)
    statuses = {one["status"] for one in await shop.get(f"transactions?order={order['id']}")}
    assert "refunded" in statuses
    now = await reopened(shop, order)
    assert (now["price_status"], now["balance"]) == ("accepted", 1550)
    assert (await account(shop, order))["total"] == 1750


async def test_an_invoiced_order_is_reopened_after_its_credit_note(desk: Desk) -> None:
    ada = await desk.customer()
    order = await desk.charged(ada)
    invoice = await desk.issued(ada)
    client = desk.firm.api
    assert (await client.post(f"/v1/orders/{order}/cancel", json={})).status_code == 200
    refused(await client.post(f"/v1/orders/{order}/reopen", json={}), 409, "order_invoiced")
    assert (await client.get(f"/v1/orders/{order}")).json()["status"] == "canceled"
    note = await client.post(f"/v1/invoices/{invoice['id']}/credit-note", json={"reason": "Late."})
    assert note.status_code == 201, note.text
    again = await client.post(f"/v1/orders/{order}/reopen", json={})
    if note.json()["status"] == "draft":
        refused(again, 409, "order_invoiced")
        await desk.post(f"invoices/{note.json()['id']}/issue")
        again = await client.post(f"/v1/orders/{order}/reopen", json={})
    assert again.status_code == 200, again.text
