"""The event log: events, and their deliveries to webhooks."""

from typing import Final

from litestar import Response

from pannier.console import fields, lookup, render
from pannier.console.desk import Desk, Rows
from pannier.console.forms import Field
from pannier.console.records import asked, found
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get

SUBJECT: Final = Field(
    name="subject", label="Subject", kind="record",
    resource="orders drivers vehicles", placeholder="Order, driver, vehicle or ID",
)  # fmt: skip
API: Final = "/int/v1/events"


async def names(desk: Desk) -> list[tuple[str, str]]:
    """Return the event names as options."""
    return [(entry["event"], entry["event"]) for entry in await desk.get("/int/v1/event-catalog")]


@get("/events")
async def listed(exchange: Exchange) -> Response[bytes]:
    """List events, the latest first."""
    desk, given = Desk(exchange), asked(exchange)
    chosen = Field(name="event", label="Event", kind="choice", options=await names(desk))
    filters = [SUBJECT, chosen, *fields.TIMES]
    rows, wrong = Rows([], None), ""
    try:
        given = await lookup.resolve_filters(desk, filters, given)
        rows = await found(desk, API, filters, given)
    except Problem as problem:
        wrong = problem.detail
    return await render.page(
        desk, "events/list.html", title="Events", rows=rows.rows, cursor=rows.cursor,
        given=given, fields=filters, wrong=wrong,
    )  # fmt: skip


@get("/events/{event_id:str}")
async def shown(exchange: Exchange, event_id: str) -> Response[bytes]:
    """Show an event and its deliveries."""
    desk = Desk(exchange)
    event = await desk.get("/int/v1/events/{event_id}", event_id=event_id)
    sent = await desk.rows("/int/v1/webhook-deliveries", {"event_id": event["id"], "limit": "50"})
    webhooks = await desk.rows("/int/v1/webhooks", {"limit": "100"})
    return await render.page(
        desk, "events/event.html", title=event["event"], event=event, deliveries=sent.rows,
        webhooks={one["id"]: one["description"] or one["url"] for one in webhooks.rows},
    )  # fmt: skip


handlers: Final = [listed, shown]
