"""Charges for orders that were canceled or could not be delivered.

Callers must have locked the order.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.billing import FeeStage
from pannier.db import Db
from pannier.kit import money
from pannier.payments import facts
from pannier.payments.transactions import charges, queries, service
from pannier.payments.transactions.models import ChargeLine, Transaction

NOT_DELIVERED: Final = "The order could not be delivered."
CANCELED: Final = "The order was canceled."
# Codes of lines that reduce the price of an order that ends, and of those that restore it.
CANCELED_CODE: Final = "CANCELED"
UNDELIVERED_CODE: Final = "UNDELIVERED"
REOPENED_CODE: Final = "REOPENED"
REDUCTION_CODES: Final = frozenset({CANCELED_CODE, UNDELIVERED_CODE, REOPENED_CODE})


def compute_fee(amount: int, fee: int | str) -> int:
    """Return a fee in minor units: a fixed amount or a share of the price, at most the price."""
    if isinstance(fee, int):
        return min(fee, amount)
    hundredths = int(Decimal(fee.removesuffix("%")) * 100)
    return money.divide_half_up(amount * hundredths, 100 * 100)


async def charge_undelivered_order(db: Db, company: UUID, order: UUID) -> list[Transaction]:
    """Charge for an order that could not be delivered, according to its company's settings.

    Amounts that a gateway received beyond the charge are refunded.

    Return all transactions of the order as they are now.
    """
    settings = await company_settings.load(db, company)
    transactions = await queries.lock_order_transactions(db, company, order)
    owed_amount = _sum_owed(transactions)
    match settings.undelivered_charge:
        case "void":
            target = 0
        case "return_fee":
            target = compute_fee(owed_amount, settings.return_fee or 0)
        case _:
            return transactions
    line = ChargeLine(
        kind="return", code=UNDELIVERED_CODE, details=NOT_DELIVERED, amount=target - owed_amount
    )
    return await _reduce_total(db, transactions, line, NOT_DELIVERED, target)


async def compute_cancellation_fee(db: Db, company: UUID, order: UUID, stage: FeeStage) -> int:
    """Return what canceling an order at a stage costs, in minor units."""
    fees = (await company_settings.load(db, company)).cancellation_fees
    transactions = await queries.list_order_transactions(db, company, order)
    return compute_fee(_sum_owed(transactions), fees.get_fee(stage))


async def charge_canceled_order(
    db: Db,
    company: UUID,
    order: UUID,
    stage: FeeStage | None,
    reason: str | None = None,
    *,
    refunds: bool = False,
) -> list[Transaction]:
    """Charge the cancellation fee of a stage, if there is one, and void the rest of the price.

    Payments beyond the fee are refunded if `refunds`, or if the company's settings say so.
    Otherwise they stay, and a person decides.

    Return all transactions of the order as they are now.
    """
    settings = await company_settings.load(db, company)
    transactions = await queries.lock_order_transactions(db, company, order)
    owed_amount = _sum_owed(transactions)
    fee = 0 if stage is None else settings.cancellation_fees.get_fee(stage)
    target = compute_fee(owed_amount, fee)
    if not refunds and settings.cancellation_refund != "automatic":
        target = max(
            target, sum(min(row.amount, row.amount_paid) for row in _list_owed(transactions))
        )
    line = ChargeLine(
        kind="cancellation", code=CANCELED_CODE, details=CANCELED, amount=target - owed_amount
    )
    return await _reduce_total(db, transactions, line, reason, target)


def _list_owed(transactions: Sequence[Transaction]) -> list[Transaction]:
    return [transaction for transaction in transactions if transaction.is_owed]


def _sum_owed(transactions: Sequence[Transaction]) -> int:
    return sum(transaction.amount for transaction in _list_owed(transactions))


async def _reduce_total(
    db: Db,
    transactions: Sequence[Transaction],
    line: ChargeLine,
    reason: str | None,
    target: int,
) -> list[Transaction]:
    """Reduce what an order owes to a target. Without anything left, void its transactions."""
    if line.amount == 0 and target:
        return list(transactions)
    if target == 0:
        changed_transactions = [
            await void_and_refund(db, transaction, reason)
            for transaction in _list_owed(transactions)
        ]
    else:
        changed_transactions = await charges.credit_transactions(db, _list_owed(transactions), line)
    changes = {transaction.uuid: transaction for transaction in changed_transactions}
    return [changes.get(transaction.uuid, transaction) for transaction in transactions]


async def void_and_refund(db: Db, transaction: Transaction, reason: str | None) -> Transaction:
    """Void a transaction, and refund what gateways received."""
    voided_transaction = await service.mark_void(db, transaction, reason)
    return (
        await facts.refresh_transaction(db, voided_transaction)
        if voided_transaction.amount_paid
        else voided_transaction
    )
