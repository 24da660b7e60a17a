"""HTTP handler for the reopening of orders."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.orders.access import get_order_row, lock_order
from pannier.orders.internal_ids import CLAIM_PROBLEMS
from pannier.orders.reopening import service
from pannier.orders.reopening.service import OrderInvoiced, OrderNotCanceled, OrderReturned
from pannier.orders.returns.pieces import ReturnExceedsDelivered
from pannier.orders.returns.service import lock_returned_order
from pannier.orders.schemas import OrderOut
from pannier.payments.gateway import Gateway
from pannier.web.routes import post
from pannier.web.versions import IfMatch, PreconditionFailed


@post(
    "/orders/{order_id:str}/reopen",
    status_code=200,
    problems=[
        OrderNotCanceled,
        OrderReturned,
        ReturnExceedsDelivered,
        OrderInvoiced,
        *CLAIM_PROBLEMS,
        PreconditionFailed,
    ],
)
async def reopen_order(
    key: FleetKey, order_id: str, match: IfMatch, db: Db, gateway: Gateway
) -> OrderOut:
    """Reopen a canceled order. It waits to be dispatched again, with its driver.

    What the cancellation took off the price is charged again. A voided price is quoted again.
    """
    row = await get_order_row(db, key, order_id)
    await lock_returned_order(db, row)
    # By its own id: an internal id may meanwhile have passed to another order.
    order = await lock_order(db, key, row.public_id, match)
    return (await service.reopen(db, order, gateway)).to_order_out()


routes: Final = api_routers.api_router("Orders", "orders", [reopen_order])
