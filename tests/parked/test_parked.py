"""What the worker fails at is parked with its error; everybody else's work goes on."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

import asyncpg
import pytest

from orders.shop import Shop
from pannier.db import Db
from pannier.events import relay
from pannier.events.models import Event
from pannier.kit.clock import ManualClock
from pannier.orders import sweep as orders_sweep
from pannier.parked import sweep
from pannier.parked.models import ParkedWork
from pannier.subscribers import RETRIES, SUBSCRIBERS
from stage import Firm, House

WAITING: Final = """select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'"""


async def relayed(house: House, *more: relay.Subscriber) -> None:
    while await relay.Relay(house.database, (*SUBSCRIBERS, *more)).step():
        pass


async def parked(firm: Firm) -> list[dict[str, object]]:
    answer = await firm.admin.get("/int/v1/parked")
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, object]] = answer.json()["data"]
    return listed


async def garble(house: House, name: str) -> None:
    async with house.database.transaction() as db:
        await db.execute("update events set body = '!' || body where name = :name", name=name)


async def mend(house: House) -> None:
    async with house.database.transaction() as db:
        await db.execute("update events set body = substr(body, 2) where body like '!%'")


@pytest.mark.slow
async def test_an_event_that_cannot_be_told_holds_nobody_else_up(
    shop: Shop, acme: Firm, rival: Firm, house: House
) -> None:
    heard: list[str] = []

    async def listener(_db: Db, events: Sequence[Event]) -> None:
        heard.extend(event.name for event in events)

    await shop.ready(dispatch=True)
    await garble(house, "order.dispatched")
    await relayed(house, listener)
    assert "order.dispatched" in heard, "another subscriber was told all the same"
    assert await house.value("select count(*) from event_queue") == 0
    [work] = await parked(acme)
    assert work["step"] == "events to news.subscriber"
    assert "malformed" in str(work["error"]) or "Error" in str(work["error"])
    assert (work["attempts"], work["retry_at"]) == (1, "2026-01-15T12:01:00.000Z")
    assert await parked(rival) == []
    assert "pannier_parked 1.0" in await house.metrics()


async def test_one_event_among_many_is_found_and_the_others_are_told_in_their_order(
    shop: Shop, acme: Firm, house: House
) -> None:
    heard: list[str] = []

    async def picky(_db: Db, events: Sequence[Event]) -> None:
        if any(event.name == "order.dispatched" for event in events):
            raise ValueError("I cannot hear this.")
        heard.extend(event.public_id for event in events)

    await shop.ready(dispatch=True)
    told = await house.value(
        """select array_agg(public_id order by position) from event_queue
           join events on uuid = event where name <> 'order.dispatched'"""
    )
    await relayed(house, picky)
    assert heard == told
    assert [work["error"] for work in await parked(acme)] == ["ValueError: I cannot hear this."]


