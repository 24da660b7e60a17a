"""Tell orders that what they owe has changed.

Orders know transactions, not the other way round. The orders package registers here what has to
follow in the same transaction.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from pannier.db import Db
from pannier.payments.transactions.models import Transaction

Follower = Callable[[Db, Transaction], Awaitable[None]]
_FOLLOWERS: Final[list[Follower]] = []


def register(follower: Follower) -> Follower:
    """Have a function called with each transaction of an order that changed."""
    _FOLLOWERS.append(follower)
    return follower


async def notify(db: Db, transaction: Transaction) -> None:
    """Call the followers of a transaction; the caller holds its order."""
    if transaction.order_uuid is None:
        return
    if not _FOLLOWERS:
        raise RuntimeError("pannier.orders.quotes.service is not imported.")
    for follower in _FOLLOWERS:
        await follower(db, transaction)
