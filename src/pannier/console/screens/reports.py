"""Reports by company days, each as a chart with its table."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from litestar import Response

from pannier.console import report_chart, responses
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field
from pannier.console.records import load_zone, read_query
from pannier.errors import NotFound, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get

HOME: Final = "/console/reports"
LIST_PATH: Final = "/int/v1/reports"
FILTERS: Final = (
    Field(name="from", label="From", kind="day"),
    Field(name="to", label="To", kind="day"),
    Field(name="by", label="By", kind="choice",
          options=(("day", "Day"), ("week", "Week"), ("month", "Month"))),
)  # fmt: skip
# Ranges up to today, in days.
RANGES: Final = (7, 30, 90, 365)
# A longer range is added up by week, unless the page's URL says otherwise.
MAX_DAILY_ROWS: Final = 62


@get("/reports")
async def show_reports(exchange: Exchange) -> Response[bytes]:
    """Redirect to the first report."""
    reports = await ApiClient(exchange).get(LIST_PATH)
    return responses.redirect_with_flash(exchange, f"{HOME}/{reports[0]['name']}")


@get("/reports/{report_name:str}")
async def show_report(exchange: Exchange, report_name: str) -> Response[bytes]:
    """Show a report for the range of days in the page's URL."""
    client = ApiClient(exchange)
    query = select_filters(read_query(exchange))
    today = exchange.db.now.astimezone(await load_zone(client)).date()
    error_text, report = "", None
    try:
        report = await load_report(client, report_name, query)
    except Problem as problem:
        if problem.status not in {400, 422}:
            raise
        error_text = " ".join(field.message for field in problem.fields) or problem.detail
    return await responses.render_page(
        client,
        "reports/report.html",
        title="Reports",
        home=f"{HOME}/{report_name}",
        reports=await client.get(LIST_PATH),
        name=report_name,
        report=report,
        charts=report_chart.make_charts(report) if report else [],
        chart_height=report_chart.HEIGHT + 2 * report_chart.TOP + report_chart.AXIS,
        filters=FILTERS,
        filter_values=query,
        shown_values={**_list_defaults(report), **query},
        ranges=[(days, (today - timedelta(days=days - 1)).isoformat()) for days in RANGES],
        error=error_text,
        figure=report_chart.format_figure,
    )


async def load_report(client: ApiClient, name: str, query: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """Load a report. A long one is added up by week, so that the page stays small."""
    path = find_path(client, name)
    report = await client.get(path, query)
    days = date.fromisoformat(report["to"]) - date.fromisoformat(report["from"])
    if days > timedelta(days=MAX_DAILY_ROWS) and query.get("by", "day") == "day":
        report = await client.get(path, {**query, "by": "week"})
    return report


def find_path(client: ApiClient, name: str) -> str:
    """Return the API path of a report."""
    path = f"{LIST_PATH}/{name}"
    if not client.is_allowed("GET", path):
        raise NotFound
    return path


def _list_defaults(report: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the range of a report that was loaded without one."""
    return {"from": report["from"], "to": report["to"], "by": "day"} if report else {}


def select_filters(query: Mapping[str, str]) -> dict[str, str]:
    """Return the filters of a report in a page's query."""
    names = [field.name for field in FILTERS]
    return {name: query[name] for name in names if query.get(name)}


@get("/reports/{report_name:str}/export")
async def export_report(exchange: Exchange, report_name: str) -> Response[bytes]:
    """Download a report as CSV, by the filters of its page."""
    client, query = ApiClient(exchange), select_filters(read_query(exchange))
    path = find_path(client, report_name)
    response: Response[bytes] = await client.get_response(f"{path}/csv", query)
    return response


handlers: Final = [show_reports, show_report, export_report]
