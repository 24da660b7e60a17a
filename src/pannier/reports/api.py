"""HTTP handlers of the home page's figures and of reports."""

from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import Forbidden, NotFound
from pannier.reports import export, home, service
from pannier.reports import subscriber as _  # noqa: F401 - it registers a hook of orders
from pannier.reports.catalog import REPORTS, Report
from pannier.reports.home_schemas import Home
from pannier.reports.schemas import ReportFilters, ReportInfo, ReportOut
from pannier.web.exchange import Exchange
from pannier.web.routes import get


@get("/home")
async def show_home(caller: Caller, db: Db) -> Home:
    """Retrieve today's figures, and the counts of what needs a decision.

    Each count names the list and the filters that give exactly these records.
    """
    return await home.load_home(db, caller.company)


async def list_reports() -> list[ReportInfo]:
    """List the reports."""
    return [
        ReportInfo(name=report.name, title=report.title, description=report.description)  # type: ignore[arg-type]  # one of the names
        for report in REPORTS.values()
    ]


async def get_report(
    exchange: Exchange,
    caller: FleetKey | Caller,
    report_name: str,
    filters: ReportFilters,
    db: Db,
) -> ReportOut:
    """Retrieve a report: `volume`, `on-time`, `first-attempt`, `proofs` or `revenue`.

    It has a row for each day in the company's time zone. A late change counts on the day that it
    concerns. For `revenue`, keys also need the scope `transactions:read`.
    """
    report = find_report(exchange, report_name)
    return await service.load_report(db, caller.company, report, filters)


async def export_report(
    exchange: Exchange,
    caller: FleetKey | Caller,
    report_name: str,
    filters: ReportFilters,
    db: Db,
) -> Response[bytes]:
    """Download a report as CSV. Amounts are in major units, such as `14.96`."""
    report = find_report(exchange, report_name)
    return export.make_response(await service.load_report(db, caller.company, report, filters))


def find_report(exchange: Exchange, name: str) -> Report:
    """Find a report that the caller may read."""
    report = REPORTS.get(name)
    if report is None:
        raise NotFound(f"There is no such report. The reports are {', '.join(REPORTS)}.")
    if report.resource and not auth.can_read(exchange, report.resource):
        raise Forbidden(f"This API key lacks the scope `{report.resource}:read`.")
    return report


_ONE: Final = "/reports/{report_name:str}"
_EXPORT: Final[dict[str, Any]] = {
    "opt": {"responses": {200: {export.MEDIA_TYPE: {"type": "string"}}}}
}
routers: Final = (
    api_routers.api_router(
        "Reports",
        "reports",
        [
            get("/reports")(list_reports),
            get(_ONE, problems=[NotFound])(get_report),
            get(f"{_ONE}/.csv", problems=[NotFound], **_EXPORT)(export_report),
        ],
    ),
    api_routers.operator_router(
        "Reports",
        "viewer",
        [
            show_home,
            get("/reports")(list_reports),
            get(_ONE, problems=[NotFound])(get_report),
            get(f"{_ONE}/.csv", problems=[NotFound], **_EXPORT)(export_report),
        ],
    ),
)
