"""The drivers who could take an order, to assign one of them."""

from typing import Any, Final

from litestar import Response

from pannier.console import order_view, responses
from pannier.console.api_client import ApiClient
from pannier.console.records import read_query
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.web.exchange import Exchange
from pannier.web.routes import get

CANDIDATES_PATH: Final = f"{ORDER_PATH}/driver-candidates"
ASSIGN_PATH: Final = f"{ORDER_PATH}/assign-driver"
MAX_LISTED: Final = "40"


@get("/orders/{identifier:str}/drivers")
async def show_candidates(exchange: Exchange, identifier: str) -> Response[bytes]:
    """List the drivers for an order, nearest first."""
    client, query = ApiClient(exchange), read_query(exchange)
    client.require("POST", ASSIGN_PATH)
    order: Any = await client.get(ORDER_PATH, order_id=identifier)
    filters = {"query": query.get("query", "")[:100], "limit": MAX_LISTED}
    candidates = await client.get(CANDIDATES_PATH, filters, order_id=identifier)
    return await responses.render_page(
        client, "orders/drivers.html", title="Assign a driver", records=ORDER, record=order,
        home=ORDER.record_url(order["id"]), name=ORDER.record_name(order), candidates=candidates,
        filter_values=query, is_open=order_view.is_open(order), shown=int(MAX_LISTED),
    )  # fmt: skip


handlers: Final = [show_candidates]
