"""Handlers of tracks: report positions and list the history."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.devices.models import Device
from pannier.devices.streams.refusals import StreamAway
from pannier.devices.streams.takers import Takes
from pannier.devices.tracks import queries, service
from pannier.devices.tracks.schemas import (
    PositionFilters,
    PositionOut,
    PositionsGiven,
    PositionsIn,
    PositionsOut,
    TrackIn,
)
from pannier.devices.writer import Busy
from pannier.fleet import auth
from pannier.fleet.auth import Driving
from pannier.fleet.drivers.api import drivers
from pannier.fleet.drivers.schemas import DriverOut
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.api import vehicles
from pannier.fleet.vehicles.schemas import VehicleOut
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import get, post, report

_DRIVER, _VEHICLE = "/drivers/{driver_id:str}", "/vehicles/{vehicle_id:str}"
AWAY: Final = [Busy, StreamAway]


async def track_driver(
    caller: FleetKey | Driving,
    driver_id: str,
    data: TrackIn,
    exchange: Exchange,
    db: Db,
    devices: Takes,
) -> DriverOut:
    """Report a driver's position. The vehicle moves along; a late report moves nobody back."""
    driver, phone = await _found(db, caller, driver_id)
    await service.track(exchange, devices, caller, phone, data)
    return await drivers.shown(db, driver)


async def track_driver_positions(
    caller: FleetKey | Driving,
    driver_id: str,
    data: PositionsIn,
    exchange: Exchange,
    db: Db,
    devices: Takes,
) -> PositionsOut:
    """Report up to 1,000 positions of a driver: late, in any order, also repeatedly."""
    _, phone = await _found(db, caller, driver_id)
    told = await service.track_all(exchange, devices, caller, phone, data.positions)
    return PositionsOut.of(told)


async def _found(db: Db, caller: FleetKey | Driving, driver_id: str) -> tuple[Driver, Device]:
    """Load a driver, and the phone that reports their position."""
    driver = await DRIVERS.get(db, caller.company, auth.reach(caller, driver_id))
    return driver, await service.phone_of(db, driver)


async def list_driver_positions(
    caller: FleetKey | Driving, driver_id: str, filters: PositionFilters, exchange: Exchange, db: Db
) -> Response[list[PositionOut]]:
    """List a driver's positions, latest first."""
    driver = await DRIVERS.get(db, caller.company, auth.reach(caller, driver_id))
    return linked(exchange, await queries.of_driver(db, driver, filters), lambda row: row)


@report(f"{_VEHICLE}/track", status_code=200, problems=AWAY)
async def track_vehicle(
    key: FleetKey, vehicle_id: str, data: TrackIn, exchange: Exchange, db: Db, devices: Takes
) -> VehicleOut:
    """Report a vehicle's position. A late report does not move it back."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    virtual = await service.virtual_of(db, vehicle)
    await service.track(exchange, devices, key, virtual, data)
    return await vehicles.shown(db, vehicle)


@get(f"{_VEHICLE}/positions")
async def list_vehicle_positions(
    key: FleetKey, vehicle_id: str, filters: PositionFilters, exchange: Exchange, db: Db
) -> Response[list[PositionOut]]:
    """List a vehicle's positions, latest first."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    return linked(exchange, await queries.of_vehicle(db, vehicle, filters), lambda row: row)


_MANY: Mapping[str, Any] = {
    "status_code": 200,
    "problems": AWAY,
    "opt": {"request_bodies": {"application/json": PositionsGiven}},
}
routers: Final = (
    doors.for_keys(
        "Drivers",
        "drivers",
        [
            report(f"{_DRIVER}/track", status_code=200, problems=AWAY, **auth.OWN)(track_driver),
            post(f"{_DRIVER}/positions", **_MANY, **auth.OWN)(track_driver_positions),
            get(f"{_DRIVER}/positions", **auth.OWN)(list_driver_positions),
        ],
    ),
    doors.for_keys("Vehicles", "vehicles", [track_vehicle, list_vehicle_positions]),
)
