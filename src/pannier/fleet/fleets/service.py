"""Create, change and delete fleets, and change their members."""

from uuid import UUID

from pannier.accounts import audit
from pannier.db import Db, Where
from pannier.errors import FieldError, Invalid, NotFound
from pannier.fleet import service
from pannier.fleet.events import Assignment
from pannier.fleet.fleets import queries
from pannier.fleet.fleets.schemas import FleetChange, FleetIn
from pannier.fleet.models import Driver, Fleet, Member, Vehicle
from pannier.fleet.queries import FLEETS
from pannier.fleet.schemas import get_sent_columns


class FleetCircle(Invalid):
    """The parent is the fleet itself, or one of its sub-fleets."""

    code = "fleet_circle"
    title = "A fleet cannot contain itself."
    remedy = "Choose another parent fleet."


async def create(db: Db, company: UUID, data: FleetIn) -> Fleet:
    columns = get_sent_columns(data)
    columns["parent_fleet"] = await _lock_tree_and_find_parent(
        db, company, columns.get("parent_fleet")
    )
    return await FLEETS.create(db, company, **columns)


async def change(db: Db, fleet: Fleet, changes: FleetChange) -> Fleet:
    new_columns = get_sent_columns(changes)
    if "parent_fleet" in new_columns:
        parent = await _lock_tree_and_find_parent(db, fleet.company, new_columns["parent_fleet"])
        new_columns["parent_fleet"] = parent
        if parent and await queries.is_within(db, fleet.company, parent, fleet.uuid):
            message = "A fleet cannot contain itself."
            raise FleetCircle(fields=[FieldError("parent_fleet", message)])
    updated_fleet, _ = await FLEETS.change(db, fleet, **new_columns)
    return updated_fleet


async def _lock_tree_and_find_parent(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    """Lock the tree until the transaction ends, and find the parent fleet."""
    if identifier is None:
        return None
    await queries.lock_tree(db, company)
    return (await FLEETS.resolve_reference(db, company, "parent_fleet", identifier)).uuid


async def delete(db: Db, fleet: Fleet) -> None:
    """Delete a fleet. Members and sub-fleets stay."""
    await FLEETS.remove(db, fleet)
    values = {"company": fleet.company, "fleet": fleet.uuid}
    await db.execute(
        """update fleets set parent_fleet = null, updated_at = :now, version = version + 1
           where company = :company and parent_fleet = :fleet and deleted_at is null""",
        now=db.now,
        **values,
    )
    await db.execute(
        "delete from fleet_members where company = :company and fleet = :fleet", **values
    )


async def add_driver(db: Db, fleet: Fleet, driver: Driver) -> None:
    """Add a driver to a fleet. Adding a member again emits nothing."""
    if await _insert_member(db, fleet, driver=driver.uuid, vehicle=None):
        audit.record_by_operator(
            db, fleet.company, "fleet.driver_added", fleet.public_id, driver=driver.public_id
        )
        await service.emit_driver_assigned(db, driver, _make_assignment(fleet))


async def add_vehicle(db: Db, fleet: Fleet, vehicle: Vehicle) -> None:
    """Add a vehicle to a fleet. Adding a member again emits nothing."""
    if await _insert_member(db, fleet, driver=None, vehicle=vehicle.uuid):
        vehicle_id = vehicle.public_id
        audit.record_by_operator(
            db, fleet.company, "fleet.vehicle_added", fleet.public_id, vehicle=vehicle_id
        )
        await service.emit_vehicle_assigned(db, vehicle, _make_assignment(fleet))


async def _insert_member(
    db: Db, fleet: Fleet, *, driver: UUID | None, vehicle: UUID | None
) -> bool:
    """Insert a membership, and return whether it is new. The fleet's row must be locked."""
    where = Where(fleet.company).add_equal(fleet=fleet.uuid, driver=driver, vehicle=vehicle)
    if await db.fetch_value(f"select 1 from fleet_members {where}", **where.values):
        return False
    row = Member(
        **db.new_row_fields(fleet.company),
        fleet=fleet.uuid,
        driver=driver,
        vehicle=vehicle,
    )
    await db.insert("fleet_members", row)
    return True


def _make_assignment(fleet: Fleet) -> Assignment:
    return Assignment("fleet", fleet.public_id, fleet.name)


async def remove_driver(db: Db, fleet: Fleet, driver: Driver) -> None:
    """Remove a driver from a fleet. Raise NotFound if the driver is not a member."""
    await _delete_member(db, Where(fleet.company).add_equal(fleet=fleet.uuid, driver=driver.uuid))
    driver_id = driver.public_id
    audit.record_by_operator(
        db, fleet.company, "fleet.driver_removed", fleet.public_id, driver=driver_id
    )


async def remove_vehicle(db: Db, fleet: Fleet, vehicle: Vehicle) -> None:
    """Remove a vehicle from a fleet. Raise NotFound if it is not a member."""
    await _delete_member(db, Where(fleet.company).add_equal(fleet=fleet.uuid, vehicle=vehicle.uuid))
    vehicle_id = vehicle.public_id
    audit.record_by_operator(
        db, fleet.company, "fleet.vehicle_removed", fleet.public_id, vehicle=vehicle_id
    )


async def _delete_member(db: Db, where: Where) -> None:
    if not await db.execute(f"delete from fleet_members {where}", **where.values):
        raise NotFound
