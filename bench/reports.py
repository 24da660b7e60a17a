"""The home page's figures, and reports over a year, with many orders.

Each order has a time window and a transaction, and they are spread evenly over the last year. A
worker first computes all days, as it does after an upgrade. A report must then take at most 50 ms
over HTTP, however many orders there are. Today's figures are computed when they are read.
"""

import asyncio
import time
from functools import partial
from typing import Any

import asyncpg

import stand
from lists import measure_medians, place_first_order, render_uuid_sql
from orders import ApiConnection

ORDERS = stand.read_size("orders", 1_000_000, tiny=400)
DAYS = 365
MAX_SECONDS = 0.050
TABLES = ("payloads", "orders", "transactions")


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
    await connection.execute("vacuum analyze")
    await connection.close()


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
    assert completed > ORDERS * (DAYS - 2) / DAYS, completed
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
            for name in ("volume", "on-time", "drivers", "revenue")
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
