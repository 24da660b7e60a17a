"""Live updates: events stream to open pages."""

from typing import Final

from pannier.console.api_client import ApiClient
from pannier.console.records import read_query
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse


@get("/live")
async def stream_events(exchange: Exchange) -> StreamedResponse:
    """Stream the events after the last one that the browser received."""
    query = {"after": read_query(exchange).get("after", "")}
    stream: StreamedResponse = await ApiClient(exchange).get_response(
        "/int/v1/alerts/stream", query
    )
    return stream


handlers: Final = [stream_events]
