"""Pricing of dispatched orders without a price, after the company's rates have changed."""

from typing import Final
from uuid import UUID

from pannier.db import Database, Db, columns
from pannier.orders import aggregate
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.rates import changed as rates

STEP: Final = "unpriced orders"

# Open orders that were dispatched without a price, or wait for one. A voided or refunded price is
# not replaced. The conditions are those of the index.
UNPRICED: Final = """price_status = 'unpriced' and service_quote is null
    and (dispatched_at is not null or dispatch_after is not null)
    and completed_at is null and canceled_at is null and deleted_at is null"""


async def step(database: Database) -> bool:
    """Price one order of a company whose rates have changed; return False if there is none.

    Each order gets its own transaction, because a company may have thousands of unpriced orders.
    """
    async with database.transaction() as db:
        changed_rates = await rates.lock_next_company(db)
        if changed_rates is None:
            return False
        order = await _lock_next_order(db, changed_rates.company, changed_rates.after)
        if order is None:
            await rates.remove_company(db, changed_rates)
            return True
        await rates.record_progress(db, changed_rates, order.uuid)
        async with parking.WorkAttempt(db) as attempt:
            await _reprice(db, order)
        if attempt.failure is not None:
            work = WorkKey(order.company, STEP, order.public_id, order.uuid)
            await parking.park(db, work, attempt.failure)
    return True


async def _lock_next_order(db: Db, company: UUID, after: UUID) -> Order | None:
    return await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid > :after and {UNPRICED}
            order by uuid limit 1 for no key update""",
        company=company,
        after=after,
    )


async def retry(db: Db, parked_work: ParkedWork) -> None:
    """Price a parked order, if it still has no price."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and {UNPRICED} for no key update""",
        company=parked_work.company,
        uuid=parked_work.subject_uuid,
    )
    if order is not None:
        await _reprice(db, order)


async def _reprice(db: Db, order: Order) -> None:
    # As after a moved place, another rate may apply although the order is the same.
    await aggregate.finish_change(db, await OrderAggregate.load(db, order), has_moved=True)
