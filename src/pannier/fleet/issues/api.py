"""API of issues: all of them with a key, a driver's own with a driver token too."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth
from pannier.fleet.auth import Driving
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
from pannier.web.lists import linked
from pannier.web.resources import Resource
from pannier.web.routes import act, get, post
from pannier.web.versions import Match, PreconditionFailed

# Reporting, listing and reading are separate because signed-in drivers may do them too.
issues: Final = Resource(
    ISSUES,
    change=service.change,
    remove=service.remove,
    show=queries.shown,
    read=False,
    problems={"change": [IssueIsResolved]},
    says={"delete": "Delete an issue."},
)


async def create_issue(caller: FleetKey | Driving, data: IssueIn, db: Db) -> IssueOut:
    """Report an issue. A signed-in driver's is about themself, their vehicle or their order."""
    made = await service.report(db, caller.company, data, own=auth.own(caller))
    return await issues.shown(db, made)


async def list_issues(
    caller: FleetKey | Driving, filters: IssueFilters, exchange: Exchange, db: Db
) -> Response[list[IssueOut]]:
    """List the company's issues. Signed-in drivers see only those about themselves."""
    found = await queries.issues(db, caller.company, filters, own=auth.own(caller))
    return linked(exchange, found, (await queries.names(db, caller.company, found.rows)).out)


async def get_issue(caller: FleetKey | Driving, issue_id: str, db: Db) -> IssueOut:
    """Read an issue. Signed-in drivers read only those about themselves."""
    found = await queries.issue(db, caller.company, issue_id, own=auth.own(caller))
    return await issues.shown(db, found)


async def resolve_issue(
    key: FleetKey, issue_id: str, data: ResolveIn, match: Match, db: Db
) -> IssueOut:
    """Resolve an issue. A resolved issue must be reopened before it is resolved again."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await issues.shown(db, await service.resolve(db, issue, resolution=data.resolution))


async def reopen_issue(key: FleetKey, issue_id: str, match: Match, db: Db) -> IssueOut:
    """Reopen a resolved issue."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await issues.shown(db, await service.reopen(db, issue))


_ALL, _ONE = "/issues", "/issues/{issue_id:str}"
_RESOLVE, _REOPEN = f"{_ONE}/resolve", f"{_ONE}/reopen"
_RESOLVING = [IssueIsResolved, PreconditionFailed]
_OPENING = [IssueIsOpen, PreconditionFailed]
# Route options of handlers that also take a driver token.
_OWN: Mapping[str, Any] = {
    "before_request": auth.driver_or_key("issues"),
    "security": [{"driverToken": []}],
}
routers: Final = (
    doors.for_keys(
        "Issues",
        "issues",
        [
            *issues.handlers(),
            post(_ALL, problems=[NotFound], **_OWN)(create_issue),
            get(_ALL, problems=[NotFound], **_OWN)(list_issues),
            get(_ONE, **_OWN)(get_issue),
            act(_RESOLVE, status_code=200, problems=_RESOLVING)(resolve_issue),
            act(_REOPEN, status_code=200, problems=_OPENING)(reopen_issue),
        ],
    ),
)
