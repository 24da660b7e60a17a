"""Queries of fleets with their members."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, Page
from pannier.fleet import queries
from pannier.fleet.fleets.schemas import FleetFilters, FleetOut
from pannier.fleet.models import Fleet
from pannier.fleet.queries import FLEETS


async def load_fleets_out(db: Db, company: UUID, rows: Sequence[Fleet]) -> list[FleetOut]:
    uuids = [row.uuid for row in rows]
    parents = await queries.load_public_ids(db, company, FLEETS, [row.parent_fleet for row in rows])
    drivers = await queries.load_fleet_drivers(db, company, uuids)
    vehicles = await queries.load_fleet_vehicles(db, company, uuids)
    return [
        FleetOut.from_row(
            row,
            parent=None if row.parent_fleet is None else parents[row.parent_fleet],
            drivers=drivers[row.uuid],
            vehicles=vehicles[row.uuid],
        )
        for row in rows
    ]


async def list_fleets(db: Db, company: UUID, filters: FleetFilters) -> Page[Fleet]:
    """List fleets, newest first."""
    where = FLEETS.where(company).add_public_ids(filters.id).add_equal(status=filters.status)
    if filters.parent_fleet is not None:
        parent_id = filters.parent_fleet
        parent = await FLEETS.resolve_reference(db, company, "parent_fleet", parent_id)
        where.add_equal(parent_fleet=parent.uuid)
    return await FLEETS.load_page(db, where, filters, query=filters.query)


async def lock_tree(db: Db, company: UUID) -> None:
    """Lock the company's tree of fleets, because concurrent changes could create a cycle."""
    await db.execute(
        "select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=f"fleet-tree:{company}"
    )


async def lock_fleet(db: Db, company: UUID, identifier: str) -> Fleet:
    """Lock a fleet for a change of the tree. The tree is locked first, to avoid a deadlock."""
    await lock_tree(db, company)
    return await FLEETS.lock(db, company, identifier)


async def is_within(db: Db, company: UUID, fleet: UUID, ancestor: UUID) -> bool:
    """Return whether a fleet is the other fleet, or a descendant of it."""
    is_inside: bool = await db.fetch_value(
        """with recursive above as (
               select uuid, parent_fleet from fleets where company = :company and uuid = :fleet
               union
               select f.uuid, f.parent_fleet from fleets f
               join above a on f.uuid = a.parent_fleet where f.company = :company)
           select exists (select 1 from above where uuid = :ancestor)""",
        company=company,
        fleet=fleet,
        ancestor=ancestor,
    )
    return is_inside
