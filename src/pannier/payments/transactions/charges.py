"""Charges and credits of an order, spread over its transactions.

Callers must have locked the order.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import FieldError, Invalid
from pannier.kit.money import MAX_AMOUNT, Money
from pannier.partners.models import Contact, Vendor
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import followers, queries, service
from pannier.payments.transactions.lines import add_lines, split_by_tax, split_line
from pannier.payments.transactions.models import ChargeLine, Transaction
from pannier.payments.transactions.queries import TRANSACTIONS

CREDIT_TOO_LARGE: Final = "The credit must not exceed the total of the order, {}."
NOTHING_TO_CREDIT: Final = "There is no charge to credit."


async def charge_order(
    db: Db,
    company: UUID,
    order: RowReference,
    line: ChargeLine,
    *,
    currency: str,
    customer: Contact | Vendor | None,
    gateway: Gateway,
) -> None:
    """Charge an order, or credit it with a negative amount.

    A charge is added to the open transaction. If everything is paid, it opens another transaction.
    """
    transactions = [
        transaction
        for transaction in await queries.lock_order_transactions(db, company, order.uuid)
        if transaction.is_owed and transaction.currency == currency
    ]
    if line.amount < 0:
        await credit_transactions(db, transactions, line)
        return
    if sum(transaction.amount for transaction in transactions) + line.amount > MAX_AMOUNT:
        raise Invalid(fields=[FieldError("amount", "The amount is too large.")])
    open_transaction = next((row for row in transactions if row.is_open), None)
    if open_transaction is None:
        await service.open_transaction(
            db,
            company,
            lines=[line],
            currency=currency,
            gateway=gateway,
            order=order,
            customer=customer,
            opens_now=False,
        )
    else:
        await add_lines(db, open_transaction, [line])


async def credit_transactions(
    db: Db, transactions: Sequence[Transaction], line: ChargeLine
) -> list[Transaction]:
    """Credit transactions: unpaid amounts first, then paid ones, the newest first.

    What a gateway received beyond the new amount is refunded. Unless the line has a tax rate, it
    contains the tax of the charges that it reduces.
    """
    total = sum(transaction.amount for transaction in transactions)
    if -line.amount > total:
        message = NOTHING_TO_CREDIT
        if transactions:
            limit = Money(total, transactions[0].currency).format()
            message = CREDIT_TOO_LARGE.format(limit)
        raise Invalid(fields=[FieldError("amount", message)])
    shares = _share_credit(transactions, -line.amount)
    parts = split_line(line, [-shares[transaction.uuid] for transaction in transactions])
    return [
        await _credit_transaction(db, transaction, part) if part.amount else transaction
        for transaction, part in zip(transactions, parts, strict=True)
    ]


async def _credit_transaction(db: Db, transaction: Transaction, line: ChargeLine) -> Transaction:
    if line.tax_rate is not None:
        return await add_lines(db, transaction, [line])
    charges = await queries.list_charges(db, transaction.company, [transaction.uuid])
    return await add_lines(db, transaction, split_by_tax(line, charges))


def _share_credit(transactions: Sequence[Transaction], credit: int) -> dict[UUID, int]:
    """Share a credit: first what is not paid yet, then the rest, the newest transaction first."""
    shares = {transaction.uuid: 0 for transaction in transactions}
    for has_unpaid_part in (True, False):
        for transaction in reversed(transactions):
            rest = transaction.amount - shares[transaction.uuid]
            limit = min(rest, max(0, transaction.balance)) if has_unpaid_part else rest
            share = min(limit, credit)
            shares[transaction.uuid] += share
            credit -= share
    return shares


async def move_debt(
    db: Db,
    company: UUID,
    order: UUID,
    previous_customer: UUID | None,
    customer: Contact | Vendor | None,
) -> None:
    """Move what an order still owes from its previous customer to another one."""
    columns = service.payer_columns(customer)
    for transaction in await queries.lock_order_transactions(db, company, order):
        if transaction.is_open and transaction.customer == previous_customer:
            moved_transaction, _ = await TRANSACTIONS.change(
                db, transaction, log_action="moved", **columns
            )
            await followers.follow_balance(db, moved_transaction)
