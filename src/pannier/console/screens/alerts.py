"""Alerts: the bell of every page, and the list of all alerts."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import error_pages, list_exports, record_names, records, responses, session
from pannier.console.alert_texts import KIND_TEXTS, AlertView, make_view
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.forms import Field
from pannier.console.record_urls import record_url
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

API: Final = "/int/v1/alerts"
ALERT_PATH: Final = "/int/v1/alerts/{alert_id}"
HOME: Final = "/console/alerts"
RULES: Final = "/int/v1/me/alert-rules"
MAX_RECENT: Final = 8
# Alerts that a page looks at before it announces the new ones.
MAX_ANNOUNCED: Final = 50
FILTERS: Final = (
    Field(
        name="open", label="Status", kind="choice", options=(("true", "Open"), ("false", "Closed"))
    ),
    Field(
        name="kind", label="Kind", kind="choice",
        options=tuple((kind, text.label) for kind, text in KIND_TEXTS.items()),
    ),
    Field(
        name="unread", label="Unread", kind="choice", options=(("true", "Yes"), ("false", "No"))
    ),
)  # fmt: skip


async def _make_views(client: ApiClient, alerts: list[Any]) -> list[AlertView]:
    names = await record_names.load_labels(client, {alert["subject"] for alert in alerts})
    return [make_view(alert, names) for alert in alerts]


@get("/alerts")
async def list_alerts(exchange: Exchange) -> Response[bytes]:
    """List all alerts."""
    client, query = ApiClient(exchange), records.read_query(exchange)
    page = await records.list_rows(client, API, FILTERS, query)
    return await responses.render_page(
        client,
        "alerts/list.html",
        title="Alerts",
        home=HOME,
        filters=FILTERS,
        filter_values={name: value for name, value in query.items() if value},
        views=await _make_views(client, page.rows),
        cursor=page.cursor,
    )


@get("/alerts/export")
async def export_alerts(exchange: Exchange) -> StreamedResponse:
    """Download the alerts that match the filters."""

    async def load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
        return await records.list_rows(client, API, FILTERS, query)

    return await list_exports.export_list(ApiClient(exchange), "alerts", FILTERS, load_rows)


@get("/alerts/recent")
async def list_recent_alerts(exchange: Exchange) -> Response[bytes]:
    """List the newest unread alerts, for the bell or to announce them."""
    client = ApiClient(exchange)
    limit = MAX_ANNOUNCED if records.read_query(exchange).get("all") else MAX_RECENT
    page = await client.list_rows(API, {"unread": "true", "limit": str(limit)})
    return await responses.render_page(
        client,
        "alerts/recent.html",
        title="Alerts",
        views=await _make_views(client, page.rows),
        rules=await client.get(RULES),
    )


@post("/alerts/read", status_code=200)
async def mark_all_read(exchange: Exchange) -> Response[bytes]:
    """Mark the alerts as read that were there when the page was opened."""
    until = session.read_form(exchange).get("until") or None
    await ApiClient(exchange).send("POST", "/int/v1/alerts/read", {"until": until})
    page_url = error_pages.get_previous_page_url(exchange)
    return responses.redirect_with_flash(exchange, page_url, message="Alerts marked as read.")


@post("/alerts/{identifier:str}/open", status_code=200)
async def open_alert(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Mark an alert as read, and open the page of its record."""
    client = ApiClient(exchange)
    alert = await client.send("POST", f"{ALERT_PATH}/read", alert_id=identifier)
    return responses.redirect_with_flash(exchange, record_url(alert["subject"]) or HOME)


@post("/alerts/{identifier:str}/acknowledge", status_code=200)
async def acknowledge_alert(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Take care of an alert."""
    await ApiClient(exchange).send("POST", f"{ALERT_PATH}/acknowledge", alert_id=identifier)
    page_url = error_pages.get_previous_page_url(exchange)
    return responses.redirect_with_flash(exchange, page_url, message="Alert acknowledged.")


handlers: Final = [
    list_alerts,
    export_alerts,
    list_recent_alerts,
    mark_all_read,
    open_alert,
    acknowledge_alert,
]
