"""Queries for transactions with their lines, pages and refunds."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, TypeVar
from uuid import UUID

from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, Page, Table, Where, columns
from pannier.db.row import Named
from pannier.errors import Field, NotFound
from pannier.kit.hooks import Hook
from pannier.partners import queries as partners
from pannier.payments.transactions.models import (
    Checkout,
    Refund,
    Transaction,
    TransactionItem,
)
from pannier.payments.transactions.schemas import TransactionFilters, TransactionOut

TRANSACTIONS: Final = Table("transactions", Transaction)
REFUNDS: Final = Table("refunds", Refund)
# Provided by the orders package: resolve a filter's reference, load public ids, lock an order.
find_order: Final = Hook[[Db, UUID, str], Named]("pannier.orders.names")
find_quote: Final = Hook[[Db, UUID, str], Named]("pannier.orders.names")
load_order_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]]("pannier.orders.names")
hold_order: Final = Hook[[Db, UUID, UUID], None]("pannier.orders.names")
# Only their identifiers are read.
CONTACTS: Final = Table("contacts", Named)
VENDORS: Final = Table("vendors", Named)
Belonging = TypeVar("Belonging", Refund, Checkout)


async def page(db: Db, company: UUID, filters: TransactionFilters) -> Page[Transaction]:
    """List transactions, newest first."""
    where = TRANSACTIONS.where(company)
    if filters.service_quote is not None:
        quote = await find_quote(db, company, filters.service_quote)
        where.equal(quote_id=quote.public_id)
    if filters.status is not None:
        where.one_of("status", filters.status)
    if filters.order is not None:
        where.equal(order_uuid=(await find_order(db, company, filters.order)).uuid)
    if filters.customer is not None:
        where.equal(customer=await _customer(db, company, filters.customer))
    return await TRANSACTIONS.page(db, where, filters)


async def _customer(db: Db, company: UUID, identifier: str) -> UUID:
    """Resolve the customer, contact or vendor that a filter names, or raise NotFound."""
    customer = await CUSTOMERS.find(db, company, identifier)
    if customer is not None:
        return customer.contact
    for table in (partners.contacts, partners.vendors):
        found = await table.find(db, company, identifier)
        if found is not None:
            return found.uuid
    raise NotFound(fields=[Field("customer", "There is no such customer, contact or vendor.")])


async def shown(db: Db, company: UUID, rows: Sequence[Transaction]) -> list[TransactionOut]:
    """Return transactions with their related records, loaded once for a whole page of a list."""
    uuids = [row.uuid for row in rows]
    names = await _names(db, company, rows)
    items, refunds = defaultdict(list), defaultdict(list)
    for item in await _items(db, company, uuids):
        items[item.transaction].append(item)
    for refund in await refunds_of(db, company, uuids):
        refunds[refund.transaction].append(refund)
    # Show the latest page, unless another one was paid or is being paid.
    known = await checkouts_of(db, company, uuids)
    pages = {page.transaction: page for page in sorted(known, key=_telling)}
    return [
        TransactionOut.of(
            row,
            names,
            items=items[row.uuid],
            refunds=refunds[row.uuid],
            page=pages.get(row.uuid),
            now=db.now,
        )
        for row in rows
    ]


def _telling(page: Checkout) -> int:
    """Rank a page by how much it says about the payment."""
    return {"paid": 2, "processing": 1}.get(page.state, 0)


async def _names(db: Db, company: UUID, rows: Sequence[Transaction]) -> dict[UUID, str]:
    """Load the public ids of orders and customers, including deleted ones."""
    tables: tuple[tuple[Table[Named], set[UUID | None]], ...] = (
        (CONTACTS, {row.customer for row in rows if row.customer_type == "contact"}),
        (VENDORS, {row.customer for row in rows if row.customer_type == "vendor"}),
    )
    orders = {row.order_uuid for row in rows if row.order_uuid is not None}
    names = await load_order_names(db, company, [*orders])
    for table, uuids in tables:
        found = await table.among(db, company, [each for each in uuids if each is not None])
        names |= {uuid: name.public_id for uuid, name in found.items()}
    return names


async def _items(db: Db, company: UUID, uuids: list[UUID]) -> list[TransactionItem]:
    return await db.many(
        TransactionItem,
        f"""select {columns(TransactionItem, "i")} from transaction_items i
            join transactions t on t.uuid = i.transaction
            where t.company = :company and i.transaction = any(:uuids)
            order by i.transaction, i.position""",
        company=company,
        uuids=uuids,
    )


async def refunds_of(db: Db, company: UUID, uuids: list[UUID]) -> list[Refund]:
    """List the refunds of transactions, oldest first."""
    return await _belonging(db, company, Refund, "refunds", uuids)


async def checkouts_of(db: Db, company: UUID, uuids: list[UUID]) -> list[Checkout]:
    """List the pages of transactions, oldest first."""
    return await _belonging(db, company, Checkout, "checkouts", uuids)


async def _belonging(
    db: Db, company: UUID, row: type[Belonging], table: str, uuids: list[UUID]
) -> list[Belonging]:
    return await db.many(
        row,
        f"""select {columns(row)} from {table}
            where company = :company and transaction = any(:uuids) order by created_at, uuid""",
        company=company,
        uuids=uuids,
    )


async def checkout(db: Db, company: UUID, uuid: UUID) -> Checkout:
    where = Where(company).equal(uuid=uuid)
    return await db.one(
        Checkout, f"select {columns(Checkout)} from checkouts {where}", **where.values
    )


async def take_with_order(db: Db, company: UUID, identifier: str | UUID) -> Transaction:
    """Lock a transaction and, before it, its order. Orders lock in the same sequence."""
    known = await TRANSACTIONS.get(db, company, identifier)
    if known.order_uuid is not None:
        await hold_order(db, company, known.order_uuid)
    return await TRANSACTIONS.take(db, company, known.uuid)


async def of_order(db: Db, company: UUID, order: UUID) -> list[Transaction]:
    """Load the transactions of an order, and lock them until the transaction ends."""
    where = TRANSACTIONS.where(company).equal(order_uuid=order)
    return await db.many(
        Transaction,
        f"""select {TRANSACTIONS.columns} from transactions {where}
            order by created_at, uuid for no key update""",
        **where.values,
    )
