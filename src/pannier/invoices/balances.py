"""What is still to be paid of issued invoices. It follows their transactions.

Callers must have locked the transactions.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.invoices.models import InvoiceShare
from pannier.invoices.revenue import compute_revenue, share_balance
from pannier.orders.reopening import service as reopening
from pannier.payments.transactions import followers
from pannier.payments.transactions.models import Transaction
from pannier.payments.transactions.queries import TRANSACTIONS

_POSTPONED: Final = "invoices.postponed_balances"


@followers.follow_balance.register
async def follow_balance(db: Db, transaction: Transaction) -> None:
    """Update what is still to be paid of a transaction's invoices."""
    postponed: dict[UUID, Transaction] | None = db.cache.get(_POSTPONED)
    if postponed is None:
        await refresh_invoices(db, transaction.company, [transaction])
    else:
        postponed[transaction.uuid] = transaction


@asynccontextmanager
async def refresh_together(db: Db, company: UUID) -> AsyncIterator[None]:
    """Update the invoices of all transactions that change meanwhile once, at the end.

    An invoice of many transactions would otherwise be updated for each of them.
    """
    postponed: dict[UUID, Transaction] = {}
    db.cache[_POSTPONED] = postponed
    try:
        yield
    finally:
        db.cache.pop(_POSTPONED, None)
    await refresh_invoices(db, company, list(postponed.values()))


@reopening.is_invoiced.register
async def is_invoiced(db: Db, company: UUID, transactions: Sequence[UUID]) -> bool:
    """Return whether issued documents charge for these transactions, after credit notes."""
    amounts = await db.fetch_tuples(
        """select sum(lines.amount) from invoice_lines lines
           join invoices on invoices.uuid = lines.invoice
           where lines.company = :company and lines.transaction = any(:transactions)
               and invoices.state = 'issued'
           group by lines.transaction having sum(lines.amount) <> 0""",
        company=company,
        transactions=list(transactions),
    )
    return bool(amounts)


async def refresh_invoices(db: Db, company: UUID, transactions: Sequence[Transaction]) -> None:
    """Update what is still to be paid of the invoices of locked transactions."""
    by_uuid = {transaction.uuid: transaction for transaction in transactions}
    changes = [
        (share, amount)
        for share, amount in _list_open_amounts(await _list_shares(db, company, by_uuid), by_uuid)
        if share.open_amount != amount
    ]
    if changes:
        await _lock_invoices(db, company, {share.invoice for share, _ in changes})
        await _write_changes(db, company, changes)


async def _list_shares(db: Db, company: UUID, transactions: Collection[UUID]) -> list[InvoiceShare]:
    """List the documents of transactions, the oldest first."""
    return await db.fetch_all(
        InvoiceShare,
        f"""select {columns(InvoiceShare)} from invoice_shares
            where company = :company and transaction = any(:transactions)
            order by transaction, issued_at, invoice""",
        company=company,
        transactions=list(transactions),
    )


def _list_open_amounts(
    shares: Sequence[InvoiceShare], transactions: Mapping[UUID, Transaction]
) -> list[tuple[InvoiceShare, int]]:
    """List what is still to be paid of each share."""
    amounts = []
    for uuid, group in groupby(shares, key=attrgetter("transaction")):
        transaction, parts = transactions[uuid], list(group)
        shares_of_payer = [part for part in parts if part.customer == transaction.customer]
        # Nobody pays for a debt that has moved to another customer.
        amounts += [(part, 0) for part in parts if part.customer != transaction.customer]
        open_amounts = share_balance(
            transaction.balance,
            [part.amount for part in shares_of_payer],
            compute_revenue(transaction),
        )
        amounts += zip(shares_of_payer, open_amounts, strict=True)
    return amounts


async def _lock_invoices(db: Db, company: UUID, invoices: Collection[UUID]) -> None:
    """Lock invoices, sorted to avoid deadlocks."""
    await db.execute(
        """select from invoices where company = :company and uuid = any(:invoices)
           order by uuid for no key update""",
        company=company,
        invoices=list(invoices),
    )


async def _write_changes(
    db: Db, company: UUID, changes: Sequence[tuple[InvoiceShare, int]]
) -> None:
    values = {
        "company": company,
        "invoices": [share.invoice for share, _ in changes],
        "transactions": [share.transaction for share, _ in changes],
    }
    await db.execute(
        """update invoice_shares s set open_amount = c.amount
           from unnest(:invoices::uuid[], :transactions::uuid[], :amounts::bigint[])
               as c (invoice, transaction, amount)
           where s.company = :company and s.invoice = c.invoice
             and s.transaction = c.transaction""",
        amounts=[amount for _, amount in changes],
        **values,
    )
    await db.execute(
        """update invoices i set open_amount = open_amount + c.amount, updated_at = :now,
               version = version + 1
           from (select invoice, sum(amount)::bigint as amount
                 from unnest(:invoices::uuid[], :amounts::bigint[]) as p (invoice, amount)
                 group by invoice) c
           where i.company = :company and i.uuid = c.invoice""",
        amounts=[amount - share.open_amount for share, amount in changes],
        company=company,
        invoices=values["invoices"],
        now=db.now,
    )


async def lock_transactions(db: Db, company: UUID, uuids: Collection[UUID]) -> list[Transaction]:
    """Lock transactions in the same sequence as their orders do."""
    where = TRANSACTIONS.where(company).add("uuid = any(:uuids)", uuids=list(uuids))
    return await db.fetch_all(
        Transaction,
        f"""select {TRANSACTIONS.columns} from transactions {where}
            order by created_at, uuid for no key update""",
        **where.values,
    )
