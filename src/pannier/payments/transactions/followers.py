"""Inform orders and invoices of changes of their transactions.

They import transactions, not the other way round. Each registers a function that runs in the same
transaction.
"""

from typing import Final

from pannier.db import Db
from pannier.kit.hooks import Hook
from pannier.payments.transactions.models import Transaction

follow_transaction: Final = Hook[[Db, Transaction], None]("pannier.orders.quotes.service")
# Updates what is still to be paid of invoices, whenever a balance or its payer changes.
follow_balance: Final = Hook[[Db, Transaction], None]("pannier.invoices.balances")


async def notify_order(db: Db, transaction: Transaction) -> None:
    """Update the order of a changed transaction. The caller has locked the order."""
    if transaction.order_uuid is not None:
        await follow_transaction(db, transaction)
