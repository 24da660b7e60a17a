"""Live updates: events streamed to open pages."""

from typing import Final

from pannier.console.desk import Desk
from pannier.console.records import asked
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import Streamed


@get("/live")
async def live(exchange: Exchange) -> Streamed:
    """Stream events that follow the browser's last one."""
    given = {"after": asked(exchange).get("after", "")}
    streamed: Streamed = await Desk(exchange).answer("/int/v1/events/stream", given)
    return streamed


handlers: Final = [live]
