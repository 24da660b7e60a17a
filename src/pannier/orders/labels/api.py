"""HTTP handlers for labels."""

from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders.labels import service
from pannier.orders.labels.schemas import LabelFilters, LabelFormat, LabelsIn
from pannier.orders.labels.service import MEDIA_TYPES
from pannier.orders.queries import ORDERS
from pannier.proofs.documents import DocumentsBusy
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

_BINARY: Final = {"type": "string", "format": "binary"}


def _describe_responses(*formats: LabelFormat) -> dict[str, Any]:
    return {"responses": {200: {MEDIA_TYPES[name]: _BINARY for name in formats}}}


@get(
    "/orders/{order_id:str}/label",
    opt=_describe_responses("pdf", "zpl", "png"),
    problems=[DocumentsBusy],
)
async def download_label(
    key: FleetKey, order_id: str, filters: LabelFilters, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Download the shipping label of an order, for its last stop.

    It has the addresses, the cash to collect, and the tracking number as QR code and bar code.
    """
    order = await ORDERS.get(db, key.company, order_id)
    return await service.download_labels(
        exchange, db, [order], format=filters.format, size=filters.size, start=filters.start
    )


@post(
    "/labels",
    status_code=200,
    opt=_describe_responses("pdf", "zpl"),
    problems=[NotFound, DocumentsBusy],
)
async def print_labels(
    key: FleetKey, data: LabelsIn, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Download the shipping labels of several orders as one document, in the given order.

    Nothing changes, so an `Idempotency-Key` is ignored.
    """
    orders = await service.load_orders(db, key.company, data.orders)
    return await service.download_labels(
        exchange, db, orders, format=data.format, size=data.size, start=data.start
    )


routes: Final = api_routers.api_router("Labels", "orders", [download_label, print_labels])
