"""The doors of vehicles."""

from typing import Final

from litestar import Response

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.accounts.company_settings.models import Locations
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import presence
from pannier.fleet.queries import VEHICLES, positions
from pannier.fleet.schemas import PositionFilters, PositionOut, TrackIn
from pannier.fleet.vehicles import queries, service
from pannier.fleet.vehicles.schemas import VehicleOut
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.resources import Resource
from pannier.web.routes import get, report

vehicles: Final = Resource(
    VEHICLES,
    create=service.add,
    change=service.change,
    page=queries.vehicles,
    show=queries.shown,
    take=queries.take_with_driver,
    remove=service.remove,
    problems={"create": [NotFound], "list": [NotFound]},
    says={"delete": "Delete a vehicle. Its driver stays, without a vehicle."},
)


@report("/vehicles/{vehicle_id:str}/track", status_code=200)
async def track_vehicle(
    key: FleetKey, vehicle_id: str, data: TrackIn, db: Db, settings: Settings
) -> VehicleOut:
    """Tell where a vehicle is; a late report does not move it back."""
    vehicle = await VEHICLES.take(db, key.company, vehicle_id)
    await presence.track_vehicle(db, vehicle, data.fix(db.now), Locations.least(settings))
    return await vehicles.shown(db, vehicle)


@get("/vehicles/{vehicle_id:str}/positions")
async def list_vehicle_positions(
    key: FleetKey, vehicle_id: str, filters: PositionFilters, exchange: Exchange, db: Db
) -> Response[list[PositionOut]]:
    """List where a vehicle was, the latest first."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    found = await positions(db, key.company, filters, vehicle=vehicle.uuid)
    return linked(exchange, found, PositionOut.of)


routers: Final = (
    doors.for_keys(
        "Vehicles",
        "vehicles",
        [*vehicles.handlers(), track_vehicle, list_vehicle_positions],
    ),
)
