"""What dispatchers watch is few among many: a list of it does not read the others."""

import asyncio
from typing import Any

import msgspec
import pytest

from db.test_plans import COPIES, COPY, ORDERS, explained, passed_over
from orders.shop import CHANGI, MANDAI, Shop
from pannier.orders import queries, remeasure
from stage import Firm, House

pytestmark = pytest.mark.slow

HISTORY = 5000
# As many copies of an order, delivered long ago.
DELIVERED = """
    with moved as (
        insert into payloads
        select made.*
        from payloads p, generate_series(1, :many) number,
            jsonb_populate_record(p, jsonb_build_object('uuid', gen_random_uuid(),
                'public_id', 'payload_' || number, 'order_uuid', null)) made
        returning uuid)
    insert into orders
    select made.*
    from orders o, moved, jsonb_populate_record(o, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'order_' || moved.uuid, 'payload', moved.uuid,
        'status', 'completed', 'completed_at', o.created_at)) made"""
# What was made before everything else.
OF_OLD = "'uuid', lpad(number::text, 32, '0'), 'public_id', 'old_' || number"


async def test_few_among_many_are_found_by_an_index(shop: Shop, acme: Firm, house: House) -> None:
    await shop.ready()
    async with house.database.transaction() as db:
        await db.execute(DELIVERED, many=HISTORY)
    await house.value("analyze orders")
    for what in (
        f"{queries.OPEN} and status <> 'created'",
        "driver is null",
        f"{queries.OPEN} and undelivered = 'hold'",
    ):
        plan = await house.value(
            f"""explain (analyze, format json) select uuid from orders
                where company = '{acme.uuid}' and deleted_at is null and {what}
                order by created_at desc, uuid desc limit 30"""
        )
        (found,) = msgspec.json.decode(plan) if isinstance(plan, str) else plan
        assert passed_over(found["Plan"]) < 10, what


def read(plan: dict[str, Any]) -> int:
    """Add up the rows that a plan found in tables, whatever became of them."""
    parts = plan.get("Plans", [])
    own = 0 if parts else int(plan["Actual Rows"]) * int(plan["Actual Loops"])
    return own + sum(map(read, parts))


async def test_open_orders_elsewhere_cost_a_place_that_moved_nothing(
    shop: Shop, house: House
) -> None:
    depot = await shop.post("places", **CHANGI)
    through = [
        await shop.order(pickup=depot["id"], dropoff=MANDAI),
        await shop.order(waypoints=[{"place": MANDAI}, {"place": depot["id"]}]),
    ]
    elsewhere = await shop.order()
    here = f"(select uuid from places where public_id = '{depot['id']}')"
    past = f"{OF_OLD}, 'order_uuid', null, 'pickup', {here}"
    async with house.database.transaction() as db:
        await db.execute(COPY.format(table="payloads", changes=COPIES["payloads"], many=HISTORY))
        await db.execute(ORDERS.format(scheduled="null"))
        await db.execute(COPY.format(table="payloads", changes=past, many=remeasure.BATCH_SIZE + 1))
    await house.value("analyze")
    await shop.patch(f"places/{depot['id']}", location=[103.8, 1.3])
    heard: list[tuple[str, tuple[Any, ...]]] = []
    connections = house.database.connections
    connection = await connections.acquire()
    with connection.query_logger(lambda said: heard.append((said.query, said.args or ()))):
        connections.release(connection)
        while await remeasure.step(house.database):
            pass
        await asyncio.sleep(0)
    async with house.database.reading() as db:
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to have explained what it was asked
        for sql, values in heard:
            if sql.lstrip().startswith("select"):
                plan = await explained(connection, sql, values)
                assert passed_over(plan) + read(plan) <= 2 * remeasure.BATCH_SIZE, sql
    for order in through:
        assert (await shop.get(f"orders/{order['id']}"))["version"] == order["version"] + 1
    assert (await shop.get(f"orders/{elsewhere['id']}"))["version"] == elsewhere["version"]
