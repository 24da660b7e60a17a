"""Reading issues with the names of what they are about."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from pannier.db import Db, Page
from pannier.fleet import queries
from pannier.fleet.issues.schemas import IssueFilters, IssueOut
from pannier.fleet.models import Issue
from pannier.fleet.queries import DRIVERS, ISSUES, VEHICLES
from pannier.fleet.telling import IssueLinks


class Shown(msgspec.Struct):
    """Issues' drivers and vehicles by name, read for a whole page at once."""

    drivers: dict[UUID, str]
    vehicles: dict[UUID, str]

    def links(self, row: Issue) -> IssueLinks:
        """Name what one of the issues is about."""
        return IssueLinks(
            None if row.driver is None else self.drivers[row.driver],
            None if row.vehicle is None else self.vehicles[row.vehicle],
        )

    def out(self, row: Issue) -> IssueOut:
        """Spell one of the issues."""
        return IssueOut.of(row, self.links(row))


async def shown(db: Db, company: UUID, rows: Sequence[Issue]) -> Shown:
    """Read what some issues are about."""
    return Shown(
        await queries.public_ids(db, company, DRIVERS, [row.driver for row in rows]),
        await queries.public_ids(db, company, VEHICLES, [row.vehicle for row in rows]),
    )


async def links(db: Db, row: Issue) -> IssueLinks:
    """Name what an issue is about."""
    return (await shown(db, row.company, [row])).links(row)


async def out(db: Db, row: Issue) -> IssueOut:
    """Spell an issue with the names of what it is about."""
    return IssueOut.of(row, await links(db, row))


async def issues(db: Db, company: UUID, filters: IssueFilters) -> Page[Issue]:
    """List issues, the newest first."""
    where = ISSUES.where(company).equal(
        priority=filters.priority,
        type=filters.type,
        category=filters.category,
        order_id=filters.order,
    )
    if filters.status is not None:
        where.that("status = any(:statuses)", statuses=filters.status)
    if filters.tag is not None:
        where.that(":tag = any(tags)", tag=filters.tag)
    if filters.driver is not None:
        where.equal(driver=(await DRIVERS.get(db, company, filters.driver)).uuid)
    if filters.vehicle is not None:
        where.equal(vehicle=(await VEHICLES.get(db, company, filters.vehicle)).uuid)
    return await ISSUES.page(db, where, filters, query=filters.query)
