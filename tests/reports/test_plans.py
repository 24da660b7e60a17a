"""The figures of a day are computed from its own rows, however many other orders there are."""

from typing import Any

import pytest

from db.test_plans import explained, passed_over
from orders.shop import Shop
from pannier.db.sql import to_positional
from pannier.reports import figures
from reports.test_home import completed

pytestmark = pytest.mark.slow

HISTORY = 5000
# As many copies of an order, completed long ago.
OLD_ORDERS = """
    with moved as (
        insert into payloads
        select made.*
        from payloads p, generate_series(1, :many) number,
            jsonb_populate_record(p, jsonb_build_object('uuid', gen_random_uuid(),
                'public_id', 'payload_' || number, 'order_uuid', null)) made
        where p.uuid = (select uuid from payloads limit 1)
        returning uuid)
    insert into orders
    select made.*
    from orders o, moved,
        jsonb_populate_record(o, jsonb_build_object(
            'uuid', gen_random_uuid(), 'public_id', 'order_' || moved.uuid, 'payload', moved.uuid,
            'created_at', timestamptz '2025-06-01', 'completed_at', timestamptz '2025-06-01',
            'canceled_at', timestamptz '2025-06-01')) made
    where o.uuid = (select uuid from orders limit 1)"""
OLD_ATTEMPTS = """
    insert into delivery_attempts (uuid, public_id, company, order_uuid, number, reason, label,
        outcome, occurred_at, proofs, actor_kind, actor_id, actor_name, meta, created_at,
        updated_at, version)
    select gen_random_uuid(), 'attempt_' || number, company, uuid, 1, 'other', 'Other', 'retry',
        created_at, '{}', 'worker', 'worker', 'Worker', '{}', timestamptz '2025-06-01',
        created_at, 1
    from (select * from orders limit 1) o, generate_series(1, :many) number"""
OLD_TRANSACTIONS = """
    insert into transactions (uuid, public_id, company, amount, currency, status, amount_paid,
        amount_refunded, created_at, updated_at, version)
    select gen_random_uuid(), 'transaction_' || number, company, 100, 'SGD', 'paid', 100, 0,
        timestamptz '2025-06-01', created_at, 1
    from (select * from orders limit 1) o, generate_series(1, :many) number"""


async def test_a_day_is_computed_without_the_others(shop: Shop) -> None:
    await completed(shop)
    house = shop.firm.house
    async with house.database.transaction() as db:
        for statement in (OLD_ATTEMPTS, OLD_TRANSACTIONS, OLD_ORDERS):
            await db.execute(statement, many=HISTORY)
    await house.value("analyze")
    start = house.clock.now().replace(hour=0)
    values: dict[str, Any] = {
        "company": shop.firm.uuid, "now": start, "start": start,
        "end": start.replace(day=start.day + 1),
    }  # fmt: skip
    connections = house.database.connections
    connection = await connections.acquire()
    try:
        for sql in (figures._DAY, figures._MONEY, figures._DRIVERS):  # noqa: SLF001 - their plans
            statement, names = to_positional(sql)
            plan = await explained(connection, statement, tuple(values[name] for name in names))
            assert passed_over(plan) < 50, sql
    finally:
        connections.release(connection)
