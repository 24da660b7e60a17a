"""Cancellation of customers' orders that were not paid in time."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, Db, columns
from pannier.orders import moves
from pannier.orders.flow import CREATED
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey
from pannier.payments.transactions import queries as transactions

STEP: Final = "unpaid orders"
NOT_PAID: Final = "The order was not paid in time."
# A bank may take days to decide on a payment in progress.
PROCESSING_DELAY: Final = timedelta(hours=1)


async def step(database: Database) -> bool:
    """Cancel one order whose payment is overdue; return False if none is due.

    Each order gets its own transaction, so that a failed order does not block others.
    """
    async with database.transaction() as db:
        order = await db.find(
            Order,
            f"""select {columns(Order)} from orders where payment_deadline <= pannier_now()
                order by payment_deadline, uuid limit 1 for no key update skip locked""",
        )
        if order is None:
            return False
        async with parking.WorkAttempt(db) as attempt:
            await _apply_deadline(db, order)
        if attempt.failure is not None:
            work = WorkKey(order.company, STEP, order.public_id, order.uuid)
            await parking.park(db, work, attempt.failure)
            await db.update("orders", order.uuid, payment_deadline=None)
    return True


async def retry(db: Db, parked_work: ParkedWork) -> None:
    """Cancel a parked order, if it is still unpaid."""
    order = await db.find(
        Order,
        f"""select {columns(Order)} from orders
            where company = :company and uuid = :uuid and deleted_at is null
            for no key update""",
        company=parked_work.company,
        uuid=parked_work.subject_uuid,
    )
    if order is not None:
        await _apply_deadline(db, order)


async def _apply_deadline(db: Db, order: Order) -> None:
    """Cancel an order that nobody has paid or dispatched. A part payment keeps it."""
    is_waiting = order.status == CREATED and order.deleted_at is None
    if not is_waiting or order.payment_status != "unpaid":
        await db.update("orders", order.uuid, payment_deadline=None)
    elif await transactions.has_payment_in_progress(db, order.company, order.uuid):
        await db.update("orders", order.uuid, payment_deadline=db.now + PROCESSING_DELAY)
    else:
        await db.update("orders", order.uuid, payment_deadline=None)
        loaded_order = await OrderAggregate.load(db, order)
        await moves.cancel(db, loaded_order, reason=NOT_PAID, has_fee=False)
