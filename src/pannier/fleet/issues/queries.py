"""Queries of issues with related records."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Table, Where
from pannier.errors import FieldError, NotFound
from pannier.fleet import queries
from pannier.fleet.events import IssueLinks
from pannier.fleet.issues.schemas import IssueFilters, IssueOut
from pannier.fleet.models import Issue, OrderName
from pannier.fleet.queries import DRIVERS, ISSUES, VEHICLES
from pannier.kit.hooks import Hook

# The table of each field that refers to a row.
TABLES: Final[Mapping[str, Table[Any]]] = {"driver": DRIVERS, "vehicle": VEHICLES}
# Implemented by the orders package. Refuses the field if there is no such order.
find_order: Final = Hook[[Db, UUID, str], OrderName]("pannier.orders.hooks")


class IssueRelations(msgspec.Struct):
    """Drivers and vehicles of a page of issues."""

    drivers: dict[UUID, str]
    vehicles: dict[UUID, str]

    def make_links(self, row: Issue) -> IssueLinks:
        return IssueLinks(
            None if row.driver is None else self.drivers[row.driver],
            None if row.vehicle is None else self.vehicles[row.vehicle],
        )

    def to_out(self, row: Issue) -> IssueOut:
        return IssueOut.from_row(row, self.make_links(row))


async def load_related(db: Db, company: UUID, rows: Sequence[Issue]) -> IssueRelations:
    """Load the drivers and vehicles of issues."""
    return IssueRelations(
        await queries.load_public_ids(db, company, DRIVERS, [row.driver for row in rows]),
        await queries.load_public_ids(db, company, VEHICLES, [row.vehicle for row in rows]),
    )


async def load_links(db: Db, row: Issue) -> IssueLinks:
    return (await load_related(db, row.company, [row])).make_links(row)


async def load_issues_out(db: Db, company: UUID, rows: Sequence[Issue]) -> list[IssueOut]:
    related = await load_related(db, company, rows)
    return [related.to_out(row) for row in rows]


async def get_target(db: Db, company: UUID, field: str, identifier: str) -> Any:  # noqa: ANN401 - a row of the field's table
    """Get the record that a field of an issue refers to, or refuse the field."""
    return await TABLES[field].resolve_reference(db, company, field, identifier)


def make_not_found(field: str) -> NotFound:
    """Make the error for a field without a record that the caller can access."""
    return NotFound(fields=[FieldError(field, f"There is no such {field}.")])


async def get_issue(db: Db, company: UUID, identifier: str, *, own_driver: UUID | None) -> Issue:
    """Get an issue. A driver gets only issues about that driver."""
    issue = await ISSUES.get(db, company, identifier)
    if own_driver is not None and issue.driver != own_driver:
        raise NotFound
    return issue


async def list_issues(
    db: Db, company: UUID, filters: IssueFilters, *, own_driver: UUID | None = None
) -> Page[Issue]:
    """List issues, newest first. A driver sees only issues about that driver."""
    where = ISSUES.where(company).add_equal(
        priority=filters.priority, type=filters.type, category=filters.category
    )
    if filters.status is not None:
        where.add("status = any(:statuses)", statuses=filters.status)
    if filters.resolved is not None:
        where.add(f"resolved_at is {'not null' if filters.resolved else 'null'}")
    if filters.tag is not None:
        where.add(":tag = any(tags)", tag=filters.tag)
    if own_driver is not None:
        where.add("driver = :own_driver", own_driver=own_driver)
    try:
        await _filter_by_targets(db, company, where, filters)
    except NotFound:
        if own_driver is None:
            raise
        # The response does not tell a driver whether the record exists.
        where.add("false")
    return await ISSUES.load_page(db, where, filters, query=filters.query)


async def _filter_by_targets(db: Db, company: UUID, where: Where, filters: IssueFilters) -> None:
    """Limit a list to issues about a driver, a vehicle or an order."""
    if filters.driver is not None:
        where.add_equal(driver=(await get_target(db, company, "driver", filters.driver)).uuid)
    if filters.vehicle is not None:
        where.add_equal(vehicle=(await get_target(db, company, "vehicle", filters.vehicle)).uuid)
    if filters.order is not None:
        where.add_equal(order_id=(await find_order(db, company, filters.order)).public_id)
