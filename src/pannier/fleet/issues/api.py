"""The doors of issues."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.fleet.issues import queries, service
from pannier.fleet.issues.resolving import IssueIsOpen, IssueIsResolved
from pannier.fleet.issues.schemas import (
    IssueChange,
    IssueFilters,
    IssueIn,
    IssueOut,
    ResolveIn,
)
from pannier.fleet.queries import ISSUES
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import act, change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed

CHANGING = [IssueIsResolved, PreconditionFailed]


@post("/issues")
async def create_issue(key: FleetKey, data: IssueIn, db: Db) -> IssueOut:
    """Report an issue."""
    return await queries.out(db, await service.report(db, key.company, data))


@get("/issues")
async def list_issues(
    key: FleetKey, filters: IssueFilters, exchange: Exchange, db: Db
) -> Response[list[IssueOut]]:
    """List the company's issues."""
    found = await queries.issues(db, key.company, filters)
    return linked(exchange, found, (await queries.shown(db, key.company, found.rows)).out)


@get("/issues/{issue_id:str}")
async def get_issue(key: FleetKey, issue_id: str, db: Db) -> IssueOut:
    """Read an issue."""
    return await queries.out(db, await ISSUES.get(db, key.company, issue_id))


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
    """Open a settled issue again."""
    issue = await ISSUES.take(db, key.company, issue_id)
    match(issue.version)
    return await queries.out(db, await service.reopen(db, issue))


_ONE = "/issues/{issue_id:str}"
_RESOLVE, _REOPEN = f"{_ONE}/resolve", f"{_ONE}/reopen"
_OPENING = [IssueIsOpen, PreconditionFailed]
routes = Router(
    "/v1",
    route_handlers=[
        create_issue,
        list_issues,
        get_issue,
        change(_ONE, problems=CHANGING)(change_issue),
        delete_issue,
        act(_RESOLVE, status_code=200, problems=CHANGING)(resolve_issue),
        act(_REOPEN, status_code=200, problems=_OPENING)(reopen_issue),
    ],
    before_request=auth.fleet("issues"),
    tags=["Issues"],
    security=[{"apiKey": []}],
)
routers = (routes,)
