"""Erasure of closed accounts after their grace period, in small steps.

One order at a time, messages in batches, and the account last. After an interruption, the next step
continues from the same point.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.customers import closure
from pannier.customers import erasure as customers
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.db import Database, Db
from pannier.db.pool import is_away
from pannier.errors import Conflict
from pannier.notifications import erasure as notifications
from pannier.orders import erasure as orders
from pannier.partners import erasure as partners
from pannier.privacy.accounts import erase_account
from pannier.privacy.belongings import FIRST, next_orders
from pannier.privacy.messages import list_erasable
from pannier.privacy.orders import erase_order
from pannier.privacy.people import find_person

# How long open orders delay an erasure: deliveries in progress need the address.
PATIENCE: Final = timedelta(days=30)
# Delay before a failed erasure is retried, so that others are not blocked.
LATER: Final = timedelta(hours=6)
# Orders per query; each is erased in its own transaction.
BATCH: Final = 100
# Messages deleted per transaction.
MESSAGE_BATCH: Final = 1000

NOT_OVER: Final = "o.completed_at is null and o.canceled_at is null and o.deleted_at is null"
# Whether a customer `c` has open orders, or stops or items in somebody else's.
EXPECTING: Final = f"""exists (
    with theirs as materialized ({customers.CONTACTS})
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
    where greatest(erase_at, erase_after) <= pannier_now()
      and erase_at is not null and erased_at is null
      and (erase_at <= pannier_now() - :patience::interval or not {EXPECTING})
    order by greatest(erase_at, erase_after), uuid limit 1 for update skip locked"""


class OrdersOpen(Conflict):
    """An open order needs the customer's name and address."""

    code = "customer_has_open_orders"
    title = "The customer has open orders."
    remedy = "Complete or cancel them first."


async def step(database: Database, most: int = BATCH) -> bool:
    """Erase a part of one due account; False when there is none."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        due = await db.find(Customer, DUE, patience=PATIENCE)
    if due is None:
        return False
    try:
        await _forget_some(database, due, most)
    except Exception as failure:
        if not is_away(failure):
            await _put_off(database, due)
        raise
    return True


async def _forget_some(database: Database, customer: Customer, most: int) -> None:
    """Erase a customer in some orders, else in some messages, else the account itself."""
    async with database.reading() as db:
        who = await find_person(db, customer)
        upcoming = await next_orders(db, who, customer.erased_order, most)
    for order in upcoming:
        await _forget_order(database, customer, order.uuid)
    if not upcoming:
        await _forget_rest(database, customer)


async def _forget_order(database: Database, customer: Customer, uuid: UUID) -> None:
    """Erase a customer in one order, unless another worker has done so."""
    async with database.transaction() as db:
        row = await CUSTOMERS.take(db, customer.company, customer.uuid)
        if not _is_leaving(row) or (row.erased_order or FIRST) >= uuid:
            return
        order = await orders.take(db, row.company, uuid)
        who = await find_person(db, row)
        # Block late proofs first: they could arrive after their order was erased.
        await partners.begin(db, who.company, who.contacts)
        await erase_order(db, who, order)
        await customers.finish_order(db, row, uuid)


async def _forget_rest(database: Database, customer: Customer) -> None:
    """Erase a batch of messages, else the account, unless a new order exists."""
    async with database.transaction() as db:
        row = await CUSTOMERS.take(db, customer.company, customer.uuid)
        who = await find_person(db, row)
        if not _is_leaving(row) or await next_orders(db, who, row.erased_order, 1):
            return
        found = await list_erasable(db, who, MESSAGE_BATCH)
        if found:
            await notifications.erase(db, who.company, found)
        else:
            await erase_account(db, who)


def _is_leaving(customer: Customer) -> bool:
    return customer.erase_at is not None and customer.erased_at is None


async def _put_off(database: Database, customer: Customer) -> None:
    """Postpone a failed erasure behind others; its deadline for open orders is unchanged."""
    async with database.transaction() as db:
        await customers.postpone(db, customer, LATER)


async def ask(db: Db, customer: Customer, *, reason: str, by: str) -> Customer:
    """Schedule the erasure of an account now instead of after its grace period; close it first."""
    expecting = f"select {EXPECTING} from customers c where company = :company and uuid = :uuid"
    if await db.value(expecting, company=customer.company, uuid=customer.uuid):
        raise OrdersOpen
    closed = await closure.close(db, customer, reason=reason, grace=timedelta(0), by=by)
    if closed.erased_at is not None:
        return closed
    return await customers.ask(db, closed)


async def whole(database: Database, company: UUID, customer: UUID) -> None:
    """Erase an account completely, part by part."""
    while True:
        async with database.reading() as db:
            row = await CUSTOMERS.get(db, company, customer)
        if not _is_leaving(row):
            return
        await _forget_some(database, row, BATCH)
