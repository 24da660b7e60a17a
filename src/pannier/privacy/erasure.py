"""Erasing closed accounts when their grace is over, in small steps.

One order at a time, messages by the batch, and the account at last: whatever stops it, the next
step goes on where the last one ended.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.customers import closure
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.db import Database, Db
from pannier.db.pool import TRANSIENT
from pannier.errors import Conflict
from pannier.privacy import accounts, logs, orders
from pannier.privacy.belongings import next_order
from pannier.privacy.people import CONTACTS_OF_ROW, person

# How long open orders hold an erasure back: what is on its way needs its address.
PATIENCE: Final = timedelta(days=30)
# When one that failed is tried again, so that the others have their turn.
LATER: Final = timedelta(hours=6)

NOT_OVER: Final = "o.completed_at is null and o.canceled_at is null and o.deleted_at is null"
# Whether anything is on its way to a customer `c`: in an order for them, or in somebody else's.
EXPECTING: Final = f"""exists (
    with theirs as materialized ({CONTACTS_OF_ROW})
    select 1 from theirs t join orders o on o.company = c.company and o.customer = t.uuid
    where {NOT_OVER}
    union all
    select 1 from theirs t join waypoints w on w.contact = t.uuid and w.deleted_at is null
    join payloads p on p.uuid = w.payload join orders o on o.uuid = p.order_uuid
    where {NOT_OVER}
    union all
    select 1 from theirs t join entities e on e.customer = t.uuid and e.deleted_at is null
    join payloads p on p.uuid = e.payload join orders o on o.uuid = p.order_uuid
    where {NOT_OVER})"""
DUE: Final = f"""
    select {CUSTOMERS.columns} from customers c
    where erase_at <= :now and erased_at is null
      and (erase_at <= :now - :patience::interval or not {EXPECTING})
    order by erase_at, uuid limit 1 for update skip locked"""


class OrdersOpen(Conflict):
    """What is on its way to somebody needs their name and address."""

    code = "customer_has_open_orders"
    title = "Orders on their way to the customer are not over; complete or cancel them first."


async def step(database: Database) -> bool:
    """Forget a piece of one account whose time has come; False when there is none."""
    due = None
    try:
        async with database.transaction() as db:
            due = await db.find(Customer, DUE, now=db.now, patience=PATIENCE)
            if due is not None:
                await _forget_more(db, due)
    except TRANSIENT:
        raise
    except Exception:
        if due is not None:
            await _put_off(database, due)
        raise
    return due is not None


async def _forget_more(db: Db, customer: Customer) -> None:
    """Forget the next order of somebody, or some messages, or at last the account."""
    who = await person(db, customer)
    order = await next_order(db, who, customer.erased_order, hold=True)
    if order is not None:
        await accounts.begin(db, who)
        await orders.forget(db, who, order)
        await db.update("customers", customer.uuid, erased_order=order.uuid)
    elif not await logs.forget_messages(db, who):
        await accounts.forget(db, who)


async def _put_off(database: Database, customer: Customer) -> None:
    """Let others have their turn before one that failed."""
    async with database.transaction() as db:
        await db.update("customers", customer.uuid, erase_at=db.now + LATER)


async def ask(db: Db, customer: Customer, *, reason: str, by: str) -> Customer:
    """Have an account erased now instead of after its grace; one that is open is closed first."""
    expecting = f"select {EXPECTING} from customers c where company = :company and uuid = :uuid"
    if await db.value(expecting, company=customer.company, uuid=customer.uuid, now=db.now):
        raise OrdersOpen
    closed = await closure.close(db, customer, reason=reason, grace=timedelta(0), by=by)
    if closed.erased_at is not None:
        return closed
    saved, _ = await CUSTOMERS.change(db, closed, log_action="erasure_asked", erase_at=db.now)
    return saved


async def whole(database: Database, company: UUID, customer: UUID) -> None:
    """Erase an account that was asked to be, piece by piece, to the end."""
    while True:
        async with database.transaction() as db:
            row = await CUSTOMERS.take(db, company, customer)
            if row.erased_at is not None:
                return
            await _forget_more(db, row)
