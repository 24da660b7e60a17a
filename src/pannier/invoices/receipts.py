"""Money received for an invoice, recorded with its transactions."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid
from pannier.invoices import balances, queries
from pannier.invoices.models import Invoice
from pannier.invoices.queries import INVOICES
from pannier.kit.money import MAX_AMOUNT
from pannier.payments.transactions import followers, service
from pannier.payments.transactions.models import Transaction
from pannier.payments.transactions.schemas import PaymentIn

TOO_LARGE: Final = "The amount is too large."


class NotPayable(Conflict):
    """Only an issued invoice can be paid."""

    code = "invoice_not_payable"
    title = "Only an issued invoice can be paid."
    remedy = "Issue a draft first. A credit note is paid out as refunds."


class InvoicePaid(Conflict):
    """Nothing is left to pay."""

    code = "invoice_paid"
    title = "The invoice is paid."
    remedy = "Send an amount to record an overpayment."


async def record_payment(db: Db, company: UUID, identifier: str, data: PaymentIn) -> Invoice:
    """Record money received for an invoice, with its transactions, the oldest first.

    More than is owed becomes a credit of the newest transaction.
    """
    invoice = await INVOICES.get(db, company, identifier)
    if invoice.state != "issued" or invoice.kind != "invoice":
        raise NotPayable
    transactions = await _lock_transactions(db, invoice)
    open_amounts = await queries.load_open_amounts(db, company, invoice.uuid)
    total = sum(open_amounts.values())
    if data.amount is None and total == 0:
        raise InvoicePaid
    amount = total if data.amount is None else data.amount
    shares = spread_payment(transactions, open_amounts, amount, invoice.customer)
    async with balances.refresh_together(db, company):
        for transaction, share in shares:
            paid_transaction = await service.record_payment(
                db,
                transaction,
                method=data.method,
                amount=share,
                reference=data.reference,
                received_at=data.received_at,
            )
            await followers.notify_order(db, paid_transaction)
    return await INVOICES.get(db, company, invoice.uuid)


def spread_payment(
    transactions: Sequence[Transaction],
    open_amounts: Mapping[UUID, int],
    amount: int,
    customer: UUID,
) -> list[tuple[Transaction, int]]:
    """Spread a payment over the transactions of an invoice, the oldest first."""
    if amount > MAX_AMOUNT:
        raise Invalid(fields=[FieldError("amount", TOO_LARGE)])
    shares = {}
    for transaction in transactions:
        share = min(open_amounts.get(transaction.uuid, 0), amount)
        shares[transaction.uuid] = share
        amount -= share
    if amount:
        # Money for a debt that has moved to another customer is not that customer's.
        owed_rows = [row for row in transactions if row.is_owed and row.customer == customer]
        newest = next(reversed(owed_rows), None)
        if newest is None:
            raise InvoicePaid
        shares[newest.uuid] += amount
    return [(row, shares[row.uuid]) for row in transactions if shares[row.uuid]]


async def _lock_transactions(db: Db, invoice: Invoice) -> list[Transaction]:
    """Lock the transactions of an invoice, after their orders, as orders do."""
    uuids = set(await queries.load_open_amounts(db, invoice.company, invoice.uuid))
    await queries.lock_orders(db, invoice.company, uuids)
    return await balances.lock_transactions(db, invoice.company, uuids)
