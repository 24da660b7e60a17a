"""Queries for transactions with their lines, pages and refunds."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeVar
from uuid import UUID

from pannier.customers.queries import CUSTOMERS
from pannier.db import Db, Page, Sort, Table, Where, columns
from pannier.db.row import RowReference
from pannier.errors import FieldError, NotFound
from pannier.kit.hooks import Hook
from pannier.partners import queries as partners
from pannier.partners.schemas import BalanceFilter
from pannier.payments.settlement import GatewayFact
from pannier.payments.transactions.models import (
    Charge,
    Checkout,
    Payment,
    RecordedFact,
    Refund,
    Transaction,
)
from pannier.payments.transactions.schemas import TransactionFilters, TransactionOut

TRANSACTIONS: Final = Table("transactions", Transaction, sort=Sort(("created_at", "updated_at")))
REFUNDS: Final = Table("refunds", Refund)
# Provided by the orders package: resolve a filter's reference, load public ids, lock an order.
find_order: Final = Hook[[Db, UUID, str], RowReference]("pannier.orders.hooks")
find_quote: Final = Hook[[Db, UUID, str], RowReference]("pannier.orders.hooks")
load_order_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]]("pannier.orders.hooks")
lock_order: Final = Hook[[Db, UUID, UUID], None]("pannier.orders.hooks")
# Only identifiers are read from these tables.
CONTACTS: Final = Table("contacts", RowReference)
VENDORS: Final = Table("vendors", RowReference)
SIGNS: Final[Mapping[BalanceFilter, str]] = {"owed": ">", "credit": "<"}
Related = TypeVar("Related", Refund, Checkout, Payment)


async def list_transactions(
    db: Db, company: UUID, filters: TransactionFilters
) -> Page[Transaction]:
    """List transactions, newest first."""
    where = await select_transactions(db, company, filters)
    return await TRANSACTIONS.load_page(db, where, filters)


async def select_transactions(db: Db, company: UUID, filters: TransactionFilters) -> Where:
    """Build the condition for the transactions that match the filters."""
    where = TRANSACTIONS.where(company)
    if filters.service_quote is not None:
        quote = await find_quote(db, company, filters.service_quote)
        where.add_equal(quote_id=quote.public_id)
    if filters.status is not None:
        where.add_any_of("status", filters.status)
    if filters.order is not None:
        where.add_equal(order_uuid=(await find_order(db, company, filters.order)).uuid)
    if filters.customer is not None:
        where.add_equal(customer=await _resolve_customer(db, company, filters.customer))
    if filters.balance is not None:
        where.add(f"balance {SIGNS[filters.balance]} 0")
    where.add_time_range("created_at", filters.since, filters.until)
    return where


async def _resolve_customer(db: Db, company: UUID, identifier: str) -> UUID:
    """Resolve a filter's customer, contact or vendor, or raise NotFound."""
    customer = await CUSTOMERS.find(db, company, identifier)
    if customer is not None:
        return customer.contact
    for table in (partners.contacts, partners.vendors):
        partner = await table.find(db, company, identifier)
        if partner is not None:
            return partner.uuid
    raise NotFound(fields=[FieldError("customer", "There is no such customer, contact or vendor.")])


async def load_transactions_out(
    db: Db, company: UUID, rows: Sequence[Transaction]
) -> list[TransactionOut]:
    """Convert transactions to JSON fields, with one query per kind of related record."""
    uuids = [row.uuid for row in rows]
    names = await load_public_ids(db, company, rows)
    charges, payments, refunds = defaultdict(list), defaultdict(list), defaultdict(list)
    for charge in await list_charges(db, company, uuids):
        charges[charge.transaction].append(charge)
    for payment in await list_payments(db, company, uuids):
        payments[payment.transaction].append(payment)
    for refund in await list_refunds(db, company, uuids):
        refunds[refund.transaction].append(refund)
    # Show the latest page, unless another one was paid or is being paid.
    checkouts = await list_checkouts(db, company, uuids)
    disputed = {row.uuid for row in rows if row.amount_disputed}
    pages = {
        page.transaction: page
        for page in sorted(checkouts, key=lambda page: _rank_page(page, disputed))
    }
    gateway_facts = await load_shown_facts(db, company, uuids)
    return [
        TransactionOut.from_row(
            row,
            names,
            charges=charges[row.uuid],
            payments=payments[row.uuid],
            refunds=refunds[row.uuid],
            page=pages.get(row.uuid),
            facts=gateway_facts.get(row.uuid, []),
            now=db.now,
        )
        for row in rows
    ]


def _rank_page(page: Checkout, disputed: Collection[UUID]) -> int:
    """Rank a page by its relevance: paid, then processing, then all others.

    After a lost dispute, the payer may pay on a later page.
    """
    if page.state == "paid" and page.transaction in disputed:
        return 0
    return {"paid": 2, "processing": 1}.get(page.state, 0)


