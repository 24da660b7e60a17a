"""API of issues. Drivers can report and read their own with their token."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.fleet.issues import queries, service
from pannier.fleet.issues.schemas import (
    IssueFilters,
    IssueIn,
    IssueOut,
    ResolveIn,
)
from pannier.fleet.issues.statuses import IssueIsOpen, IssueIsResolved
from pannier.fleet.queries import ISSUES
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.resources import Resource
from pannier.web.routes import act, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

# Reporting, listing and reading are separate because signed-in drivers may do them.
issues: Final = Resource(
    ISSUES,
    change=service.change,
    remove=service.delete,
    show=queries.load_issues_out,
    read=False,
    problems={"change": [IssueIsResolved]},
    summaries={"delete": "Delete an issue."},
)


async def create_issue(caller: FleetKey | DriverCaller, data: IssueIn, db: Db) -> IssueOut:
    """Report an issue. Drivers report issues about themselves, their vehicle or order."""
    issue = await service.report(db, caller.company, data, own_driver=auth.get_own_driver(caller))
    return await issues.to_out(db, issue)


async def list_issues(
    caller: FleetKey | DriverCaller, filters: IssueFilters, exchange: Exchange, db: Db
) -> Response[list[IssueOut]]:
    """List the company's issues. Signed-in drivers see only those about themselves."""
    page = await queries.list_issues(
        db, caller.company, filters, own_driver=auth.get_own_driver(caller)
    )
    return to_array_response(
        exchange, page, (await queries.load_related(db, caller.company, page.rows)).to_out
    )


async def get_issue(caller: FleetKey | DriverCaller, issue_id: str, db: Db) -> IssueOut:
    """Retrieve an issue. Signed-in drivers can retrieve only issues about themselves."""
    issue = await queries.get_issue(
        db, caller.company, issue_id, own_driver=auth.get_own_driver(caller)
    )
    return await issues.to_out(db, issue)


async def resolve_issue(
    key: FleetKey, issue_id: str, data: ResolveIn, match: IfMatch, db: Db
) -> IssueOut:
    """Resolve an issue. A resolved issue must be reopened before it is resolved again."""
    issue = await ISSUES.lock(db, key.company, issue_id)
    match(issue.version)
    return await issues.to_out(db, await service.resolve(db, issue, resolution=data.resolution))


async def reopen_issue(key: FleetKey, issue_id: str, match: IfMatch, db: Db) -> IssueOut:
    """Reopen a resolved issue."""
    issue = await ISSUES.lock(db, key.company, issue_id)
    match(issue.version)
    return await issues.to_out(db, await service.reopen(db, issue))


_ISSUES_PATH, _ISSUE_PATH = "/issues", "/issues/{issue_id:str}"
_RESOLVE_PATH, _REOPEN_PATH = f"{_ISSUE_PATH}/resolve", f"{_ISSUE_PATH}/reopen"
_RESOLVE_PROBLEMS = [IssueIsResolved, PreconditionFailed]
_REOPEN_PROBLEMS = [IssueIsOpen, PreconditionFailed]
# Route options of handlers that also take a driver token.
_DRIVER_OR_KEY_ROUTE: Mapping[str, Any] = {
    "before_request": auth.require_driver_or_key("issues"),
    "security": [{"driverToken": []}],
}
routers: Final = (
    api_routers.api_router(
        "Issues",
        "issues",
        [
            *issues.make_handlers(),
            post(_ISSUES_PATH, problems=[NotFound], **_DRIVER_OR_KEY_ROUTE)(create_issue),
            get(_ISSUES_PATH, problems=[NotFound], **_DRIVER_OR_KEY_ROUTE)(list_issues),
            get(_ISSUE_PATH, **_DRIVER_OR_KEY_ROUTE)(get_issue),
            act(_RESOLVE_PATH, status_code=200, problems=_RESOLVE_PROBLEMS)(resolve_issue),
            act(_REOPEN_PATH, status_code=200, problems=_REOPEN_PROBLEMS)(reopen_issue),
        ],
    ),
)
