"""What a company did long ago costs its plans of today nothing."""

import pytest

from db.test_plans import COPIES, COPY, ORDERS, taken
from orders.test_plans import read
from planning.day import Yard, at
from stage import Firm, House

pytestmark = pytest.mark.slow

# As many planned stops of an order that the driver has delivered long ago.
OLD_STOPS = """
    insert into planned_stops
    select made.*
    from planned_stops s, generate_series(1, 3000) number,
        jsonb_populate_record(s, jsonb_build_object('uuid', gen_random_uuid(),
            'day', s.day - 1 - number % 30)) made
    where s.uuid = (select uuid from planned_stops order by uuid limit 1)"""


@pytest.fixture
def yard(acme: Firm) -> Yard:
    return Yard(acme)


async def test_planned_stops_of_delivered_orders_are_not_read(yard: Yard, house: House) -> None:
    await yard.drivers(1)
    await yard.deliveries(1)
    plan = await yard.done(house)
    await yard.post(f"plans/{plan['id']}/accept")
    async with house.database.transaction() as db:
        await db.execute(OLD_STOPS)
        payloads = COPY.format(table="payloads", many=2000, changes=COPIES["payloads"])
        await db.execute(payloads)
        await db.execute(ORDERS.format(scheduled="null"))
        await db.execute(
            """update orders set completed_at = created_at, status = 'completed'
               where driver is not null"""
        )
    for table in ("planned_stops", "orders"):
        await house.value(f"analyze {table}")
    order = await yard.order(scheduled_at=at("09:00"))

    async def compare() -> None:
        [best] = await yard.post(f"orders/{order['id']}/best-drivers")
        assert best["stops"] == 2

    explained = await taken(house, compare, "select")
    plans = [found for statement, found in explained if "planned_stops" in statement]
    assert plans
    assert max(map(read, plans)) < 10
