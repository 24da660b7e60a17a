"""Erasure of closed accounts after their grace period, in small steps.

Each step erases a person in some orders, else a batch of messages, else the account itself. After
an interruption, the next step continues from the same point.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.customers import closure
from pannier.customers import erasure as customers
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.db import Database, Db
from pannier.db.database import should_repeat
from pannier.errors import Conflict
from pannier.notifications import erasure as notifications
from pannier.orders import erasure as orders
from pannier.partners import erasure as partners
from pannier.privacy.accounts import erase_account
from pannier.privacy.belongings import MIN_UUID, list_next_orders
from pannier.privacy.billing import keep_billing_identities
from pannier.privacy.messages import lock_erasable_messages
from pannier.privacy.orders import erase_order
from pannier.privacy.people import load_person
from pannier.privacy.templates import erase_templates

# How long open orders delay an erasure: deliveries in progress need the address.
MAX_WAIT_FOR_OPEN_ORDERS: Final = timedelta(days=30)
# Delay before a failed erasure is retried, so that others are not blocked.
RETRY_DELAY: Final = timedelta(hours=6)
# Orders per query; each is erased in its own transaction.
ORDER_BATCH_SIZE: Final = 100
# Messages deleted per transaction.
MESSAGE_BATCH_SIZE: Final = 1000

IS_OPEN_ORDER: Final = "o.completed_at is null and o.canceled_at is null and o.deleted_at is null"
# Whether a customer `c` has open orders, or stops or items in somebody else's.
HAS_OPEN_ORDERS: Final = f"""exists (
    with person_contacts as materialized ({customers.CONTACTS})
    select 1 from person_contacts t join orders o on o.company = c.company and o.customer = t.uuid
    where {IS_OPEN_ORDER}
    union all
    select 1 from person_contacts t join waypoints w on w.contact = t.uuid and w.deleted_at is null
    join payloads p on p.uuid = w.payload join orders o on o.uuid = p.order_uuid
    where {IS_OPEN_ORDER}
    union all
    select 1 from person_contacts t join entities e on e.customer = t.uuid and e.deleted_at is null
    join payloads p on p.uuid = e.payload join orders o on o.uuid = p.order_uuid
    where {IS_OPEN_ORDER})"""
SELECT_DUE: Final = f"""
    select {CUSTOMERS.columns} from customers c
    where greatest(erase_at, erase_after) <= pannier_now()
      and erase_at is not null and erased_at is null
      and (erase_at <= pannier_now() - :max_wait::interval or not {HAS_OPEN_ORDERS})
    order by greatest(erase_at, erase_after), uuid limit 1 for update skip locked"""


class OrdersOpen(Conflict):
    """Open orders need the customer's name and address."""

    code = "customer_has_open_orders"
    title = "The customer has open orders."
    remedy = "Complete or cancel those orders first."


async def step(database: Database, max_orders: int = ORDER_BATCH_SIZE) -> bool:
    """Erase a part of one due account; return False if there is none."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        customer = await db.find(Customer, SELECT_DUE, max_wait=MAX_WAIT_FOR_OPEN_ORDERS)
    if customer is None:
        return False
    try:
        await _erase_part(database, customer, max_orders)
    except Exception as failure:
        if not should_repeat(failure):
            await _postpone_erasure(database, customer)
        raise
    return True


async def _erase_part(database: Database, customer: Customer, max_orders: int) -> None:
    """Erase a customer in some orders, else some of their messages, else the account itself.

    Their templates go first, so that no recurring order creates another one meanwhile.
    """
    await _erase_templates(database, customer)
    async with database.reading() as db:
        person = await load_person(db, customer)
        next_orders = await list_next_orders(db, person, customer.erased_order, max_orders)
    for order in next_orders:
        await _erase_in_order(database, customer, order.uuid)
    if not next_orders:
        await _erase_messages_or_account(database, customer)


async def _erase_templates(database: Database, customer: Customer) -> None:
    """Erase a customer in order templates, unless another worker has erased the account."""
    async with database.transaction() as db:
        row = await CUSTOMERS.lock(db, customer.company, customer.uuid)
        if _is_erasure_pending(row):
            await erase_templates(db, await load_person(db, row))


async def _erase_in_order(database: Database, customer: Customer, uuid: UUID) -> None:
    """Erase a customer in one order, unless another worker has done so."""
    async with database.transaction() as db:
        row = await CUSTOMERS.lock(db, customer.company, customer.uuid)
        if not _is_erasure_pending(row) or (row.erased_order or MIN_UUID) >= uuid:
            return
        order = await orders.lock_order(db, row.company, uuid)
        person = await load_person(db, row)
        # Block late proofs first: they could arrive after their order was erased.
        await partners.begin_erasure(db, person.company, person.contacts)
        await keep_billing_identities(db, person)
        await erase_order(db, person, order)
        await customers.mark_order_erased(db, row, uuid)


async def _erase_messages_or_account(database: Database, customer: Customer) -> None:
    """Erase a batch of messages, else the account, unless a new order exists."""
    async with database.transaction() as db:
        row = await CUSTOMERS.lock(db, customer.company, customer.uuid)
        person = await load_person(db, row)
        if not _is_erasure_pending(row) or await list_next_orders(db, person, row.erased_order, 1):
            return
        message_uuids = await lock_erasable_messages(db, person, MESSAGE_BATCH_SIZE)
        if message_uuids:
            await notifications.erase_messages(db, person.company, message_uuids)
        else:
            await erase_account(db, person)


def _is_erasure_pending(customer: Customer) -> bool:
    return customer.erase_at is not None and customer.erased_at is None


async def _postpone_erasure(database: Database, customer: Customer) -> None:
    """Postpone a failed erasure behind others; its deadline for open orders is unchanged."""
    async with database.transaction() as db:
        await customers.postpone_erasure(db, customer, RETRY_DELAY)


async def request_erasure(db: Db, customer: Customer, *, reason: str, closed_by: str) -> Customer:
    """Close an account, and schedule its erasure without a grace period."""
    query = f"select {HAS_OPEN_ORDERS} from customers c where company = :company and uuid = :uuid"
    if await db.fetch_value(query, company=customer.company, uuid=customer.uuid):
        raise OrdersOpen
    closed_customer = await closure.close_account(
        db, customer, reason=reason, grace=timedelta(0), closed_by=closed_by
    )
    if closed_customer.erased_at is not None:
        return closed_customer
    return await customers.request_erasure(db, closed_customer)


async def erase_completely(database: Database, company: UUID, customer: UUID) -> None:
    """Erase an account completely, part by part."""
    while True:
        async with database.reading() as db:
            row = await CUSTOMERS.get(db, company, customer)
        if not _is_erasure_pending(row):
            return
        await _erase_part(database, row, ORDER_BATCH_SIZE)
