"""The event log: events, and their deliveries to webhooks."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import fields, list_exports, lookup, responses
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.formatting import dig
from pannier.console.forms import Field
from pannier.console.records import list_rows, read_query
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse

SUBJECT: Final = Field(
    name="subject", label="Subject", kind="record",
    resource="orders drivers vehicles", placeholder="Order, driver, vehicle or ID",
)  # fmt: skip
API: Final = "/int/v1/events"


def list_subjects(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    """List the subjects of events or deliveries, and the orders in their bodies."""
    return [value for row in rows for value in (row["subject"], dig(row, "body.data.order"))]


async def list_event_names(client: ApiClient) -> list[tuple[str, str]]:
    """Return the event names as options."""
    return [(entry["event"], entry["event"]) for entry in await client.get("/int/v1/event-catalog")]


async def _load_filters(client: ApiClient) -> list[Field]:
    names = await list_event_names(client)
    return [
        SUBJECT,
        Field(name="event", label="Event", kind="choice", options=names),
        *fields.TIMES,
    ]


@get("/events")
async def list_events(exchange: Exchange) -> Response[bytes]:
    """List events, the latest first."""
    client, query = ApiClient(exchange), read_query(exchange)
    filters = await _load_filters(client)
    rows, error = ListPage([], None), ""
    try:
        query = await lookup.resolve_filters(client, filters, query)
        rows = await list_rows(client, API, filters, query)
    except Problem as problem:
        error = problem.detail
    return await responses.render_page(
        client, "events/list.html", title="Events", rows=rows.rows, cursor=rows.cursor,
        filter_values=query, fields=filters, error=error,
        subjects=list_subjects(rows.rows),
    )  # fmt: skip


@get("/events/export")
async def export_events(exchange: Exchange) -> StreamedResponse:
    """Download all events that match the filters of the list."""
    client = ApiClient(exchange)
    filters = await _load_filters(client)

    async def load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
        return await list_rows(client, API, filters, query)

    return await list_exports.export_list(client, "events", filters, load_rows)


@get("/events/{event_id:str}")
async def show_event(exchange: Exchange, event_id: str) -> Response[bytes]:
    """Show an event and its deliveries."""
    client = ApiClient(exchange)
    event = await client.get("/int/v1/events/{event_id}", event_id=event_id)
    deliveries = await client.list_rows(
        "/int/v1/webhook-deliveries", {"event_id": event["id"], "limit": "50"}
    )
    webhooks = await client.list_rows("/int/v1/webhooks", {"limit": "100"})
    return await responses.render_page(
        client, "events/event.html", title=event["event"], event=event, deliveries=deliveries.rows,
        webhooks={row["id"]: row["description"] or row["url"] for row in webhooks.rows},
        subjects=list_subjects([event]),
    )  # fmt: skip


handlers: Final = [list_events, export_events, show_event]
