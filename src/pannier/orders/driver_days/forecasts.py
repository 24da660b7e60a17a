"""Forecasts of orders, from the last ETAs of their drivers."""

from collections.abc import Collection
from uuid import UUID

from pannier.db import Db
from pannier.orders.driver_days import queries
from pannier.orders.driver_days.schemas import Forecast
from pannier.orders.driver_days.stops import StopEta, StopKey
from pannier.orders.models import Order
from pannier.orders.views import OrderRecords


async def load_forecasts(
    db: Db, company: UUID, orders: Collection[Order], related: OrderRecords
) -> dict[UUID, Forecast]:
    """Load the forecasts of orders. Completed stops are left out."""
    drivers = [row.driver for row in orders if row.open and row.dispatched_at is not None]
    etas = await queries.load_etas(db, company, drivers, db.now)
    forecasts = {}
    for row in orders:
        driver_etas = etas.get(row.driver) if row.driver is not None and row.open else None
        stops = driver_etas.stops if driver_etas else []
        remaining_etas = [
            eta for eta in stops if eta.order == row.uuid and _is_remaining(eta, row, related)
        ]
        waypoint_ids = {eta.key: related.stop_id(eta.waypoint) for eta in remaining_etas}
        forecast = Forecast.from_etas(remaining_etas, _drop_unknown_stops(waypoint_ids))
        if forecast is not None:
            forecasts[row.uuid] = forecast
    return forecasts


def _is_remaining(eta: StopEta, row: Order, related: OrderRecords) -> bool:
    """Return whether a driver still has to visit a stop."""
    if eta.waypoint is None:
        if eta.type == "pickup":
            return row.started_at is None or row.at_pickup
        return row.undelivered is None
    stop = related.stops.get(eta.waypoint)
    return stop is not None and stop.completed_at is None and stop.undelivered is None


def _drop_unknown_stops(waypoint_ids: dict[StopKey, str | None]) -> dict[StopKey, str]:
    return {
        key: waypoint_id for key, waypoint_id in waypoint_ids.items() if waypoint_id is not None
    }
