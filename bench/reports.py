"""The home page's figures, and reports over a year, with many orders.

Each order has a time window and a transaction, and they are spread evenly over the last year. The
devices of a hundred vehicles report all the time, and each order has a webhook delivery, as far
back as such records are kept. A worker first computes all days, as it does after an upgrade. A
report must then take at most 50 ms over HTTP, however many orders there are. Today's figures are
computed when they are read.
"""

import asyncio
import time
from functools import partial
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

import stand
from lists import measure_medians, place_first_order, render_uuid_sql
from orders import ApiConnection

ORDERS = stand.read_size("orders", 1_000_000, tiny=400)
DAYS = 365
MAX_SECONDS = 0.050
TABLES = ("payloads", "orders", "transactions")
VEHICLES = stand.read_size("vehicles", 100, tiny=5)
TRIPS_PER_DAY = 10
# Days that trips and deliveries are kept.
TRIP_DAYS = 90
DELIVERY_DAYS = 30
REPORTS = (
    "volume", "on-time", "drivers", "revenue", "kilometres", "margin", "devices", "webhooks",
)  # fmt: skip

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


async def insert_history(url: str) -> None:
    """Insert many completed orders at once, each with a payload and a transaction."""
    connection = await asyncpg.connect(url, command_timeout=1200)
    row: Any = await connection.fetchrow("select * from orders limit 1")
    series = f"generate_series(1::bigint, {ORDERS}) i"
    moment = f"now() - i * interval '{DAYS * 86400 / ORDERS} seconds'"
    order, moved, paid = map(render_uuid_sql, ("order", "payload", "transaction"))
    await connection.execute("set session_replication_role = replica")
    indexes = await connection.fetch(
        """select indexname, indexdef from pg_indexes
           where indexdef not like '%UNIQUE%' and tablename = any($1)""",
        TABLES,
    )
    async with connection.transaction():
        for index in indexes:
            await connection.execute(f"drop index {index['indexname']}")
        await connection.execute(
            f"""insert into payloads (uuid, public_id, company, order_uuid, state, meta,
                  created_at, updated_at, version)
                select {moved}, 'payload_' || substr(md5('p' || i), 1, 16), $1, {order}, 'closed',
                  '{{}}', {moment}, {moment}, 1 from {series}""",
            row["company"],
        )
        await connection.execute(
            f"""insert into orders (uuid, public_id, company, order_config, flow_version, type,
                  status, activity, payload, driver, pod_required, adhoc, attempts, meta,
                  created_at, completed_at, time_window_end, updated_at, version)
                select {order}, 'order_' || substr(md5('o' || i), 1, 16), $1, $2, 1, 'transport',
                  'completed', 'completed', {moved}, $3, false, false, (i % 9 = 0)::int, '{{}}',
                  {moment}, {moment} + interval '1 hour', {moment} + i % 3 * interval '1 hour',
                  {moment}, 1 from {series}""",
            row["company"], row["order_config"], row["driver"],
        )  # fmt: skip
        await connection.execute(
            f"""insert into transactions (uuid, public_id, company, order_uuid, amount, currency,
                  status, amount_paid, amount_refunded, created_at, updated_at, version)
                select {paid}, 'transaction_' || substr(md5('t' || i), 1, 16), $1, {order},
                  1200, (array['SGD', 'EUR', 'JPY'])[i % 3 + 1], 'paid', 1200, 0, {moment},
                  {moment}, 1 from {series}""",
            row["company"],
        )
        for index in indexes:
            await connection.execute(index["indexdef"])
    await insert_telemetry(connection, row["company"], row["driver"])
    await insert_deliveries(connection, row["company"])
    await connection.execute("vacuum analyze")
    await connection.close()


