"""API of fleets."""

from typing import Final

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.fleets import queries, service
from pannier.fleet.fleets.schemas import FleetDriverIn, FleetOut, FleetVehicleIn
from pannier.fleet.queries import DRIVERS, FLEETS, VEHICLES
from pannier.web.resources import Resource
from pannier.web.routes import delete, post
from pannier.web.versions import Match, PreconditionFailed

fleets: Final = Resource(
    FLEETS,
    create=service.form,
    change=service.change,
    page=queries.fleets,
    show=queries.shown,
    take=queries.take,
    remove=service.dissolve,
    problems={"create": [NotFound], "list": [NotFound], "change": [service.FleetCircle]},
    says={"delete": "Delete a fleet. Its members stay."},
)


@post("/fleets/{fleet_id:str}/drivers", status_code=200)
async def add_fleet_driver(key: FleetKey, fleet_id: str, data: FleetDriverIn, db: Db) -> FleetOut:
    """Add a driver to a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.add_driver(
        db, fleet, await DRIVERS.named(db, key.company, "driver", data.named(), hold=True)
    )
    return await fleets.shown(db, fleet)


@delete(
    "/fleets/{fleet_id:str}/drivers/{driver_id:str}", status_code=200, problems=[PreconditionFailed]
)
async def drop_fleet_driver(
    key: FleetKey, fleet_id: str, driver_id: str, match: Match, db: Db
) -> FleetOut:
    """Remove a driver from a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    match(fleet.version)
    await service.drop_driver(db, fleet, await DRIVERS.get(db, key.company, driver_id))
    return await fleets.shown(db, fleet)


@post("/fleets/{fleet_id:str}/vehicles", status_code=200)
async def add_fleet_vehicle(key: FleetKey, fleet_id: str, data: FleetVehicleIn, db: Db) -> FleetOut:
    """Add a vehicle to a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.add_vehicle(
        db, fleet, await VEHICLES.named(db, key.company, "vehicle", data.named(), hold=True)
    )
    return await fleets.shown(db, fleet)


@delete(
    "/fleets/{fleet_id:str}/vehicles/{vehicle_id:str}",
    status_code=200,
    problems=[PreconditionFailed],
)
async def drop_fleet_vehicle(
    key: FleetKey, fleet_id: str, vehicle_id: str, match: Match, db: Db
) -> FleetOut:
    """Remove a vehicle from a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    match(fleet.version)
    await service.drop_vehicle(db, fleet, await VEHICLES.get(db, key.company, vehicle_id))
    return await fleets.shown(db, fleet)


routers: Final = (
    doors.for_keys(
        "Fleets",
        "fleets",
        [
            *fleets.handlers(),
            add_fleet_driver,
            drop_fleet_driver,
            add_fleet_vehicle,
            drop_fleet_vehicle,
        ],
    ),
)
