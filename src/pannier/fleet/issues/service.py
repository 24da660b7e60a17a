"""Report, change, resolve and reopen issues."""

from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet.events import (
    IssueCreated,
    IssueEvent,
    IssueResolved,
    IssueUpdated,
    make_issue_event,
)
from pannier.fleet.issues import photos, queries, statuses
from pannier.fleet.issues.schemas import IssueChange, IssueIn, parse_columns
from pannier.fleet.models import Issue
from pannier.fleet.queries import DRIVERS, ISSUES

# Field names of the API by column.
FIELD_NAMES: Final = {"order_id": "order", "latitude": "location", "longitude": "location"}
# Columns that a resolution changes. `issue.resolved` contains them, so `issue.updated` does not.
RESOLUTION_COLUMNS: Final = frozenset({"status", "resolution", "resolved_at"})


async def report(db: Db, company: UUID, data: IssueIn, *, own_driver: UUID | None = None) -> Issue:
    """Report an issue. If its status is `resolved`, also emit that it was resolved."""
    columns = await prepare_report(db, company, data, own_driver=own_driver)
    is_resolved = columns["status"] == statuses.RESOLVED
    columns["resolved_at"] = db.now if is_resolved else None
    row = await ISSUES.create(db, company, **columns)
    await _emit_issue_event(db, row, Name.ISSUE_CREATED, IssueCreated)
    if is_resolved:
        await _emit_issue_resolved(db, row)
    return row


async def prepare_report(
    db: Db, company: UUID, data: IssueIn, *, own_driver: UUID | None = None
) -> dict[str, Any]:
    """Parse a report and resolve its references, or refuse it."""
    report_data = (
        data if own_driver is None else await _restrict_to_driver(db, company, own_driver, data)
    )
    return await _resolve_links(db, company, parse_columns(report_data))


async def change(db: Db, issue: Issue, changes: IssueChange) -> Issue:
    """Change an issue. A status that resolves or reopens it acts like that operation."""
    new_columns = await _resolve_links(db, issue.company, parse_columns(changes))
    status = new_columns.get("status", issue.status)
    if statuses.is_resolving(issue, status):
        statuses.check_resolvable(issue)
        new_columns["resolved_at"] = db.now
    elif statuses.is_reopening(status):
        new_columns |= {"resolved_at": None, "resolution": None}
    return await _save_issue(db, issue, new_columns)


async def resolve(db: Db, issue: Issue, *, resolution: str | None) -> Issue:
    statuses.check_resolvable(issue)
    return await _save_issue(
        db,
        issue,
        {"status": statuses.RESOLVED, "resolved_at": db.now, "resolution": resolution},
    )


async def reopen(db: Db, issue: Issue) -> Issue:
    statuses.check_reopenable(issue)
    return await _save_issue(
        db, issue, {"status": statuses.REOPENED, "resolved_at": None, "resolution": None}
    )


async def record_photos(db: Db, issue: Issue) -> Issue:
    """Increment an issue's version after photos were added, and emit the change."""
    updated_issue = await ISSUES.touch(db, issue)
    await _emit_issue_event(db, updated_issue, Name.ISSUE_UPDATED, IssueUpdated, changed=["photos"])
    return updated_issue


async def delete(db: Db, issue: Issue) -> None:
    """Delete an issue and its photos."""
    await ISSUES.remove(db, issue)
    await photos.delete_photos(db, issue.company, [issue.uuid])


async def _restrict_to_driver(db: Db, company: UUID, own_driver: UUID, data: IssueIn) -> IssueIn:
    """Set the driver of a driver's report. Refuse vehicles and orders of other drivers."""
    driver = await DRIVERS.get(db, company, own_driver)
    if isinstance(data.vehicle, str):
        vehicle = await queries.get_target(db, company, "vehicle", data.vehicle)
        if vehicle.uuid != driver.vehicle:
            raise queries.make_not_found("vehicle")
    if isinstance(data.order, str):
        order = await queries.find_order(db, company, data.order)
        if order.driver != own_driver:
            raise queries.make_not_found("order")
    return msgspec.structs.replace(data, driver=driver.public_id)


async def _resolve_links(db: Db, company: UUID, columns: dict[str, Any]) -> dict[str, Any]:
    """Resolve the driver, the vehicle and the order that an issue refers to."""
    for name in ("driver", "vehicle"):
        if columns.get(name) is not None:
            columns[name] = (await queries.get_target(db, company, name, columns[name])).uuid
    if columns.get("order_id") is not None:
        order = await queries.find_order(db, company, columns["order_id"])
        columns["order_id"] = order.public_id
    return columns


async def _save_issue(db: Db, issue: Issue, new_columns: dict[str, Any]) -> Issue:
    updated_issue, changed_columns = await ISSUES.change(db, issue, **new_columns)
    is_resolved = "resolved_at" in changed_columns and updated_issue.resolved_at is not None
    reported_columns = [
        name for name in changed_columns if not (is_resolved and name in RESOLUTION_COLUMNS)
    ]
    changed_fields = list(dict.fromkeys(FIELD_NAMES.get(name, name) for name in reported_columns))
    if changed_fields:
        await _emit_issue_event(
            db, updated_issue, Name.ISSUE_UPDATED, IssueUpdated, changed=changed_fields
        )
    if is_resolved:
        await _emit_issue_resolved(db, updated_issue)
    return updated_issue


async def _emit_issue_resolved(db: Db, issue: Issue) -> None:
    await _emit_issue_event(db, issue, Name.ISSUE_RESOLVED, IssueResolved)


async def _emit_issue_event(
    db: Db, issue: Issue, name: Name, event_type: type[IssueEvent], **extra: object
) -> None:
    data = make_issue_event(event_type, issue, await queries.load_links(db, issue), **extra)
    await outbox.emit(db, issue.company, name, data, subject=issue.public_id)
