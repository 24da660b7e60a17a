"""Reading fleets with their members."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from pannier.db import Db, Page
from pannier.fleet import queries
from pannier.fleet.fleets.schemas import FleetFilters, FleetOut
from pannier.fleet.models import Fleet
from pannier.fleet.queries import FLEETS


class Shown(msgspec.Struct):
    """Fleets' parents and members by name, read for a whole page at once."""

    parents: dict[UUID, str]
    drivers: dict[UUID, list[str]]
    vehicles: dict[UUID, list[str]]

    def out(self, row: Fleet) -> FleetOut:
        """Spell one of the fleets."""
        return FleetOut.of(
            row,
            parent=None if row.parent_fleet is None else self.parents[row.parent_fleet],
            drivers=self.drivers[row.uuid],
            vehicles=self.vehicles[row.uuid],
        )


async def shown(db: Db, company: UUID, rows: Sequence[Fleet]) -> Shown:
    """Read what belongs to some fleets."""
    uuids = [row.uuid for row in rows]
    return Shown(
        await queries.public_ids(db, company, FLEETS, [row.parent_fleet for row in rows]),
        await queries.drivers_in(db, company, uuids),
        await queries.vehicles_in(db, company, uuids),
    )


async def out(db: Db, row: Fleet) -> FleetOut:
    """Spell a fleet with its members."""
    return (await shown(db, row.company, [row])).out(row)


async def fleets(db: Db, company: UUID, filters: FleetFilters) -> Page[Fleet]:
    """List fleets, the newest first."""
    where = FLEETS.where(company).equal(status=filters.status)
    if filters.parent_fleet is not None:
        where.equal(parent_fleet=(await FLEETS.get(db, company, filters.parent_fleet)).uuid)
    return await FLEETS.page(db, where, filters, query=filters.query)


async def line_up(db: Db, company: UUID) -> None:
    """Let changes of who lies within whom follow each other: two could close a circle."""
    await db.execute(
        "select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=f"fleet-tree:{company}"
    )


async def take(db: Db, company: UUID, identifier: str) -> Fleet:
    """Hold a fleet for a change of the tree; in line first, so that nobody waits in a circle."""
    await line_up(db, company)
    return await FLEETS.take(db, company, identifier)


async def lies_within(db: Db, company: UUID, fleet: UUID, other: UUID) -> bool:
    """Tell whether a fleet is the other one, or lies within it at any depth."""
    found: bool = await db.value(
        """with recursive above as (
               select uuid, parent_fleet from fleets where company = :company and uuid = :fleet
               union
               select f.uuid, f.parent_fleet from fleets f
               join above a on f.uuid = a.parent_fleet where f.company = :company)
           select exists (select 1 from above where uuid = :other)""",
        company=company,
        fleet=fleet,
        other=other,
    )
    return found
