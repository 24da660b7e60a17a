"""The list of orders as CSV."""

from typing import Final

from pannier.console import list_exports, lookup, order_filters
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.records import PAGE_SIZE, load_zone
from pannier.console.session import FormData
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse


@get("/orders/export")
async def export_orders(exchange: Exchange) -> StreamedResponse:
    """Download all orders that match the filters of the list."""
    client, query = ApiClient(exchange), FormData(exchange.query)
    query = await lookup.resolve_form(client, order_filters.FILTERS, query)
    filters = order_filters.parse_filters(query, await load_zone(client))
    sort = {"sort": query["sort"]} if query.get("sort") else {}

    async def load_page(cursor: str | None) -> ListPage:
        paging = {"limit": str(PAGE_SIZE), "cursor": cursor, **sort}
        return await client.list_rows("/v1/orders", {**filters, **paging})

    return await list_exports.start_export(client, "orders", load_page)


handlers: Final = [export_orders]
