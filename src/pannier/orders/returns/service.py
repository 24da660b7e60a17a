"""Create returns of delivered orders, and count their pieces.

A request that adds pieces locks the delivered order first, so that the returns of an order never
bring back more than was delivered. A return is younger than its order, so the order comes first.
"""

from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict
from pannier.orders import queries as orders
from pannier.orders import service
from pannier.orders.aggregate import finish_change
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.returns import pieces, queries, swapping
from pannier.orders.returns.pieces import Pieces
from pannier.orders.returns.schemas import ReturnableItem, ReturnIn
from pannier.orders.schemas import OrderIn
from pannier.orders.views import OrderAggregate
from pannier.routing.route import MeasuredRoute

# Canceled returns count too, because the order lists them.
MAX_RETURNS: Final = 100


class OrderNotCompleted(Conflict):
    """Only completed orders have something to return.

    What goes back after a failed attempt stays in its order.
    """

    code = "order_not_completed"
    title = "The order is not completed."
    remedy = "Wait until it is completed. Failed deliveries go back within their own order."


class TooManyReturns(Conflict):
    """An order has a limited number of returns, including canceled ones."""

    code = "too_many_returns"
    title = "The order has too many returns."
    remedy = f"An order can have {MAX_RETURNS}. Create an ordinary order instead."


async def plan_return(db: Db, order: OrderAggregate, data: ReturnIn) -> tuple[Pieces, OrderIn]:
    """Choose the pieces of a return, and make the request that creates it."""
    row = order.row
    if row.completed_at is None:
        raise OrderNotCompleted
    if len(row.returns) >= MAX_RETURNS:
        raise TooManyReturns
    returned = await queries.count_returned(db, row)
    selection = pieces.choose_pieces(order.payload_aggregate, returned, data.items)
    zone = (await company_settings.load(db, row.company)).zone
    return selection, swapping.make_return(order, selection, data, zone)


async def list_returnable_items(db: Db, order: OrderAggregate) -> list[ReturnableItem]:
    """List the items of an order, with the pieces that can still be returned.

    Before the order is completed, nothing can be.
    """
    payload = order.payload_aggregate
    items = {item.uuid: item for item in payload.entities}
    returned = await queries.count_returned(db, order.row)
    is_completed = order.row.completed_at is not None
    rows = []
    for uuid, count in pieces.count_delivered(payload).items():
        item = None if uuid is None else items[uuid]
        delivered_count, returned_count = count if is_completed else 0, returned.get(uuid, 0)
        rows.append(
            ReturnableItem(
                entity=None if item is None else item.public_id,
                name=None if item is None else item.name,
                delivered=delivered_count,
                returned=returned_count,
                returnable=max(delivered_count - returned_count, 0),
            )
        )
    return rows


async def create_return(
    db: Db,
    company: UUID,
    order_id: str,
    data: ReturnIn,
    terms: AcceptanceTerms,
    measured_route: MeasuredRoute | None,
) -> OrderAggregate:
    """Create a return of a delivered order. `measured_route` was measured before."""
    row = await ORDERS.lock(db, company, order_id)
    order = await OrderAggregate.load(db, row)
    selection, order_in = await plan_return(db, order, data)
    return_order = await service.create(
        db, company, order_in, terms, measured_route=measured_route, return_of=row.public_id
    )
    await queries.save_pieces(db, row, return_order.row, selection)
    await finish_change(db, order, returns=[*row.returns, return_order.row.public_id])
    return return_order


async def lock_returned_order(db: Db, return_order: Order) -> None:
    """Lock the order that a return takes goods back from. Call this before locking the return."""
    if return_order.return_of is not None:
        await orders.lock_with_deleted(db, return_order.company, return_order.return_of)


async def check_reopening(db: Db, return_order: Order) -> None:
    """Reject the reopening of a return whose pieces other returns bring back meanwhile."""
    if return_order.return_of is None:
        return
    row = await orders.lock_with_deleted(db, return_order.company, return_order.return_of)
    order = await OrderAggregate.load(db, row)
    pieces.check_limits(
        pieces.count_delivered(order.payload_aggregate),
        await queries.count_returned(db, row),
        await queries.load_pieces(db, return_order),
    )
