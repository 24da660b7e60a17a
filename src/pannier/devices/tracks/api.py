"""Handlers of tracks: report positions and list the history."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.brokers.errors import StreamUnavailable
from pannier.devices.models import Device
from pannier.devices.tracks import queries, service
from pannier.devices.tracks.schemas import (
    PositionBatchIn,
    PositionFilters,
    PositionOut,
    PositionsIn,
    PositionsOut,
    TrackIn,
)
from pannier.devices.writer import Busy
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.fleet.drivers.api import drivers
from pannier.fleet.drivers.schemas import DriverOut
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.api import vehicles
from pannier.fleet.vehicles.schemas import VehicleOut
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import get, post, report

_DRIVER, _VEHICLE = "/drivers/{driver_id:str}", "/vehicles/{vehicle_id:str}"
UNAVAILABLE_PROBLEMS: Final = [Busy, StreamUnavailable]


async def track_driver(
    caller: FleetKey | DriverCaller,
    driver_id: str,
    data: TrackIn,
    exchange: Exchange,
    db: Db,
    devices: IngestBackend,
) -> DriverOut:
    """Report a driver's position, also for the vehicle. Newer positions are not replaced."""
    driver, phone = await _load_driver_and_phone(db, caller, driver_id)
    await service.store_report(exchange, devices, caller, phone, data)
    return await drivers.to_out(db, driver)


async def track_driver_positions(
    caller: FleetKey | DriverCaller,
    driver_id: str,
    data: PositionsIn,
    exchange: Exchange,
    db: Db,
    devices: IngestBackend,
) -> PositionsOut:
    """Report up to 1,000 positions of a driver. They may be late, unordered or repeated."""
    _, phone = await _load_driver_and_phone(db, caller, driver_id)
    outcome = await service.store_reports(exchange, devices, caller, phone, data.positions)
    return PositionsOut.from_outcome(outcome)


async def _load_driver_and_phone(
    db: Db, caller: FleetKey | DriverCaller, driver_id: str
) -> tuple[Driver, Device]:
    """Load a driver, and the phone that reports their position."""
    driver = await DRIVERS.get(db, caller.company, auth.resolve_driver(caller, driver_id))
    return driver, await service.get_or_create_phone(db, driver)


async def list_driver_positions(
    caller: FleetKey | DriverCaller,
    driver_id: str,
    filters: PositionFilters,
    exchange: Exchange,
    db: Db,
) -> Response[list[PositionOut]]:
    """List a driver's positions, latest first."""
    driver = await DRIVERS.get(db, caller.company, auth.resolve_driver(caller, driver_id))
    return to_array_response(
        exchange, await queries.list_positions_of_driver(db, driver, filters), lambda row: row
    )


@report(f"{_VEHICLE}/track", status_code=200, problems=UNAVAILABLE_PROBLEMS)
async def track_vehicle(
    key: FleetKey,
    vehicle_id: str,
    data: TrackIn,
    exchange: Exchange,
    db: Db,
    devices: IngestBackend,
) -> VehicleOut:
    """Report a vehicle's position. Newer positions are not replaced."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    device = await service.get_or_create_virtual_device(db, vehicle)
    await service.store_report(exchange, devices, key, device, data)
    return await vehicles.to_out(db, vehicle)


@get(f"{_VEHICLE}/positions")
async def list_vehicle_positions(
    key: FleetKey, vehicle_id: str, filters: PositionFilters, exchange: Exchange, db: Db
) -> Response[list[PositionOut]]:
    """List a vehicle's positions, latest first."""
    vehicle = await VEHICLES.get(db, key.company, vehicle_id)
    return to_array_response(
        exchange, await queries.list_positions_of_vehicle(db, vehicle, filters), lambda row: row
    )


_BATCH_OPTIONS: Mapping[str, Any] = {
    "status_code": 200,
    "problems": UNAVAILABLE_PROBLEMS,
    "opt": {"request_bodies": {"application/json": PositionBatchIn}},
}
routers: Final = (
    api_routers.api_router(
        "Drivers",
        "drivers",
        [
            report(
                f"{_DRIVER}/track",
                status_code=200,
                problems=UNAVAILABLE_PROBLEMS,
                **auth.DRIVER_OR_KEY_ROUTE,
            )(track_driver),
            post(f"{_DRIVER}/positions", **_BATCH_OPTIONS, **auth.DRIVER_OR_KEY_ROUTE)(
                track_driver_positions
            ),
            get(f"{_DRIVER}/positions", **auth.DRIVER_OR_KEY_ROUTE)(list_driver_positions),
        ],
    ),
    api_routers.api_router("Vehicles", "vehicles", [track_vehicle, list_vehicle_positions]),
)
