"""The work of the demo's dispatcher: placing, assigning and dispatching orders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.db import Db, PageIn
from pannier.demo import history
from pannier.demo.seeding import place_order
from pannier.fleet import whereabouts
from pannier.fleet.models import Driver
from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.orders import flow, moves
from pannier.orders.driver_days import queries as driver_days
from pannier.orders.driver_days.stops import DayStop
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.stages import OPEN
from pannier.orders.views import OrderAggregate

# Maximum number of orders without a driver, and of orders placed in a day.
MAX_WAITING, MAX_ORDERS_PER_DAY = 8, 600
# The time between new orders.
ORDER_INTERVAL: Final = timedelta(seconds=144)
# The simulation leaves a new order to visitors for this time.
UNASSIGNED_WAIT: Final = timedelta(minutes=10)
DELIVERY_TIME: Final = timedelta(minutes=50)
# Planned orders are dispatched this long before the planned pickup.
DISPATCH_LEAD: Final = timedelta(minutes=6)
_UNASSIGNED: Final = f"status = '{flow.CREATED}' and driver is null and scheduled_at is null"


async def dispatch_next(db: Db, company: UUID, idle_drivers: Sequence[Driver]) -> None:
    """Dispatch an order that has waited too long, or else place a new one."""
    if not (idle_drivers and await _dispatch_waiting_order(db, company, idle_drivers)):
        await _place_order_if_few(db, company)


async def list_due_orders(db: Db, company: UUID, drivers: Sequence[Driver]) -> list[str]:
    """List the ids of planned orders whose pickup is soon."""
    uuids = [driver.uuid for driver in drivers]
    days = await driver_days.load_days(db, company, uuids, with_waiting=True)
    latest_pickup = db.now + DISPATCH_LEAD
    order_ids = {
        stop.order_id
        for day in days.values()
        for stop in day
        if not stop.is_dispatched
        and stop.planned_at is not None
        and stop.planned_at <= latest_pickup
    }
    return sorted(order_ids)


async def dispatch_order(db: Db, company: UUID, order_id: str) -> None:
    """Dispatch an order to its courier."""
    locked_order = await ORDERS.lock(db, company, order_id)
    await moves.dispatch(db, await OrderAggregate.load(db, locked_order))


async def _dispatch_waiting_order(db: Db, company: UUID, idle_drivers: Sequence[Driver]) -> bool:
    """Dispatch an order that has waited too long to the nearest idle courier."""
    waiting_orders = await _list_orders(
        db, company, f"{_UNASSIGNED} and created_at < :cutoff", cutoff=db.now - UNASSIGNED_WAIT
    )
    if not waiting_orders:
        return False
    locked_order = await ORDERS.lock(db, company, waiting_orders[0].public_id)
    aggregate = await OrderAggregate.load(db, locked_order)
    driver = await _find_nearest_driver(db, aggregate, idle_drivers)
    await moves.dispatch(db, aggregate, driver=driver.public_id)
    return True


async def _find_nearest_driver(
    db: Db, aggregate: OrderAggregate, idle_drivers: Sequence[Driver]
) -> Driver:
    """Find the idle courier who is nearest to an order's pickup."""
    pickup = aggregate.related.places.get(aggregate.payload_aggregate.place_uuids[0])
    if pickup is None or pickup.location is None:
        return idle_drivers[0]
    target, positions = pickup.location, await load_positions(db, idle_drivers)
    return min(
        idle_drivers, key=lambda driver: _measure_distance(positions.get(driver.uuid), target)
    )


def _measure_distance(position: Point | None, target: Point) -> float:
    return float("inf") if position is None else geo.distance(position, target)


async def _place_order_if_few(db: Db, company: UUID) -> None:
    """Place an order if few are waiting, up to a daily maximum."""
    # Orders of the morning, which have a start of their time window, are not counted.
    waiting_orders = await _list_orders(db, company, f"{_UNASSIGNED} and time_window_start is null")
    recent_count = await _count_orders(db, company, ORDER_INTERVAL)
    if len(waiting_orders) >= MAX_WAITING or recent_count:
        return
    if await _count_orders(db, company, timedelta(days=1)) < MAX_ORDERS_PER_DAY:
        count = await db.fetch_value(
            "select count(*) from orders where company = :company", company=company
        )
        number = history.FIRST_NUMBER + 80 + count
        await place_order(db, company, number, time_window_end=db.now + DELIVERY_TIME)


async def _count_orders(db: Db, company: UUID, age: timedelta) -> int:
    """Count the orders that are at most this old."""
    count = await db.fetch_value(
        "select count(*) from orders where company = :company and created_at > :since",
        company=company,
        since=db.now - age,
    )
    return int(count)


async def list_started_orders(db: Db, company: UUID, drivers: Sequence[Driver]) -> list[Order]:
    """List the started orders by the time of their start."""
    uuids = [driver.uuid for driver in drivers]
    condition = (
        f"started_at is not null and undelivered is null and {OPEN} and driver = any(:drivers)"
    )
    rows = await _list_orders(db, company, condition, drivers=uuids)
    return sorted(rows, key=lambda order: (order.started_at, order.uuid))


async def list_next_stops(
    db: Db, company: UUID, drivers: Sequence[Driver], skipped: Collection[UUID]
) -> list[tuple[DayStop, Order]]:
    """List the next stop of each driver who has one, with its order."""
    days = await driver_days.load_days(db, company, [driver.uuid for driver in drivers])
    stops = [
        next((stop for stop in day if stop.order_uuid not in skipped), None)
        for day in days.values()
    ]
    orders = await ORDERS.load_many(db, company, [stop.order_uuid for stop in stops if stop])
    return [(stop, orders[stop.order_uuid]) for stop in stops if stop is not None]


async def load_positions(db: Db, drivers: Sequence[Driver]) -> Mapping[UUID, Point]:
    """Load the last positions of drivers' vehicles, by driver."""
    if not drivers:
        return {}
    vehicles = [driver.vehicle for driver in drivers]
    positions = await whereabouts.load(db, drivers[0].company, vehicles)
    return {
        driver.uuid: positions[driver.vehicle].location
        for driver in drivers
        if driver.vehicle in positions
    }


async def _list_orders(db: Db, company: UUID, condition: str, **values: object) -> list[Order]:
    """List some open orders, oldest first."""
    where = ORDERS.where(company).add(condition, **values)
    return (await ORDERS.load_page(db, where, PageIn(limit=100, sort="created_at"))).rows
