"""The doors of vehicles."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.fleet import presence
from pannier.fleet.queries import VEHICLES, positions
from pannier.fleet.schemas import PositionFilters, PositionOut, TrackIn
from pannier.fleet.vehicles import queries, service
from pannier.fleet.vehicles.schemas import VehicleChange, VehicleFilters, VehicleIn, VehicleOut
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post, report
from pannier.web.versions import Match, PreconditionFailed


@post("/vehicles")
async def create_vehicle(key: FleetKey, data: VehicleIn, db: Db) -> VehicleOut:
    """Add a vehicle."""
    return await queries.out(db, await service.add(db, key.company, data))


@get("/vehicles")
async def list_vehicles(
    key: FleetKey, filters: VehicleFilters, exchange: Exchange, db: Db
) -> Response[list[VehicleOut]]:
    """List the company's vehicles."""
    found = await queries.vehicles(db, key.company, filters)
    return linked(exchange, found, (await queries.shown(db, key.company, found.rows)).out)


@get("/vehicles/{vehicle_id:str}")
async def get_vehicle(key: FleetKey, vehicle_id: str, db: Db) -> VehicleOut:
    """Read a vehicle."""
    return await queries.out(db, await VEHICLES.get(db, key.company, vehicle_id))


async def change_vehicle(
    key: FleetKey, vehicle_id: str, data: VehicleChange, match: Match, db: Db
) -> VehicleOut:
    """Change a vehicle: a field left out stays as it is, null clears it."""
    vehicle = await VEHICLES.take(db, key.company, vehicle_id)
    match(vehicle.version)
    return await queries.out(db, await service.change(db, vehicle, data))


@delete("/vehicles/{vehicle_id:str}", status_code=200)
async def delete_vehicle(key: FleetKey, vehicle_id: str, db: Db) -> Deleted:
    """Remove a vehicle; its driver stays, without a vehicle."""
    vehicle, driver = await queries.take_with_driver(db, key.company, vehicle_id)
    await service.remove(db, vehicle, driver)
    return Deleted.of(db, "vehicle", vehicle.public_id)


async def track_vehicle(key: FleetKey, vehicle_id: str, data: TrackIn, db: Db) -> VehicleOut:
    """Tell where a vehicle is; a late report does not move it back."""
    vehicle = await VEHICLES.take(db, key.company, vehicle_id)
    return await queries.out(db, await presence.track_vehicle(db, vehicle, data.fix(db.now)))


@get("/vehicles/{vehicle_id:str}/positions")
async def list_vehicle_positions(
    key: FleetKey, vehicle_id: str, filters: PositionFilters, exchange: Exchange, db: Db
) -> Response[list[PositionOut]]:
    """List where a vehicle was, the latest first."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    found = await positions(db, key.company, filters, vehicle=vehicle.uuid)
    return linked(exchange, found, PositionOut.of)


_ONE = "/vehicles/{vehicle_id:str}"
_TRACK = f"{_ONE}/track"
routes = Router(
    "/v1",
    route_handlers=[
        create_vehicle,
        list_vehicles,
        get_vehicle,
        change(_ONE, problems=[PreconditionFailed])(change_vehicle),
        delete_vehicle,
        report(_TRACK, status_code=200)(track_vehicle),
        list_vehicle_positions,
    ],
    before_request=auth.fleet("vehicles"),
    tags=["Vehicles"],
    security=[{"apiKey": []}],
)
routers = (routes,)
