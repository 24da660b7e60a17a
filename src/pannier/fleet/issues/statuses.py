"""The statuses that resolve or reopen an issue."""

from typing import Final

from pannier.errors import Conflict
from pannier.fleet.models import Issue, IssueStatus

RESOLVED: Final[IssueStatus] = "resolved"
REOPENED: Final[IssueStatus] = "re_opened"
# Statuses of closed issues. A change to any other status reopens the issue.
CLOSED_STATUSES: Final[frozenset[IssueStatus]] = frozenset(
    {"resolved", "completed", "closed", "wont_fix", "canceled", "duplicate"}
)


class IssueIsResolved(Conflict):
    """Only an open issue can be resolved."""

    code = "issue_resolved"
    title = "The issue is already resolved."
    remedy = "To resolve it again, reopen it first."


class IssueIsOpen(Conflict):
    """Only a resolved issue can be reopened."""

    code = "issue_open"
    title = "The issue is already open."
    remedy = "No action is needed."


def check_resolvable(issue: Issue) -> None:
    if issue.resolved_at is not None:
        raise IssueIsResolved


def check_reopenable(issue: Issue) -> None:
    if issue.status not in CLOSED_STATUSES:
        raise IssueIsOpen


def is_resolving(issue: Issue, status: IssueStatus) -> bool:
    """Return whether a requested status resolves the issue."""
    return status == RESOLVED and issue.status != RESOLVED


def is_reopening(status: IssueStatus) -> bool:
    """Return whether a requested status reopens a resolved issue."""
    return status not in CLOSED_STATUSES
