"""HTTP handlers of the home page's figures and of reports."""

from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.reports import export, home, service, weekly
from pannier.reports import subscriber as _  # noqa: F401 - it registers a hook of orders
from pannier.reports.catalog import REPORTS, Report
from pannier.reports.home_schemas import Home
from pannier.reports.schemas import ReportFilters, ReportInfo, ReportOut
from pannier.reports.weekly import WeeklyReportIn, WeeklyReportOut
from pannier.web.routes import get, put


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


@get("/me/weekly-report")
async def get_weekly_report(caller: Caller, db: Db) -> WeeklyReportOut:
    """Retrieve whether you receive the weekly report by email."""
    return WeeklyReportOut(enabled=await weekly.is_enabled(db, caller.company, caller.uuid))


@put("/me/weekly-report")
async def set_weekly_report(caller: Caller, data: WeeklyReportIn, db: Db) -> WeeklyReportOut:
    """Begin or end the weekly report by email. It is sent on Monday mornings."""
    await weekly.set_enabled(db, caller.company, caller.uuid, enabled=data.enabled)
    return WeeklyReportOut(enabled=data.enabled)


def make_handlers(resource: str) -> list[Any]:
    """Make the routes of the reports whose figures are of one resource."""
    return [
        handler
        for report in REPORTS.values()
        if report.resource == resource
        for handler in (_make_report_handler(report), _make_export_handler(report))
    ]


def _make_report_handler(report: Report) -> Any:  # noqa: ANN401 - Litestar's handler
    async def get_report(caller: FleetKey | Caller, filters: ReportFilters, db: Db) -> ReportOut:
        return await service.load_report(db, caller.company, report, filters)

    name = report.name.replace("-", "_")
    get_report.__name__ = f"get_{name}_report"
    get_report.__doc__ = f"""Retrieve the report `{report.name}`.

    {report.description} A late change counts on the day that it concerns.
    """
    return get(f"/reports/{report.name}")(get_report)


def _make_export_handler(report: Report) -> Any:  # noqa: ANN401 - Litestar's handler
    async def export_report(
        caller: FleetKey | Caller, filters: ReportFilters, db: Db
    ) -> Response[bytes]:
        return export.make_response(await service.load_report(db, caller.company, report, filters))

    name = report.name.replace("-", "_")
    export_report.__name__ = f"export_{name}_report"
    export_report.__doc__ = f"""Download the report `{report.name}` as CSV.

    Amounts are in major units, such as `14.96`, distances in kilometres and times in hours.
    """
    return get(f"/reports/{report.name}/csv", opt=_EXPORT)(export_report)


_EXPORT: Final[dict[str, Any]] = {"responses": {200: {export.MEDIA_TYPE: {"type": "string"}}}}
_RESOURCES: Final = ("drivers", "devices", "transactions", "webhooks")
routers: Final = (
    api_routers.api_router(
        "Reports", "reports", [get("/reports")(list_reports), *make_handlers("reports")]
    ),
    *(
        api_routers.api_router("Reports", resource, make_handlers(resource))
        for resource in _RESOURCES
    ),
    api_routers.operator_router(
        "Reports",
        "viewer",
        [
            show_home,
            get_weekly_report,
            set_weekly_report,
            get("/reports")(list_reports),
            *make_handlers("reports"),
            *(handler for resource in _RESOURCES for handler in make_handlers(resource)),
        ],
    ),
)
