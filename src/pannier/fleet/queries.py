"""Queries of the fleet. Lists hide deleted rows. `load_public_ids` still finds them."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, Sort, Table, Where, columns
from pannier.fleet.models import Driver, Fleet, Issue, Vehicle

DRIVERS: Final = Table(
    "drivers",
    Driver,
    sort=Sort(("created_at", "updated_at", "name")),
    search=("name", "email", "phone", "internal_id", "drivers_license_number"),
    by_parts=True,
)
VEHICLES: Final = Table(
    "vehicles",
    Vehicle,
    sort=Sort(("created_at", "updated_at", "status")),
    search=("plate_number", "vin", "make", "model", "internal_id"),
    by_parts=True,
)
FLEETS: Final = Table(
    "fleets",
    Fleet,
    sort=Sort(("created_at", "updated_at", "name")),
    search=("name", "task"),
)
ISSUES: Final = Table(
    "issues",
    Issue,
    sort=Sort(("created_at", "updated_at", "status", "priority")),
    search=("title", "report", "category"),
)
# Members in the response of a fleet. The lists of drivers and vehicles return all of them.
MAX_MEMBERS: Final = 100


class RelatedId(msgspec.Struct):
    """A row's UUID, and the public id of a related row."""

    row: UUID
    public_id: str


async def load_public_ids(
    db: Db, company: UUID, table: Table[Any], uuids: Iterable[UUID | None]
) -> dict[UUID, str]:
    """Load the public ids of rows, including deleted ones."""
    present_uuids = [uuid for uuid in uuids if uuid is not None]
    rows = await table.load_many(db, company, present_uuids) if present_uuids else {}
    return {uuid: row.public_id for uuid, row in rows.items()}


async def lock_driver(db: Db, company: UUID, vehicle: UUID) -> Driver | None:
    """Find a vehicle's driver, and lock the driver."""
    where = DRIVERS.where(company).add_equal(vehicle=vehicle)
    return await db.find(
        Driver, f"select {columns(Driver)} from drivers {where} for update", **where.values
    )


async def load_driver_ids(db: Db, company: UUID, vehicles: list[UUID]) -> dict[UUID, str]:
    """Load the public id of each vehicle's driver."""
    pairs = await db.fetch_all(
        RelatedId,
        """select vehicle as row, public_id from drivers
           where company = :company and vehicle = any(:vehicles) and deleted_at is null""",
        company=company,
        vehicles=vehicles,
    )
    return {pair.row: pair.public_id for pair in pairs}


async def load_driver_fleets(db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, list[str]]:
    """Load the fleets of each driver."""
    return await _load_members(db, company, uuids, row="driver", member="fleet")


async def load_vehicle_fleets(db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, list[str]]:
    """Load the fleets of each vehicle."""
    return await _load_members(db, company, uuids, row="vehicle", member="fleet")


async def load_fleet_drivers(db: Db, company: UUID, fleets: list[UUID]) -> dict[UUID, list[str]]:
    """Load the drivers of each fleet."""
    return await _load_members(db, company, fleets, row="fleet", member="driver")


async def load_fleet_vehicles(db: Db, company: UUID, fleets: list[UUID]) -> dict[UUID, list[str]]:
    """Load the vehicles of each fleet."""
    return await _load_members(db, company, fleets, row="fleet", member="vehicle")


async def _load_members(
    db: Db, company: UUID, uuids: list[UUID], *, row: str, member: str
) -> dict[UUID, list[str]]:
    pairs = await db.fetch_all(
        RelatedId,
        f"""select requested.row, related.public_id from unnest(:uuids::uuid[]) as requested (row)
            cross join lateral (
                select s.public_id, m.created_at, m.uuid from fleet_members m
                join {member}s s on s.uuid = m.{member} and s.deleted_at is null
                where m.company = :company and m.{row} = requested.row
                order by m.created_at, m.uuid limit :limit) related
            order by related.created_at, related.uuid""",
        company=company,
        uuids=uuids,
        limit=MAX_MEMBERS,
    )
    ids_by_row: dict[UUID, list[str]] = {uuid: [] for uuid in uuids}
    for pair in pairs:
        ids_by_row[pair.row].append(pair.public_id)
    return ids_by_row


async def filter_by_fleet(
    db: Db, company: UUID, where: Where, fleet: str | None, member: str
) -> Where:
    """Limit a list to a fleet's members. Refuse an unknown fleet."""
    if fleet is None:
        return where
    row = await FLEETS.resolve_reference(db, company, "fleet", fleet)
    return where.add(
        f"uuid in (select {member} from fleet_members where fleet = :fleet)", fleet=row.uuid
    )
