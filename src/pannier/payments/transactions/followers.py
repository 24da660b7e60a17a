"""Tell orders that what they owe has changed.

Orders know transactions, not the other way round. The orders package registers here what has to
follow in the same transaction.
"""

from typing import Final

from pannier.db import Db
from pannier.kit.hooks import Hook
from pannier.payments.transactions.models import Transaction

follow: Final = Hook[[Db, Transaction], None]("pannier.orders.quotes.service")


async def notify(db: Db, transaction: Transaction) -> None:
    """Have the order of a transaction follow its change; the caller holds the order."""
    if transaction.order_uuid is not None:
        await follow(db, transaction)
