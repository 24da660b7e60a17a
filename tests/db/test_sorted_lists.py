"""Whichever column a list is sorted by, an index keeps it in that order."""

import asyncpg
import pytest

LISTS = {
    "keys": ("created_at", "name"),
    "audit_entries": ("created_at",),
    "events": ("created_at",),
    "messages": ("created_at",),
    "operators": ("created_at", "name", "email"),
    "files": ("created_at", "name", "size"),
    "contacts": ("created_at", "updated_at", "name"),
    "vendors": ("created_at", "updated_at", "name"),
    "service_areas": ("created_at", "name"),
    "zones": ("created_at", "name"),
    "drivers": ("created_at", "updated_at", "name"),
    "vehicles": ("created_at", "updated_at", "status"),
    "fleets": ("created_at", "updated_at", "name"),
    "issues": ("created_at", "updated_at", "status", "priority"),
    "order_configs": ("created_at", "name", "key"),
    "payloads": ("created_at", "updated_at"),
    "waypoints": ("created_at", "updated_at"),
    "entities": ("created_at", "updated_at", "name"),
    "orders": ("created_at", "updated_at", "status"),
    "places": ("created_at", "updated_at"),
    "customers": ("created_at", "updated_at", "name"),
    "transactions": ("created_at", "updated_at"),
    "invoices": ("created_at", "updated_at"),
    # These are not sorted by their last change, but narrowed by it.
    "tracking_numbers": ("created_at", "updated_at"),
    "tracking_statuses": ("created_at", "updated_at"),
    "cash_collections": ("created_at", "updated_at"),
    "alerts": ("raised_at", "updated_at"),
    "webhooks": ("created_at",),
    "webhook_deliveries": ("created_at",),
}


async def indexes(url: str, table: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch("select indexdef from pg_indexes where tablename = $1", table)
    finally:
        await connection.close()
    return " ".join(row["indexdef"] for row in rows)


@pytest.mark.parametrize("table", LISTS)
async def test_every_sort_of_a_list_has_its_index(database_url: str, table: str) -> None:
    found = await indexes(database_url, table)
    missing = [
        column
        for column in LISTS[table]
        if f"(company, {column}, uuid)" not in found
        # A key is unique within its company, so it alone decides the order.
        and not (column == "key" and "(company, key)" in found)
    ]
    assert missing == []


# Logs grow for years; whatever one is narrowed by, a page of it costs the same.
NARROWED = {
    "audit_entries": ("subject", "actor", "action"),
    "events": ("subject", "subject_uuid", "name"),
    "messages": ("recipient",),
}


@pytest.mark.parametrize("table", NARROWED)
async def test_every_way_to_narrow_a_log_has_its_index(database_url: str, table: str) -> None:
    found = await indexes(database_url, table)
    missing = [
        name for name in NARROWED[table] if f"(company, {name}, created_at, uuid)" not in found
    ]
    assert missing == []
