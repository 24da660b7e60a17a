"""The doors of fleets."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.fleet.fleets import queries, service
from pannier.fleet.fleets.schemas import (
    FleetChange,
    FleetDriverIn,
    FleetFilters,
    FleetIn,
    FleetOut,
    FleetVehicleIn,
)
from pannier.fleet.queries import DRIVERS, FLEETS, VEHICLES
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed

CHANGING = [service.FleetCircle, PreconditionFailed]


@post("/fleets")
async def create_fleet(key: FleetKey, data: FleetIn, db: Db) -> FleetOut:
    """Form a fleet."""
    return await queries.out(db, await service.form(db, key.company, data))


@get("/fleets")
async def list_fleets(
    key: FleetKey, filters: FleetFilters, exchange: Exchange, db: Db
) -> Response[list[FleetOut]]:
    """List the company's fleets."""
    found = await queries.fleets(db, key.company, filters)
    return linked(exchange, found, (await queries.shown(db, key.company, found.rows)).out)


@get("/fleets/{fleet_id:str}")
async def get_fleet(key: FleetKey, fleet_id: str, db: Db) -> FleetOut:
    """Read a fleet with its members."""
    return await queries.out(db, await FLEETS.get(db, key.company, fleet_id))


async def change_fleet(
    key: FleetKey, fleet_id: str, data: FleetChange, match: Match, db: Db
) -> FleetOut:
    """Change a fleet: a field left out stays as it is, null clears it."""
    fleet = await queries.take(db, key.company, fleet_id)
    match(fleet.version)
    return await queries.out(db, await service.change(db, fleet, data))


@delete("/fleets/{fleet_id:str}", status_code=200)
async def delete_fleet(key: FleetKey, fleet_id: str, db: Db) -> Deleted:
    """Dissolve a fleet; its members stay."""
    fleet = await queries.take(db, key.company, fleet_id)
    await service.dissolve(db, fleet)
    return Deleted.of(db, "fleet", fleet.public_id)


@post("/fleets/{fleet_id:str}/drivers", status_code=200)
async def add_fleet_driver(key: FleetKey, fleet_id: str, data: FleetDriverIn, db: Db) -> FleetOut:
    """Take a driver into a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.add_driver(db, fleet, await DRIVERS.take(db, key.company, data.named()))
    return await queries.out(db, fleet)


@delete("/fleets/{fleet_id:str}/drivers/{driver_id:str}", status_code=200)
async def drop_fleet_driver(key: FleetKey, fleet_id: str, driver_id: str, db: Db) -> FleetOut:
    """Let a driver out of a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.drop_driver(db, fleet, await DRIVERS.get(db, key.company, driver_id))
    return await queries.out(db, fleet)


@post("/fleets/{fleet_id:str}/vehicles", status_code=200)
async def add_fleet_vehicle(key: FleetKey, fleet_id: str, data: FleetVehicleIn, db: Db) -> FleetOut:
    """Take a vehicle into a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.add_vehicle(db, fleet, await VEHICLES.take(db, key.company, data.named()))
    return await queries.out(db, fleet)


@delete("/fleets/{fleet_id:str}/vehicles/{vehicle_id:str}", status_code=200)
async def drop_fleet_vehicle(key: FleetKey, fleet_id: str, vehicle_id: str, db: Db) -> FleetOut:
    """Let a vehicle out of a fleet."""
    fleet = await FLEETS.take(db, key.company, fleet_id)
    await service.drop_vehicle(db, fleet, await VEHICLES.get(db, key.company, vehicle_id))
    return await queries.out(db, fleet)


_ONE = "/fleets/{fleet_id:str}"
routes = Router(
    "/v1",
    route_handlers=[
        create_fleet,
        list_fleets,
        get_fleet,
        change(_ONE, problems=CHANGING)(change_fleet),
        delete_fleet,
        add_fleet_driver,
        drop_fleet_driver,
        add_fleet_vehicle,
        drop_fleet_vehicle,
    ],
    before_request=auth.fleet("fleets"),
    tags=["Fleets"],
    security=[{"apiKey": []}],
)
routers = (routes,)
