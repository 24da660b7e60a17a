"""Scheduled orders dispatch themselves."""

from pannier.db import Database, columns
from pannier.fleet.eligibility import BARRED
from pannier.orders import flow, moves
from pannier.orders.aggregate import Aggregate
from pannier.orders.models import Order


async def step(database: Database) -> bool:
    """Dispatch one order that is due; one without a driver waits until it has got one.

    One at a time and each in its own transaction, so that no order holds another up.
    """
    async with database.transaction() as db:
        due = await db.find(
            Order,
            f"""select {columns(Order, "o")} from orders o
               where o.status = :created and o.scheduled_at <= :now and o.deleted_at is null
                 and (o.adhoc and o.driver is null or exists (
                     select 1 from drivers d where d.uuid = o.driver
                     and d.deleted_at is null and d.status <> all(:barred)))
               order by o.scheduled_at, o.uuid limit 1 for no key update of o skip locked""",
            created=flow.CREATED,
            now=db.now,
            barred=sorted(BARRED),
        )
        if due is None:
            return False
        await moves.dispatch(db, await Aggregate.of(db, due))
    return True
