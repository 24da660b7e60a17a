"""No crash and no second worker makes an order of a recurring day twice, or loses its record."""

import asyncio
from typing import Any

import pytest

from orders.shop import Shop
from pannier.db import Database
from pannier.orders.recurring import sweep
from stage import Firm

TRAP = """
    create function fall() returns trigger language plpgsql as
    $$ begin raise exception 'power cut' using errcode = 'admin_shutdown'; end $$;
    create trigger trap before insert on recurring_days for each row execute function fall()"""
DISARM = "drop trigger trap on recurring_days; drop function fall()"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def begin(shop: Shop) -> dict[str, Any]:
    order = await shop.order()
    body = {"name": "Bakery", "order": order["id"], "rule": "FREQ=DAILY", "lead_days": 0}
    return await shop.post("recurring-orders", **body)


async def counts(shop: Shop, row: dict[str, Any]) -> tuple[int, int]:
    """Count the orders, but for the copied one, and the recorded days."""
    orders = await shop.get("orders")
    return len(orders) - 1, len(await shop.get(f"recurring-orders/{row['id']}/days"))


async def test_two_workers_at_once_make_one_order(shop: Shop, database: Database) -> None:
    row = await begin(shop)
    await asyncio.gather(*(sweep.step(database) for _ in range(4)))
    while await sweep.step(database):
        pass
    assert await counts(shop, row) == (1, 1)


async def test_a_crash_between_the_order_and_its_record_leaves_neither(
    shop: Shop, database: Database
) -> None:
    row = await begin(shop)
    async with database.transaction() as db:
        for statement in TRAP.split(";\n    create trigger"):
            text = statement if "function fall() returns" in statement else None
            await db.execute(text or f"create trigger{statement}")
    with pytest.raises(Exception, match="power cut"):
        await sweep.step(database)
    assert await counts(shop, row) == (0, 0)
    async with database.transaction() as db:
        for statement in DISARM.split(";"):
            await db.execute(statement)
    while await sweep.step(database):
        pass
    assert await counts(shop, row) == (1, 1)


async def test_a_person_and_the_worker_at_once_make_one_order(
    shop: Shop, acme: Firm, database: Database
) -> None:
    row = await begin(shop)
    path = f"/v1/recurring-orders/{row['id']}/create-order"
    answers = await asyncio.gather(
        sweep.step(database),
        acme.api.post(path, json={"day": row["next_day"]}),
        acme.api.post(path, json={"day": row["next_day"]}),
        sweep.step(database),
    )
    while await sweep.step(database):
        pass
    assert {answers[1].status_code, answers[2].status_code} <= {200, 409}
    assert await counts(shop, row) == (1, 1)
