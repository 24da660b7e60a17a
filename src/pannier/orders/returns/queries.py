"""Database reads and writes of returned pieces."""

from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import PlainRow
from pannier.orders.models import Order
from pannier.orders.returns.pieces import Pieces


class ReturnedItem(PlainRow, kw_only=True):
    """Pieces of an item of a delivered order that a return brings back."""

    order_uuid: UUID
    return_order: UUID
    # None for the whole of an order without items.
    entity: UUID | None
    quantity: int


class _PieceCount(msgspec.Struct):
    entity: UUID | None
    quantity: int


async def count_returned(db: Db, order: Order) -> Pieces:
    """Count the pieces of a delivered order in all its returns that are not canceled.

    A deleted return that was completed counts too: its goods are back.
    """
    counts = await db.fetch_all(
        _PieceCount,
        """select entity, sum(quantity)::integer as quantity from returned_items
           where company = :company and order_uuid = :order and exists (
               select from orders where uuid = return_order and canceled_at is null)
           group by entity""",
        company=order.company,
        order=order.uuid,
    )
    return {count.entity: count.quantity for count in counts}


async def load_pieces(db: Db, return_order: Order) -> Pieces:
    """Load the pieces that a return brings back."""
    counts = await db.fetch_all(
        _PieceCount,
        """select entity, quantity from returned_items
           where company = :company and return_order = :order""",
        company=return_order.company,
        order=return_order.uuid,
    )
    return {count.entity: count.quantity for count in counts}


async def save_pieces(db: Db, order: Order, return_order: Order, pieces: Pieces) -> None:
    """Record the pieces that a new return brings back."""
    rows = [
        ReturnedItem(
            **db.new_row_fields(order.company),
            order_uuid=order.uuid,
            return_order=return_order.uuid,
            entity=entity,
            quantity=quantity,
        )
        for entity, quantity in pieces.items()
    ]
    db.queue_inserts("returned_items", *rows)
