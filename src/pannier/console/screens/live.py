"""Live updates: events streamed to open pages."""

from typing import Final

from pannier.console.api_client import ApiClient
from pannier.console.records import read_query
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse


@get("/live")
async def live(exchange: Exchange) -> StreamedResponse:
    """Stream events that follow the browser's last one."""
    query = {"after": read_query(exchange).get("after", "")}
    streamed: StreamedResponse = await ApiClient(exchange).get_response(
        "/int/v1/events/stream", query
    )
    return streamed


handlers: Final = [live]
