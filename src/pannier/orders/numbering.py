"""The number by which people know an order: the company's own, or else the tracking number."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db
from pannier.orders.models import Order


def choose_number(order: Order, tracking_number: str) -> str:
    """Return the company's own number of an order, or else its tracking number."""
    return order.internal_id or tracking_number


async def load_numbers(db: Db, company: UUID, orders: Sequence[UUID]) -> dict[UUID, str]:
    """Load the numbers of orders, also of deleted ones. See `choose_number`."""
    if not orders:
        return {}
    return dict(
        await db.fetch_tuples(
            """select o.uuid, coalesce(nullif(o.internal_id, ''), n.number, o.public_id)
               from orders o left join tracking_numbers n on n.subject = o.uuid
               where o.company = :company and o.uuid = any(:orders)""",
            company=company,
            orders=list(orders),
        )
    )
