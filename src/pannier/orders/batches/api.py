"""HTTP handler for batches of orders."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.orders.batches import service
from pannier.orders.batches.schemas import OrderBatchIn, OrderBatchOut, RawBatch
from pannier.orders.batches.slots import TooManyBatches
from pannier.payments.gateway import Gateway
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import post


@post(
    "/orders/batch",
    status_code=200,
    opt={"request_bodies": {"application/json": OrderBatchIn}},
    problems=[TooManyBatches],
)
async def create_orders(
    key: FleetKey, data: RawBatch, exchange: Exchange, gateway: Gateway, router: Router
) -> OrderBatchOut:
    """Create up to 500 orders. Each is created or refused on its own, with its own result.

    The status is 200 even if orders were refused: `results` has an entry for each order, in the
    order of the request, with its status and the order or a problem.

    An order that is sent again with the same `idempotency_key`, or without one with the same
    `internal_id`, is not created again, in this batch or a later one. Its result is the order that
    the first request created, as it is now. So send a batch again after a lost response. Keys last
    30 days. A refused order does not use up its key.

    A batch takes at most about 20 seconds. Orders that were not reached have the status 503; send
    them again. A company can send one batch at a time.
    """
    return await service.create_orders(exchange, key.company, data, gateway, router)


routes: Final = api_routers.api_router("Orders", "orders", [create_orders])
