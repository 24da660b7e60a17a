"""What dispatchers watch is few among many: a list of it does not read the others."""

import msgspec
import pytest

from db.test_plans import passed_over
from orders.shop import Shop
from pannier.orders import queries
from stage import Firm, House

pytestmark = pytest.mark.slow

HISTORY = 5000
# As many copies of an order, delivered long ago.
DELIVERED = """
    with moved as (
        insert into payloads
        select (jsonb_populate_record(p, jsonb_build_object(
            'uuid', gen_random_uuid(), 'public_id', 'payload_' || number, 'order_uuid', null))).*
        from payloads p, generate_series(1, :many) number
        returning uuid)
    insert into orders
    select (jsonb_populate_record(o, jsonb_build_object(
        'uuid', gen_random_uuid(), 'public_id', 'order_' || moved.uuid, 'payload', moved.uuid,
        'status', 'completed', 'completed_at', o.created_at))).*
    from orders o, moved"""


@pytest.mark.parametrize("what", [f"{queries.OPEN} and status <> 'created'", "driver is null"])
async def test_few_among_many_are_found_by_an_index(
    shop: Shop, acme: Firm, house: House, what: str
) -> None:
    await shop.ready()
    async with house.database.transaction() as db:
        await db.execute(DELIVERED, many=HISTORY)
    await house.value("analyze orders")
    plan = await house.value(
        f"""explain (analyze, format json) select uuid from orders
            where company = '{acme.uuid}' and deleted_at is null and {what}
            order by created_at desc, uuid desc limit 30"""
    )
    (found,) = msgspec.json.decode(plan) if isinstance(plan, str) else plan
    assert passed_over(found["Plan"]) < 10