async def insert_telemetry(connection: Connection, company: UUID, driver: UUID) -> None:
    """Insert vehicles whose devices report each hour, and make trips by day."""
    vehicle, tracker, trip = map(render_uuid_sql, ("vehicle", "device", "trip"))
    vehicles = f"generate_series(1::bigint, {VEHICLES}) i"
    await connection.execute(
        f"""insert into vehicles (uuid, public_id, company, status, online, meta, created_at,
              updated_at, cost_per_km, currency)
            select {vehicle}, 'vehicle_' || i, $1, 'active', true, '{{}}', now(), now(), 50, 'SGD'
            from {vehicles}""",
        company,
    )
    await connection.execute(
        f"""insert into devices (uuid, public_id, company, name, kind, meta, created_at, updated_at)
            select {tracker}, 'device_' || i, $1, 'Tracker', 'tracker', '{{}}',
                now() - interval '1 year', now() from {vehicles}""",
        company,
    )
    await connection.execute(
        f"""insert into attachments (uuid, company, device, vehicle, since)
            select {render_uuid_sql("attachment")}, $1, {tracker}, {vehicle},
                now() - interval '1 year' from {vehicles}""",
        company,
    )
    await connection.execute(
        f"""insert into drives (uuid, company, driver, vehicle, since)
            select {render_uuid_sql("drive")}, $1, $2, {vehicle}, now() - interval '1 year'
            from generate_series(1::bigint, 1) i""",
        company, driver,
    )  # fmt: skip
    hours = f"generate_series(0, {TRIP_DAYS * 24}) hour"
    await connection.execute(
        f"""insert into device_counts (company, device_no, hour, kind, events)
            select $1, d.number, date_trunc('hour', now() - hour * interval '1 hour'), type, 60
            from devices d, {hours}, unnest('{{1,2,9}}'::smallint[]) type""",
        company,
    )
    await connection.execute(
        f"""insert into device_trips (uuid, public_id, company, device, started_at, ended_at,
              start_latitude, start_longitude, end_latitude, end_longitude, distance,
              moving_seconds, idle_seconds, longest_stop_seconds)
            select {trip}, 'trip_' || i, $1, d.uuid, moment, moment + interval '20 minutes',
                1, 103, 1, 103, 12000, 1000, 200, 60
            from (select uuid, row_number() over () as place from devices) d
            cross join generate_series(0, {TRIP_DAYS * TRIPS_PER_DAY - 1}) turn
            cross join lateral (select d.place * {TRIP_DAYS * TRIPS_PER_DAY} + turn as i,
                now() - (turn + 1) * interval '{86400 // TRIPS_PER_DAY} seconds' as moment) one""",
        company,
    )


async def insert_deliveries(connection: Connection, company: UUID) -> None:
    """Insert a delivery with its attempt for each recent order."""
    delivery = render_uuid_sql("delivery")
    series = f"generate_series(1::bigint, {ORDERS * DELIVERY_DAYS // DAYS}) i"
    moment = f"now() - i * interval '{DAYS * 86400 / ORDERS} seconds'"
    await connection.execute(
        f"""insert into webhook_deliveries (uuid, company, webhook, event, name, subject, thread,
              sequence, created_at)
            select {delivery}, $1, {render_uuid_sql("webhook")}, {render_uuid_sql("event")},
                'order.completed', 'order', 'order', i, {moment} from {series}""",
        company,
    )
    await connection.execute(
        f"""insert into webhook_attempts (company, delivery, number, round, retries, trigger,
              outcome, started_at, finished_at)
            select $1, {delivery}, 1, 0, 0, 'event', 'succeeded', {moment},
                {moment} + interval '1 second' from {series}""",
        company,
    )


async def compute_days(test_stand: stand.Stand) -> None:
    """Compute all days, as a worker does at first."""
    from pannier.reports.refresh import ReportRefresher, queue_checks

    database = await stand.open_database(test_stand.url)
    began = time.perf_counter()
    await queue_checks(database)
    refresher = ReportRefresher(database)
    while await refresher.step():
        pass
    seconds = time.perf_counter() - began
    async with database.reading() as db:
        completed = await db.fetch_value("select sum(completed) from report_days")
        trips = await db.fetch_value("select sum(trips) from report_trips")
        deliveries = await db.fetch_value("select sum(deliveries) from report_webhooks")
    assert completed > ORDERS * (DAYS - 2) / DAYS, completed
    assert trips >= VEHICLES * TRIPS_PER_DAY * (TRIP_DAYS - 2), trips
    assert deliveries > ORDERS * (DELIVERY_DAYS - 2) / DAYS, deliveries
    await database.close()
    print(f"{DAYS} days with {ORDERS:,} orders computed in {seconds:.0f} s")


async def measure_reports(test_stand: stand.Stand, port: int, key: str, token: str) -> None:
    line, operator = ApiConnection(port, key), stand.HttpConnection(port, token)
    year = "from=" + time.strftime("%Y-%m-%d", time.gmtime(time.time() - (DAYS - 1) * 86400))
    whats = [
        ("GET /int/v1/home", partial(operator.request_json, "GET", "/int/v1/home")),
        *(
            (
                f"GET /v1/reports/{name}, {DAYS} days",
                partial(line.request_json, "GET", f"reports/{name}?{year}"),
            )
            for name in REPORTS
        ),
    ]
    medians = await measure_medians(*(request for _, request in whats))
    for (what, _), median in zip(whats, medians, strict=True):
        test_stand.record(
            stand.Figure(
                what=f"{what}, {ORDERS:,} orders",
                measured=f"{median * 1e3:.1f} ms",
                floor=f"limit {MAX_SECONDS * 1e3:.0f} ms",
                ratio=median / MAX_SECONDS,
                aim=stand.aim_at_most(1),
            )
        )


def measure(test_stand: stand.Stand) -> None:
    credentials = asyncio.run(stand.provision_company(test_stand.url))
    process = test_stand.start_api(test_stand.url)
    asyncio.run(place_first_order(ApiConnection(process.port, credentials.api_key)))
    asyncio.run(insert_history(test_stand.url))
    asyncio.run(compute_days(test_stand))
    asyncio.run(
        measure_reports(test_stand, process.port, credentials.api_key, credentials.operator_token)
    )


if __name__ == "__main__":
    stand.run(measure)
