"""API of fleets."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.fleets import queries, service
from pannier.fleet.fleets.schemas import FleetDriverIn, FleetOut, FleetVehicleIn
from pannier.fleet.queries import DRIVERS, FLEETS, VEHICLES
from pannier.web.resources import Resource
from pannier.web.routes import delete, post
from pannier.web.versions import IfMatch, PreconditionFailed

fleets: Final = Resource(
    FLEETS,
    create=service.create,
    change=service.change,
    page=queries.list_fleets,
    show=queries.load_fleets_out,
    lock=queries.lock_fleet,
    remove=service.delete,
    problems={"create": [NotFound], "list": [NotFound], "change": [service.FleetCircle]},
    summaries={"delete": "Delete a fleet. Its members stay."},
)


@post("/fleets/{fleet_id:str}/drivers", status_code=200)
async def add_fleet_driver(key: FleetKey, fleet_id: str, data: FleetDriverIn, db: Db) -> FleetOut:
    """Add a driver to a fleet."""
    fleet = await FLEETS.lock(db, key.company, fleet_id)
    await service.add_driver(
        db,
        fleet,
        await DRIVERS.resolve_reference(db, key.company, "driver", data.require_id(), lock=True),
    )
    return await fleets.to_out(db, fleet)


@delete(
    "/fleets/{fleet_id:str}/drivers/{driver_id:str}", status_code=200, problems=[PreconditionFailed]
)
async def drop_fleet_driver(
    key: FleetKey, fleet_id: str, driver_id: str, match: IfMatch, db: Db
) -> FleetOut:
    """Remove a driver from a fleet."""
    fleet = await FLEETS.lock(db, key.company, fleet_id)
    match(fleet.version)
    await service.remove_driver(db, fleet, await DRIVERS.get(db, key.company, driver_id))
    return await fleets.to_out(db, fleet)


@post("/fleets/{fleet_id:str}/vehicles", status_code=200)
async def add_fleet_vehicle(key: FleetKey, fleet_id: str, data: FleetVehicleIn, db: Db) -> FleetOut:
    """Add a vehicle to a fleet."""
    fleet = await FLEETS.lock(db, key.company, fleet_id)
    await service.add_vehicle(
        db,
        fleet,
        await VEHICLES.resolve_reference(db, key.company, "vehicle", data.require_id(), lock=True),
    )
    return await fleets.to_out(db, fleet)


@delete(
    "/fleets/{fleet_id:str}/vehicles/{vehicle_id:str}",
    status_code=200,
    problems=[PreconditionFailed],
)
async def drop_fleet_vehicle(
    key: FleetKey, fleet_id: str, vehicle_id: str, match: IfMatch, db: Db
) -> FleetOut:
    """Remove a vehicle from a fleet."""
    fleet = await FLEETS.lock(db, key.company, fleet_id)
    match(fleet.version)
    await service.remove_vehicle(db, fleet, await VEHICLES.get(db, key.company, vehicle_id))
    return await fleets.to_out(db, fleet)


routers: Final = (
    api_routers.api_router(
        "Fleets",
        "fleets",
        [
            *fleets.make_handlers(),
            add_fleet_driver,
            drop_fleet_driver,
            add_fleet_vehicle,
            drop_fleet_vehicle,
        ],
    ),
)
