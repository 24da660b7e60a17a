"""The doors of issues: all of them with a key, what is about a driver with their token too."""

from collections.abc import Mapping
from typing import Any

from litestar import Response, Router

from pannier.accounts import auth as accounts
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth
from pannier.fleet.auth import Driving
from pannier.fleet.issues import queries, service
from pannier.fleet.issues.schemas import (
    IssueChange,
    IssueFilters,
    IssueIn,
    IssueOut,
    ResolveIn,
)
from pannier.fleet.issues.statuses import IssueIsOpen, IssueIsResolved
from pannier.fleet.queries import ISSUES
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import act, change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed

CHANGING = [IssueIsResolved, PreconditionFailed]


async def create_issue(caller: FleetKey | Driving, data: IssueIn, db: Db) -> IssueOut:
    """Report an issue; a signed-in driver's is about themself, their vehicle or their order."""
    made = await service.report(db, caller.company, data, own=auth.own(caller))
    return await queries.out(db, made)


async def list_issues(
    caller: FleetKey | Driving, filters: IssueFilters, exchange: Exchange, db: Db
) -> Response[list[IssueOut]]:
    """List the company's issues; a signed-in driver sees those about themself."""
    found = await queries.issues(db, caller.company, filters, own=auth.own(caller))
    return linked(exchange, found, (await queries.shown(db, caller.company, found.rows)).out)


async def get_issue(caller: FleetKey | Driving, issue_id: str, db: Db) -> IssueOut:
    """Read an issue; a signed-in driver reads those about themself."""
    found = await queries.issue(db, caller.company, issue_id, own=auth.own(caller))
    return await queries.out(db, found)


async def change_issue(
    key: FleetKey, issue_id: str, data: IssueChange, match: Match, db: Db
) -> IssueOut:
    """Change an issue: a field left out stays as it is, null clears it."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await queries.out(db, await service.change(db, issue, data))


@delete("/issues/{issue_id:str}", status_code=200)
async def delete_issue(key: FleetKey, issue_id: str, db: Db) -> Deleted:
    """Take an issue away."""
    issue = await ISSUES.take(db, key.company, issue_id)
    await service.withdraw(db, issue)
    return Deleted.of(db, "issue", issue.public_id)


async def resolve_issue(
    key: FleetKey, issue_id: str, data: ResolveIn, match: Match, db: Db
) -> IssueOut:
    """Resolve an issue; once resolved, it must be reopened first."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await queries.out(db, await service.resolve(db, issue, resolution=data.resolution))


async def reopen_issue(key: FleetKey, issue_id: str, match: Match, db: Db) -> IssueOut:
    """Open a resolved issue again."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await queries.out(db, await service.reopen(db, issue))


_ALL, _ONE = "/issues", "/issues/{issue_id:str}"
_RESOLVE, _REOPEN = f"{_ONE}/resolve", f"{_ONE}/reopen"
_OPENING = [IssueIsOpen, PreconditionFailed]
# Doors that a driver's own token opens too.
_OWN: Mapping[str, Any] = {
    "before_request": auth.driver_or_key("issues"),
    "security": [{"driverToken": []}],
}
routes = Router(
    "/v1",
    route_handlers=[
        post(_ALL, problems=[NotFound], **_OWN)(create_issue),
        get(_ALL, problems=[NotFound], **_OWN)(list_issues),
        get(_ONE, **_OWN)(get_issue),
        change(_ONE, problems=CHANGING)(change_issue),
        delete_issue,
        act(_RESOLVE, status_code=200, problems=CHANGING)(resolve_issue),
        act(_REOPEN, status_code=200, problems=_OPENING)(reopen_issue),
    ],
    before_request=accounts.fleet("issues"),
    tags=["Issues"],
    security=[{"apiKey": []}],
)
routers = (routes,)
