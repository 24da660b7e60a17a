"""Handlers of trips, for operators and for API keys that may read devices."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers
from pannier.db import Db
from pannier.devices.trips import reports
from pannier.devices.trips.schemas import TripFilters, TripsOut
from pannier.errors import Invalid, NotFound
from pannier.fleet.queries import VEHICLES
from pannier.fleet.schemas import VehicleId
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.routes import get


@get("/fleet-module/vehicles/{vehicle_id:str}/trips", problems=[NotFound, Invalid])
async def list_trips_of_vehicle(
    company: UUID,
    vehicle_id: VehicleId,
    filters: TripFilters,
    exchange: Exchange,
    router: Router,
    db: Db,
) -> TripsOut:
    """List a vehicle's trips and stops on a day or in a period, with their route geometry.

    They are derived from the positions of the devices on the vehicle at that time, and are
    corrected when late positions arrive.
    """
    vehicle = await VEHICLES.get(db, company, vehicle_id)
    report = await reports.load_report(db, vehicle, filters)
    async with exchange.edge.suspend_transaction(exchange):
        return await reports.draw_report(router, report)


routers: Final = (api_routers.viewer_router("Trips", "devices", [list_trips_of_vehicle]),)
