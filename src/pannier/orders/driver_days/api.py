"""HTTP handlers of drivers' days and forecasts."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.fleet import auth as fleet
from pannier.fleet.queries import DRIVERS
from pannier.orders.access import OrderCaller
from pannier.orders.driver_days import history, queries
from pannier.orders.driver_days.history import DriverActivityOut
from pannier.orders.driver_days.schemas import (
    DriverStopOut,
    DriverStopsOut,
    ForecastCounts,
    match_etas,
)
from pannier.web.routes import get
from pannier.web.times import to_rfc3339


@get(
    "/drivers/{driver_id:str}/stops",
    before_request=fleet.require_driver_or_key("orders"),
    security=[{"driverToken": []}],
)
async def list_driver_stops(caller: OrderCaller, driver_id: str, db: Db) -> DriverStopsOut:
    """List the remaining stops of a driver's open orders, in sequence, with ETAs.

    ETAs are refreshed about twice a minute while the driver reports positions. Signed-in drivers
    can list only their own stops, also as `me`.
    """
    driver = await DRIVERS.get(db, caller.company, fleet.resolve_driver(caller, driver_id))
    days = await queries.load_days(db, caller.company, [driver.uuid], with_waiting=True)
    stops = days.get(driver.uuid, [])
    etas = (await queries.load_etas(db, caller.company, [driver.uuid], db.now)).get(driver.uuid)
    matched_etas = match_etas(stops, etas.stops if etas else [])
    return DriverStopsOut(
        driver=driver.public_id,
        located_at=to_rfc3339(etas.located_at if etas else None),
        computed_at=to_rfc3339(etas.computed_at if etas else None),
        dispatch_phone=(await company_settings.load(db, caller.company)).dispatch_phone,
        stops=list(map(DriverStopOut.from_stop, stops, matched_etas)),
    )


@get(
    "/drivers/{driver_id:str}/history",
    before_request=fleet.require_driver_or_key("orders"),
    security=[{"driverToken": []}],
)
async def list_driver_history(
    caller: OrderCaller, driver_id: str, db: Db
) -> list[DriverActivityOut]:
    """List what a driver has recorded today, in the company's time zone, latest first.

    These are activities and failed attempts, at most 500. Signed-in drivers can list only their
    own, also as `me`.
    """
    driver = await DRIVERS.get(db, caller.company, fleet.resolve_driver(caller, driver_id))
    settings = await company_settings.load(db, caller.company)
    day_start, _ = settings.get_day_bounds(db.now.astimezone(settings.zone).date())
    activities = await history.list_activities(db, caller.company, driver.public_id, day_start)
    return list(map(DriverActivityOut.from_activity, activities))


@get("/orders/forecasts")
async def count_forecasts(caller: Caller, db: Db) -> ForecastCounts:
    """Count the open orders whose ETAs are late or at risk."""
    counts = await queries.count_forecasts(db, caller.company)
    return ForecastCounts(**counts)


routes: Final = api_routers.api_router(
    "Order assignment", "orders", [list_driver_stops, list_driver_history]
)
operator_routes: Final = api_routers.operator_router("Order board", "viewer", [count_forecasts])
