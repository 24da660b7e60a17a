"""Transactions and orders from before the balances get them when they are migrated."""

import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

import stage
from pannier.db.migrate import CORRECTED_STEPS, list_migrations, migrate

pytestmark = pytest.mark.slow

# The last step before the lines of transactions became charges.
EARLIER = 13
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
UNPAID = {"amount": 900, "status": "unpaid"}
PAID = {"amount": 900, "status": "paid", "amount_paid": 900}
VOIDED = {"amount": 900, "status": "voided", "voided_at": NOW}
REFUNDED = {"amount": 900, "status": "refunded", "amount_paid": 900, "amount_refunded": 900}
# Paid at the last moment, so that the money went back.
LATE = VOIDED | {"amount_paid": 900, "amount_refunded": 900}
PARTIAL = {"amount": 900, "status": "partially_paid", "amount_paid": 200}
FREE = {"amount": 0, "status": "paid"}
VALUES = {
    "uuid": uuid4,
    "text": lambda: uuid4().hex,
    "bigint": int,
    "integer": int,
    "boolean": bool,
    "timestamp with time zone": lambda: NOW,
    "ARRAY": list,
    "jsonb": lambda: "{}",
    "numeric": int,
}
COLUMNS = """select column_name, data_type from information_schema.columns
    where table_schema = 'public' and table_name = $1 and is_nullable = 'NO'
      and column_default is null and is_generated = 'NEVER'"""


@pytest.fixture
async def earlier(server_url: str) -> AsyncIterator[str]:
    """A database of an earlier version."""
    name = f"earlier_{os.getpid()}"
    await stage.admin(server_url, f"create database {name}")
    url = stage.sibling(server_url, name)
    await migrate(url, list_migrations()[:EARLIER])
    yield url
    await stage.admin(server_url, f"drop database {name} with (force)")


async def insert(connection: Any, table: str, **values: Any) -> None:
    """Insert a row with any values where none are given."""
    for name, kind in await connection.fetch(COLUMNS, table):
        if name not in values:
            values[name] = VALUES[kind]()
    numbers = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    await connection.execute(
        f"insert into {table} ({', '.join(values)}) values ({numbers})", *values.values()
    )


async def order(connection: Any, company: UUID, *transactions: dict[str, Any]) -> UUID:
    uuid = uuid4()
    await insert(
        connection, "orders", uuid=uuid, company=company, status="created",
        price_status="accepted" if transactions else "unpriced",
        transaction="transaction_1" if transactions else None,
    )  # fmt: skip
    for row in transactions:
        await insert(
            connection, "transactions", company=company, order_uuid=uuid,
            **{"currency": "SGD", **row},
        )  # fmt: skip
    return uuid


async def test_balances_follow_from_the_transactions_that_are_owed(earlier: str) -> None:
    connection = await asyncpg.connect(earlier)
    # The rows that they refer to do not matter here.
    await connection.execute("set session_replication_role = replica")
    company = uuid4()
    await insert(connection, "companies", uuid=company, company=company, mode="live")
    cases: list[tuple[list[dict[str, Any]], tuple[str, int, str | None]]] = [
        ([UNPAID], ("unpaid", 900, "SGD")),
        ([PARTIAL], ("partially_paid", 700, "SGD")),
        ([PAID], ("paid", 0, "SGD")),
        ([VOIDED], ("none", 0, "SGD")),
        ([REFUNDED], ("refunded", 0, "SGD")),
        ([LATE], ("refunded", 0, "SGD")),
        ([LATE, UNPAID], ("unpaid", 900, "SGD")),
        ([VOIDED | {"currency": "EUR"}, UNPAID], ("unpaid", 900, "SGD")),
        ([FREE], ("none", 0, "SGD")),
        ([], ("none", 0, None)),
    ]
    expected = {await order(connection, company, *rows): result for rows, result in cases}
    await connection.close()
    await migrate(earlier)
    connection = await asyncpg.connect(earlier)
    rows = await connection.fetch("select uuid, payment_status, balance, currency from orders")
    owed = await connection.fetchval("select sum(balance) from transactions")
    await connection.close()
    assert {row["uuid"]: tuple(row)[1:] for row in rows} == expected
    assert owed == 900 * 3 + 700


async def test_a_database_where_an_earlier_text_succeeded_stays_as_it_is(earlier: str) -> None:
    await migrate(earlier)
    connection = await asyncpg.connect(earlier)
    for name, checksum in CORRECTED_STEPS.items():
        await connection.execute(
            "update migrations set checksum = $1 where name = $2", checksum, name
        )
    await connection.close()
    assert await migrate(earlier) == []