async def test_parked_work_is_tried_again_by_itself_ever_more_rarely(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    async def deaf(_db: Db, events: Sequence[Event]) -> None:
        if any(event.name == "order.dispatched" for event in events):
            raise ValueError("I cannot hear this.")

    await shop.ready(dispatch=True)
    await relayed(house, deaf)
    retries = {**RETRIES, **relay.make_retries([deaf])}
    assert not await sweep.step(house.database, retries)
    for minutes in (1, 5, 30, 120, 480, 1440):
        clock.advance(minutes=minutes)
        assert await sweep.step(house.database, retries)
        assert not await sweep.step(house.database, retries)
    [work] = await parked(acme)
    assert (work["attempts"], work["retry_at"]) == (7, None)


async def test_a_piece_that_takes_the_database_too_long_holds_no_other_up(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    tried: list[str] = []

    async def picky(_db: Db, events: Sequence[Event]) -> None:
        if any(event.name.startswith("order.") for event in events):
            raise ValueError("I cannot hear this.")

    async def slow(_db: Db, parked: ParkedWork) -> None:
        tried.append(parked.public_id)
        if tried[0] == parked.public_id:
            raise asyncpg.QueryCanceledError("canceling statement due to statement timeout")

    await shop.ready(dispatch=True)
    await relayed(house, picky)
    assert len(await parked(acme)) > 1
    clock.advance(minutes=1)
    retries = dict.fromkeys(relay.make_retries([picky]), slow)
    for _ in await parked(acme):
        with suppress(asyncpg.QueryCanceledError):
            await sweep.step(house.database, retries)
    [work] = await parked(acme)
    assert (work["id"], work["attempts"]) == (tried[0], 1)
    assert work["retry_at"] == "2026-01-15T12:02:00.000Z"


@pytest.mark.parametrize("state", ["53000", "53100", "53200", "58030", "25006", "40001", "57P01"])
async def test_nothing_is_parked_because_the_server_cannot_work(
    shop: Shop, acme: Firm, house: House, state: str
) -> None:
    async def unlucky(db: Db, _events: Sequence[Event]) -> None:
        await db.execute(f"do $$ begin raise exception using errcode = '{state}'; end $$")

    await shop.ready(dispatch=True)
    waiting = await house.value("select count(*) from event_queue")
    with pytest.raises(asyncpg.PostgresError) as told:
        await relayed(house, unlucky)
    assert told.value.sqlstate == state
    assert await parked(acme) == []
    assert await house.value("select count(*) from event_queue") == waiting


@pytest.mark.parametrize("state", ["53000", "53100", "58030", "25006", "40001"])
async def test_parked_work_counts_no_attempt_that_failed_because_the_server_cannot_work(
    shop: Shop, acme: Firm, house: House, clock: ManualClock, state: str
) -> None:
    async def unlucky(db: Db, _parked: ParkedWork) -> None:
        await db.execute(f"do $$ begin raise exception using errcode = '{state}'; end $$")

    await shop.ready(dispatch=True)
    await garble(house, "order.dispatched")
    await relayed(house)
    clock.advance(minutes=1)
    with pytest.raises(asyncpg.PostgresError):
        await sweep.step(house.database, dict.fromkeys(RETRIES, unlucky))
    [work] = await parked(acme)
    assert work["attempts"] == 1
    await mend(house)
    clock.advance(minutes=1)
    assert await sweep.step(house.database, RETRIES)
    assert await parked(acme) == []


async def test_an_operator_has_parked_work_tried_again_at_once(
    shop: Shop, acme: Firm, rival: Firm, house: House
) -> None:
    await shop.ready(dispatch=True)
    await garble(house, "order.dispatched")
    await relayed(house)
    [work] = await parked(acme)
    await mend(house)
    path = f"/int/v1/parked/{work['id']}/retry"
    assert (await (await acme.operator("dispatcher")).post(path)).status_code == 403
    assert (await rival.admin.post(path)).status_code == 404
    assert (await acme.admin.post(path)).json()["retry_at"] == "2026-01-15T12:00:00.000Z"
    assert await sweep.step(house.database, RETRIES)
    assert await parked(acme) == []
    audit = (await acme.admin.get("/int/v1/audit?action=parked.retried")).json()["data"]
    assert [entry["subject"] for entry in audit] == [work["id"]]


async def test_what_nobody_took_up_is_kept_as_long_as_events(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"retention": {"events": 7}})
    await shop.ready(dispatch=True)
    await garble(house, "order.dispatched")
    await relayed(house)
    clock.advance(days=6)
    assert not await sweep.OLD_PARKED.delete_batch(house.database, timedelta(days=90))
    clock.advance(days=2)
    assert await sweep.OLD_PARKED.delete_batch(house.database, timedelta(days=90))
    assert await parked(acme) == []


async def test_an_operator_gives_parked_work_up(shop: Shop, acme: Firm, house: House) -> None:
    await shop.ready(dispatch=True)
    await garble(house, "order.dispatched")
    await relayed(house)
    [work] = await parked(acme)
    assert (await acme.admin.delete(f"/int/v1/parked/{work['id']}")).status_code == 200
    assert await parked(acme) == []


async def test_an_order_that_cannot_be_dispatched_holds_nobody_else_up(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    broken = await shop.ready(scheduled_at="2026-01-15T12:10:00Z")
    good = await shop.ready(scheduled_at="2026-01-15T12:20:00Z")
    async with house.database.transaction() as db:
        await db.execute(
            "update orders set flow_version = 99 where public_id = :id", id=broken["id"]
        )
    clock.advance(hours=1)
    while await orders_sweep.step(house.database):
        pass
    assert (await shop.get(f"orders/{good['id']}"))["status"] == "dispatched"
    [work] = await parked(acme)
    assert (work["step"], work["subject"]) == ("scheduled orders", broken["id"])
    clock.advance(minutes=1)
    assert not await orders_sweep.step(house.database), "it is not tried each second"
    assert await sweep.step(house.database, RETRIES)
    [work] = await parked(acme)
    assert work["attempts"] == 2
    async with house.database.transaction() as db:
        await db.execute(
            "update orders set flow_version = 1 where public_id = :id", id=broken["id"]
        )
    await acme.admin.post(f"/int/v1/parked/{work['id']}/retry")
    assert await sweep.step(house.database, RETRIES)
    assert (await shop.get(f"orders/{broken['id']}"))["status"] == "dispatched"
    assert await parked(acme) == []


async def broken_order(shop: Shop, house: House, clock: ManualClock) -> dict[str, Any]:
    """Have an order parked: it was due, and the worker failed at it."""
    order = await shop.ready(scheduled_at="2026-01-15T12:10:00Z")
    async with house.database.transaction() as db:
        await db.execute("update orders set flow_version = 99")
    clock.advance(hours=1)
    assert await orders_sweep.step(house.database)
    return order


async def test_an_order_whose_dispatch_was_given_up_is_left_alone_until_somebody_changes_it(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    order = await broken_order(shop, house, clock)
    [work] = await parked(acme)
    assert (await acme.admin.delete(f"/int/v1/parked/{work['id']}")).status_code == 200
    clock.advance(days=80)
    assert not await orders_sweep.step(house.database)
    assert await parked(acme) == []
    async with house.database.transaction() as db:
        await db.execute("update orders set flow_version = 1")
    await shop.patch(f"orders/{order['id']}", notes="Ring twice.")
    assert await orders_sweep.step(house.database)
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "dispatched"


async def test_the_second_try_of_an_order_and_its_next_failure_never_wait_for_each_other(
    shop: Shop, acme: Firm, house: House, clock: ManualClock
) -> None:
    order = await broken_order(shop, house, clock)
    await shop.patch(f"orders/{order['id']}", notes="Is it ready now?")
    clock.advance(minutes=1)

    async def beside_the_other(db: Db, work: ParkedWork) -> None:
        other = asyncio.ensure_future(orders_sweep.step(house.database))
        while not other.done() and not await house.value(WAITING):
            pass
        others.append(other)
        await orders_sweep.retry(db, work)

    others: list[asyncio.Future[bool]] = []
    assert await sweep.step(house.database, {orders_sweep.STEP: beside_the_other})
    assert await others[0], "it failed too, and left the counting to whoever has the row"
    [work] = await parked(acme)
    assert work["attempts"] == 2
    assert not await orders_sweep.step(house.database), "only parked work tries it again"


async def test_an_order_whose_driver_may_not_work_is_looked_at_again_after_a_minute(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    order = await shop.ready(scheduled_at="2026-01-15T12:10:00Z")
    driver = order["driver_assigned"]["id"]
    await shop.patch(f"drivers/{driver}", status="suspended")
    clock.advance(hours=1)
    assert not await orders_sweep.step(house.database)
    await shop.patch(f"drivers/{driver}", status="active")
    assert not await orders_sweep.step(house.database)
    clock.advance(minutes=1)
    assert await orders_sweep.step(house.database)
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "dispatched"
