"""An order is one thing with its payload, stops and items: taken first, and ended in one place.

Whoever changes any of it holds the order, whichever door they came through: two orders in the
order of their UUIDs, then payloads that no order moves, then a single item. Nothing of an order
is held by itself, so nobody waits for somebody who waits for them.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict
from pannier.kit.geo import Point
from pannier.orders import events
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import owing, pricing
from pannier.orders.quotes.pricing import PRICED
from pannier.orders.views import Aggregate
from pannier.payloads import queries as payloads
from pannier.payloads.queries import Whole
from pannier.places import queries as places
from pannier.routing import route
from pannier.routing.route import Route

# Columns by the name under which a caller knows them.
SHOWN: Final[Mapping[str, str]] = {
    "driver": "driver_assigned",
    "vehicle": "vehicle_assigned",
    "customer_type": "customer",
    "facilitator_type": "facilitator",
    "flow_version": "order_config",
}


# Rung when an order was measured along great circles, and a routing engine knows better.
MEASURED: Final = "pannier_order_routes"


class OrderClosed(Conflict):
    """An order that is over takes only notes, its number and meta, and proofs from before."""

    code = "order_closed"
    title = "The order is over; only its notes, internal_id and meta can change."


async def changed(
    db: Db,
    held: Aggregate,
    *,
    before: Whole | None = None,
    moved: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> list[str]:
    """End a change of an order, its payload, stops or items: measure, count, tell once.

    `before` is what the order moved, when that may have changed; `columns` are the order's own.
    A place that has `moved` may lie in another zone now, however long the way is.
    What depends on the whole of an order follows its changes here and nowhere else: it is measured
    and priced again.
    """
    told = [] if before is None else _differing(before, held.whole)
    if before is not None and before.stations != held.whole.stations:
        columns |= await measured(db, held.order.company, held.whole, held.shown)
    await retry_dispatch(db, held)
    saved, names = await ORDERS.change(db, held.order, **columns)
    if told and not names:
        saved = await ORDERS.touch(db, saved)
    priced = moved or "payload" in told or not PRICED.isdisjoint(names)
    priced = priced and saved.open and saved.price_status != "accepted"
    if priced and "distance" not in columns and await _has_moved(db, held):
        way = await measured(db, saved.company, held.whole, held.shown)
        saved, longer = await ORDERS.change(db, saved, **way)
        names = [*names, *longer]
    held.order = saved
    if not {"distance", "time"}.isdisjoint(names):
        await measure_later(db, saved)
    if priced:
        names = [*names, *await _price_again(db, held)]
    told = list(dict.fromkeys(told + [SHOWN.get(name, name) for name in names]))
    if told:
        await events.tell(db, events.OrderUpdated, held, changed=told)
    return told


async def follow(db: Db, held: Aggregate) -> bool:
    """Measure an order again that has a place which moved, unless the worker has; tell whether."""
    if not await _has_moved(db, held):
        return False
    await remeasure(db, held)
    return True


async def remeasure(db: Db, held: Aggregate) -> None:
    """Measure and price an order that is held through where its places are now."""
    way = await measured(db, held.order.company, held.whole, held.shown)
    await changed(db, held, moved=True, **way)


async def _has_moved(db: Db, held: Aggregate) -> bool:
    order = held.order
    return await places.has_moved(db, order.company, held.whole.stations, order.payload)


async def _price_again(db: Db, held: Aggregate) -> list[str]:
    """Price an order anew; return the columns that changed.

    Nobody chooses a quote once an order is out: the cheapest is accepted, as soon as the order is
    measured.
    """
    status = await pricing.price_again(db, held)
    columns: dict[str, Any] = {"price_status": status}
    is_out = held.order.dispatched_at is not None
    if status == "priced" and is_out and not await is_being_measured(db, held.order):
        columns |= await owing.attach_price(db, held)
    held.order, names = await ORDERS.change(db, held.order, **columns)
    return names


async def retry_dispatch(db: Db, held: Aggregate) -> None:
    """Let the worker retry an order whose dispatch it had postponed: the order has changed."""
    if held.order.dispatch_after is None:
        return
    await db.update("orders", held.order.uuid, dispatch_after=None)
    held.order = msgspec.structs.replace(held.order, dispatch_after=None)


def _differing(before: Whole, after: Whole) -> list[str]:
    """Name what an order shows of its payload, as far as that differs."""
    kept = {
        name: getattr(before.payload, name)
        for name in ("current_waypoint", "version", "updated_at")
    }
    payload = msgspec.structs.replace(after.payload, **kept)
    same = Whole(payload, after.waypoints, after.entities) == before
    heading = before.payload.current_waypoint == after.payload.current_waypoint
    return [*([] if same else ["payload"]), *([] if heading else ["current_waypoint"])]


async def measured(db: Db, company: UUID, whole: Whole, shown: payloads.Shown) -> dict[str, Any]:
    """Measure the way through every stop, or from the pickup to the dropoff.

    Along great circles: this is a transaction, and a routing engine is asked after it.
    """
    pace = (await company_settings.of(db, company)).routing
    return way_columns(route.along([shown.places[uuid].location for uuid in whole.stations], pace))


def way_columns(way: Route | None) -> dict[str, Any]:
    """Say how an order keeps its way."""
    if way is None:
        return {"distance": None, "time": None, "route_source": None}
    return {"distance": way.distance, "time": way.time, "route_source": way.source}


async def measure_later(db: Db, order: Order) -> None:
    """Have the worker ask the routing engine, where there is one, once this is committed."""
    if order.route_source != "great_circle" or "router" not in db.database.engines:
        return
    await db.execute(
        """insert into order_routes (order_uuid, company, due_at) values (:order, :company, :now)
           on conflict (order_uuid) do update set due_at = :now, attempts = 0""",
        order=order.uuid,
        company=order.company,
        now=db.now,
    )
    db.ring(MEASURED)


async def is_being_measured(db: Db, order: Order) -> bool:
    """Tell whether the routing engine is still to measure an order: its price may change by that.

    An engine that never answers leaves the great circle, by which the order is priced then.
    """
    if order.route_source != "great_circle" or "router" not in db.database.engines:
        return False
    return bool(
        await db.value(
            "select true from order_routes where company = :company and order_uuid = :order",
            company=order.company,
            order=order.uuid,
        )
    )


def way_points(held: Aggregate) -> list[Point | None]:
    """Name the points on an order's way, in their order."""
    return [held.shown.places[uuid].location for uuid in held.whole.stations]
