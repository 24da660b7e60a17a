"""Late orders are found among many others, and so are alerts of orders in time again."""

from datetime import timedelta

import pytest

from contract.test_alerts import alerts
from db.test_plans import FEW, MANY, passed_over, taken
from orders.shop import CHANGI, Shop
from orders.test_lateness import carried, in_minutes, refreshed, seen
from pannier.orders.driver_days import late_alerts
from reports.test_plans import OLD_ORDERS
from stage import House

pytestmark = pytest.mark.slow

# Half of the copies are open, and due another day.
OPEN_ORDERS = """
    update orders set completed_at = null, canceled_at = null, time_window_end = :later
    where uuid in (select uuid from orders where completed_at is not null limit :many)"""
# Late alerts that were closed long ago, and open ones of another kind.
OLD_ALERTS = """
    insert into alerts (uuid, public_id, company, kind, subject, subject_uuid, cause, details,
        raised_at, closed_at, created_at, updated_at)
    select gen_random_uuid(), 'alert_' || uuid, company,
        case when completed_at is null then 'delivery_failed' else 'late' end, public_id, uuid, '',
        '{}', created_at, completed_at, created_at, created_at
    from orders where payload <> :payload"""


async def test_each_query_for_late_orders_uses_an_index(shop: Shop, house: House) -> None:
    ada = await shop.driver()
    late = await shop.started(time_window_end=in_minutes(30))
    back = await shop.started(time_window_end=in_minutes(30))
    house.clock.advance(minutes=31)
    watcher = late_alerts.LateOrderWatcher(house.database)
    await watcher.step()
    expected = await carried(shop, ada, CHANGI, time_window_end=in_minutes(33))
    await shop.patch(f"orders/{back['id']}", time_window_end=in_minutes(600))
    await seen(shop, ada)
    await refreshed(house)
    async with house.database.transaction() as db:
        payload = await db.fetch_value("select payload from orders limit 1")
        await db.execute(OLD_ORDERS, many=2 * MANY)
        await db.execute(OPEN_ORDERS, later=db.now + timedelta(days=9), many=MANY)
        await db.execute(OLD_ALERTS, payload=payload)
    await house.value("analyze")

    async def work() -> None:
        watcher = late_alerts.LateOrderWatcher(house.database)
        assert await watcher.step()
        for query in ("open=true&kind=late", f"subject={late['id']}", "open=true&kind=sos"):
            found = {row["subject"] for row in await alerts(shop.firm.admin, f"?{query}")}
            assert found <= {late["id"], expected["id"]}
        rows = await alerts(shop.firm.admin, "?open=true&kind=late")
        assert {row["subject"] for row in rows} == {late["id"], expected["id"]}

    explained_all = await taken(house, work, "select", "with", "insert", "update")
    assert len(explained_all) > FEW / 10
    for sql, plan in explained_all:
        assert passed_over(plan) < FEW, f"{sql}\n{plan}"
