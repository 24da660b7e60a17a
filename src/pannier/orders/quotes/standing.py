"""What an order owes by its transactions. Pure rules."""

from collections.abc import Sequence
from typing import Any

from pannier.orders.models import Order, PaymentStatus, PriceStatus
from pannier.payments.transactions.models import Transaction


def derive_price_status(order: Order, transactions: Sequence[Transaction]) -> PriceStatus:
    """Return the price status of an order with these transactions.

    Other charges are not its price: a transaction without a quote does not count.
    """
    if any(row.is_owed and row.quote_id is not None for row in transactions):
        return "accepted"
    return "priced" if order.price_status == "priced" else "unpriced"


def is_settled(transactions: Sequence[Transaction]) -> bool:
    """Return whether an order owes something and everything is paid."""
    owed = [transaction for transaction in transactions if transaction.is_owed]
    return bool(owed) and all(transaction.is_settled for transaction in owed)


def derive_payment_status(transactions: Sequence[Transaction]) -> PaymentStatus:
    """Return the payment status of an order with these transactions."""
    balance = sum(transaction.balance for transaction in transactions)
    owed = [transaction for transaction in transactions if transaction.is_owed]
    if balance < 0:
        return "overpaid"
    if balance > 0:
        has_payment = any(transaction.amount_paid for transaction in owed)
        return "partially_paid" if has_payment else "unpaid"
    if any(transaction.amount or transaction.amount_paid for transaction in owed):
        return "paid"
    if any(transaction.amount_refunded for transaction in transactions):
        return "refunded"
    return "none"


def to_payment_columns(order: Order, transactions: Sequence[Transaction]) -> dict[str, Any]:
    """Return the columns of an order that follow from its transactions."""
    latest = next((row for row in reversed(transactions) if row.is_owed), None)
    currency = latest.currency if latest is not None else order.currency
    if currency is None and transactions:
        currency = transactions[-1].currency
    counted = [row for row in transactions if row.currency == currency]
    return {
        "price_status": derive_price_status(order, transactions),
        "payment_status": derive_payment_status(counted),
        "balance": sum(row.balance for row in counted),
        "currency": currency,
    }
