"""Create, change and delete fleets, and change their members."""

from uuid import UUID

from pannier.accounts import audit
from pannier.db import Db, Where
from pannier.errors import Field as Offender
from pannier.errors import Invalid, NotFound
from pannier.fleet import service
from pannier.fleet.events import Assignment
from pannier.fleet.fleets import queries
from pannier.fleet.fleets.schemas import FleetChange, FleetIn
from pannier.fleet.models import Driver, Fleet, Member, Vehicle
from pannier.fleet.queries import FLEETS
from pannier.fleet.schemas import sent


class FleetCircle(Invalid):
    """The parent is the fleet itself, or one of its sub-fleets."""

    code = "fleet_circle"
    title = "A fleet cannot contain itself."
    remedy = "Choose another parent fleet."


async def form(db: Db, company: UUID, data: FleetIn) -> Fleet:
    columns = sent(data)
    columns["parent_fleet"] = await _parent(db, company, columns.get("parent_fleet"))
    return await FLEETS.create(db, company, **columns)


async def change(db: Db, fleet: Fleet, wish: FleetChange) -> Fleet:
    wanted = sent(wish)
    if "parent_fleet" in wanted:
        parent = await _parent(db, fleet.company, wanted["parent_fleet"])
        wanted["parent_fleet"] = parent
        if parent and await queries.lies_within(db, fleet.company, parent, fleet.uuid):
            message = "A fleet cannot contain itself."
            raise FleetCircle(fields=[Offender("parent_fleet", message)])
    saved, _ = await FLEETS.change(db, fleet, **wanted)
    return saved


async def _parent(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    """Find the parent fleet, with the tree locked until the transaction ends."""
    if identifier is None:
        return None
    await queries.line_up(db, company)
    return (await FLEETS.named(db, company, "parent_fleet", identifier)).uuid


async def dissolve(db: Db, fleet: Fleet) -> None:
    """Delete a fleet. Members and sub-fleets stay, without it."""
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
    if await _joined(db, fleet, driver=driver.uuid, vehicle=None):
        audit.note(
            db, fleet.company, "fleet.driver_added", fleet.public_id, driver=driver.public_id
        )
        await service.tell_driver_assigned(db, driver, _to(fleet))


async def add_vehicle(db: Db, fleet: Fleet, vehicle: Vehicle) -> None:
    """Add a vehicle to a fleet. Adding a member again emits nothing."""
    if await _joined(db, fleet, driver=None, vehicle=vehicle.uuid):
        name = vehicle.public_id
        audit.note(db, fleet.company, "fleet.vehicle_added", fleet.public_id, vehicle=name)
        await service.tell_vehicle_assigned(db, vehicle, _to(fleet))


async def _joined(db: Db, fleet: Fleet, *, driver: UUID | None, vehicle: UUID | None) -> bool:
    """Insert a membership, and tell whether it is new. The fleet's row must be locked."""
    where = Where(fleet.company).equal(fleet=fleet.uuid, driver=driver, vehicle=vehicle)
    if await db.value(f"select 1 from fleet_members {where}", **where.values):
        return False
    row = Member(
        **db.begun(fleet.company),
        fleet=fleet.uuid,
        driver=driver,
        vehicle=vehicle,
    )
    await db.insert("fleet_members", row)
    return True


def _to(fleet: Fleet) -> Assignment:
    return Assignment("fleet", fleet.public_id, fleet.name)


async def drop_driver(db: Db, fleet: Fleet, driver: Driver) -> None:
    """Remove a driver from a fleet; raise `NotFound` if the driver is not a member."""
    await _left(db, Where(fleet.company).equal(fleet=fleet.uuid, driver=driver.uuid))
    name = driver.public_id
    audit.note(db, fleet.company, "fleet.driver_removed", fleet.public_id, driver=name)


async def drop_vehicle(db: Db, fleet: Fleet, vehicle: Vehicle) -> None:
    """Remove a vehicle from a fleet; raise `NotFound` if it is not a member."""
    await _left(db, Where(fleet.company).equal(fleet=fleet.uuid, vehicle=vehicle.uuid))
    name = vehicle.public_id
    audit.note(db, fleet.company, "fleet.vehicle_removed", fleet.public_id, vehicle=name)


async def _left(db: Db, where: Where) -> None:
    if not await db.execute(f"delete from fleet_members {where}", **where.values):
        raise NotFound