async def load_shown_facts(
    db: Db, company: UUID, uuids: list[UUID]
) -> dict[UUID, list[RecordedFact]]:
    """Load disputes and payments in other currencies, by transaction."""
    facts: dict[UUID, list[RecordedFact]] = defaultdict(list)
    for fact in await db.fetch_all(
        RecordedFact,
        f"""select t.uuid as transaction, f.told_at, {columns(GatewayFact, "f")}
            from transactions t join checkouts c on c.transaction = t.uuid
                join payment_facts f on f.checkout = c.uuid
            where t.company = :company and c.company = :company and t.uuid = any(:uuids)
              and (f.kind = 'dispute' or (f.kind = 'paid' and f.currency <> t.currency))
            order by f.told_at, f.name""",
        company=company,
        uuids=uuids,
    ):
        facts[fact.transaction].append(fact)
    return facts


async def load_public_ids(db: Db, company: UUID, rows: Sequence[Transaction]) -> dict[UUID, str]:
    """Load the public ids of orders and customers, including deleted ones."""
    tables: tuple[tuple[Table[RowReference], set[UUID | None]], ...] = (
        (CONTACTS, {row.customer for row in rows if row.customer_type == "contact"}),
        (VENDORS, {row.customer for row in rows if row.customer_type == "vendor"}),
    )
    orders = {row.order_uuid for row in rows if row.order_uuid is not None}
    names = await load_order_names(db, company, [*orders])
    for table, uuids in tables:
        rows_by_uuid = await table.load_many(
            db, company, [uuid for uuid in uuids if uuid is not None]
        )
        names |= {uuid: name.public_id for uuid, name in rows_by_uuid.items()}
    return names


async def list_charges(db: Db, company: UUID, uuids: list[UUID]) -> list[Charge]:
    """List the lines of transactions, each transaction's in sequence."""
    return await db.fetch_all(
        Charge,
        f"""select {columns(Charge)} from charges
            where company = :company and transaction = any(:uuids)
            order by transaction, position""",
        company=company,
        uuids=uuids,
    )


async def count_order_charges(db: Db, company: UUID, order: UUID) -> int:
    """Count the lines of all transactions of an order."""
    count: int = await db.fetch_value(
        """select count(*) from transactions t join charges c on c.transaction = t.uuid
           where t.company = :company and c.company = :company and t.order_uuid = :order""",
        company=company,
        order=order,
    )
    return count


async def list_payments(db: Db, company: UUID, uuids: list[UUID]) -> list[Payment]:
    """List the payments that people recorded for transactions, oldest first."""
    return await _list_related_rows(db, company, Payment, "payments", uuids)


async def list_refunds(db: Db, company: UUID, uuids: list[UUID]) -> list[Refund]:
    """List the refunds of transactions, oldest first."""
    return await _list_related_rows(db, company, Refund, "refunds", uuids)


async def list_checkouts(db: Db, company: UUID, uuids: list[UUID]) -> list[Checkout]:
    """List the pages of transactions, oldest first."""
    return await _list_related_rows(db, company, Checkout, "checkouts", uuids)


async def _list_related_rows(
    db: Db, company: UUID, row: type[Related], table: str, uuids: list[UUID]
) -> list[Related]:
    return await db.fetch_all(
        row,
        f"""select {columns(row)} from {table}
            where company = :company and transaction = any(:uuids) order by created_at, uuid""",
        company=company,
        uuids=uuids,
    )


async def get_checkout(db: Db, company: UUID, uuid: UUID) -> Checkout:
    where = Where(company).add_equal(uuid=uuid)
    return await db.get(
        Checkout, f"select {columns(Checkout)} from checkouts {where}", **where.values
    )


async def lock_transaction_and_order(db: Db, company: UUID, identifier: str | UUID) -> Transaction:
    """Lock a transaction and, before it, its order. Orders lock in the same sequence."""
    transaction = await TRANSACTIONS.get(db, company, identifier)
    if transaction.order_uuid is not None:
        await lock_order(db, company, transaction.order_uuid)
    return await TRANSACTIONS.lock(db, company, transaction.uuid)


async def has_payment_in_progress(db: Db, company: UUID, order: UUID) -> bool:
    """Return whether a bank is processing a payment for an order."""
    return bool(
        await db.fetch_value(
            """select exists (
                   select from transactions t join checkouts c on c.transaction = t.uuid
                   where t.company = :company and t.order_uuid = :order
                     and c.state = 'processing')""",
            company=company,
            order=order,
        )
    )


async def list_order_transactions(db: Db, company: UUID, order: UUID) -> list[Transaction]:
    """List an order's transactions, oldest first."""
    where = TRANSACTIONS.where(company).add_equal(order_uuid=order)
    return await db.fetch_all(
        Transaction,
        f"select {TRANSACTIONS.columns} from transactions {where} order by created_at, uuid",
        **where.values,
    )


async def lock_order_transactions(db: Db, company: UUID, order: UUID) -> list[Transaction]:
    """Load an order's transactions, and lock them until the database transaction ends."""
    where = TRANSACTIONS.where(company).add_equal(order_uuid=order)
    return await db.fetch_all(
        Transaction,
        f"""select {TRANSACTIONS.columns} from transactions {where}
            order by created_at, uuid for no key update""",
        **where.values,
    )
