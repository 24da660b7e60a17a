"""The figures of a day are computed from its own rows, however many other orders there are."""

from typing import Any

import pytest

from db.test_plans import explained, passed_over
from orders.shop import Shop
from pannier.db.sql import to_positional
from pannier.devices.trips import queries
from pannier.reports import deliveries, device_health, figures
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


OLD_DEVICES = """
    with made as (
        insert into devices (uuid, public_id, company, name, kind, meta, created_at, updated_at,
            deleted_at)
        select gen_random_uuid(), 'device_' || number, company, 'A device', 'tracker', '{}',
            timestamptz '2025-01-01', created_at, case when number > 5 then created_at end
        from (select * from orders limit 1) o, generate_series(1, 10) number
        returning uuid, number, company),
    counted as (
        insert into device_counts (company, device_no, hour, kind, events)
        select company, number, timestamptz '2025-06-01' + hour * interval '1 hour', 1, 1
        from made, generate_series(1, :many / 10) hour)
    insert into device_trips (uuid, public_id, company, device, started_at, ended_at,
        start_latitude, start_longitude, end_latitude, end_longitude, distance, moving_seconds,
        idle_seconds, longest_stop_seconds)
    select gen_random_uuid(), 'trip_' || number || '_' || hour, company, uuid,
        timestamptz '2025-06-01' + hour * interval '1 minute', timestamptz '2025-06-02',
        1, 1, 1, 1, 1, 1, 1, 1
    from made, generate_series(1, :many / 10) hour"""
OLD_REJECTS = """
    insert into device_rejects (uuid, public_id, company, code, reason, body, received_at)
    select gen_random_uuid(), 'device_reject_' || number, company, 'too_old', 'Old', '',
        timestamptz '2025-06-01'
    from (select * from orders limit 1) o, generate_series(1, :many) number"""
OLD_DELIVERIES = """
    with sent as (
        insert into webhook_deliveries (uuid, company, webhook, event, name, subject, thread,
            sequence, created_at)
        select gen_random_uuid(), company, gen_random_uuid(), gen_random_uuid(), 'order.created',
            'order', 'order', number, timestamptz '2025-06-01'
        from (select * from orders limit 1) o, generate_series(1, :many) number
        returning uuid, company, created_at)
    insert into webhook_attempts (company, delivery, number, round, retries, trigger, outcome,
        started_at, finished_at)
    select company, uuid, 1, 0, 0, 'event', 'succeeded', created_at, created_at from sent"""


async def test_a_day_is_computed_without_the_others(shop: Shop) -> None:
    await completed(shop)
    house = shop.firm.house
    async with house.database.transaction() as db:
        for statement in (
            OLD_ATTEMPTS,
            OLD_TRANSACTIONS,
            OLD_DEVICES,
            OLD_REJECTS,
            OLD_DELIVERIES,
            OLD_ORDERS,
        ):
            await db.execute(statement, many=HISTORY)
    await house.value("analyze")
    start = house.clock.now().replace(hour=0)
    values: dict[str, Any] = {
        "company": shop.firm.uuid, "now": start, "start": start,
        "end": start.replace(day=start.day + 1),
    }  # fmt: skip
    values |= {
        "since": start, "until": values["end"], "internal": ["internal"],
    }  # fmt: skip
    statements = (
        figures._DAY, figures._MONEY, figures._DRIVERS, queries._COMPANY_TRIPS,  # noqa: SLF001 - their plans
        deliveries._DELIVERIES, device_health._DEVICES,  # noqa: SLF001 - their plans
    )  # fmt: skip
    connections = house.database.connections
    connection = await connections.acquire()
    try:
        for sql in statements:
            statement, names = to_positional(sql)
            plan = await explained(connection, statement, tuple(values[name] for name in names))
            assert passed_over(plan) < 50, sql
    finally:
        connections.release(connection)
