"""When an issue is resolved, and what its other states make of that."""

from typing import Final

from pannier.errors import Conflict
from pannier.fleet.models import Issue, IssueStatus

RESOLVED: Final[IssueStatus] = "resolved"
REOPENED: Final[IssueStatus] = "re_opened"
# States in which nobody works on an issue any more; entering another one opens it again.
SETTLED: Final[frozenset[IssueStatus]] = frozenset(
    {"resolved", "completed", "closed", "wont_fix", "canceled", "duplicate"}
)


class IssueIsResolved(Conflict):
    """A resolved issue must be reopened before it can be resolved again."""

    code = "issue_resolved"
    title = "The issue is already resolved."
    remedy = "Reopen it first."


class IssueIsOpen(Conflict):
    """Only a resolved issue can be reopened."""

    code = "issue_open"
    title = "The issue is already open."
    remedy = "Only a resolved issue can be reopened."


def check_resolvable(issue: Issue) -> None:
    """Refuse to resolve what is resolved."""
    if issue.resolved_at is not None:
        raise IssueIsResolved


def check_reopenable(issue: Issue) -> None:
    """Refuse to reopen what is open."""
    if issue.status not in SETTLED:
        raise IssueIsOpen


def resolves(issue: Issue, status: IssueStatus) -> bool:
    """Tell whether a status that is asked for means resolving the issue."""
    return status == RESOLVED and issue.status != RESOLVED


def reopens(status: IssueStatus) -> bool:
    """Tell whether a status takes back that an issue was resolved."""
    return status not in SETTLED
